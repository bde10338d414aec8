"""What a process provides, and who is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.runtime import (
    InvalidImplementation,
    InvalidProvision,
    InvalidToken,
    local_service,
)
from pi_contracts.runtime import generated as rt
from pi_contracts.runtime.registry import Registry

if TYPE_CHECKING:
    from pi_contracts.runtime import Local


class Watcher:
    def __init__(self) -> None:
        self.changes = 0

    def take_change(self) -> None:
        self.changes += 1


def test_a_service_has_one_owner_in_its_scope(sample: Any) -> None:
    """SNG-1, FLT-3: the second is refused, and the first goes on."""
    registry, first = Registry(), sample.Catalogue()
    registry.provide(sample.MODELS, first, scope="session")
    with pytest.raises(InvalidProvision) as caught:
        registry.provide(sample.MODELS, sample.Catalogue(), scope="session")
    assert str(caught.value) == (
        'the service "models" cannot be provided: something provides it already'
    )
    keyed: Any = rt.Keyed(id="models", version=1, digest="", members=(), proxy=sample.MODELS.proxy)
    with pytest.raises(InvalidProvision):
        registry.provide_keyed(keyed, scope="session")
    registry.provide(sample.MODELS, sample.Catalogue(), scope="server")
    slot = registry.find("models", "session")
    assert slot is not None
    assert slot.implementation is first


def test_what_does_not_implement_its_contract_is_refused_and_leaves_nothing(sample: Any) -> None:
    """CON-1, CON-4, CON-6."""
    registry = Registry()
    with pytest.raises(InvalidImplementation):
        registry.provide(sample.MODELS, object())
    assert registry.find("models", "") is None
    registry.provide(sample.MODELS, sample.Catalogue())


def test_ids_of_ours_cannot_be_provided() -> None:
    """TOK-5, SEC-3."""
    token: Any = rt.Singleton(id="x", version=1, digest="", members=(), proxy=repr)
    token.__dict__["id"] = "$control"
    with pytest.raises(InvalidToken, match="reserved"):
        Registry().provide(token, object())


def test_a_service_is_replaced_only_by_what_fits(sample: Any) -> None:
    """SNG-10: the old one stays otherwise."""
    registry, old, new = Registry(), sample.Catalogue(), sample.Catalogue()
    with pytest.raises(InvalidProvision, match="nothing provides it"):
        registry.replace(sample.MODELS, new)
    registry.provide(sample.MODELS, old)
    with pytest.raises(InvalidImplementation):
        registry.replace(sample.MODELS, object())
    fewer = rt.Singleton(
        id="models",
        version=1,
        digest="",
        members=sample.MODELS.members[:2],
        proxy=sample.MODELS.proxy,
    )
    with pytest.raises(InvalidProvision, match="another member table"):
        registry.replace(fewer, new)
    slot = registry.find("models", "")
    assert slot is not None
    assert slot.implementation is old
    registry.replace(sample.MODELS, new)
    assert slot.implementation is new


def test_a_keyed_service_is_not_replaced_by_a_singleton(sample: Any) -> None:
    registry = Registry()
    registry.provide_keyed(sample.DIALOGS)
    single = rt.Singleton(
        id="dialogs",
        version=1,
        digest="",
        members=sample.DIALOGS.members,
        proxy=sample.DIALOGS.proxy,
    )
    with pytest.raises(InvalidProvision, match="another member table"):
        registry.replace(single, sample.Catalogue())


def test_watchers_are_told_of_changes_and_slots_last_as_long_as_somebody_cares(
    sample: Any,
) -> None:
    registry, watcher = Registry(), Watcher()
    slot = registry.watch("models", "", watcher)
    assert not slot.provided
    registry.provide(sample.MODELS, sample.Catalogue())
    registry.replace(sample.MODELS, sample.Catalogue())
    registry.withdraw(sample.MODELS)
    registry.withdraw(sample.MODELS)
    assert watcher.changes == 3
    assert registry.find("models", "") is slot
    registry.leave("models", "", watcher)
    assert registry.find("models", "") is None
    registry.withdraw(sample.MODELS)


def test_local_services_are_apart_from_remote_ones() -> None:
    """TOK-6, TOK-7, TOK-8: any object, and never allowed to peers."""
    registry, watcher = Registry(), Watcher()
    store: Local[Any] = local_service("store")
    slot = registry.watch_local("store", watcher)
    registry.provide(store, print)
    assert slot.implementation is print
    assert registry.find_local("store") is slot
    assert not registry.is_allowed("store", "session")
    assert registry.is_allowed("models", "session")
    with pytest.raises(InvalidProvision):
        registry.provide(store, repr)
    registry.replace(store, repr)
    assert slot.implementation is repr
    registry.withdraw(store)
    assert (slot.implementation, watcher.changes) == (None, 3)
    registry.leave_local("store", watcher)
    assert registry.find_local("store") is None


def test_a_service_may_be_local_and_remote_under_one_id(sample: Any) -> None:
    """TOK-3: they are two services."""
    registry = Registry()
    registry.provide(local_service("models"), object())
    registry.provide(sample.MODELS, sample.Catalogue())
    assert registry.is_allowed("models", "")
    assert not registry.is_allowed("models", "other")


def test_the_plan_says_what_peers_may_use() -> None:
    """SEC-1."""
    registry = Registry(allowed={"session": ["models"]})
    assert registry.is_allowed("models", "session")
    assert not registry.is_allowed("models", "server")
    assert not registry.is_allowed("dialogs", "session")


def test_a_member_of_a_replacement_keeps_its_kind(sample: Any) -> None:
    """SNG-8, SNG-10."""
    registry, old = Registry(), sample.Catalogue()
    registry.provide(sample.MODELS, old)
    other = rt.Singleton(
        id="models",
        version=1,
        digest="",
        members=tuple(
            rt.EventsMember("state", sample.SCHEMAS, payload="#/$defs/n")
            if member.name == "state"
            else member
            for member in sample.MODELS.members
        ),
        proxy=sample.MODELS.proxy,
    )
    with pytest.raises(InvalidProvision, match="another member table"):
        registry.replace(other, sample.Catalogue())
    slot = registry.find("models", "")
    assert slot is not None
    assert slot.implementation is old


def test_a_watcher_that_has_left_meanwhile_is_not_told(sample: Any) -> None:
    registry, left = Registry(), Watcher()

    class Leaving(Watcher):
        def take_change(self) -> None:
            registry.leave("models", "", left)

    registry.watch("models", "", Leaving())
    registry.watch("models", "", left)
    registry.provide(sample.MODELS, sample.Catalogue())
    assert left.changes == 0
