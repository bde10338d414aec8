"""Contracts from documents: what the dialect's own keywords say, checked and modelled."""

from __future__ import annotations

import difflib
import functools
import json
from importlib import resources
from typing import TYPE_CHECKING, Any

import jsonschema_rs

from .findings import Severity, Subject, escape
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
    from collections.abc import Iterable, Iterator

    from .documents import Document
    from .findings import Finding

RESERVED_SCOPE = "local"
"""The scope that no contract can name: a remote service is never local."""


def check_contract(document: Document) -> tuple[Finding, ...]:
    """Return what is wrong with the dialect's own keywords in a contract file."""
    skeleton = _strip_schemas(document.value)
    if _get_quick_check().is_valid(skeleton):
        return tuple(_check_meaning(document)) if isinstance(skeleton, dict) else ()
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
            schema.get("description") if isinstance(schema, dict) else None,
        )
        for parameter, schema in member.get("params", {}).items()
    )
    result = location / "result" if "result" in member else None
    errors = tuple(member.get("errors", ()))
    return Method(name, params, result, member.get("returns"), errors, description, deprecation)


def _make_deprecation(value: dict[str, Any]) -> Deprecation | None:
    facts = value.get("deprecation", {})
    return Deprecation(**facts) if value.get("deprecated") or facts else None


def _strip_schemas(value: object) -> object:
    """Return a contract with ``true`` for every schema: those are judged by themselves."""
    if not isinstance(value, dict):
        return value
    result = dict(value)
    if isinstance(result.get("service"), dict) and _is_schema(result["service"].get("key")):
        result["service"] = {**result["service"], "key": True}
    definitions = result.get("$defs")
    if isinstance(definitions, dict):
        result["$defs"] = _strip_each(definitions)
    for group, keywords in (("members", ("result", "value", "payload")), ("errors", ("data",))):
        if isinstance(result.get(group), dict):
            result[group] = {
                name: _strip_member(one, keywords) for name, one in result[group].items()
            }
    return result


def _strip_member(member: object, keywords: tuple[str, ...]) -> object:
    if not isinstance(member, dict):
        return member
    stripped = {
        keyword: True if keyword in keywords and _is_schema(value) else value
        for keyword, value in member.items()
    }
    params = stripped.get("params")
    if isinstance(params, dict):
        stripped["params"] = _strip_each(params)
    return stripped


def _strip_each(schemas: dict[str, object]) -> dict[str, object]:
    return {name: True if _is_schema(schema) else schema for name, schema in schemas.items()}


def _is_schema(value: object) -> bool:
    return isinstance(value, dict | bool)


@functools.cache
def get_meta_schema() -> dict[str, Any]:
    """Return the meta-schema of contract files."""
    text = resources.files(__package__).joinpath("meta/dialect.schema.json").read_text("utf-8")
    return dict(json.loads(text))


@functools.cache
def _get_quick_check() -> jsonschema_rs.Validator:
    return jsonschema_rs.Draft202012Validator(get_meta_schema(), offline=True)


def _check_form(document: Document, skeleton: object) -> Iterator[Finding]:
    """Yield what the meta-schema says, in words; jsonschema is loaded only for this."""
    import jsonschema  # noqa: PLC0415 # costs more than reading all contracts

    validator = jsonschema.Draft202012Validator(get_meta_schema())
    for fault in validator.iter_errors(skeleton):
        pointer = "".join(
            "/" + str(token).replace("~", "~0").replace("/", "~1") for token in fault.absolute_path
        )
        yield from _word(document, pointer, fault)


