from __future__ import annotations

import ast

import pytest
from pi_contracts.codegen.faces import Face, read_face
from pi_contracts.codegen.same_types import SameTypes

OLD = """
from . import other as _other
Alias: t.TypeAlias = str | None
Tree: t.TypeAlias = "dict[str, Tree] | str"
class Point(rt.TypedDict):
    x: rt.ReadOnly[int]
    next: rt.NotRequired[rt.ReadOnly[Point]]
class Model(_OpenModel):
    x: int
"""
NEW = """
from . import other as _other
Other: t.TypeAlias = None | str
Wood: t.TypeAlias = "dict[str, Wood] | str"
class Spot(rt.TypedDict):
    x: rt.ReadOnly[int]
    next: rt.NotRequired[rt.ReadOnly[Spot]]
class Loose(rt.TypedDict):
    x: rt.NotRequired[rt.ReadOnly[int]]
    next: rt.NotRequired[rt.ReadOnly[Spot]]
class Replica(_OpenModel):
    x: int
"""
ELSEWHERE = "Word: t.TypeAlias = str\n"


def make_face(name: tuple[str, ...], text: str) -> Face:
    return read_face(name, text if name == ("shop",) else ELSEWHERE)


@pytest.mark.parametrize(
    ("old", "new", "is_same"),
    [
        ("int | str", "str | int", True),
        ("t.Literal['a', 'b']", "t.Literal['b'] | t.Literal['a']", True),
        ("t.Literal['1']", "t.Literal[1]", False),
        ("Alias", "Other", True),
        ("Alias | int", "int | None | str", True),
        ("Alias", "str", False),
        ("Tree", "Wood", True),
        ("Tree", "Other", False),
        ("list[Point]", "list[Spot]", True),
        ("Point", "Loose", False),
        ("Point", "dict[str, int]", False),
        ("Model", "Replica", False),
        ("Model", "Spot", False),
        ("list[int]", "dict[str, int]", False),
        ("_other.Word", "str", True),
        ("t.Annotated[int, 1]", "int", True),
        ("rt.JsonValue", "str", False),
    ],
)
def test_types_are_the_same_if_they_stand_for_the_same(
    old: str, new: str, *, is_same: bool
) -> None:
    types = SameTypes(lambda name: make_face(name, OLD), lambda name: make_face(name, NEW))
    ends = [ast.parse(one, mode="eval").body for one in (old, new)]
    assert types.is_same((("shop",), ("shop",)), ends[0], ends[1]) is is_same
    assert types.is_same((("shop",), ("shop",)), ends[0], ends[1]) is is_same
