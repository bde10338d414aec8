from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from msgspec import Raw, structs
from pi_contracts.runtime.protocol import (
    Connection,
    Gap,
    LinkEnded,
    LocalProtocolError,
    Phase,
    Published,
    Refused,
    Role,
    State,
    Subject,
    SubscriptionEnded,
)
from pi_contracts.runtime.protocol import messages as m
from pi_contracts.runtime.protocol.codec import encode
from pi_contracts.runtime.protocol.framing import add_header
from pi_contracts.runtime.protocol.states import NUMBERED, PUBLISHED, RECEIVED, SENT

if TYPE_CHECKING:
    from collections.abc import Callable

BOUNDS = m.Bounds(10_000, 10, 10)
ERROR = m.ErrorEnvelope("busy", "the service is busy")
SAMPLES: dict[type[m.Message], m.Message] = {
    type(message): message
    for message in (
        m.Hello([1], BOUNDS),
        m.Welcome(1, BOUNDS),
        m.Goodbye(),
        m.Fault(ERROR),
        m.Ping(),
        m.Pong(),
        m.Call(1, "a", Raw(b"{}"), service="s"),
        m.Cancel(1),
        m.Result(1),
        m.Granted(1, "r", "s"),
        m.Failed(1, ERROR),
        m.Subscribe(1, "singleton", 1, "d", service="s"),
        m.Unsubscribe(1),
        m.Subscribed(1),
        m.Snapshot(1, 1, "d", {}, states={}),
        m.Update(1, 1, "a", Raw(b"1")),
        m.Event(1, 1, Raw(b"1")),
        m.Spawned(1, 1, "k", 1, {}),
        m.Closed(1, 1, "k", 1),
        m.Unavailable(1),
        m.Ended(1, ERROR),
        m.Release("r", 1),
    )
}
KINDS = list(m.MESSAGES)


def bring_to(role: Role, state: State) -> Connection:
    """Return a connection in a state, with what it had to say taken."""
    connection = Connection(role)
    connection.start(0.0)
    if state is State.CONNECTING:
        if role is Role.CLIENT:
            connection = Connection(role)
        return connection
    if role is Role.SERVER:
        feed(connection, m.Hello([1], BOUNDS))
    if state is State.OPEN:
        if role is Role.SERVER:
            connection.accept(0.0)
        else:
            feed(connection, m.Welcome(1, BOUNDS))
    if state is State.ENDED:
        feed(connection, m.Goodbye())
    connection.take_output()
    return connection


def feed(connection: Connection, message: m.Message) -> list[Any]:
    return connection.receive(add_header(encode(message)), 0.0)


def test_the_samples_are_complete() -> None:
    assert SAMPLES.keys() == set(KINDS)
    for tables in (RECEIVED, SENT):
        assert set(tables) == set(Role)
        assert all(set(rows) == set(State) for rows in tables.values())
    assert set(PUBLISHED) == set(Subject)
    assert all(set(rows) == set(Phase) for rows in PUBLISHED.values())


@pytest.mark.parametrize("kind", KINDS, ids=m.get_tag)
@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("role", Role)
def test_a_frame_is_taken_where_the_table_has_a_row_and_refused_elsewhere(
    role: Role, state: State, kind: type[m.Message]
) -> None:
    """TRN-10, TRN-18: whatever comes when it may not has no other effect than a fault."""
    connection = bring_to(role, state)
    assert connection.state is state
    happenings = feed(connection, SAMPLES[kind])
    row = RECEIVED[role][state]
    if kind in row:
        assert connection.state is row[kind]
        assert not any(
            isinstance(one, Refused) and "cannot come while" in one.error.message
            for one in happenings
        )
    elif state is State.ENDED:
        assert happenings == []
    else:
        assert connection.state is state
        assert [type(one) for one in happenings] == [Refused]
        sent = b"".join(connection.take_output())
        assert (b'"fault"' in sent) == (m.Fault in SENT[role][state])


