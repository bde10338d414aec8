"""Print what dishka says of the faulty assemblies of docs/comparison-plan.md.

Each is put as closely as its terms allow: what a facet provides is a factory, a
service is a type, and what a host shares is a scope. Hosts themselves and versions of
contracts have no counterpart.

Run: pip install dishka==1.10.1; python benchmarks/plan_dishka.py
"""

# ruff: noqa: ARG001, D101, D103 - the names are those of the assemblies, and nothing is made

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

try:
    dishka: Any = importlib.import_module("dishka")
    errors: Any = importlib.import_module("dishka.exceptions")
except ImportError:
    print("dishka is not installed; see the first lines of this file")
    sys.exit()

if TYPE_CHECKING:
    from collections.abc import Callable


class Service:
    """Something that a factory makes, or asks for."""


class Screen(Service):
    """What nobody asks for."""


class Page(Service): ...


class Store(Service): ...


class Models(Service): ...


class Modles(Service): ...


class Diff(Service): ...


class X(Service): ...


class Y(Service): ...


class Z(Service): ...


class Files(Service): ...


class Search(Service): ...


def make_page(store: Store) -> Page:
    return Page()


def show_page(page: Page) -> Screen:
    return Screen()


def pick(models: Modles) -> Screen:
    return Screen()


def select(models: Models) -> Screen:
    return Screen()


def list_models() -> Models:
    return Models()


def diff_of_git() -> Diff:
    return Diff()


def diff_of_review() -> Diff:
    return Diff()


def show_diff(diff: Diff) -> Screen:
    return Screen()


def show_diffs(diffs: list[Diff]) -> Screen:
    return Screen()


def make_x(y: Y) -> X:
    return X()


def make_y(z: Z) -> Y:
    return Y()


def make_z(x: X) -> Z:
    return Z()


def show_x(x: X) -> Screen:
    return Screen()


def search(files: Files) -> Search:
    return Search()


ASSEMBLIES: dict[str, list[Callable[..., Service]]] = {
    "1. nobody provides": [show_page, make_page],
    "2. a slip": [pick, list_models],
    "3. another scope": [select, list_models],
    "4. two owners": [diff_of_git, diff_of_review, show_diff],
    "4. two owners, strict": [diff_of_git, diff_of_review, show_diff],
    "5. one where many are meant": [show_diffs, diff_of_git],
    "6. a ring": [make_x, make_y, make_z, show_x],
    "8. several at once": [make_page, search, make_x, make_y, make_z],
}
NARROW = {"3. another scope": list_models}
"""Factories whose product lives in a scope inside of that of who asks."""


def judge(name: str, factories: list[Callable[..., Service]]) -> str:
    """Return what is said when the container is made."""
    scope = dishka.Scope
    provider = dishka.Provider(scope=scope.APP)
    for factory in factories:
        is_narrow = NARROW.get(name) is factory
        provider.provide(factory, scope=scope.REQUEST if is_narrow else scope.APP)
    is_strict = name.endswith("strict")
    settings = dishka.STRICT_VALIDATION if is_strict else dishka.ValidationSettings()
    try:
        dishka.make_container(provider, validation_settings=settings)
    except errors.DishkaError as problem:
        return f"{type(problem).__name__}: {problem}"
    return "nothing"


if __name__ == "__main__":
    for title, factories in ASSEMBLIES.items():
        print(f"## {title}\n{judge(title, factories)}\n")
