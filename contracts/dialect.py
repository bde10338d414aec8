"""Contracts from documents: what the dialect's own keywords say, checked and modelled."""

from __future__ import annotations

import functools
import json
from importlib import resources
from typing import TYPE_CHECKING, Any

import jsonschema_rs

from .drafts import DIALECT
from .findings import Subject, escape
from .json_values import describe, escape_token, is_array, is_object, is_schema
from .meaning import check_meaning
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
from .slips import (
    find_keyword,
    find_word,
    guess_kind,
    is_object_schema,
    mend_part,
    mend_unknown,
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
    is_well_formed = _get_quick_check().is_valid(skeleton)
    form = () if is_well_formed else _check_form(document, skeleton)
    return (*form, *check_meaning(document))


def make_contract(document: Document, kept: dict[str, Any] | None = None) -> Contract:
    """Return the model of a contract file that has passed `check_contract`, or of what is *kept*.

    What is kept of a file that has not passed must have the form of a contract.
    """
    value: dict[str, Any] = kept or document.value  # type: ignore[assignment]
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
    if is_object_schema(stripped.get("params")):
        del stripped["params"]  # told apart
    elif is_object(stripped.get("params")):
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
    faults = list(validator.iter_errors(skeleton))
    # a member of a kind that can only be meant as one is judged as that kind too
    for guessed in _guess_kinds(skeleton):
        faults += validator.iter_errors(guessed)
    for fault in faults:
        if _is_consequence(fault):
            continue
        pointer = "".join(f"/{escape_token(token)}" for token in fault.absolute_path)
        for finding in _word(document, pointer, fault):
            # a value that is no schema is refused by each vocabulary
            if (finding.pointer, finding.message) not in told:
                told.add((finding.pointer, finding.message))
                yield finding


def _guess_kinds(skeleton: object) -> Iterator[object]:
    """Yield the contract with the kinds that are probably meant, if there are wrong ones."""
    members = skeleton.get("members") if is_object(skeleton) else None
    if not (is_object(skeleton) and is_object(members)):
        return
    guesses = {
        name: {**one, "kind": guess}
        for name, one in members.items()
        if is_object(one) and (guess := guess_kind(one)) is not None
    }
    if guesses:
        yield {**skeleton, "members": {**members, **guesses}}


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
        near, fix = _mend(fault)
        message += f'; did you mean "{near}"?' if near else ""
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


def _mend(fault: Any) -> tuple[str | None, str | None]:
    """Return the word that was probably meant, and the way out; None where there is none."""
    keyword = str(fault.absolute_path[-1]) if fault.absolute_path else ""
    if fault.validator == "enum":
        near = find_word(keyword, fault.instance, fault.validator_value)
        return near, f'write "{near}"' if near else None
    if fault.validator == "type":
        return None, mend_part(keyword, fault.validator_value, fault.instance)
    return None, None


def _put_article(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def _word_unknown(
    document: Document, pointer: str, keyword: str, known: list[str], what: str
) -> Finding:
    mended = mend_unknown(keyword, known)
    near = None if mended else find_keyword(keyword, known)
    hint = f'; did you mean "{near}"?' if near else ""
    return document.source.find(
        "unknown-keyword",
        f'{what} has no keyword "{escape(keyword)}"{hint}',
        f"{pointer}/{escape_token(keyword)}",
        fix=mended or (f'write "{near}"' if near else f"known are {', '.join(known)}"),
        of_key=True,
    )