@pytest.mark.parametrize("kind", KINDS, ids=m.get_tag)
@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("role", Role)
def test_what_may_not_be_sent_is_a_fault_of_ours(
    role: Role, state: State, kind: type[m.Message]
) -> None:
    connection = bring_to(role, state)
    put: Callable[[m.Message], None] = connection._put  # pyright: ignore[reportPrivateUsage] - every kind, whoever sends it
    if kind in SENT[role][state]:
        put(SAMPLES[kind])
        assert connection.state is SENT[role][state][kind]
        assert connection.has_output
    elif state is State.ENDED:
        put(SAMPLES[kind])
        assert not connection.has_output
    else:
        with pytest.raises(LocalProtocolError) as caught:
            put(SAMPLES[kind])
        assert str(caught.value) == (
            f'the {role.value} cannot send "{m.get_tag(kind)}" while it is {state.value}'
        )
        assert not connection.has_output


PUBLICATIONS = [
    kind
    for kind in KINDS
    if any(kind in row for rows in PUBLISHED.values() for row in rows.values())
]
ADDRESS = {"version": 1, "digest": "d", "service": "s"}


def follow(subject: Subject, phase: Phase) -> Connection:
    """Return a connection with one subscription, under the handle "h", in a phase."""
    connection = bring_to(Role.CLIENT, State.OPEN)
    mode = "keyed" if subject is Subject.INSTANCES else "singleton"
    connection.followed.subscribe("h", subject, mode=mode, **ADDRESS)
    number = 1
    if phase is Phase.REOPENING:
        feed(connection, make(subject, Phase.ACTIVE, number))
        feed(
            connection,
            m.Event(1, 9, Raw(b"1"))
            if subject is Subject.EVENTS
            else m.Update(1, 9, "a", Raw(b"1")),
        )
    elif phase is Phase.WAITING:
        feed(connection, m.Unavailable(1))
    elif phase is Phase.ACTIVE:
        feed(connection, make(subject, Phase.ACTIVE, number))
    elif phase is Phase.OVER:
        feed(connection, m.Ended(1, ERROR))
    connection.take_output()
    return connection


def make(subject: Subject, phase: Phase, subscription_id: int) -> m.Message:
    """Return what brings a subscription to a phase."""
    assert phase is Phase.ACTIVE
    if subject is Subject.EVENTS:
        return m.Subscribed(subscription_id)
    if subject is Subject.INSTANCES:
        live = [m.Live("k", 1, {})]
        return m.Snapshot(subscription_id, 1, "d", {}, instances=live)
    return m.Snapshot(subscription_id, 1, "d", {}, states={})


def make_publication(kind: type[m.Message], subject: Subject, subscription_id: int) -> m.Message:
    if kind is m.Snapshot:
        return make(
            Subject.INSTANCES if subject is Subject.INSTANCES else Subject.SERVICE,
            Phase.ACTIVE,
            subscription_id,
        )
    if kind is m.Update and subject is Subject.INSTANCES:
        return m.Update(subscription_id, 1, "a", Raw(b"1"), "k", 1)
    if kind is m.Spawned:
        return m.Spawned(subscription_id, 1, "new", 2, {})
    return structs.replace(SAMPLES[kind], id=subscription_id)


@pytest.mark.parametrize("kind", PUBLICATIONS, ids=m.get_tag)
@pytest.mark.parametrize("phase", Phase)
@pytest.mark.parametrize("subject", Subject)
def test_a_publication_is_taken_where_the_table_has_a_row(
    subject: Subject, phase: Phase, kind: type[m.Message]
) -> None:
    """STA-16, KEY-29, FLT-8: nothing of a subscription counts before its snapshot."""
    connection = follow(subject, phase)
    subscription_id = 2 if phase is Phase.REOPENING else 1
    happenings = feed(connection, make_publication(kind, subject, subscription_id))
    kinds: list[type] = [type(one) for one in happenings]
    row = PUBLISHED[subject][phase]
    if kind is m.Ended and phase is not Phase.OVER:
        assert kinds == [SubscriptionEnded]
    elif kind in row:
        assert kinds == [Published]
    elif phase is Phase.OVER:
        assert kinds == []  # late
    elif kind in PUBLISHED[subject][Phase.ACTIVE] and kind in NUMBERED:
        assert kinds == [Refused, SubscriptionEnded if phase is Phase.REOPENING else Gap]
    else:
        assert kinds == [Refused]
    assert not any(isinstance(one, LinkEnded) for one in happenings)
    assert connection.state is State.OPEN
