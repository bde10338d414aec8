"""What a lone ``$ref`` makes void: in drafts 4 to 7, all that stands beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .model import Location

if TYPE_CHECKING:
    from .catalogue import Catalogue, Node, Reference

_DEFINITIONS = frozenset({"$defs", "definitions"})


class VoidParts:
    """Tells of references that lead nowhere whether they count at all.

    Args:
        catalogue: The documents, in whose references nothing changes any more.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._nodes: dict[str, dict[Location, Node]] = {}
        self._targets: set[Location] | None = None

    def find(self, reference: Reference) -> Node | None:
        """Return the schema whose lone ``$ref`` makes a reference void, None if it counts.

        Definitions beside a ``$ref`` count, and so does whatever a reference leads to.
        """
        document, pointer = reference.location
        nodes = self._get_nodes(document)
        while pointer:
            if Location(document, pointer) in self._get_targets():
                return None
            pointer, _, keyword = pointer.rpartition("/")
            above = nodes.get(Location(document, pointer))
            if above is not None and keyword not in _DEFINITIONS and _has_lone_ref(above):
                return above
        return None

    def _get_nodes(self, document: str) -> dict[Location, Node]:
        if document not in self._nodes:
            schemas = self._catalogue.get_schemas(self._catalogue.documents[document])
            self._nodes[document] = dict(schemas)
        return self._nodes[document]

    def _get_targets(self) -> set[Location]:
        if self._targets is None:
            found = self._catalogue.get_references()
            self._targets = {one.target for one in found if one.target is not None}
        return self._targets


def _has_lone_ref(node: Node) -> bool:
    return (
        not isinstance(node.schema, bool)
        and node.dialect.draft.has_lone_refs
        and isinstance(node.schema.get("$ref"), str)
    )
