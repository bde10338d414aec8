"""What lint rules are given, and what they give: one contract, and faults in it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from pi_contracts.contracts.drafts import subschemas
from pi_contracts.contracts.json_values import is_array, is_object
from pi_contracts.contracts.model import Location
from pi_contracts.contracts.places import find_contract_schemas

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pi_contracts.contracts.catalogue import Catalogue
    from pi_contracts.contracts.documents import Document
    from pi_contracts.contracts.findings import Severity
    from pi_contracts.contracts.model import Contract

CONDITIONS = frozenset({"if", "not", "contains", "propertyNames"})
"""Keywords whose schemas ask something of a value and do not describe it."""


class Fault(NamedTuple):
    """What a rule finds: where, what, and the way out."""

    location: Location
    message: str
    fix: str
    detail: str | None = None
    """What else tells it apart from other faults at the place."""
    of_key: bool = False
    """Whether the place is that of the key, not that of its value."""
    severity: Severity | None = None
    """Where it weighs less than its rule does."""


class Rule(NamedTuple):
    """One lint rule: how much its findings weigh, and what finds them."""

    id: str
    severity: Severity
    find: Callable[[Lint], Iterator[Fault]]


class Lint:
    """One contract as rules look at it."""

    def __init__(
        self,
        catalogue: Catalogue,
        contract: Contract,
        examples: Mapping[tuple[str, str], frozenset[bool]],
    ) -> None:
        self.catalogue = catalogue
        self.contract = contract
        self.examples = examples
        """By document and subject: whether fixtures show what must pass, and what must not."""

    @property
    def document(self) -> Document:
        """The document of the contract."""
        return self.catalogue.documents[self.contract.document]

    @property
    def root(self) -> Location:
        """Where the contract begins."""
        return Location(self.contract.document, "")

    @cached_property
    def tops(self) -> tuple[Location, ...]:
        """The outermost schemas of the document: payloads and definitions."""
        return tuple(place for place, _ in find_contract_schemas(self.root, self.document.value))

    @cached_property
    def payloads(self) -> tuple[Location, ...]:
        """Those of the outermost schemas that describe what is sent."""
        return tuple(top for top in self.tops if not top.pointer.startswith("/$defs/"))

    @cached_property
    def schemas(self) -> tuple[tuple[Location, dict[str, object]], ...]:
        """The object schemas of the document that describe values, in the order of the text."""
        found: list[tuple[Location, dict[str, object]]] = []
        pending = [*reversed(self.tops)]
        while pending:
            location = pending.pop()
            schema = self.catalogue.get(location)
            if is_object(schema):
                found.append((location, schema))
                below = [place for keyword, place in self.descend(location) if keyword]
                pending.extend(reversed(below))
        return tuple(found)

    @cached_property
    def uses(self) -> Mapping[Location, tuple[Location, ...]]:
        """Of each schema that references lead to, where those stand, in any document."""
        found: dict[Location, list[Location]] = {}
        for reference in self.catalogue.get_references():
            if reference.target is not None:
                found.setdefault(reference.target, []).append(reference.location)
        return {target: tuple(places) for target, places in found.items()}

    def descend(self, location: Location) -> Iterator[tuple[str, Location]]:
        """Yield what stands in a schema, conditions aside: the keyword and the place."""
        node = self.catalogue.get_node(location)
        for tokens, _ in subschemas(node.schema, node.dialect.draft):
            if tokens[0] not in CONDITIONS:
                place = location
                for token in tokens:
                    place = place / token
                yield tokens[0], place

    def get_keywords(self, location: Location) -> dict[str, object]:
        """Return the schema at a place, of a boolean one an empty one."""
        schema = self.catalogue.get(location)
        return schema if is_object(schema) else {}

    def find_parts(self, location: Location) -> tuple[Location, ...]:
        """Return a schema with what it joins by ``$ref`` and ``allOf``, each once."""
        found: dict[Location, None] = {}
        pending = [location]
        while pending:
            place = pending.pop()
            if place in found:
                continue
            found[place] = None
            schema = self.get_keywords(place)
            target = self.catalogue.find_target(place) if "$ref" in schema else None
            branches = schema.get("allOf")
            joined = range(len(branches)) if is_array(branches) else ()
            pending.extend(place / "allOf" / index for index in reversed(joined))
            if target is not None:
                pending.append(target)
        return tuple(found)

    def list_types(self, location: Location) -> tuple[str, ...]:
        """Return the names in ``type`` of one schema."""
        named = self.get_keywords(location).get("type")
        if isinstance(named, str):
            return (named,)
        return tuple(named) if is_array(named) else ()
