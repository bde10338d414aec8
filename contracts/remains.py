"""Remains: which payloads of documents with mistakes no mistake reaches.

A payload can be judged where neither its own schemas nor anything that they lead
to, in whatever file, has an error.
"""

from __future__ import annotations

import bisect
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from .bundle import Arguments
from .dialect import make_contract
from .findings import Severity
from .json_values import is_array, is_object, is_schema
from .model import Location
from .payloads import list_subjects

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .catalogue import Reference
    from .documents import Document
    from .payloads import Payload
    from .read import Reading

_WHOLE = frozenset({"/$id", "/$schema", "/formats"})
"""Where a mistake changes what all schemas of a file mean."""


class Remains:
    """Tells what can be judged in spite of the errors of a reading."""

    def __init__(self, reading: Reading) -> None:
        """Note where errors are, and which schemas refer to which."""
        catalogue = reading.catalogue
        uris = {one.source.path: one.uri for one in catalogue.documents.values()}
        faults: list[tuple[Location, None]] = []
        self._whole: set[str] = set()
        for finding in reading.findings:
            uri = uris.get(finding.path or "")
            if finding.severity is Severity.ERROR and uri is not None:
                if finding.pointer is None or finding.pointer in _WHOLE:
                    self._whole.add(uri)
                else:
                    faults.append((Location(uri, finding.pointer), None))
        self._faults = _sort(faults)
        references = list(catalogue.get_references())
        self._links = _sort((one.location, one) for one in references)
        targets = {one.target for one in references if one.target is not None}
        self._dirty = self._find_dirty(targets)

    def list_payloads(self, document: Document) -> Iterator[Payload]:
        """Yield what fixtures can be examples of, as far as no error reaches it."""
        contract = None
        if document.role == "contract":
            contract = make_contract(document, _keep_sound(document.value))
        for payload in list_subjects(document, contract):
            if self._is_sound(payload):
                yield payload

    def _is_sound(self, payload: Payload) -> bool:
        uri, root = payload.document.uri, payload.root
        if payload.pointer.startswith("/members/"):
            # such as a keyword that is missing there
            if self._faults.get(uri, _NONE).stands_at(payload.pointer):
                return False
            if self._reaches_fault(Location(uri, f"{payload.pointer}/kind")):
                return False
        if isinstance(root, Arguments):
            at = Location(uri, payload.pointer)
            return not (self._reaches_fault(at / "params") or self._reaches_fault(at / "optional"))
        return not self._reaches_fault(root)

    def _reaches_fault(self, start: Location) -> bool:
        return self._has_fault(start) or any(
            one.target in self._dirty for one in self._list_links(start)
        )

    def _has_fault(self, place: Location) -> bool:
        """Tell whether a mistake stands at a place or below it, references that lead on aside."""
        document, pointer = place
        if document in self._whole or self._faults.get(document, _NONE).cut(pointer):
            return True
        # where a dynamic reference leads depends on the way to it
        links = self._list_links(place)
        return any(one.target is None or one.keyword != "$ref" for one in links)

    def _list_links(self, place: Location) -> list[Reference]:
        return self._links.get(place.document, _NONE).cut(place.pointer)

    def _find_dirty(self, targets: Iterable[Location]) -> set[Location]:
        """Return the places that lead to a mistake, of those that references lead to."""
        above: dict[Location, list[Location]] = {}
        dirty: set[Location] = set()
        for place in targets:
            if self._has_fault(place):
                dirty.add(place)
            for link in self._list_links(place):
                if link.target is not None:
                    above.setdefault(link.target, []).append(place)
        pending = list(dirty)
        while pending:
            for place in above.get(pending.pop(), ()):
                if place not in dirty:
                    dirty.add(place)
                    pending.append(place)
        return dirty


class _Sorted(NamedTuple):
    """Things that stand somewhere, in the order of their pointers."""

    pointers: list[str]
    things: list[Any]

    def stands_at(self, pointer: str) -> bool:
        """Tell whether something stands exactly at a pointer."""
        index = bisect.bisect_left(self.pointers, pointer)
        return self.pointers[index : index + 1] == [pointer]

    def cut(self, pointer: str) -> list[Any]:
        """Return those at a pointer or below it."""
        here = slice(
            bisect.bisect_left(self.pointers, pointer), bisect.bisect_right(self.pointers, pointer)
        )
        # the character after / ends what begins with the pointer and a /
        below = slice(
            bisect.bisect_left(self.pointers, f"{pointer}/"),
            bisect.bisect_left(self.pointers, f"{pointer}0"),
        )
        return [*self.things[here], *self.things[below]]


def _sort(things: Iterable[tuple[Location, Any]]) -> dict[str, _Sorted]:
    """Return things with their places, by document."""
    found: dict[str, _Sorted] = {}
    for place, thing in sorted(things, key=lambda one: one[0]):
        of_document = found.setdefault(place.document, _Sorted([], []))
        of_document.pointers.append(place.pointer)
        of_document.things.append(thing)
    return found


_NONE: Final = _Sorted([], [])


def _keep_sound(value: object) -> dict[str, Any]:
    """Return a contract with those parts alone whose form a model can be made of."""
    given = value if is_object(value) else {}
    service = _get(given, "service")
    key = {"key": service["key"]} if is_schema(service.get("key")) else {}
    return {
        "service": {"id": "", "mode": "keyed", **key},
        "members": {
            name: kept
            for name, member in _get(given, "members").items()
            if is_object(member) and (kept := _keep_member(member)) is not None
        },
        "errors": {
            code: {"data": case["data"]}
            for code, case in _get(given, "errors").items()
            if is_object(case) and is_schema(case.get("data"))
        },
    }


def _keep_member(member: dict[str, Any]) -> dict[str, Any] | None:
    kind = member.get("kind")
    for owner, keyword in (("state", "value"), ("events", "payload")):
        if kind == owner:
            found = member.get(keyword)
            return {"kind": kind, keyword: found} if is_schema(found) else None
    if kind != "method":
        return None
    optional = member.get("optional")
    return {
        "kind": "method",
        "params": _get(member, "params"),
        "optional": optional if is_array(optional) else [],
        **({"result": member["result"]} if is_schema(member.get("result")) else {}),
    }


def _get(value: dict[str, Any], keyword: str) -> dict[str, Any]:
    found = value.get(keyword)
    return found if is_object(found) else {}
