from __future__ import annotations

import builtins
import importlib.machinery
import pathlib
import sys
import threading
import types
from typing import Any

import pytest
from pi_contracts.plugins.baseline import Baseline, is_watched, restore_builtins
from pi_contracts.plugins.ledger import Ledger


def list_names(baseline: Baseline, *, restore: bool = False) -> list[str]:
    changes = baseline.find_changes(restore=restore)
    assert not any(change.is_harmless for change in changes)
    return [change.name for change in changes]


def make_module(name: str) -> types.ModuleType:
    """Make a module as an import would."""
    module = types.ModuleType(name)
    loader = importlib.machinery.SourceFileLoader(name, f"{name}.py")
    module.__spec__ = importlib.machinery.ModuleSpec(name, loader)
    return module


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """A module that counts as one of ours, with a function, a class and a number."""
    module = types.ModuleType("pi_contracts.made_up")
    module.__dict__.update(call=lambda: 1, Kind=type("Kind", (), {}), number=1, _private=len)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({}, []),
        ({"call": print}, ["pi_contracts.made_up.call"]),
        ({"Kind": int, "call": 3}, ["pi_contracts.made_up.Kind", "pi_contracts.made_up.call"]),
        ({"number": 2, "added": print}, []),
        ({"__getattr__": print}, []),
    ],
    ids=["nothing", "a function", "a class and a function", "data and additions", "a dunder"],
)
def test_replaced_functions_and_classes_are_told_once(
    module: types.ModuleType, change: dict[str, Any], found: list[str]
) -> None:
    baseline = Baseline()
    vars(module).update(change)
    assert list_names(baseline) == found
    assert list_names(baseline) == []


def test_a_deleted_function_is_told(module: types.ModuleType) -> None:
    baseline = Baseline()
    del module.__dict__["call"]
    assert list_names(baseline) == ["pi_contracts.made_up.call"]


def test_a_module_whose_values_cannot_be_compared_is_looked_at_one_by_one(
    module: types.ModuleType,
) -> None:
    class Uncomparable:
        def __eq__(self, other: object) -> bool:
            raise ValueError

        def __hash__(self) -> int:
            return 0

    call = vars(module).pop("call")
    vars(module).update(value=Uncomparable(), call=call)
    baseline = Baseline()
    vars(module)["value"] = Uncomparable()
    vars(module)["call"] = print
    assert list_names(baseline) == ["pi_contracts.made_up.call"]


