"""The ledger: what one facet's setup declares, call by call.

A dry run and a host record into it alike, so that both refuse the same calls in the
same words. Making contexts and views belongs to them.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from msgspec import UNSET
from pi_contracts.runtime import PiContractsError
from pi_contracts.runtime.tokens import Keyed, Local, RemoteToken, Singleton

from .facets import HOST_SCOPES, LOCAL, CallSite, ContractVersion, Declaration, Mode

if TYPE_CHECKING:
    from collections.abc import Collection

T = TypeVar("T")
Token: TypeAlias = RemoteToken[T] | Local[T]


class LedgerError(PiContractsError, RuntimeError):
    """A facet declares something that no host would accept."""


class LateAcquisition(LedgerError):  # noqa: N818 - errors are named by what is wrong
    """A service is acquired or provided after setup has returned."""

    def __init__(self, facet: str, call: str) -> None:
        super().__init__(
            f'"{facet}" calls {call} after its setup has returned\n'
            "acquire and provide every service during setup, and keep what it gives"
        )
        self.facet = facet
        self.call = call


class MixedModes(LedgerError):  # noqa: N818 - as above
    """One facet requires one service as singleton and as keyed."""

    def __init__(self, facet: str, call: str, service: str, mode: str, first: str) -> None:
        super().__init__(
            f'"{facet}" calls {call}, but requires "{service}" as {mode} since {first}\n'
            "a service has one mode"
        )
        self.facet = facet
        self.call = call
        self.service = service


class WrongToken(LedgerError, TypeError):  # noqa: N818 - as above
    """A call is given a token that it does not take."""

    def __init__(self, call: str, found: str, fix: str) -> None:
        super().__init__(f"{call} cannot take {found}\n{fix}")
        self.call = call
        self.fix = fix


class Ledger:
    """What one facet declares until its setup has returned.

    Args:
        plugin: The plugin's id.
        kind: The facet's kind.
        own_files: Files whose frames are no place of a call: those of the contexts.
    """

    def __init__(self, plugin: str, kind: str, own_files: Collection[str] = ()) -> None:
        self.facet: Final = f"{plugin}:{kind}"
        self.kind: Final = kind
        self.requires: list[Declaration] = []
        self.provides: list[Declaration] = []
        self.tokens: dict[str, RemoteToken[Any]] = {}
        """The remote services that were named, by id."""
        self.violations: list[LedgerError] = []
        """Every refusal, also of what a setup has caught."""
        self._own_files = frozenset((__file__, *own_files))
        self._required: dict[tuple[str, str], Declaration] = {}
        """What `requires` holds, by scope and service."""
        self._is_open = True

    def close(self) -> None:
        """Accept nothing any more: setup has returned."""
        self._is_open = False

    def check_open(self, call: str) -> None:
        """Raise `LateAcquisition` for a call after setup has returned."""
        if not self._is_open:
            raise self._note(LateAcquisition(self.facet, call))

    def require(self, scope: str | None, token: Token[T], mode: Mode, method: str) -> None:
        """Record that the facet requires a service; the second time in one mode is the same.

        Args:
            scope: The scope of the namespace that is asked; None is the facet's own context.
            token: What was given, whatever it is.
            mode: The mode that the method stands for.
            method: How the call is written, without its arguments.
        """
        call = self._name_call(method, token)
        self.check_open(call)
        place = self._choose_scope(scope, token, mode, call)
        known = self._required.get((place, token.id))
        if known is None:
            known = self._required[place, token.id] = self._declare(place, token, mode)
            self.requires.append(known)
        elif known.mode != mode:
            first = "before" if known.at is UNSET else f"{known.at.path}:{known.at.line}"
            service = f"{place}/{token.id}"
            raise self._note(MixedModes(self.facet, call, service, known.mode, first))

    def provide(self, token: Token[T], mode: Mode, method: str) -> None:
        """Record that the facet provides a service; arguments as for `require`.

        A second time is recorded too: the plan tells who owns a service twice.
        """
        call = self._name_call(method, token)
        self.check_open(call)
        place = self._choose_scope(None, token, mode, call, is_provided=True)
        self.provides.append(self._declare(place, token, mode))

    def _declare(self, scope: str, token: Token[T], mode: Mode) -> Declaration:
        at = find_call_site(self._own_files)
        if isinstance(token, Local):
            return Declaration(scope, token.id, mode, at=at)
        self.tokens[token.id] = token
        contract = ContractVersion(token.digest or UNSET, token.version)
        return Declaration(scope, token.id, mode, contract, at)

    def _choose_scope(
        self,
        scope: str | None,
        token: Token[T],
        mode: Mode,
        call: str,
        *,
        is_provided: bool = False,
    ) -> str:
        """Return the scope that a call means, or refuse its token."""
        if isinstance(token, Local) and mode == "singleton":
            if scope is None:
                return LOCAL
            fix = "a local service is asked of the facet itself: facet.use()"
            raise self._note(WrongToken(call, "the token of a local service", fix))
        expected = Singleton if mode == "singleton" else Keyed
        if not isinstance(token, expected):
            raise self._note(WrongToken(call, _describe(token), _advise(token, is_provided)))
        if scope is not None:
            return scope
        if self.kind in HOST_SCOPES:
            return self.kind
        fix = (
            'provide it in a facet of kind "server" or "session"; others provide local ones only'
            if is_provided
            else "ask the server or the session for it: facet.server, facet.session"
        )
        raise self._note(WrongToken(call, "the token of a remote service here", fix))

    def _name_call(self, method: str, token: object) -> str:
        name = f'"{token.id}"' if isinstance(token, (RemoteToken, Local)) else _describe(token)
        return f"{method}({name})"

    def _note(self, error: LedgerError) -> LedgerError:
        self.violations.append(error)
        return error


def find_call_site(own_files: Collection[str]) -> CallSite:
    """Return where the call comes from: the nearest frame that is in none of *own_files*."""
    frame = inspect.currentframe()
    site = CallSite("<unknown>", 1)
    while frame is not None:
        site = CallSite(frame.f_code.co_filename, max(frame.f_lineno or 1, 1))
        if frame.f_code.co_filename not in own_files and frame.f_code is not _CODE:
            break
        frame = frame.f_back
    return site


_CODE: Final = find_call_site.__code__


def _describe(token: object) -> str:
    kind = type(token).__name__
    if isinstance(token, Local):
        return "the token of a local service"
    return (
        f"a token of mode {kind.lower()}"
        if isinstance(token, RemoteToken)
        else (f"an object of type {kind}")
    )


def _advise(token: object, is_provided: bool) -> str:  # noqa: FBT001 - one caller, above
    match token:
        case Singleton():
            return f"call {'provide' if is_provided else 'use'}()"
        case Keyed():
            return f"call {'provide_keyed' if is_provided else 'observe'}()"
        case Local():
            return "a local service has one instance: provide() and use() take it"
        case RemoteToken():
            return "such a service is only ever returned by a method"
        case _:
            return "give it a token, which generated code exports in capitals"
