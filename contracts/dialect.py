"""Contracts from documents: what the dialect's own keywords say, checked and modelled."""

from __future__ import annotations

import functools
import json
from importlib import resources
from typing import TYPE_CHECKING, Any

import jsonschema_rs

from .drafts import DIALECT
from .findings import Severity, Subject, escape
from .json_values import (
    Hints,
    describe,
    escape_token,
    find_nearest,
    is_array,
    is_object,
    is_schema,
)
from .model import (
    Contract,
    Deprecation,
    ErrorCase,
    Events,
    Location,
    Member,
    Method,
    Mode,
    Parameter,
    Stability,
    State,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .documents import Document
    from .findings import Finding

RESERVED_SCOPE = "local"
"""The scope that no contract can name: a remote service is never local."""


def check_contract(document: Document) -> tuple[Finding, ...]:
    """Return what is wrong with the dialect's own keywords in a contract file."""
    skeleton = _strip_schemas(document.value)
    if _get_quick_check().is_valid(skeleton):
        return tuple(_check_meaning(document))
    return tuple(_check_form(document, skeleton))


def make_contract(document: Document) -> Contract:
    """Return the model of a contract file that has passed `check_contract`."""
    value: dict[str, Any] = document.value  # type: ignore[assignment]
    service = value["service"]
    root = Location(document.uri, "")
    return Contract(
        document=document.uri,
        service_id=service["id"],
        mode=Mode(service["mode"]),
        key=root / "service" / "key" if "key" in service else None,
        scopes=tuple(service["scopes"]) if "scopes" in service else None,
        version=int(service.get("version", 1)),
        stability=Stability(service["stability"]) if "stability" in service else None,
        title=value.get("title"),
        description=value.get("description"),
        members=tuple(
            _make_member(root / "members" / name, name, member)
            for name, member in value.get("members", {}).items()
        ),
        errors=tuple(
            ErrorCase(
                code,
                case.get("description"),
                root / "errors" / code / "data" if "data" in case else None,
            )
            for code, case in value.get("errors", {}).items()
        ),
        deprecation=_make_deprecation(value),
        asserts_format=value.get("formats") == "assert",
    )


def _make_member(location: Location, name: str, member: dict[str, Any]) -> Member:
    description = member.get("description")
    deprecation = _make_deprecation(member)
    if member["kind"] == "state":
        return State(name, location / "value", description, deprecation)
    if member["kind"] == "events":
        discriminator = member.get("discriminator")
        return Events(name, location / "payload", discriminator, description, deprecation)
    optional = member.get("optional", ())
    params = tuple(
        Parameter(
            parameter,
            location / "params" / parameter,
            parameter not in optional,
            schema.get("description") if is_object(schema) else None,
        )
        for parameter, schema in member.get("params", {}).items()
    )
    result = location / "result" if "result" in member else None
    errors = tuple(member.get("errors", ()))
    return Method(name, params, result, member.get("returns"), errors, description, deprecation)


def _make_deprecation(value: dict[str, Any]) -> Deprecation | None:
    facts: dict[str, str] = value.get("deprecation", {})
    return Deprecation(**facts) if value.get("deprecated") or facts else None


def _strip_schemas(value: object) -> object:
    """Return a contract with ``true`` for every schema: those are judged by themselves."""
    if not is_object(value):
        return value
    result = dict(value)
    service = result.get("service")
    if is_object(service) and is_schema(service.get("key")):
        result["service"] = {**service, "key": True}
    if is_object(result.get("$defs")):
        result["$defs"] = _strip_each(result["$defs"])
    for group, keywords in (("members", ("result", "value", "payload")), ("errors", ("data",))):
        if is_object(result.get(group)):
            result[group] = {
                name: _strip_member(one, keywords) for name, one in result[group].items()
            }
    return result


def _strip_member(member: object, keywords: tuple[str, ...]) -> object:
    if not is_object(member):
        return member
    stripped: dict[str, Any] = {
        keyword: True if keyword in keywords and is_schema(value) else value
        for keyword, value in member.items()
    }
    if is_object(stripped.get("params")):
        stripped["params"] = _strip_each(stripped["params"])
    return stripped


def _strip_each(schemas: dict[str, Any]) -> dict[str, Any]:
    return {name: True if is_schema(schema) else schema for name, schema in schemas.items()}


@functools.cache
def get_meta_schema() -> dict[str, Any]:
    """Return the meta-schema of contract files."""
    text = (
        resources.files("pi_contracts.contracts")
        .joinpath("meta/dialect.schema.json")
        .read_text("utf-8")
    )
    return dict(json.loads(text))


@functools.cache
def _get_quick_check() -> jsonschema_rs.Validator:
    return jsonschema_rs.Draft202012Validator(get_meta_schema(), offline=True)


def _check_form(document: Document, skeleton: object) -> Iterator[Finding]:
    """Yield what the meta-schema says, in words; jsonschema is loaded only for this."""
    import jsonschema  # noqa: PLC0415 # costs more than reading all contracts

    validator: Any = jsonschema.Draft202012Validator(get_meta_schema())
    told: set[tuple[str | None, str]] = set()
    for fault in validator.iter_errors(skeleton):
        if _is_consequence(fault):
            continue
        pointer = "".join(f"/{escape_token(token)}" for token in fault.absolute_path)
        for finding in _word(document, pointer, fault):
            # a value that is no schema is refused by each vocabulary
            if (finding.pointer, finding.message) not in told:
                told.add((finding.pointer, finding.message))
                yield finding


def _is_consequence(fault: Any) -> bool:
    """Tell whether another error says more: of a value's type, or that it is empty."""
    if fault.validator == "pattern":
        return not fault.instance
    return (
        fault.validator == "not"
        and not is_object(fault.instance)
        and fault.instance != RESERVED_SCOPE
    )


def _word(document: Document, pointer: str, fault: Any) -> Iterator[Finding]:
    """Yield a finding for each thing that one error of the meta-schema is about."""
    what = _name_part(fault.absolute_path)
    if fault.validator == "additionalProperties":
        known = sorted(fault.schema["properties"])
        for keyword in sorted(fault.instance.keys() - set(known)):
            yield _word_unknown(document, pointer, keyword, known, what)
        return
    fix = None
    if fault.validator == "required":
        # one error for each name that is missing, which only its text tells
        missing = next(one for one in fault.validator_value if fault.message.startswith(repr(one)))
        message, fix = f'{what} needs the keyword "{missing}"', f'add "{missing}"'
        if missing == "$schema":
            fix = f'add "$schema": "{DIALECT}"'
        detail = missing
    else:
        message, detail = f"{what} {_say(fault)}", str(fault.validator)
        if "propertyNames" in fault.absolute_schema_path:
            fix = "choose another name"
            problem = "begins with $: such names are reserved" if fault.instance else "is empty"
            message, detail = f"a name in {what} {problem}", f"{fault.instance}"
            pointer += f"/{escape_token(fault.instance)}"
    subject = Subject(document=document.source.path, detail=detail)
    is_name = "propertyNames" in fault.absolute_schema_path
    yield document.source.find(
        "invalid-keyword", message, pointer, subject=subject, fix=fix, of_key=is_name
    )


def _name_part(path: Sequence[object]) -> str:
    """Name a part of a contract by its name, an item of an array by its place."""
    if not path:
        return "a contract"
    if isinstance(path[-1], int):
        return f'item {path[-1]} of "{escape(str(path[-2]))}"'
    return f'"{escape(str(path[-1]))}"'


def _say(fault: Any) -> str:
    """Say what a keyword of the dialect takes, of which an error says that it got another."""
    kind, value = fault.validator, fault.validator_value
    if kind == "type":
        expected = "a schema" if is_array(value) else _put_article(value)
        return f"takes {expected}, found {describe(fault.instance)}"
    if kind == "not":
        if not is_object(fault.instance):
            return f'is no scope of a contract: what is "{RESERVED_SCOPE}" never leaves its process'
        return 'says "result" and "returns", which exclude each other'
    if kind == "pattern":
        if value == "^[^$]":
            return "begins with $: such names are reserved"
        return "takes a reference without a fragment"
    return {
        "const": f'takes "{value}"',
        "enum": f"takes {', '.join(value)}".replace(",", " or") if is_array(value) else "",
        "minItems": "takes an array that is not empty",
        "minLength": "takes a string that is not empty",
        "minimum": f"takes a whole number from {value}",
        "uniqueItems": "takes an array in which nothing stands twice",
    }[kind]


def _put_article(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def _word_unknown(
    document: Document, pointer: str, keyword: str, known: list[str], what: str
) -> Finding:
    near = find_nearest(keyword, known)
    hint = f'; did you mean "{near}"?' if near else ""
    return document.source.find(
        "unknown-keyword",
        f'{what} has no keyword "{escape(keyword)}"{hint}',
        f"{pointer}/{escape_token(keyword)}",
        fix=f'write "{near}"' if near else f"known are {', '.join(known)}",
        of_key=True,
    )


def _check_meaning(document: Document) -> Iterator[Finding]:
    """Yield what the meta-schema cannot say: names that must agree with each other."""
    value: dict[str, Any] = document.value  # type: ignore[assignment]
    service, members = value["service"], value.get("members", {})
    if "key" in service and service["mode"] != Mode.KEYED:
        message = f'"key" belongs to services of mode keyed, and this one is {service["mode"]}'
        fix = 'remove "key", or write "mode": "keyed"'
        yield document.source.find("invalid-keyword", message, "/service/key", fix=fix, of_key=True)
    if not members:
        message = "the contract has no members: nobody can do anything with the service"
        yield document.source.find(
            "no-members",
            message,
            "/members" if "members" in value else "",
            severity=Severity.WARNING,
            fix="add methods, state or events",
        )
    hints = Hints()
    for name, member in members.items():
        at = Location(document.uri, "") / "members" / name
        if member["kind"] == "method":
            yield from _check_method(document, at, member, value.get("errors", {}), hints)


def _check_method(
    document: Document,
    at: Location,
    member: dict[str, Any],
    errors: dict[str, Any],
    hints: Hints,
) -> Iterator[Finding]:
    for index, name in enumerate(member.get("optional", ())):
        if name not in member.get("params", {}):
            message = f'"optional" names "{escape(name)}", which is no parameter'
            near = hints.find(name, member.get("params", {}))
            yield _miss(document, at / "optional" / index, message, name, near)
    for index, code in enumerate(member.get("errors", ())):
        if code not in errors:
            message = f'the error "{escape(code)}" is not declared in this contract\'s "errors"'
            near = hints.find(code, errors)
            yield _miss(document, at / "errors" / index, message, code, near)


def _miss(document: Document, at: Location, message: str, name: str, near: str | None) -> Finding:
    hint = f'; did you mean "{escape(near)}"?' if near else ""
    fix = f'write "{escape(near)}"' if near else "declare it, or remove it here"
    subject = Subject(document=document.source.path, detail=name)
    return document.source.find(
        "invalid-keyword", message + hint, at.pointer, subject=subject, fix=fix
    )
