"""Random programs against a simple model of what must be observed.

Two clients use one server; frames are held, released, dropped and repeated, links end
and come back, providers go and come. A program is made from its seed. One that fails is
printed with its seed, shrunk to the steps that matter; to run it again:
``pytest tests/conformance/wire/test_explorer.py --schedule SEED``.
"""

# The services are generated while the tests run: their types are not known before.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import pytest
from pi_contracts.runtime import errors
from pi_contracts.runtime.binding import Binding
from pi_contracts.runtime.context import BACKGROUND, Cancellation
from pi_contracts.runtime.peer import Peer
from pi_contracts.runtime.protocol import Role
from pi_contracts.runtime.registry import Registry
from pi_contracts.runtime.testing import ControlledLink, settle
from wire_facts import FRAME

if TYPE_CHECKING:
    from collections.abc import Callable

SCHEDULES = 200
NIGHTLY = 10_000
LENGTH = 40
NUMBERED = {"update", "event", "spawned", "closed"}
REPEATABLE = {*NUMBERED, "result", "failed"}
ENDINGS: tuple[type[Exception], ...] = (errors.Disconnected, errors.UnknownService)
GONE: tuple[type[Exception], ...] = (
    *ENDINGS,
    errors.StaleInstance,
    errors.UnknownInstance,
    errors.InaccessibleView,
)


class Step(NamedTuple):
    """One step of a program; the numbers choose among what is there when it is run."""

    name: str
    one: int
    two: int


class Call:
    """A call that a client has made."""

    def __init__(self, world: World, client: Client, kind: str, number: int) -> None:
        self.kind = kind
        self.number = number
        self.client = client
        self.link = client.link
        self.had_link = client.connected
        self.absences = world.absences - (world.provider is None)
        self.cancellation = Cancellation()
        self.cancelled = False
        self.task: asyncio.Future[Any] | None = None

    def check(self, world: World) -> None:
        """Fail unless the call ended in a way that the model allows."""
        assert self.task is not None
        assert self.task.done(), f"{self.kind} {self.number} never ended"
        runs = world.count_runs(self.number)
        assert runs <= 1, f"{self.kind} {self.number} ran {runs} times"
        if self.task.cancelled():
            assert self.cancelled
            return
        error = self.task.exception()
        if error is None:
            assert self.kind != "add" or (self.task.result(), runs) == (self.number + 1, 1)
            return
        assert isinstance(error, (errors.Cancelled, *GONE)), repr(error)
        if isinstance(error, errors.Cancelled):
            assert self.cancelled
        elif isinstance(error, errors.Disconnected):
            assert not self.had_link or (self.link is not None and self.link.client.closed)
            assert self.had_link or runs == 0, "a call without a link was sent later"
        elif isinstance(error, errors.UnknownService):
            assert world.absences > self.absences, "a service that is there was not found"
        else:
            assert self.kind == "bump"


class Held(NamedTuple):
    """A private reference that a client holds, and where it came from."""

    reference: Any
    job: Any
    link: ControlledLink | None
    absences: int

    async def check(self, client: Client) -> None:
        """It shows what is there as long as it may, and is stale after that (REF-5, REF-6)."""
        service = self.reference.service
        if self.link is client.link and self.absences == client.world.absences:
            if not client.faulty:
                assert service.progress.value == self.job.progress.value
            self.job.done.set()
            assert await service.wait(BACKGROUND) == self.job.progress.value
            return
        assert not service.progress.ready
        with pytest.raises((errors.Disconnected, errors.StaleReference)):
            await service.wait(BACKGROUND)


