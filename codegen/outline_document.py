"""A plain schema, a ring of files and an index into the outlines of their modules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_contracts.contracts.bundle import make_bundle
from pi_contracts.contracts.model import Location
from pi_contracts.contracts.names import capitalize

from .fitting import Argument, fit_call, fit_signature
from .headings import make_heading, make_plain_heading, write_schemas
from .literals import explode, quote, write_docstring
from .member_table import make_codec
from .outline import DocumentOutline, Function, IndexOutline, TypesOutline

if TYPE_CHECKING:
    from pi_contracts.contracts.catalogue import Catalogue

    from .layout import Layout, Module
    from .sections import TypeSection

_INDEX_IMPORTS = (
    "from collections.abc import Iterator, Mapping",
    "from importlib import import_module",
    "from types import ModuleType",
    "from typing import Final",
)


def outline_document(catalogue: Catalogue, module: Module, types: TypeSection) -> DocumentOutline:
    """Return the outline of a plain schema's module; *types* are its types."""
    (uri,) = module.documents
    document = catalogue.documents[uri]
    root = Location(uri, "")
    name = capitalize(module.name[-1])
    bundle = make_bundle(catalogue, {name: root}, uri)
    annotation = types.annotations[root]
    items = ["_SCHEMAS", quote(bundle.pointers[name])]
    if root in types.modelled:
        items.append(make_codec("codec", annotation, 4))
    return DocumentOutline(
        heading=make_heading(
            catalogue,
            uri,
            docstring=_describe(catalogue, root) or f"The document ``{document.path}``.",
            exports=[*types.exports, "is_valid", "validate"],
            uses_pydantic=root in types.modelled,
            standard=("import typing as t",),
            types=types,
        ),
        types=types.text,
        schemas=write_schemas(bundle.document, is_asserting=document.dialect.asserts_format),
        validator=fit_call(
            "_ROOT", f"t.Final[rt.Validator[{annotation}]]", "rt.Validator", items, 0, tall=False
        ),
        functions=_outline_functions(annotation, is_model=root in types.modelled),
    )


def outline_types(catalogue: Catalogue, module: Module, types: TypeSection) -> TypesOutline:
    """Return the outline of the private module of a ring of files."""
    heading = make_heading(
        catalogue,
        *module.documents,
        docstring="Types of files that refer to each other; import them from their own modules.",
        exports=types.exports,
        types=types,
    )
    return TypesOutline(heading, types.text)


def outline_index(catalogue: Catalogue, layout: Layout) -> IndexOutline:
    """Return the outline of the package's index."""
    contracts = {
        contract.service_id: "." + ".".join(layout.module_of(contract.document).name)
        for contract in reversed(catalogue.contracts.values())
    }
    heading = make_plain_heading(
        "The contracts of this package, by service id; each module is imported at its first use.",
        _INDEX_IMPORTS,
        "CONTRACTS",
    )
    rows = [f"{quote(service)}: {quote(name)}" for service, name in sorted(contracts.items())]
    head, tail = "_MODULES: Final[Mapping[str, str]] = {", "}"
    return IndexOutline(heading, explode(head, rows, tail, 0) if rows else head + tail)


def outline_package(name: str) -> TypesOutline:
    """Return the outline of what makes a folder of modules a package."""
    return TypesOutline(make_plain_heading(f"The modules below ``{name}``."))


def _describe(catalogue: Catalogue, root: Location) -> str:
    schema = catalogue.get(root)
    description = schema.get("description") if isinstance(schema, dict) else None
    return description if isinstance(description, str) else ""


def _outline_functions(annotation: str, *, is_model: bool) -> tuple[Function, Function]:
    value = [Argument("value", "object")]
    sections = {
        "Raises": {"rt.ContractViolation": "It does not fit; the message says where and why."}
    }
    guard = "bool" if is_model else f"t.TypeGuard[{annotation}]"
    result = "the model that *value* is the JSON of" if is_model else "*value* with its type"
    return (
        Function(
            fit_signature("def validate", value, annotation, 0),
            write_docstring(f"Return {result}, if it fits the schema.", 4, sections),
            statements=("return _ROOT.validate(value)",),
        ),
        Function(
            fit_signature("def is_valid", value, guard, 0),
            write_docstring("Tell whether *value* is JSON and fits the schema.", 4),
            statements=("return _ROOT.is_valid(value)",),
        ),
    )
