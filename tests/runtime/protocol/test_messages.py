from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, Raw
from pi_contracts.runtime.protocol import messages as m
from pi_contracts.runtime.protocol.codec import Malformed, decode, encode

LIBRARY = Path(__file__).resolve().parents[3] / "contracts" / "library"
SCHEMA = json.loads((LIBRARY / "wire.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema_rs.validator_for(SCHEMA)

names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
ids = st.integers(1, 2**53 - 1)
wholes = st.integers(0, 2**53 - 1)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | names,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)
raws = values.map(lambda value: Raw(msgspec.json.encode(value)))
traces = st.just(UNSET) | st.dictionaries(names, names, max_size=2).map(
    lambda carrier: Raw(msgspec.json.encode(carrier))
)
states = st.dictionaries(names, raws, max_size=3)
envelopes = st.builds(m.ErrorEnvelope, names, texts, st.just(UNSET) | raws)
sizes = st.integers(m.SMALLEST_FRAME, 2**53 - 1)
handles = st.text(min_size=1, max_size=8) | st.just("r" * 128)
bounds = st.builds(m.Bounds, sizes, ids, ids)

addresses = st.one_of(
    st.fixed_dictionaries({"service": names, "scope": texts, "binding": wholes}),
    st.fixed_dictionaries({"service": names, "key": names, "generation": ids}),
    st.fixed_dictionaries({"reference": names}),
)


def build_call(address: dict[str, Any], **fields: Any) -> m.Call:
    return m.Call(**fields, **address)


def build_subscribe(address: dict[str, Any], member: str, **fields: Any) -> m.Subscribe:
    if "key" in address and not member:
        member = "changed"
    return m.Subscribe(**fields, **address, member=member)


instances = st.lists(st.builds(m.Live, names, ids, states), max_size=3)
MESSAGES = st.one_of(
    st.builds(m.Hello, st.lists(wholes, max_size=3), bounds, st.just(UNSET) | texts),
    st.builds(m.Welcome, wholes, bounds),
    st.builds(m.Goodbye, st.just(UNSET) | envelopes),
    st.builds(m.Fault, envelopes, st.just(UNSET) | ids),
    st.just(m.Ping()),
    st.just(m.Pong()),
    st.builds(
        build_call,
        addresses,
        id=ids,
        member=names,
        arguments=raws,
        trace=traces,
    ),
    st.builds(m.Cancel, ids),
    st.builds(m.Result, ids, st.just(UNSET) | raws),
    st.builds(m.Granted, ids, handles, names),
    st.builds(m.Failed, ids, envelopes),
    st.builds(
        build_subscribe,
        addresses,
        st.just("") | names,
        id=ids,
        mode=st.sampled_from(["singleton", "keyed", "reference"]),
        version=wholes,
        digest=texts,
    ),
    st.builds(m.Unsubscribe, ids),
    st.builds(m.Subscribed, ids),
    st.builds(
        m.Snapshot,
        ids,
        wholes,
        texts,
        st.dictionaries(names, st.sampled_from(["method", "state", "events"]), max_size=3),
        st.just(UNSET) | states,
        st.just(UNSET) | instances,
    ),
    st.builds(m.Update, ids, ids, names, raws, st.just(UNSET) | names, ids, traces),
    st.builds(m.Event, ids, ids, raws, traces),
    st.builds(m.Spawned, ids, ids, names, ids, states),
    st.builds(m.Closed, ids, ids, names, ids),
    st.builds(m.Unavailable, ids),
    st.builds(m.Ended, ids, envelopes),
    st.builds(m.Release, handles, ids),
)


@given(MESSAGES)
def test_a_message_is_read_as_it_was_written(message: m.AnyMessage) -> None:
    assert decode(encode(message)) == message


@given(MESSAGES)
def test_the_schema_accepts_every_message(message: m.AnyMessage) -> None:
    assert VALIDATOR.is_valid(json.loads(encode(message)))


mutations = st.sampled_from(["drop", "add", "empty", "null", "text", "zero", "negative"])


@given(MESSAGES, st.data())
def test_what_the_schema_refuses_is_no_frame(message: m.AnyMessage, data: st.DataObject) -> None:
    document = json.loads(encode(message))
    name = data.draw(st.sampled_from(sorted(document)))
    match data.draw(mutations):
        case "drop":
            del document[name]
        case "add":
            document["another"] = 1
        case "empty":
            document[name] = ""
        case "null":
            document[name] = None
        case "text":
            document[name] = "7"
        case "zero":
            document[name] = 0
        case _:
            document[name] = -1
    accepted = not isinstance(decode(json.dumps(document).encode()), Malformed)
    # A field of an address that says nothing may stand there all the same.
    spelled = {key: value for key, value in document.items() if value not in ("", 0)}
    assert accepted == VALIDATOR.is_valid(document) or accepted == VALIDATOR.is_valid(spelled)


def test_each_kind_of_frame_has_a_definition_and_both_fixtures() -> None:
    kinds = {kind.__name__: m.get_tag(kind) for kind in m.MESSAGES}
    branches = [branch["$ref"].removeprefix("#/$defs/") for branch in SCHEMA["oneOf"]]
    found = {name: SCHEMA["$defs"][name]["properties"]["type"]["const"] for name in branches}
    assert found == kinds
    for name in kinds:
        for verdict in ("valid", "invalid"):
            assert (LIBRARY / "fixtures" / f"wire.{name}.{verdict}.json").is_file()


@pytest.mark.parametrize(
    "path", sorted((LIBRARY / "fixtures").glob("wire.*")), ids=lambda path: path.name
)
def test_a_fixture_is_read_as_its_name_says(path: Path) -> None:
    found = decode(path.read_bytes())
    parts = path.name.split(".")
    if "valid" in parts:
        assert not isinstance(found, Malformed)
    else:
        assert isinstance(found, Malformed) or type(found).__name__ != parts[1]


def test_no_frame_has_a_field_for_a_context() -> None:
    """CTX-5: there is no place in a frame for a Context, a signal or a callback."""
    fields = {field for kind in m.MESSAGES for field in kind.__struct_fields__}
    assert not fields & {"context", "ctx", "signal", "callback", "client", "identity"}
