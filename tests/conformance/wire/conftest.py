"""A lab that is provided and used over every transport, and what happens in it."""

# The services are generated while the tests run: their types are not known before.
# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false

from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from pi_contracts.codegen.generate import generate
from pi_contracts.codegen.output import write
from pi_contracts.contracts.read import read
from pi_contracts.runtime import transports
from pi_contracts.runtime.binding import Binding
from pi_contracts.runtime.context import BACKGROUND
from pi_contracts.runtime.direct import connect_direct
from pi_contracts.runtime.generated import UNSET
from pi_contracts.runtime.peer import Peer
from pi_contracts.runtime.protocol import Limits, Role
from pi_contracts.runtime.registry import Registry
from pi_contracts.runtime.transports.child import StdioTransport

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable


HERE = Path(__file__).resolve().parent

# wire_facts.py is no package's; pytest imports tests by file
sys.path.insert(0, str(HERE))


class Lab(NamedTuple):
    """The generated services, and classes that implement them."""

    token: Any
    items: Any
    module: Any
    make_provider: Callable[[], Any]
    make_item: Callable[..., Any]


def make_job_class(job: Any) -> Any:
    class Job(job.LabJobProvider):
        def __init__(self) -> None:
            super().__init__(progress=0)
            self.done = asyncio.Event()

        async def wait(self, ctx: Any) -> int:
            await ctx.wait(self.done.wait())
            progress: int = self.progress.value
            return progress

        async def cancel(self, ctx: Any) -> None:
            self.progress.set(-1, ctx)
            self.done.set()

    return Job


def make_item_class(items: Any) -> Any:
    class Item(items.LabItemsProvider):
        def __init__(self, count: int = 0) -> None:
            super().__init__(count=count)

        async def bump(self, by: int, ctx: Any) -> int:
            count: int = self.count.value + by
            self.count.set(count, ctx)
            return count

    return Item


def make_provider_class(lab: Any, make_job: Callable[[], Any]) -> Any:
    class Provider(lab.LabProvider):
        def __init__(self) -> None:
            super().__init__(count=0, pair={"a": 0, "b": 0})
            self.calls: list[Any] = []
            self.contexts: list[Any] = []
            self.waiting: dict[str, asyncio.Event] = {}
            self.ended: list[str] = []
            self.jobs: list[Any] = []

        async def add(self, left: int, right: int, ctx: Any) -> int:
            self.calls.append((left, right))
            self.contexts.append(ctx)
            return left + right

        async def echo(self, value: Any, ctx: Any) -> Any:
            del ctx
            self.calls.append(value)
            return value

        async def fail(self, how: str, ctx: Any) -> Any:
            del ctx
            if how == "bad result":
                return "no integer"
            raise make_failure(lab, how)

        async def nothing(self, ctx: Any) -> None:
            del ctx
            self.calls.append("nothing")

        async def note(self, text: str, ctx: Any, *, mark: Any = UNSET) -> str:
            del ctx
            return f"{text} {mark!r}"

        async def wait(self, name: str, ctx: Any) -> str:
            event = self.waiting.setdefault(name, asyncio.Event())
            try:
                await event.wait()
            except asyncio.CancelledError:
                self.ended.append(f"{name} {'cancelled' if ctx.cancelled else 'killed'}")
                raise
            return name

        async def start(self, ctx: Any) -> Any:
            del ctx
            self.jobs.append(make_job())
            return self.jobs[-1]

    return Provider


def make_failure(lab: Any, how: str) -> BaseException:
    if how == "busy":
        busy: BaseException = lab.Busy()
        return busy
    if how == "thing":
        unknown: BaseException = lab.UnknownThing(data="a kettle")
        return unknown
    if how == "cancelled":
        return asyncio.CancelledError()
    return RuntimeError(f"the password is {how}")


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """Generate the services once."""
    folder = tmp_path_factory.mktemp("lab")
    reading = read([HERE], base=HERE)
    assert reading.is_sound, reading.findings
    assert write(folder / "labs", generate(reading.catalogue, types="typed-dict")).refused == ()
    sys.path.insert(0, str(folder))
    try:
        importlib.invalidate_caches()
        lab, items, job = (
            importlib.import_module(f"labs.{name}") for name in ("lab", "lab_items", "lab_job")
        )
    finally:
        sys.path.remove(str(folder))
    provider = make_provider_class(lab, make_job_class(job))
    return Lab(lab.LAB, items.LAB_ITEMS, lab, provider, make_item_class(items))


