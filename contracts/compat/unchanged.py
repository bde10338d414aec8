"""Unchanged parts: which schemas of large documents are the same in two generations.

Told by their text, which costs a hundredth of taking them apart. Schemas of the
same text are the same if all that they refer to is.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .flat import FlatDocument

LARGE: Final = 250_000
"""From how many bytes of JSON on schemas are told apart by their text first."""
_MOST_TEXT: Final = 8
"""How many times its own size the definitions of a document may take as text."""
_REFERENCE: Final = re.compile(rb'"\$ref":("(?:[^"\\]|\\.)*")')
_BRANCH: Final = re.compile(rb'"(?:anyOf|oneOf|if|dependentSchemas)":')
Key: TypeAlias = tuple[str, bool, bytes]


class Texts:
    """Tells schemas of some documents apart by their text."""

    def __init__(self, documents: Mapping[str, FlatDocument]) -> None:
        """Look for what the documents say alike; the first two are the generations."""
        self._documents = documents
        self._encoder = msgspec.json.Encoder(order="sorted")
        self._generations = frozenset(list(documents)[:2])
        self._same: frozenset[str] = frozenset()
        whole = [self._encoder.encode(documents[uri].value) for uri in self._generations]
        self.are_large = sum(map(len, whole)) > LARGE
        self.are_evaluated = any(b'"unevaluated' in text for text in whole)
        """Whether what a schema says may depend on what stands beside it, or above."""
        self.have_branches = any(_BRANCH.search(text) for text in whole)
        """Whether it may depend on a value which of its members are declared."""
        self.reference_count = sum(text.count(b'"$ref":') for text in whole)
        if self.are_large and len(whole) > 1:
            self._same = self._find_same(whole)

    def get_key(self, schema: object, uri: str) -> Key:
        """Return what schemas, or parts of them, have in common that say the same alike."""
        text = self._encoder.encode(schema)
        is_same = all(map(self._is_same, _find_references(text)))
        asserts_format = self._documents[uri].asserts_format
        return ("" if is_same and uri in self._generations else uri, asserts_format, text)

    def _is_same(self, reference: str) -> bool:
        return not reference.startswith("#") or reference in self._same

    def _find_same(self, whole: list[bytes]) -> frozenset[str]:
        """Return the references that lead to the same in both generations."""
        one, other = (self._documents[uri] for uri in self._generations)
        references = set(_find_references(whole[0])) & set(_find_references(whole[1]))
        users: dict[str, list[str]] = defaultdict(list)
        changed: list[str] = []
        room = _MOST_TEXT * len(whole[0])
        for reference in references:
            try:
                text = self._encoder.encode(one.get(reference))
                differs = text != self._encoder.encode(other.get(reference))
            except KeyError:  # it stands in a value, not in a schema
                changed.append(reference)
                continue
            room -= len(text)
            if room < 0:
                return frozenset()
            used = set(_find_references(text))
            for below in used:
                users[below].append(reference)
            if differs or not used <= references:
                changed.append(reference)
        same = references.difference(changed)
        while changed:
            for user in users[changed.pop()]:
                if user in same:
                    same.remove(user)
                    changed.append(user)
        return frozenset(same)


def _find_references(text: bytes) -> Iterator[str]:
    """Yield what a schema refers to, and perhaps what only looks like it."""
    for match in _REFERENCE.finditer(text):
        yield msgspec.json.decode(match[1], type=str)
