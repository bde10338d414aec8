"""Everything that generated modules import, under the names that they use."""

from __future__ import annotations

# All from one place: TypedDict and its qualifiers must know each other on every version.
from typing_extensions import NotRequired, ReadOnly, Required, TypedDict, deprecated  # noqa: UP035

from .codecs import Codec, ModelCodec
from .context import BACKGROUND, Context
from .errors import Cancelled, ContractViolation, NotHydrated, ServiceError
from .events import EventSource
from .link import Events, Instance, Link, Reference, State, Subscription
from .members import ErrorCase, EventsMember, Method, Parameter, StateMember
from .schemas import Schemas, Validator
from .state import MutableState
from .strict_json import JsonArray, JsonObject, JsonValue
from .tokens import Keyed, Referenced, Singleton
from .unset import UNSET, Unset
from .version import require

__all__ = (
    "BACKGROUND",
    "UNSET",
    "Cancelled",
    "Codec",
    "Context",
    "ContractViolation",
    "ErrorCase",
    "EventSource",
    "Events",
    "EventsMember",
    "Instance",
    "JsonArray",
    "JsonObject",
    "JsonValue",
    "Keyed",
    "Link",
    "Method",
    "ModelCodec",
    "MutableState",
    "NotHydrated",
    "NotRequired",
    "Parameter",
    "ReadOnly",
    "Reference",
    "Referenced",
    "Required",
    "Schemas",
    "ServiceError",
    "Singleton",
    "State",
    "StateMember",
    "Subscription",
    "TypedDict",
    "Unset",
    "Validator",
    "deprecated",
    "require",
)