@pytest.mark.parametrize("name", ["foreign", "pi_contracts.plugins.library.made_up", "colors._x"])
def test_modules_of_others_are_their_own_business(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    module = types.ModuleType(name)
    vars(module)["call"] = print
    monkeypatch.setitem(sys.modules, name, module)
    baseline = Baseline()
    vars(module)["call"] = len
    assert list_names(baseline) == []


def test_a_module_that_is_loaded_later_is_compared_with_what_it_should_hold(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    baseline = Baseline()
    module = make_module("json.made_up")
    vars(module).update(
        own=threading.settrace, odd=types.FunctionType(compile("1", "", "eval"), {})
    )

    def foreign() -> None: ...

    vars(module)["foreign"] = foreign
    monkeypatch.setitem(sys.modules, "json.made_up", module)
    monkeypatch.setitem(sys.modules, "json.nothing", None)  # as a failed import leaves it
    assert list_names(baseline) == ["json.made_up.foreign"]


def test_a_class_is_watched_for_additions_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    baseline = Baseline()
    monkeypatch.setattr(Ledger, "require", print)
    monkeypatch.setattr(Ledger, "added", print, raising=False)
    assert list_names(baseline) == ["Ledger.added", "Ledger.require"]


def test_a_replaced_module_and_a_method_of_a_class_of_the_library_are_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    baseline = Baseline()
    monkeypatch.setattr(pathlib.Path, "read_text", print)
    monkeypatch.setattr("os.path", types.ModuleType("os.path"))
    assert list_names(baseline) == ["os.path", "pathlib.Path.read_text"]


def test_what_was_changed_is_put_back_where_the_process_is_given_up(
    module: types.ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = vars(module)["call"], pathlib.Path.exists, Ledger.close
    baseline = Baseline()
    with monkeypatch.context() as patch:
        patch.setattr(pathlib.Path, "exists", print)
        patch.setattr(Ledger, "close", print)
        Ledger.added = print  # type: ignore[attr-defined] # pyright: ignore[reportAttributeAccessIssue]
        vars(module)["call"] = print
        found = list_names(baseline, restore=True)
        assert (vars(module)["call"], pathlib.Path.exists, Ledger.close) == old
        assert not hasattr(Ledger, "added")
        assert list_names(baseline) == []
    assert found == [
        "Ledger.added",
        "Ledger.close",
        "pathlib.Path.exists",
        "pi_contracts.made_up.call",
    ]


def test_entries_of_the_module_table_that_were_replaced_or_deleted_are_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    baseline = Baseline()
    monkeypatch.setitem(sys.modules, "json", types.ModuleType("json"))
    monkeypatch.delitem(sys.modules, "textwrap")
    assert list_names(baseline) == ['sys.modules["json"]', 'sys.modules["textwrap"]']
    assert list_names(baseline) == []


def _put(name: Any, module: object) -> dict[Any, object]:
    return {name: module}


def make_extension(name: str) -> types.ModuleType:
    """Make a module as the import of machine code would."""
    module = types.ModuleType(name)
    loader = importlib.machinery.ExtensionFileLoader(name, f"{name}.so")
    module.__spec__ = importlib.machinery.ModuleSpec(name, loader)
    return module


_OTHER = make_module("other")
_NO_LOADER = types.ModuleType("made_up_stub")
_NO_LOADER.__spec__ = importlib.machinery.ModuleSpec("made_up_stub", None)


@pytest.mark.parametrize(
    ("added", "found"),
    [
        (_put("made_up_stub", make_module("made_up_stub")), []),
        (_put("made_up_stub", types.ModuleType("made_up_stub")), ["made_up_stub"]),
        (_put("made_up_stub", _OTHER), ["made_up_stub"]),
        (_put("made_up_stub", _NO_LOADER), ["made_up_stub"]),
        (_put("made_up_stub", object()), ["made_up_stub"]),
        (_put("made_up_stub", None), []),
        (_put("json.stub", types.ModuleType("json.stub")), ["json.stub"]),
        (_put("__made_up__", types.ModuleType("__main__")), []),
        (
            {"made_up": make_module("made_up"), "made_up.moves": types.ModuleType("moves")},
            [],
        ),
        (
            {"made_up": types.ModuleType("made_up"), "made_up.moves": types.ModuleType("moves")},
            ["made_up", "made_up.moves"],
        ),
        (
            {"made_up": make_extension("made_up"), "runtime_of_c": types.ModuleType("x")},
            [],
        ),
        (
            {"made_up": make_extension("made_up"), "this": types.ModuleType("this")},
            ["this"],
        ),
        (
            {"made_up": make_extension("made_up"), "runtime_of_c": object()},
            ["runtime_of_c"],
        ),
        ({"runtime_of_c": None, "made_up": object()}, ["made_up"]),
    ],
    ids=[
        "an import",
        "no spec",
        "the spec of another",
        "a spec without a loader",
        "no module",
        "a failed import",
        "a stub in a package",
        "an alias of what runs",
        "what a package makes below itself",
        "a stub of a package",
        "what machine code makes beside itself",
        "machine code, and a stub of what could be imported",
        "machine code, and what is no module",
        "a failed import and a stub",
    ],
)
def test_a_new_entry_that_was_not_imported_is_told(
    monkeypatch: pytest.MonkeyPatch, added: dict[Any, Any], found: list[str]
) -> None:
    baseline = Baseline()
    for name, module in added.items():
        monkeypatch.setitem(sys.modules, name, module)
    assert list_names(baseline) == [f'sys.modules["{name}"]' for name in found]


def test_an_entry_whose_name_is_no_string_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    modules: dict[Any, Any] = sys.modules  # type: ignore[assignment] # of any keys
    baseline = Baseline()
    monkeypatch.setitem(modules, 3, 4)
    assert list_names(baseline) == ["sys.modules[an object of type int]"]
    assert not is_watched(3)


def test_builtins_are_put_back_without_the_help_of_any() -> None:
    """So that what judges can go on after a setup that has deleted them."""
    old, now = vars(builtins) | {"_": 1}, vars(builtins) | {"_": 2}
    del now["isinstance"]
    now["len"] = None
    assert sorted(restore_builtins(now, old)) == ["builtins.isinstance", "builtins.len"]
    assert now["isinstance"] is isinstance
    assert restore_builtins() == []
