from __future__ import annotations

from typing import Any

import pytest
from pi_contracts.plugins.guard import RefusedError
from pi_contracts.plugins.ledger import WrongToken
from pi_contracts.plugins.outcomes import Frame
from pi_contracts.plugins.raised import (
    comes_of_refusal,
    is_missing_part,
    list_lines_of,
    make_fault,
    name_type,
)
from pi_contracts.runtime import InvalidImplementation, InvalidJSON, NotHydrated


class Silent(BaseException):
    def __str__(self) -> str:
        raise self


@pytest.mark.parametrize(
    ("error", "text", "advice"),
    [
        (ValueError("one\ntwo"), "ValueError: one", ""),
        (ValueError(), "ValueError", ""),
        (ValueError("x" * 10_000), "ValueError: " + "x" * 500, ""),
        (Silent(), "Silent", ""),
        (InvalidJSON("bad", 1, 2), "InvalidJSON: line 1, column 2: bad", ""),
        (
            WrongToken("f.use()", "an int", "give a token"),
            "WrongToken: f.use() cannot take an int",
            "give a token",
        ),
        (SystemExit(3), "SystemExit: 3", "let it return, and never end the process"),
        (
            ModuleNotFoundError("No module named 'x'"),
            "ModuleNotFoundError: No module named 'x'",
            "install what it imports, or name the folder of that in PYTHONPATH",
        ),
        (
            IndentationError("unexpected indent"),
            "IndentationError: unexpected indent",
            "correct the file; nothing of it has run",
        ),
        (
            NotHydrated("card"),
            'NotHydrated: the state "card" is not hydrated',
            "look at `ready` first, subscribe, or ask `last` for the value last known",
        ),
        (
            InvalidImplementation("x", ("one is missing", "two is no state")),
            (
                'InvalidImplementation: this is no implementation of "x": '
                "one is missing; two is no state"
            ),
            "subclass the provider in the generated module, and write its members",
        ),
    ],
)
def test_what_was_raised_is_worded_by_its_class_and_first_line(
    error: BaseException, text: str, advice: str
) -> None:
    frames = (Frame("a.py", 1),)
    fault = make_fault("raised", error, frames, "import")
    assert (fault.text, fault.advice) == (text, advice)
    assert (fault.kind, fault.frames, fault.phase) == ("raised", frames, "import")


class Words(str):
    __slots__ = ()

    def strip(self, chars: str | None = None, /) -> str:
        raise ValueError(chars)


class OddList(list[str]):
    def __getitem__(self, key: Any) -> Any:
        raise KeyError(key)


@pytest.mark.parametrize(
    ("notes", "text"),
    [
        (['in the state "card"'], 'ValueError: bad (in the state "card")'),
        (["one\nmore", " ", "two"], "ValueError: bad (one; two)"),
        ([3, Words(" odd "), None], "ValueError: bad (odd)"),
        (OddList(["odd"]), "ValueError: bad (odd)"),
        (list("abcd"), "ValueError: bad (a; b; c)"),
        (["x" * 999], f"ValueError: bad ({'x' * 500})"),
        ([], "ValueError: bad"),
        ("text", "ValueError: bad"),
    ],
    ids=["one", "several", "odd ones", "an odd list", "many", "long", "none", "no list"],
)
def test_the_notes_of_what_was_raised_are_told(notes: object, text: str) -> None:
    error = ValueError("bad")
    error.__notes__ = notes  # type: ignore[assignment]
    assert make_fault("raised", error).text == text


def test_an_error_that_does_not_tell_its_notes_has_none() -> None:
    class OddError(ValueError):
        __notes__ = property(lambda _: 1 / 0)  # type: ignore[assignment]

    assert make_fault("raised", OddError("bad")).text == "OddError: bad"


def test_a_class_is_named_whatever_its_metaclass_says() -> None:
    class Meta(type):
        @property
        def __name__(cls) -> str:  # type: ignore[override]
            raise ValueError

    class Odd(metaclass=Meta): ...

    assert name_type(Odd()) == "Odd"
    assert name_type(type("x" * 999, (), {})()) == "x" * 100


def test_the_lines_of_an_error_begin_with_the_nearest() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        _ = 1 / 0
    (frame,) = list_lines_of(caught.value)
    assert frame.path == __file__


@pytest.mark.parametrize(
    ("place", "found"),
    [
        (("a.py", 3), [Frame("a.py", 3)]),
        (("a.py", None), [Frame("a.py", 1)]),
        (("a.py", "x"), [Frame("a.py", 1)]),
        (("", 3), []),
        ((object(), 3), []),
    ],
)
def test_a_syntax_error_adds_its_own_place_if_it_has_one(
    place: tuple[Any, Any], found: list[Frame]
) -> None:
    error = SyntaxError("bad")
    error.filename, error.lineno = place
    assert list_lines_of(error) == found


def test_a_syntax_error_that_does_not_tell_its_place_has_none() -> None:
    class OddError(SyntaxError):
        filename = property(lambda _: 1 / 0)  # type: ignore[assignment]

    assert list_lines_of(OddError()) == []


@pytest.mark.parametrize(
    ("error", "missing"),
    [
        (ModuleNotFoundError(name="a"), "a"),
        (ModuleNotFoundError(name="a.b"), "a.b"),
        (ModuleNotFoundError(name="a.bc"), None),
        (ModuleNotFoundError(name="other"), None),
        (ModuleNotFoundError(), None),
        (ModuleNotFoundError(name=3), None),  # type: ignore[arg-type]
        (ImportError(name="a"), None),
    ],
)
def test_a_module_is_missing_if_it_or_its_package_was_not_found(
    error: ImportError, missing: str | None
) -> None:
    assert is_missing_part(error, "a.b") == missing


def test_a_refusal_is_found_among_what_led_to_an_error() -> None:
    refused = RefusedError("no")
    outer = ValueError()
    outer.__cause__ = refused
    assert comes_of_refusal(refused)
    assert comes_of_refusal(outer)
    ring, other = ValueError(), KeyError()
    ring.__context__, other.__context__ = other, ring
    assert not comes_of_refusal(ring)
    assert not comes_of_refusal(None)