class World:
    """A provider of the lab, and one consumer over a wire."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.provider = lab.make_provider()
        self.registry = Registry()
        self.registry.provide(lab.token, self.provider)
        self.keyed = self.registry.provide_keyed(lab.items)
        self.binding = Binding()
        self.namespace = self.binding.open_namespace()
        self.client: Peer | None = None
        self.server: Peer | None = None
        self.used: Any = self.namespace.use(lab.token)

    def get_client(self) -> Peer:
        assert self.client is not None
        return self.client

    def get_server(self) -> Peer:
        assert self.server is not None
        return self.server

    async def connect(self, ends: Ends, limits: Limits | None) -> None:
        client, server = ends
        self.server = Peer(server, Role.SERVER, registry=self.registry, limits=limits)
        self.client = Peer(client, Role.CLIENT, registry=Registry(), limits=limits)
        self.server.start()
        await self.client.open(BACKGROUND)
        self.binding.attach(self.client)


Ends = tuple[Any, Any]


@contextlib.asynccontextmanager
async def open_stdio() -> AsyncGenerator[Ends]:
    """Give both ends of two pipes, as a parent and its child have them."""
    there, back = os.pipe(), os.pipe()
    client, server = StdioTransport(), StdioTransport()
    await client.open(back[0], there[1])
    await server.open(there[0], back[1])
    yield client, server


@contextlib.asynccontextmanager
async def open_listening(listen: Any, make_connect: Any) -> AsyncGenerator[Ends]:
    accepted: asyncio.Queue[Any] = asyncio.Queue()
    stop = await listen(accepted.put_nowait)
    client = await make_connect(stop)(BACKGROUND)
    server = await accepted.get()
    await stop()
    yield client, server


def get_port(stop: Any) -> int:
    return int(stop.addresses[0].rpartition(":")[2])


@pytest.fixture(scope="session")
def open_ends(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Any]:
    """Open both ends of a transport, by its name."""
    sockets = tmp_path_factory.mktemp("s")
    certificates: list[Any] = []

    def get_tls() -> tuple[Any, Any]:
        if not certificates:
            trustme = pytest.importorskip(
                "trustme", reason="trustme, which makes certificates, is missing"
            )
            authority = trustme.CA()
            authority.cert_pem.write_to_path(str(sockets / "authority.pem"))
            pem = authority.issue_cert("localhost").private_key_and_cert_chain_pem
            pem.write_to_path(str(sockets / "server.pem"))
            certificates.append(transports.load_server_tls(sockets / "server.pem"))
            certificates.append(transports.load_client_tls(authority=sockets / "authority.pem"))
        return certificates[0], certificates[1]

    def open_ends(name: str) -> Any:
        if name == "memory":
            address = transports.MemoryAddress()
            return open_listening(
                transports.listen_memory(address), lambda _: transports.connect_memory(address)
            )
        if name == "unix":
            path = sockets / "u" / "s"
            return open_listening(
                transports.listen_unix(path), lambda _: transports.connect_unix(path)
            )
        if name == "tcp":
            return open_listening(
                transports.listen_tcp("127.0.0.1", 0, tls=False),
                lambda stop: transports.connect_tcp("127.0.0.1", get_port(stop), tls=False),
            )
        if name == "tls":
            server, client = get_tls()
            return open_listening(
                transports.listen_tcp("127.0.0.1", 0, tls=server),
                lambda stop: transports.connect_tcp(
                    "127.0.0.1", get_port(stop), tls=client, server_name="localhost"
                ),
            )
        if name == "websocket":
            return open_listening(
                transports.listen_websocket("127.0.0.1", 0, tls=False),
                lambda stop: transports.connect_websocket(f"ws://127.0.0.1:{get_port(stop)}"),
            )
        return open_stdio()

    return open_ends


@pytest.fixture
def run_in_world(lab: Lab, open_ends: Any) -> Callable[..., None]:
    """Run a test's coroutine function with a `World` over the transport of that name.

    Whatever the loop complains of fails the test. The wire "direct" is none: the
    provider is called in this process, over the same boundary.
    """

    def run(
        wire: str,
        main: Callable[[World], Awaitable[None]],
        *,
        limits: Limits | None = None,
        loop_factory: Callable[[], asyncio.AbstractEventLoop] | None = None,
    ) -> None:
        complaints: list[dict[str, Any]] = []

        async def watched() -> None:
            loop = asyncio.get_running_loop()
            loop.set_exception_handler(lambda _, context: complaints.append(context))
            world = World(lab)
            async with asyncio.timeout(20):
                if wire == "direct":
                    world.used = connect_direct(lab.token, world.provider)
                    await main(world)
                else:
                    async with open_ends(wire) as ends:
                        await world.connect(ends, limits)
                        await main(world)
                        await world.get_client().close()
                        await world.get_server().close()
                world.namespace.close()
                world.keyed.close()
            await asyncio.sleep(0)
            left = asyncio.all_tasks() - {asyncio.current_task()}
            assert left == set()

        with asyncio.Runner(loop_factory=loop_factory) as runner:
            runner.run(watched())
        assert complaints == []

    return run


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--schedule", help="run the one schedule of the explorer with this seed")
