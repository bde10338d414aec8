"""Meaning: names in a contract that must agree with each other, which no meta-schema can say.

Each part is judged where its own form allows, whatever is wrong with the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .findings import Severity, Subject, escape
from .json_values import Hints, is_array, is_object, is_schema
from .model import Location, Mode
from .slips import get_parameters, is_object_schema

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .documents import Document
    from .findings import Finding


def check_meaning(document: Document) -> Iterator[Finding]:
    """Yield where names and keywords of a contract do not fit each other."""
    value = document.value
    if not is_object(value):
        return
    yield from _check_key(document, value.get("service"))
    members, errors = value.get("members", {}), value.get("errors", {})
    if not members and is_object(members):
        message = "the contract has no members: nobody can do anything with the service"
        yield document.source.find(
            "no-members",
            message,
            "/members" if "members" in value else "",
            severity=Severity.WARNING,
            fix="add methods, state or events",
        )
    hints = Hints()
    for name, member in list_calls(value):
        at = Location(document.uri, "") / "members" / name
        yield from _check_call(document, at, member, errors, hints)


def list_calls(value: object) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the members of a contract that are methods, or may be meant as such, by name."""
    members = value.get("members") if is_object(value) else None
    for name, member in members.items() if is_object(members) else ():
        if is_object(member) and member.get("kind") not in ("state", "events"):
            yield name, member


def _check_key(document: Document, service: object) -> Iterator[Finding]:
    if not is_object(service) or not is_schema(service.get("key")):
        return
    mode = service.get("mode")
    if mode in (Mode.SINGLETON, Mode.REFERENCE):
        message = f'"key" belongs to services of mode keyed, and this one is {mode}'
        fix = 'remove "key", or write "mode": "keyed"'
        yield document.source.find("invalid-keyword", message, "/service/key", fix=fix, of_key=True)


def _check_call(
    document: Document, at: Location, member: dict[str, Any], errors: object, hints: Hints
) -> Iterator[Finding]:
    params = member.get("params", {})
    if is_object_schema(params):
        message = '"params" takes the schema of each parameter by its name, found that of an object'
        fix = 'write what stands in "properties" into "params" itself, and "optional" beside it'
        if "$ref" in params:
            fix = "write each parameter by its name, with a schema of its own"
        subject = Subject(document=document.source.path, detail="params")
        pointer = (at / "params").pointer
        yield document.source.find("invalid-keyword", message, pointer, subject=subject, fix=fix)
    if is_object(params) and not (is_object_schema(params) and "$ref" in params):
        for index, name in _list_names(member.get("optional")):
            message = f'"optional" names "{escape(name)}", which is no parameter'
            known = get_parameters(params)
            if name not in known:
                yield _miss(
                    document, at / "optional" / index, message, name, hints.find(name, known)
                )
    if is_object(errors):
        for index, code in _list_names(member.get("errors")):
            message = f'the error "{escape(code)}" is not declared in this contract\'s "errors"'
            if code not in errors:
                yield _miss(
                    document, at / "errors" / index, message, code, hints.find(code, errors)
                )


def _list_names(value: object) -> Iterator[tuple[int, str]]:
    for index, name in enumerate(value if is_array(value) else ()):
        if isinstance(name, str):
            yield index, name


def _miss(
    document: Document,
    at: Location,
    message: str,
    name: str,
    near: str | None,
) -> Finding:
    hint = f'; did you mean "{escape(near)}"?' if near else ""
    fix = f'write "{escape(near)}"' if near else "declare it, or remove it here"
    subject = Subject(document=document.source.path, detail=name)
    return document.source.find(
        "invalid-keyword", message + hint, at.pointer, subject=subject, fix=fix
    )