class Client:
    """One consumer, and what it has seen."""

    def __init__(self, world: World, number: int) -> None:
        self.world = world
        self.number = number
        self.link: ControlledLink | None = None
        self.peers: list[Peer] = []
        self.binding = Binding()
        self.namespace = self.binding.open_namespace()
        self.used: Any = self.namespace.use(world.lab.token)
        self.epoch = 0
        self.faulty = False
        self.counts: list[int] = []
        self.heard: list[int] = []
        self.instances: dict[Any, str] = {}
        self.held: list[Held] = []
        self.progress: list[int] = []
        self.links: list[ControlledLink] = []
        self.used.count.subscribe(lambda value, _: self.counts.append(value))
        self.used.pair.subscribe(lambda value, _: self.check_pair(value))
        self.used.happened.subscribe(lambda event, _: self.heard.append(event["number"]))
        self.observer = self.namespace.observe(world.lab.items, self.watch)

    @property
    def connected(self) -> bool:
        return self.link is not None and not self.link.client.closed and self.binding.attached

    def check_pair(self, pair: Any) -> None:
        assert pair["a"] == pair["b"], "a torn pair"

    async def watch(self, instance: Any, ctx: Any) -> None:
        # A gap may have come between the snapshot and this first step: known, perhaps stale.
        assert isinstance(instance.service.count.last(None), int)
        self.instances[instance] = instance.key
        try:
            await ctx.wait(asyncio.Event().wait())
        finally:
            del self.instances[instance]

    async def connect(self) -> None:
        if self.connected:
            return
        self.epoch += 1
        self.faulty = False
        self.link = ControlledLink()
        self.links.append(self.link)
        server = Peer(self.link.server, Role.SERVER, registry=self.world.registry)
        client = Peer(self.link.client, Role.CLIENT)
        self.peers = [client, server]
        server.start()
        await client.open(BACKGROUND)
        self.binding.attach(client)

    async def leave(self) -> None:
        self.namespace.close()
        for peer in self.peers:
            await peer.close()

    def let_go(self) -> None:
        """Hold nothing back any more."""
        if self.connected and self.link is not None:
            self.link.to_server.release()
            self.link.to_client.release()

    def get_direction(self, number: int) -> Any:
        assert self.link is not None
        return self.link.to_client if number % 3 else self.link.to_server

    def check_events(self) -> None:
        """Events come once, in order, and none is missing where nothing has broken."""
        epochs = self.world.epochs[self.number]
        assert self.heard == sorted(set(self.heard)), "events twice, or out of order"
        for earlier, later in zip(self.heard, self.heard[1:], strict=False):
            same = epochs[earlier] == epochs[later]
            assert not same or later == earlier + 1, f"events lost after {earlier}"

    def check_quiet(self) -> None:
        """Nothing is shown as current that nobody provides here."""
        is_there = self.connected and self.world.provider is not None
        assert is_there or not self.used.count.ready, "ready, and nobody provides it"

    async def check_held(self) -> None:
        """References lead where they should, and all that crossed is as the schema says."""
        for held in self.held:
            await held.check(self)
        for link in self.links:
            for frame in link.frames:
                FRAME.validate(frame.content)
                assert self.world.faults or frame.content["type"] != "fault", frame

    def check_end(self) -> None:
        """All is quiet: what is seen here is what is there."""
        world = self.world
        assert world.provider is not None
        assert self.counts == sorted(self.counts), "an older value after a newer one"
        assert self.used.count.value == world.provider.count.value
        assert self.used.pair.value == world.provider.pair.value
        assert sorted(self.instances.values()) == sorted(world.items)
        for instance, key in self.instances.items():
            assert instance.service.count.value == world.items[key].count.value
        self.check_events()


class World:
    """The server, both clients, and the model: what was done."""

    def __init__(self, lab: Any) -> None:
        self.lab = lab
        self.registry = Registry()
        self.keyed = self.registry.provide_keyed(lab.items)
        self.provider: Any = None
        self.providers: list[Any] = []
        self.absences = 0
        self.faults = 0
        self.count = 0
        self.emitted = 0
        self.calls: list[Call] = []
        self.starting: list[asyncio.Future[None]] = []
        self.taken: set[int] = set()
        self.dropped: list[Any] = []
        self.released: set[int] = set()
        self.items: dict[str, Any] = {}
        self.lives: dict[str, Any] = {}
        self.provide()
        self.epochs: list[list[int]] = [[], []]
        self.clients = [Client(self, number) for number in range(2)]

    def count_runs(self, number: int) -> int:
        return sum(provider.calls.count((number, 1)) for provider in self.providers)

    def provide(self) -> None:
        self.provider = self.lab.make_provider()
        self.provider.count.set(self.count, BACKGROUND)
        self.providers.append(self.provider)
        self.registry.provide(self.lab.token, self.provider)

    def break_all(self) -> None:
        for client in self.clients:
            client.epoch += 1


