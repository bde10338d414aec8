"""What is wrong with a manifest or a facet report, judged by the published schemas.

Only inputs that the quick decoders refuse come here.
"""

from __future__ import annotations

import difflib
import json
from importlib import resources
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import jsonschema_rs
from pi_contracts.contracts.findings import Finding, Subject, escape, quote, sort_findings

if TYPE_CHECKING:
    from pi_contracts.contracts.source import Source

Kind = Literal["manifest", "facet-report"]
_RULES: Final = {"manifest": "invalid-manifest", "facet-report": "invalid-report"}
_SHOWN: Final = 1000


class Mistakes(NamedTuple):
    """Everything that the schema refuses in one file."""

    findings: tuple[Finding, ...]
    paths: tuple[tuple[str | int, ...], ...]
    """Of each mistake, the way from the root to the value that is wrong."""


def find_mistakes(source: Source, kind: Kind) -> Mistakes:
    """Compare the value of *source* with the schema of *kind*; note each mistake."""
    findings: list[Finding] = []
    hidden = 0
    paths: list[tuple[str | int, ...]] = []
    for problem in make_validator(kind).iter_errors(source.value):
        path = tuple(problem.instance_path)
        for mistake in _word(problem, _name_part(path, kind)):
            full = (*path, *mistake.steps)
            pointer = "".join(f"/{_escape_step(step)}" for step in full)
            paths.append(full)
            if len(findings) == _SHOWN:
                hidden += 1
                continue
            findings.append(
                source.find(
                    _RULES[kind],
                    f"at {escape(pointer) or 'the root'}: {mistake.message}",
                    pointer,
                    subject=Subject(document=source.path, detail=mistake.message),
                    fix=mistake.fix,
                    of_key=bool(mistake.steps),
                )
            )
    if hidden:
        message = f"{hidden} further mistakes in this file are not listed"
        findings.append(source.find(_RULES[kind], message, "", fix="mend the listed ones first"))
    return Mistakes(sort_findings(findings), tuple(paths))


def make_validator(kind: Kind) -> jsonschema_rs.Draft202012Validator:
    """Return a validator for the published schema of *kind*."""
    schemas = {name: _load_schema(name) for name in _RULES}
    registry = jsonschema_rs.Registry([(str(s["$id"]), s) for s in schemas.values()])
    return jsonschema_rs.Draft202012Validator(schemas[kind], registry=registry, offline=True)


def _load_schema(name: str) -> dict[str, object]:
    folder = resources.files("pi_contracts.contracts") / "meta"
    schema: dict[str, object] = json.loads((folder / f"{name}.schema.json").read_bytes())
    return schema


def _escape_step(step: str | int) -> str:
    return str(step).replace("~", "~0").replace("/", "~1")


def _name_part(path: tuple[str | int, ...], kind: Kind) -> str:
    """Name what the object at *path* is, which tells its fields."""
    if not path:
        return "manifest" if kind == "manifest" else "list of reports"
    last, parent = path[-1], path[-2] if len(path) > 1 else ""
    if kind == "manifest" and parent in {"plugins", "facets"}:
        return "plugin" if parent == "plugins" else "facet"
    if last in {"contract", "at"}:
        return "contract" if last == "contract" else "call site"
    return "declaration" if parent in {"requires", "provides"} else "report"


class _Mistake(NamedTuple):
    message: str
    fix: str | None = None
    steps: tuple[str, ...] = ()
    """From the value that the schema judged to the part that is wrong."""


_FIELDS: Final = {
    "manifest": ("$schema", "manifest", "plugins", "grants"),
    "plugin": ("id", "version", "facets", "grants"),
    "facet": ("entry", "requires", "provides", "order", "grants"),
    "list of reports": ("facets",),
    "report": ("pluginId", "facet", "requires", "provides", "order"),
    "declaration": ("scope", "service", "mode", "contract", "at"),
    "contract": ("digest", "version"),
    "call site": ("path", "line"),
}
_TYPES: Final = {
    "array": "an array",
    "object": "an object",
    "string": "a string",
    "number": "a number",
    "integer": "a whole number",
}


def _word(problem: jsonschema_rs.ValidationError, part: str) -> list[_Mistake]:
    """Word one refusal of the schema; unknown members become one mistake each."""
    kind = jsonschema_rs.ValidationErrorKind
    found = _describe(problem.instance)
    match problem.kind:
        case kind.AdditionalProperties(unexpected):
            return [_word_unknown(name, part) for name in unexpected]
        case kind.PropertyNames():
            return [_Mistake("a facet's kind is empty", "name the host kind", ("",))]
        case kind.Required(name):
            return [_Mistake(f"the field {quote(name)} is missing", f"add {quote(name)}")]
        case kind.Type() if part == "manifest":
            fix = 'write an object with "manifest" and "plugins"; reports are given with --facets'
            return [_Mistake(f"expected an object, found {found}", fix)]
        case kind.Type(types):
            wanted = " or ".join(_TYPES[t] for t in types)
            return [_Mistake(f"expected {wanted}, found {found}", f"write {wanted}")]
        case kind.Enum(options=options):
            wanted = " or ".join(quote(str(option)) for option in options)
            return [_Mistake(f"expected {wanted}, found {found}", f"write {wanted}")]
        case kind.Constant(version) if not isinstance(problem.instance, int | float):
            return [
                _Mistake(f"expected version {version}, a number, found {found}", f"write {version}")
            ]
        case kind.Constant(version):
            fix = f"write {version}, or use a release that reads the version given"
            return [_Mistake(f"expected version {version} of the format, found another", fix)]
        case kind.Minimum(limit):
            message = f"expected a whole number of at least {limit}, found a smaller one"
            return [_Mistake(message, f"count from {limit}")]
        case _:
            message = "expected a string of at least 1 character, found an empty one"
            return [_Mistake(message, "write a name that is not empty")]


def _word_unknown(name: str, part: str) -> _Mistake:
    known = _FIELDS[part]
    near = difflib.get_close_matches(name, known, n=1)
    listed = ", ".join(quote(field) for field in known)
    fix = f"write {quote(near[0])}" if near else f"remove it; the fields are {listed}"
    hint = f"; did you mean {quote(near[0])}?" if near else ""
    return _Mistake(f"unknown field {quote(name)} of a {part}{hint}", fix, (name,))


def _describe(value: object) -> str:
    """Word the kind of a value, without the value."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case str():
            return "a string" if value else "an empty string"
        case int() | float():
            return "a number"
        case list():
            return "an array"
        case _:
            return "an object"
