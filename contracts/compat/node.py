"""The node: a schema as a conjunction of atoms; what atoms there are is told in `nodes`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .flat import make_absolute
from .spelling import spell

if TYPE_CHECKING:
    from collections.abc import Callable

    from pi_contracts.contracts.drafts import Schema

    from .nodes import Atom


class Node:
    """A conjunction of atoms; without atoms it accepts every value.

    Compared by identity; never changed. What costs time is filled in at its first use.
    """

    __slots__ = ("atoms", "id", "schema")
    id: int
    atoms: tuple[Atom, ...]
    schema: Schema
    """A schema that says the same; its references are absolute."""

    def __init__(self, number: int, atoms: tuple[Atom, ...], schema: Schema | None) -> None:
        """Keep the atoms, and a schema that says the same if one is known."""
        self.id = number
        self.atoms = atoms
        if schema is not None:
            self.schema = schema

    def __hash__(self) -> int:
        """Return a hash that is the same in every run."""
        return self.id

    def __eq__(self, other: object) -> bool:
        """Return whether *other* is this node."""
        return self is other

    def __getattr__(self, name: str) -> Any:
        """Fill in a field at its first use."""
        if name != "schema":
            raise AttributeError(name)
        self.schema = self._spell()
        return self.schema

    def _spell(self) -> Schema:
        return spell(self.atoms)

    @property
    def is_deferred(self) -> bool:
        """Whether it is not taken apart yet."""
        return False

    @property
    def is_plainly_true(self) -> bool:
        """Whether it accepts every value, as far as is known without a look inside."""
        return not self.is_deferred and not self.atoms

    def open(self) -> None:
        """Take it apart if that has been deferred."""


class DeferredNode(Node):
    """A node whose schema is taken apart at the first look at its atoms."""

    __slots__ = ("_open", "source")
    source: tuple[dict[str, Any], str]
    """The schema as it stands, and the document that it stands in."""

    def __init__(
        self,
        number: int,
        source: tuple[dict[str, Any], str],
        open_: Callable[[DeferredNode], tuple[Atom, ...]],
        reference: str = "",
    ) -> None:
        """Keep what to do when the atoms are asked for.

        Args:
            number: The number of the node.
            source: The schema as it stands, and the document that it stands in.
            open_: Takes the node's schema apart.
            reference: An absolute reference to the schema, if one is known.
        """
        self.id = number
        self.source = source
        self._open: Callable[[DeferredNode], tuple[Atom, ...]] | None = open_
        if reference:
            self.schema = {"$ref": reference}

    def __getattr__(self, name: str) -> Any:
        """Fill in a field at its first use."""
        if name != "atoms" or self._open is None:
            return super().__getattr__(name)
        self.open()
        return self.atoms

    def _spell(self) -> Schema:
        return make_absolute(*self.source)

    @property
    def is_deferred(self) -> bool:
        """Whether it is not taken apart yet."""
        return self._open is not None

    def open(self) -> None:
        """Take it apart if that has been deferred."""
        if self._open is not None:
            self.atoms = self._open(self)
            self._open = None