async def bump(client: Client, instance: Any, ctx: Any) -> Any:
    """Call an instance; what the call has set is there before its answer (TRN-9)."""
    service = instance.service  # a view that has ended has none
    link = client.link
    result = await service.bump(1, ctx)
    seen = service.count.last(None)
    if client.link is link and not client.faulty:
        assert seen is not None
        assert seen >= result, f"the answer {result} came before its update, at {seen}"
    return result


async def step_call(world: World, step: Step) -> None:
    client = world.clients[step.one % 2]
    kind = ("add", "add", "wait", "bump")[step.two % 4]
    call = Call(world, client, kind, len(world.calls))
    ctx = BACKGROUND.with_cancellation(call.cancellation)
    if step.two % 16 == 0:
        call.cancelled = True
        call.cancellation.cancel()
    if kind == "add":
        coroutine = client.used.add(call.number, 1, ctx)
    elif kind == "wait":
        coroutine = client.used.wait(str(call.number), ctx)
    elif client.instances:
        instance = list(client.instances)[step.one % len(client.instances)]
        coroutine = bump(client, instance, ctx)
    else:
        return
    call.task = asyncio.ensure_future(coroutine)
    world.calls.append(call)


async def step_cancel(world: World, step: Step) -> None:
    if world.calls:
        call = world.calls[step.one % len(world.calls)]
        assert call.task is not None
        call.cancelled = True
        if step.two % 2:
            call.cancellation.cancel()
        else:
            call.task.cancel()


async def step_finish(world: World, step: Step) -> None:
    for provider in world.providers:
        events = list(provider.waiting.values())
        if events:
            events[step.one % len(events)].set()


async def start(client: Client) -> None:
    """Get a private reference; a second one to the same job is another."""
    world, link, absences = client.world, client.link, client.world.absences
    provider = world.provider
    before = 0 if provider is None else len(provider.jobs)
    try:
        reference = await client.used.start(BACKGROUND)
    except GONE:
        return
    jobs: list[Any] = [] if provider is None else provider.jobs
    job = next(one for one in jobs[before:] if id(one) not in world.taken)
    world.taken.add(id(job))
    job.on_release = lambda: world.released.add(id(job))
    reference.service.progress.subscribe(lambda value, _: client.progress.append(value))
    client.held.append(Held(reference, job, link, absences))


async def step_start(world: World, step: Step) -> None:
    client = world.clients[step.one % 2]
    # One at a time, so that it is known which job a reference leads to.
    if not any(task for task in world.starting if not task.done()):
        world.starting.append(asyncio.ensure_future(start(client)))


async def step_progress(world: World, step: Step) -> None:
    held = [one for client in world.clients for one in client.held]
    if held:
        one = held[step.one % len(held)]
        one.job.progress.set(one.job.progress.value + 1, BACKGROUND)


async def step_drop(world: World, step: Step) -> None:
    client = world.clients[step.one % 2]
    if client.held:
        held = client.held.pop(step.two % len(client.held))
        is_open = client.connected and client.peers[1].opened
        if is_open and held.link is client.link and held.absences == world.absences:
            world.dropped.append(held.job)
        await held.reference.release()


async def step_set(world: World, step: Step) -> None:
    for _ in range(step.one % 4 + 1):
        world.count += 1
        if world.provider is not None:
            world.provider.count.set(world.count, BACKGROUND)
            if step.two % 2:
                world.provider.pair.set({"a": world.count, "b": world.count}, BACKGROUND)


async def step_emit(world: World, step: Step) -> None:
    if world.provider is None:
        return
    for _ in range(step.one % 4 + 1):
        for client in world.clients:
            world.epochs[client.number].append(client.epoch)
        kind = "odd" if world.emitted % 2 else "even"
        world.provider.happened.emit({"type": kind, "number": world.emitted}, BACKGROUND)
        world.emitted += 1


