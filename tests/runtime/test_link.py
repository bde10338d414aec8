"""What the direct link gives has every member that the interfaces promise."""

from __future__ import annotations

from typing import Any

import pytest
from pi_contracts.runtime import link
from pi_contracts.runtime.delivery import ListenerSubscription
from pi_contracts.runtime.direct import DirectEvents, DirectLink, DirectReference
from pi_contracts.runtime.events import EventSource
from pi_contracts.runtime.replica import Replica
from pi_contracts.runtime.state import MutableState

PAIRS: list[tuple[Any, Any]] = [
    (link.Link, DirectLink),
    (link.State, Replica),
    (link.State, MutableState),
    (link.Events, DirectEvents),
    (link.Events, EventSource),
    (link.Reference, DirectReference),
    (link.Subscription, ListenerSubscription),
]


@pytest.mark.parametrize(("interface", "kind"), PAIRS, ids=[pair[1].__name__ for pair in PAIRS])
def test_a_class_has_what_its_interface_promises(interface: Any, kind: Any) -> None:
    names: list[str] = [*interface.__dict__]
    promised = {name for name in names if not name.startswith("_")}
    promised |= {"__aenter__", "__aexit__"} & set(names)
    assert promised
    assert promised <= set(dir(kind))
