"""Modules, functions and classes that all facets of a process share, as they were.

What else they share is in `process_state`.
"""

from __future__ import annotations

import builtins
import sys
from importlib.machinery import ExtensionFileLoader, PathFinder
from operator import is_
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Final

from .process_state import Change

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_IS_IMMUTABLE: Final = 1 << 8
"""The flag of a class that nobody can change."""
_LIBRARY: Final = "pi_contracts.plugins.library."
_GIVEN: Final = frozenset(
    {
        "pi_contracts.plugins.ledger",
        "pi_contracts.plugins.recording",
        "pi_contracts.runtime.tokens",
    }
)
"""Where the classes are defined of what a setup is given and gives."""
_find_spec: Final = PathFinder.find_spec
_BUILTINS: Final = vars(builtins)
_BUILTINS_AS_THEY_WERE: Final = dict(_BUILTINS)


def restore_builtins(
    now: Any = _BUILTINS,
    old: dict[str, Any] = _BUILTINS_AS_THEY_WERE,
    missing: object = FunctionType,
) -> list[str]:
    """Put back what was taken out of `builtins`, without using any; return the names."""
    found: list[str] = []
    for name, value in old.items():
        if now.get(name, missing) is not value and name != "_":
            if name[:2] != "__":
                found += (f"builtins.{name}",)
            now[name] = value
    return found


class Baseline:
    """What the standard library and the runtime held at the time of the last look.

    Dictionaries are compared as wholes first, which is quick. What else than a
    function, a class or a module has changed in them is their own business.
    """

    def __init__(self) -> None:
        self._near = _Watch()
        """Modules, and the classes of what a setup is given: looked at after each facet."""
        self._far = _Watch()
        """All other classes: of these, only that something has changed is quickly told."""
        self._classes: set[type] = set()
        self._modules: dict[Any, object] = {}
        self._add_modules(dict[Any, Any](sys.modules))

    def find_changes(self, *, restore: bool = False) -> list[Change]:
        """Return what was replaced since the last time, such as ``time.sleep``.

        Args:
            restore: Whether to put it back: for the code that judges, in a process
                that is given up.
        """
        found = self._near.find_changes(restore=restore)
        found += self._far.find_changes(restore=restore)
        found += self._compare_modules()
        return [Change(name) for name in sorted(found)]

    def find_quickly(self) -> bool:
        """Tell whether modules, or classes that a setup is given, have changed; put them back."""
        return bool([*self._near.find_changes(restore=True), *self._compare_modules()])

    def has_changed_classes(self) -> bool:
        """Tell whether anything may have changed that a look without care does not see."""
        return not self._far.is_same()

    def _compare_modules(self) -> list[str]:
        """Return the entries of ``sys.modules`` that do not hold what was imported."""
        old, now = self._modules, dict[Any, Any](sys.modules)
        found: list[str] = []
        if not all(map(is_, map(now.get, old), old.values())):  # the event of id() would be heard
            changed = (name for name, module in old.items() if now.get(name) is not module)
            found += (f"sys.modules[{_show(name)}]" for name in changed)
        added = {name: now[name] for name in now.keys() - old.keys()}
        stubs = [n for n, m in added.items() if m is not None and _is_stub(n, added, now)]
        if stubs and any(map(_is_extension, added.values())):
            stubs = [name for name in stubs if not _is_made_in_c(name, now[name])]
        found += (f"sys.modules[{_show(name)}]" for name in stubs)
        if added or found:
            found += self._add_modules(added)
            self._modules = now
        return found

    def _add_modules(self, added: Mapping[Any, object]) -> list[str]:
        """Watch what was loaded meanwhile, and return what is already foreign in it."""
        is_first = not self._modules
        if is_first:
            self._modules = dict(added)
        found: list[str] = []
        for name, module in added.items():
            if is_watched(name) and issubclass(type(module), ModuleType):
                one = self._near.add(_Watched(name, vars(module)))
                for value in one.copy.values():
                    self._add_class(value)
                if not is_first:
                    found += (f"{name}.{key}" for key in _find_strangers(one.copy))
        return found

    def _add_class(self, value: object) -> None:
        """Watch a class that is defined in a watched module, and can be changed."""
        if not isinstance(value, type) or value.__flags__ & _IS_IMMUTABLE:
            return
        if value not in self._classes and is_watched(str(value.__module__)):
            self._classes.add(value)
            name, watch = value.__qualname__, self._far
            if value.__module__ in _GIVEN:
                watch = self._near
            elif not value.__module__.startswith("pi_contracts."):
                name = f"{value.__module__}.{name}"
            watch.add(_Watched(name, value.__dict__, value))