async def step_spawn(world: World, step: Step) -> None:
    key = "abc"[step.one % 3]
    if key not in world.items:
        item = world.lab.make_item(step.two)
        world.lives[key] = world.keyed.spawn(key, item)
        world.items[key] = item


async def step_change(world: World, step: Step) -> None:
    if world.items:
        item = list(world.items.values())[step.one % len(world.items)]
        item.count.set(item.count.value + step.two, BACKGROUND)


async def step_close(world: World, step: Step) -> None:
    key = "abc"[step.one % 3]
    if key in world.items:
        del world.items[key]
        world.lives.pop(key).close()


async def step_disconnect(world: World, step: Step) -> None:
    client = world.clients[step.one % 2]
    if not client.connected or client.link is None:
        return
    client.epoch += 1
    if step.two % 4 == 0:
        await client.peers[0].close()
    elif step.two % 4 == 1:
        await client.peers[1].close()
    else:
        client.link.end(ConnectionResetError() if step.two % 4 == 2 else None)


async def step_connect(world: World, step: Step) -> None:
    await world.clients[step.one % 2].connect()


async def step_hold(world: World, step: Step) -> None:
    client = world.clients[step.one % 2]
    if client.connected:
        client.get_direction(step.two).hold(pause=step.one % 4 > 1)


async def step_release(world: World, step: Step) -> None:
    client = world.clients[step.one % 2]
    if client.connected:
        client.get_direction(step.two).release(None if step.one % 4 > 1 else step.two % 5)


async def step_fault(world: World, step: Step) -> None:
    """Lose or repeat a frame that counts; a second one would end the subscription."""
    client = world.clients[step.one % 2]
    if not client.connected or client.link is None or client.faulty:
        return
    kinds = NUMBERED if step.two % 2 else REPEATABLE
    oldest = client.link.to_client.waiting[:1]
    if oldest and any(f'"type":"{kind}"'.encode() in oldest[0] for kind in kinds):
        world.faults += 1
        client.faulty = True
        client.epoch += 1
        if step.two % 2:
            client.link.to_client.drop()
        else:
            client.link.to_client.repeat()


async def step_withdraw(world: World, step: Step) -> None:
    del step
    if world.provider is not None:
        world.absences += 1
        world.break_all()
        world.provider = None
        world.registry.withdraw(world.lab.token)


async def step_provide(world: World, step: Step) -> None:
    del step
    if world.provider is None:
        world.break_all()
        world.provide()


async def step_wait(world: World, step: Step) -> None:
    del world
    await settle(step.one % 20)


STEPS: dict[str, tuple[int, Callable[[World, Step], Any]]] = {
    "call": (8, step_call),
    "cancel": (3, step_cancel),
    "finish": (2, step_finish),
    "set": (5, step_set),
    "emit": (5, step_emit),
    "start": (2, step_start),
    "progress": (2, step_progress),
    "drop": (1, step_drop),
    "spawn": (3, step_spawn),
    "change": (3, step_change),
    "close": (2, step_close),
    "disconnect": (2, step_disconnect),
    "connect": (4, step_connect),
    "hold": (3, step_hold),
    "release": (4, step_release),
    "fault": (3, step_fault),
    "withdraw": (1, step_withdraw),
    "provide": (2, step_provide),
    "wait": (8, step_wait),
}

Program: TypeAlias = list[Step]


def make_program(seed: int) -> Program:
    source = random.Random(seed)
    weights = [weight for weight, _ in STEPS.values()]
    names = source.choices(list(STEPS), weights, k=LENGTH)
    first = [Step("connect", 0, 0), Step("connect", 1, 0)] if seed % 4 else []
    return first + [Step(name, source.randrange(1000), source.randrange(1000)) for name in names]


def check_handlers(world: World) -> None:
    """Nobody works on for one who has cancelled or is gone (CTX-12, CTX-20)."""
    for call in world.calls:
        if call.kind != "wait" or call.task is None or not call.task.done():
            continue
        for provider in world.providers:
            event = provider.waiting.get(str(call.number))
            if event is not None and not event.is_set():
                ended = [name for name in provider.ended if name.split()[0] == str(call.number)]
                assert ended == [f"{call.number} cancelled"], f"{call.number} is still worked on"


