"""A small service as `gen` would write it, with an implementation that tests instruct."""

from __future__ import annotations

import abc
import asyncio
import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, Protocol

import pytest
from pi_contracts.runtime import generated as rt

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


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


@pytest.fixture
def sample() -> SimpleNamespace:
    """Give the service, its errors, and its implementation."""
    return SimpleNamespace(
        MODELS=MODELS,
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
            async with asyncio.timeout(30):
                await main()
            await asyncio.sleep(0)

        asyncio.run(watched())
        assert complaints == []

    return run