class _Watch:
    """Dictionaries with their copies; lists of them are compared in C."""

    def __init__(self) -> None:
        self._all: list[_Watched] = []
        self._values: list[Any] = []
        self._copies: list[dict[str, object]] = []

    def add(self, one: _Watched) -> _Watched:
        self._all.append(one)
        self._values.append(one.values)
        self._copies.append(one.copy)
        return one

    def is_same(self) -> bool:
        """Tell whether nothing has changed; False where values cannot be compared."""
        try:
            return self._values == self._copies
        except Exception:  # noqa: BLE001 - some value cannot be compared: look closer
            return False

    def find_changes(self, *, restore: bool) -> list[str]:
        if self.is_same():
            return []
        found = [name for one in self._all for name in one.update(restore=restore)]
        self._copies = [one.copy for one in self._all]
        return found


class _Watched:
    """The dictionary of one module or class, and a copy of it."""

    __slots__ = ("_owner", "copy", "name", "values")

    def __init__(self, name: str, values: Any, owner: type | None = None) -> None:
        self.name = name
        self.values = values
        self.copy: dict[str, object] = dict(values)
        self._owner = owner

    def update(self, *, restore: bool) -> list[str]:
        """Make a new copy, and return which functions and classes differ from the old one."""
        old, new = self.copy, dict(self.values)
        if len(old) == len(new) and all(map(is_, map(new.get, old), old.values())):
            return []
        if self._owner is None:
            keys = {key for key, one in old.items() if not key.startswith("__") and _is_code(one)}
        else:
            keys = {key for values in (old, new) for key, one in values.items() if _is_code(one)}
        changed = {key for key in keys if new.get(key, old) is not old.get(key, old)}
        self.copy = new
        if restore:
            self._put_back(old, changed)
        return [f"{self.name}.{key}" for key in changed]

    def _put_back(self, old: dict[str, object], changed: set[str]) -> None:
        for key in changed:
            if self._owner is None:
                self.values[key] = old[key]
            elif key in old:
                type.__setattr__(self._owner, key, old[key])
            else:
                type.__delattr__(self._owner, key)
        self.copy = dict(self.values)


def _is_code(value: object) -> bool:
    """Tell whether others call what this is, or read it as an attribute."""
    kind = type(value)
    return callable(value) or issubclass(kind, ModuleType) or hasattr(kind, "__get__")


def is_watched(name: object) -> bool:
    """Tell whether others rely on a module: public ones of the standard library, and ours."""
    if type(name) is not str or "._" in name or name.startswith("_"):
        return False
    first = name.partition(".")[0]
    if first == "pi_contracts":
        return not is_shipped(name)
    return first in sys.stdlib_module_names


def is_shipped(name: str) -> bool:
    """Tell whether a module is one of the plugins that are shipped."""
    return f"{name}.".startswith(_LIBRARY)


def _is_stub(name: object, added: Mapping[Any, object], now: Mapping[Any, object]) -> bool:
    """Tell whether a new entry of ``sys.modules`` was put there, and not imported.

    A package that was loaded with it may put there what it likes below itself.
    """
    if type(name) is not str:
        return True
    if name.startswith("__"):  # names of what runs, such as __mp_main__
        return False
    root = name.partition(".")[0]
    if root != name and root in added:
        return _is_stub(root, added, now)
    spec = _get_spec(now[name])
    return getattr(spec, "name", None) != name or getattr(spec, "loader", None) is None


def _is_extension(module: object) -> bool:
    """Tell whether a module was loaded from machine code."""
    return type(getattr(_get_spec(module), "loader", None)) is ExtensionFileLoader


def _get_spec(module: Any) -> object:
    """Return how a module was loaded; None if that is not known, or it is no module."""
    if not issubclass(type(module), ModuleType):
        return None
    return ModuleType.__getattribute__(module, "__dict__").get("__spec__")


def _is_made_in_c(name: object, module: object) -> bool:
    """Tell whether extension modules may keep something of theirs there, as Cython's do.

    Such an entry stands at the top level and hides no module that could be imported.
    """
    if type(name) is not str or "." in name or type(module) is not ModuleType:
        return False
    return _find_spec(name) is None


def _show(name: object) -> str:
    return f'"{name}"' if type(name) is str else f"an object of type {type(name).__name__}"


def _find_strangers(values: dict[str, object]) -> Iterator[str]:
    """Give the functions in a module of the standard library that were defined elsewhere."""
    for key, value in values.items():
        if isinstance(value, FunctionType):
            first = (value.__module__ or "").partition(".")[0]
            if first and first not in sys.stdlib_module_names and first != "pi_contracts":
                yield key