async def show_gaps(world: World) -> None:
    """Let one more of everything happen: that the last frame was lost shows by the next."""
    await step_set(world, Step("set", 0, 1))
    await step_emit(world, Step("emit", 0, 0))
    world.items["last"] = world.lab.make_item()
    world.lives["last"] = world.keyed.spawn("last", world.items["last"])


async def run_program(lab: Any, program: Program) -> None:
    """Run the steps, then let all come to rest and compare."""
    world = World(lab)
    for step in program:
        await STEPS[step.name][1](world, step)
        await settle(step.two % 3)
    for client in world.clients:
        client.let_go()
    await settle(10)
    for client in world.clients:
        client.check_quiet()
    await step_provide(world, Step("provide", 0, 0))
    for client in world.clients:
        await client.connect()
    check_handlers(world)
    for _ in range(5):  # calls that waited for their turn may begin only now
        for provider in world.providers:
            for event in provider.waiting.values():
                event.set()
        await settle(10)
    await show_gaps(world)
    await settle(60)
    for call in world.calls:
        call.check(world)
    assert {id(job) for job in world.dropped} <= world.released, "given up, and still held"
    for client in world.clients:
        client.check_end()
        await client.check_held()
    for client in world.clients:
        await client.leave()
    world.keyed.close()
    await settle(20)
    assert all(not client.instances for client in world.clients)
    ours = asyncio.current_task()
    assert {task for task in asyncio.all_tasks() if task is not ours} == set()


def find_failure(lab: Any, program: Program) -> BaseException | None:
    """Run a program in a loop of its own; return what went wrong."""
    complaints: list[Any] = []

    async def watched() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: complaints.append(context))
        async with asyncio.timeout(10):
            await run_program(lab, program)

    try:
        asyncio.run(watched())
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what was looked for
        return error
    unexpected = [
        context
        for context in complaints
        if not isinstance(context.get("exception"), errors.ServiceError)
    ]
    return AssertionError(f"the loop complains: {unexpected}") if unexpected else None


def shrink(lab: Any, program: Program) -> Program:
    """Leave out whatever the failure does without."""
    size = len(program) // 2
    while size:
        start = 0
        while start < len(program):
            shorter = program[:start] + program[start + size :]
            if find_failure(lab, shorter) is not None:
                program = shorter
            else:
                start += size
        size //= 2
    return program


def explore(lab: Any, seeds: range | list[int]) -> None:
    for seed in seeds:
        program = make_program(seed)
        failure = find_failure(lab, program)
        if failure is not None:
            steps = "\n".join(f"    {step}," for step in shrink(lab, program))
            pytest.fail(f"schedule {seed}: {failure!r}\nshrunk:\n{steps}")


def test_whatever_happens_what_is_observed_is_what_must_be(
    lab: Any, request: pytest.FixtureRequest
) -> None:
    """Over delays, reordering across connections, losses, and all that ends and begins."""
    seed = request.config.getoption("--schedule", None)
    explore(lab, range(SCHEDULES) if seed is None else [int(seed)])


@pytest.mark.nightly
def test_more_of_the_same(lab: Any) -> None:
    explore(lab, range(SCHEDULES, NIGHTLY))


def test_a_program_is_made_from_its_seed_alone() -> None:
    assert make_program(7) == make_program(7)
    assert make_program(7) != make_program(8)
    used = {step.name for seed in range(SCHEDULES) for step in make_program(seed)}
    assert used == set(STEPS)


def test_a_failure_is_found_and_shrunk(lab: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The explorer itself: with a fault put in, one step is left of the program."""

    async def fail(world: World, step: Step) -> None:
        del world, step
        raise ZeroDivisionError

    monkeypatch.setitem(STEPS, "change", (3, fail))
    with pytest.raises(pytest.fail.Exception, match="schedule 1: ZeroDivisionError") as caught:
        explore(lab, [1])
    assert str(caught.value).count("Step(") == 1
