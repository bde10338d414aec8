"""A small service as `gen` would write it, with an implementation that tests instruct."""

from __future__ import annotations

import abc
import asyncio
import contextlib
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, Protocol

import pytest
from msgspec import UNSET
from pi_contracts.runtime import BACKGROUND
from pi_contracts.runtime import generated as rt
from pi_contracts.runtime.binding import Binding
from pi_contracts.runtime.registry import Registry
from pi_contracts.runtime.testing import FakeClock, connect_pair, settle

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

# The modules beside this one that tests of one subject share; pytest imports tests by file
sys.path.insert(0, str(Path(__file__).parent))


class UnknownModel(rt.ServiceError):
    code = "unknown_model"
    data: Any

    def __init__(self, message: str = "no provider offers this model", *, data: Any) -> None:
        super().__init__(message, data)


class Busy(rt.ServiceError):
    code = "busy"

    def __init__(self, message: str = "the service is busy") -> None:
        super().__init__(message)


class Foreign(rt.ServiceError):
    code = "busy"


class Job(Protocol):
    @property
    def progress(self) -> rt.State[int]: ...

    async def wait(self, ctx: rt.Context) -> int: ...


class JobProvider(abc.ABC):
    def __init__(self, *, progress: int) -> None:
        self.progress: Final = rt.MutableState(_PROGRESS, progress)

    @abc.abstractmethod
    async def wait(self, ctx: rt.Context) -> int: ...


class Models(Protocol):
    @property
    def state(self) -> rt.State[Any]: ...

    @property
    def changed(self) -> rt.Events[Any]: ...

    async def select(
        self, model_id: Any, ctx: rt.Context, *, force: Any | rt.Unset = rt.UNSET
    ) -> Any: ...

    async def refresh(self, ctx: rt.Context) -> None: ...

    async def start(self, ctx: rt.Context) -> rt.Reference[Job]: ...


class ModelsProvider(abc.ABC):
    def __init__(self, *, state: Any) -> None:
        self.state: Final = rt.MutableState(_STATE, state)
        self.changed: Final = rt.EventSource(_CHANGED)

    @abc.abstractmethod
    async def select(
        self, model_id: Any, ctx: rt.Context, *, force: Any | rt.Unset = rt.UNSET
    ) -> Any: ...

    @abc.abstractmethod
    async def refresh(self, ctx: rt.Context) -> None: ...

    @abc.abstractmethod
    async def start(self, ctx: rt.Context) -> JobProvider: ...


class _JobProxy:
    def __init__(self, link: rt.Link) -> None:
        self._link = link
        self.progress: Final = link.state(_PROGRESS)

    async def wait(self, ctx: rt.Context) -> int:
        return await self._link.call(_WAIT, {}, ctx)


class _ModelsProxy:
    def __init__(self, link: rt.Link) -> None:
        self._link = link
        self.state: Final = link.state(_STATE)
        self.changed: Final = link.events(_CHANGED)

    async def select(
        self, model_id: Any, ctx: rt.Context, *, force: Any | rt.Unset = rt.UNSET
    ) -> Any:
        params: dict[str, Any] = {"modelId": model_id}
        if not isinstance(force, rt.Unset):
            params["force"] = force
        return await self._link.call(_SELECT, params, ctx)

    async def refresh(self, ctx: rt.Context) -> None:
        return await self._link.call(_REFRESH, {}, ctx)

    async def start(self, ctx: rt.Context) -> rt.Reference[Job]:
        return await self._link.call_reference(_START, {}, ctx)


