"""What generated code runs on, and what those who implement or consume a service use."""

from __future__ import annotations

from .context import BACKGROUND, TRACE, Cancellation, Context, ContextKey
from .direct import connect_direct
from .errors import (
    BrokenSchemasError,
    Cancelled,
    ContractViolation,
    InternalError,
    InvalidArguments,
    InvalidImplementation,
    InvalidJSON,
    InvalidResult,
    InvalidToken,
    NotAuthorized,
    NotHydrated,
    Overflow,
    PiContractsError,
    ServiceError,
    ServiceNotImplemented,
    StaleReference,
    UnservedVersionError,
)
from .events import EventSource
from .facets import (
    Facet,
    KeyedProvider,
    Namespace,
    PresentationFacet,
    ServerFacet,
    SessionFacet,
)
from .freezing import freeze_values
from .implementation import check_implementation
from .link import Events, Instance, Link, Reference, State, Subscription
from .parse import parse_json
from .state import MutableState
from .strict_json import JsonArray, JsonObject, JsonValue
from .tokens import Keyed, Local, Referenced, Singleton, local_service
from .unset import UNSET, Unset

__all__ = (
    "BACKGROUND",
    "TRACE",
    "UNSET",
    "BrokenSchemasError",
    "Cancellation",
    "Cancelled",
    "Context",
    "ContextKey",
    "ContractViolation",
    "EventSource",
    "Events",
    "Facet",
    "Instance",
    "InternalError",
    "InvalidArguments",
    "InvalidImplementation",
    "InvalidJSON",
    "InvalidResult",
    "InvalidToken",
    "JsonArray",
    "JsonObject",
    "JsonValue",
    "Keyed",
    "KeyedProvider",
    "Link",
    "Local",
    "MutableState",
    "Namespace",
    "NotAuthorized",
    "NotHydrated",
    "Overflow",
    "PiContractsError",
    "PresentationFacet",
    "Reference",
    "Referenced",
    "ServerFacet",
    "ServiceError",
    "ServiceNotImplemented",
    "SessionFacet",
    "Singleton",
    "StaleReference",
    "State",
    "Subscription",
    "UnservedVersionError",
    "Unset",
    "check_implementation",
    "connect_direct",
    "freeze_values",
    "local_service",
    "parse_json",
)
