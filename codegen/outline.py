"""Outlines: every string of a generated module, in the order in which it is printed.

Templates put these between their own words and decide nothing. What a member is
called, and where a line breaks, is decided here.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Heading:
    """What a module begins with; each text may hold several lines."""

    comments: tuple[str, ...]
    docstring: str
    imports: tuple[tuple[str, ...], ...]
    """Groups of import lines: standard library, others, and this package."""
    exports: str
    """The statement that sets ``__all__``; empty if there is none."""
    requires_runtime: bool = True


@dataclass(frozen=True, slots=True)
class Function:
    """A function or method: decorators, the lines of its signature, and what it holds."""

    signature: str
    docstring: str = ""
    decorators: tuple[str, ...] = ()
    statements: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ErrorClass:
    """An exception that stands for one error of a contract."""

    name: str
    docstring: str
    code: str
    """A string literal."""
    data: str
    """The annotation of its data; empty if it carries none."""
    constructor: Function


@dataclass(frozen=True, slots=True)
class Class:
    """A class of methods alone."""

    head: str
    """The ``class`` line."""
    docstring: str
    methods: tuple[Function, ...]


@dataclass(frozen=True, slots=True)
class ContractOutline:
    """The module of a contract."""

    heading: Heading
    types: str
    errors: tuple[ErrorClass, ...]
    consumer: Class
    provider: Class
    params: tuple[str, ...]
    """Declarations of the types of arguments."""
    proxy: Class
    schemas: str
    members: tuple[str, ...]
    token: str
    token_docstring: str


@dataclass(frozen=True, slots=True)
class DocumentOutline:
    """The module of a plain schema."""

    heading: Heading
    types: str
    schemas: str
    validator: str
    functions: tuple[Function, ...]


@dataclass(frozen=True, slots=True)
class TypesOutline:
    """A private module, which holds types alone, or a package, which holds nothing."""

    heading: Heading
    types: str = ""


@dataclass(frozen=True, slots=True)
class IndexOutline:
    """The index of the package."""

    heading: Heading
    modules: str
    """The table of service ids and modules."""


Outline = ContractOutline | DocumentOutline | TypesOutline | IndexOutline