def close(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    """Return a closed object schema."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


_SCHEMAS: Final = rt.Schemas(
    json.dumps(
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$defs": {
                "none": close({}),
                "n": {"type": "integer"},
                "key": {"type": "string", "pattern": "^[a-z]+$"},
                "state": close({"list": {"type": "array", "items": {"type": "number"}}}, "list"),
                "changed": close({"type": {"enum": ["a", "b"]}, "n": {"type": "integer"}}, "type"),
                "select": close(
                    {
                        "modelId": {"type": ["string", "array"], "minLength": 1},
                        "force": {"type": ["boolean", "null"]},
                    },
                    "modelId",
                ),
                "result": {"type": ["array", "string", "object"]},
            },
        }
    )
)
_PROGRESS: Final[rt.StateMember[int]] = rt.StateMember("progress", _SCHEMAS, value="#/$defs/n")
_WAIT: Final[rt.Method[Any, int]] = rt.Method(
    "wait", _SCHEMAS, params="#/$defs/none", result="#/$defs/n"
)
JOB: Final[rt.Referenced[Job]] = rt.Referenced(
    id="job", version=1, digest="", members=(_PROGRESS, _WAIT), proxy=_JobProxy
)
_STATE: Final[rt.StateMember[Any]] = rt.StateMember("state", _SCHEMAS, value="#/$defs/state")
_CHANGED: Final[rt.EventsMember[Any]] = rt.EventsMember(
    "changed", _SCHEMAS, payload="#/$defs/changed", discriminator="type"
)
_SELECT: Final[rt.Method[Any, Any]] = rt.Method(
    "selectModel",
    _SCHEMAS,
    params="#/$defs/select",
    result="#/$defs/result",
    errors=(rt.ErrorCase(UnknownModel, _SCHEMAS, data="#/$defs/n"), rt.ErrorCase(Busy)),
    parameters=(
        rt.Parameter("modelId", "model_id", required=True),
        rt.Parameter("force", "force", required=False),
    ),
    attribute="select",
)
_REFRESH: Final[rt.Method[Any, None]] = rt.Method("refresh", _SCHEMAS, params="#/$defs/none")
_START: Final[rt.Method[Any, rt.Reference[Job]]] = rt.Method(
    "start", _SCHEMAS, params="#/$defs/none", returns=lambda: JOB
)
MODELS: Final[rt.Singleton[Models]] = rt.Singleton(
    id="models",
    version=1,
    digest="",
    members=(_STATE, _CHANGED, _SELECT, _REFRESH, _START),
    proxy=_ModelsProxy,
)

DIALOGS: Final[rt.Keyed[Models]] = rt.Keyed(
    id="dialogs", version=1, digest="", members=MODELS.members, proxy=_ModelsProxy
)


class Download(JobProvider):
    async def wait(self, ctx: rt.Context) -> int:
        self.progress.set(100, ctx)
        return 7


class Catalogue(ModelsProvider):
    """Does what each test tells it to."""

    def __init__(self, act: Callable[[Any, Any, rt.Context], Any] | None = None) -> None:
        super().__init__(state={"list": []})
        self.act = act
        self.calls: list[tuple[Any, Any]] = []
        self.job: Any = Download(progress=0)

    async def select(
        self, model_id: Any, ctx: rt.Context, *, force: Any | rt.Unset = rt.UNSET
    ) -> Any:
        self.calls.append((model_id, force))
        if self.act is None:
            return model_id
        outcome = self.act(model_id, force, ctx)
        return await outcome if asyncio.iscoroutine(outcome) else outcome

    async def refresh(self, ctx: rt.Context) -> Any:
        self.calls.append(("refresh", None))
        if self.act is not None:
            return self.act(None, None, ctx)
        return "not told to anybody"

    async def start(self, ctx: rt.Context) -> Any:
        ctx.check()
        return self.job


class Seen(list[Any]):
    """A listener that keeps the values it was called with."""

    def __call__(self, value: Any, _: rt.Context) -> None:
        self.append(value)


class Wire:
    """A provider and a consumer at the two ends of a wire that the test controls."""

    def __init__(self, *, allowed: Any = None) -> None:
        self.registry = Registry(allowed=allowed)
        self.catalogue = Catalogue()
        self.binding = Binding(scope="session")
        self.namespace = self.binding.open_namespace()
        self.clock = FakeClock()
        self.failures: list[dict[str, Any]] = []
        self.pair: Any = None
        asyncio.get_running_loop().set_exception_handler(
            lambda _, context: self.failures.append(context)
        )

    @property
    def link(self) -> Any:
        """The link between the two peers."""
        return self.pair.link

    def provide(self, **more: Any) -> Catalogue:
        """Provide the sample service, and return its implementation."""
        self.registry.provide(MODELS, self.catalogue, scope="session", **more)
        return self.catalogue

    async def call(
        self, arguments: bytes = b'{"modelId":"x"}', *, member: str = "selectModel", **address: Any
    ) -> Any:
        """Call the sample service past its proxy, and return the answer."""
        trace = address.pop("trace", UNSET)
        address = {"scope": "session", **(address or {"service": "models"})}
        return await self.pair.client.calls.call(
            "models", member, arguments, BACKGROUND, address, trace=trace
        )

    def reported(self) -> list[str]:
        """Return what was reported to the loop since it was asked last."""
        failures, self.failures[:] = list(self.failures), []
        return [f"{one['message']}: {one.get('exception')}" for one in failures]

    @contextlib.asynccontextmanager
    async def connect(self, *, ready: bool = True, **options: Any) -> AsyncGenerator[Wire]:
        """Connect, attach the binding, and wait until all that was acquired is hydrated."""
        options.setdefault("server", self.registry)
        async with connect_pair(clock=self.clock, **options) as self.pair:
            self.binding.attach(self.pair.client)
            if ready:
                await self.namespace.ready(BACKGROUND)
            yield self
        assert self.reported() == []


@pytest.fixture
def make_wire() -> type[Wire]:
    """Give what makes a wire; to be called within a running loop."""
    return Wire


@pytest.fixture
def sample() -> SimpleNamespace:
    """Give the service, its errors, and its implementation."""
    return SimpleNamespace(
        Download=Download,
        DIALOGS=DIALOGS,
        JOB=JOB,
        Seen=Seen,
        settle=settle,
        MODELS=MODELS,
        SCHEMAS=_SCHEMAS,
        STATE=_STATE,
        CHANGED=_CHANGED,
        Catalogue=Catalogue,
        UnknownModel=UnknownModel,
        Busy=Busy,
        Foreign=Foreign,
    )


@pytest.fixture
def run() -> Callable[[Callable[[], Awaitable[None]]], None]:
    """Run a coroutine function; anything that the loop complains of fails the test."""

    def run(main: Callable[[], Awaitable[None]]) -> None:
        complaints: list[dict[str, Any]] = []

        async def watched() -> None:
            loop = asyncio.get_running_loop()
            loop.set_exception_handler(lambda _, context: complaints.append(context))
            async with asyncio.timeout(120):  # against hanging; machines may be busy
                await main()
            await asyncio.sleep(0)

        asyncio.run(watched())
        assert complaints == []

    return run