def _word(document: Document, pointer: str, fault: Any) -> Iterator[Finding]:
    """Yield a finding for each thing that one error of the meta-schema is about."""
    name = escape(pointer.rpartition("/")[2].replace("~1", "/").replace("~0", "~"))
    what = f'"{name}"' if pointer else "a contract"
    rule, value = "invalid-keyword", fault.validator_value
    if fault.validator == "additionalProperties":
        known = sorted(fault.schema.get("properties", ()))
        for keyword in fault.instance.keys() - set(known):
            yield _word_unknown(document, pointer, keyword, known, what)
        return
    if fault.validator == "required":
        missing = next(
            one for one in value if one not in fault.instance and repr(one) in fault.message
        )
        if pointer or missing != "$schema":
            message = f'{what} needs the keyword "{missing}"'
        else:
            message = 'a contract file says "$schema": "urn:pi-contracts:dialect:1"'
        yield document.source.find(
            rule, message, pointer, subject=_subject(document, missing), fix=f'add "{missing}"'
        )
        return
    words = {
        "type": f"takes {_article(value)}",
        "enum": "takes one of " + ", ".join(map(str, value)) if fault.validator == "enum" else "",
        "const": f'takes "{value}"',
        "minLength": "takes a string that is not empty",
        "minItems": "takes an array that is not empty",
        "uniqueItems": "takes an array in which nothing stands twice",
        "minimum": f"takes a whole number from {value}",
        "pattern": "must not begin with $: such names are reserved"
        if value == "^[^$]"
        else "takes a reference without a fragment",
    }
    if fault.validator == "not":
        message = f"{what} says result and returns, which exclude each other"
        if fault.absolute_schema_path and "scopes" in fault.absolute_schema_path:
            message = f'a scope cannot be "{RESERVED_SCOPE}": a remote service is never local'
    else:
        message = f"{what} {words.get(fault.validator, 'is not what the dialect takes')}"
    if "propertyNames" in fault.absolute_schema_path:
        message = f'{what} has the name "{escape(str(fault.instance))}", which ' + (
            "is empty" if not fault.instance else "begins with $: such names are reserved"
        )
    subject = _subject(document, str(fault.validator))
    yield document.source.find(rule, message, pointer, subject=subject)


def _article(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def _subject(document: Document, detail: str) -> Subject:
    return Subject(document=document.source.path, detail=detail)


def _word_unknown(
    document: Document, pointer: str, keyword: str, known: list[str], what: str
) -> Finding:
    close = difflib.get_close_matches(keyword, known, n=1, cutoff=0.6)
    hint = f'; did you mean "{close[0]}"?' if close else ""
    below = Location(document.uri, pointer) / keyword
    return document.source.find(
        "unknown-keyword",
        f'{what} has no keyword "{escape(keyword)}"{hint}',
        below.pointer,
        fix=f'write "{close[0]}"' if close else f"known are {', '.join(known)}",
        of_key=True,
    )


def _check_meaning(document: Document) -> Iterator[Finding]:
    """Yield what the meta-schema cannot say: names that must agree with each other."""
    value: dict[str, Any] = document.value  # type: ignore[assignment]
    service, members = value["service"], value.get("members", {})
    if "key" in service and service["mode"] != Mode.KEYED:
        message = f'"key" belongs to services of mode keyed, and this one is {service["mode"]}'
        yield document.source.find("invalid-keyword", message, "/service/key", of_key=True)
    if not members:
        message = "the contract has no members: nobody can do anything with the service"
        yield document.source.find(
            "no-members",
            message,
            "/members" if "members" in value else "",
            severity=Severity.WARNING,
        )
    for name, member in members.items():
        at = Location(document.uri, "") / "members" / name
        if member["kind"] == "method":
            yield from _check_method(document, at, member, value.get("errors", {}))


def _check_method(
    document: Document, at: Location, member: dict[str, Any], errors: dict[str, Any]
) -> Iterator[Finding]:
    for index, name in enumerate(member.get("optional", ())):
        if name not in member.get("params", {}):
            message = f'"optional" names "{escape(name)}", which is no parameter'
            yield _miss(document, at / "optional" / index, message, name, member.get("params", {}))
    for index, code in enumerate(member.get("errors", ())):
        if code not in errors:
            message = f'the error "{escape(code)}" is not declared in this contract\'s "errors"'
            yield _miss(document, at / "errors" / index, message, code, errors)


def _miss(
    document: Document, at: Location, message: str, name: str, known: Iterable[str]
) -> Finding:
    close = difflib.get_close_matches(name, known, n=1)
    hint = f'; did you mean "{close[0]}"?' if close else ""
    return document.source.find(
        "invalid-keyword", message + hint, at.pointer, fix=f'write "{close[0]}"' if close else None
    )
