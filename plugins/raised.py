"""What was raised, in words; the objects may be hostile, and none of their code is trusted.

An exception may fail to word itself, have a class that cannot be named, or be a
string that is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pi_contracts.runtime import ContractViolation, InvalidImplementation, PiContractsError

from .frames import list_frames
from .guard import RefusedError
from .outcomes import Fault, Frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .outcomes import Phase

_LONGEST_TEXT: Final = 500
_LONGEST_NAME: Final = 100
_NOTES_SHOWN: Final = 3
_BULLET: Final = "- "
_get_name: Final = type.__dict__["__name__"].__get__
_get_cause: Final = BaseException.__dict__["__cause__"].__get__
_get_context: Final = BaseException.__dict__["__context__"].__get__
_get_traceback: Final = BaseException.__dict__["__traceback__"].__get__
_ADVICE: Final[dict[type[BaseException], str]] = {
    EOFError: "let it read nothing: nobody is there to answer",
    MemoryError: "let it not load so much before its host starts",
    SystemExit: "let it return, and never end the process",
    ModuleNotFoundError: "install what it imports, or name the folder of that in PYTHONPATH",
    SyntaxError: "correct the file; nothing of it has run",
    IndentationError: "correct the file; nothing of it has run",
    TabError: "correct the file; nothing of it has run",
    ContractViolation: "make the value fit its contract, or mend the contract and generate anew",
    InvalidImplementation: "subclass the provider in the generated module, and write its members",
}


def name_type(value: object) -> str:
    """Return the name of an object's class, whatever its metaclass says."""
    name: str = _get_name(type(value))
    return name[:_LONGEST_NAME]


def make_fault(
    kind: str, error: BaseException, frames: Sequence[Frame] = (), phase: Phase = "setup"
) -> Fault:
    """Make a fault of what was raised: its class, its first line and its notes.

    Of our own errors, what is listed below the first line belongs to it, and
    another line is advice.
    """
    error_type = type(error)
    first, *others = _list_lines(error)
    # A class may not let itself be hashed.
    advice = next((words for one, words in _ADVICE.items() if one is error_type), "")
    if issubclass(error_type, PiContractsError):
        listed = [line.removeprefix(_BULLET) for line in others if line.startswith(_BULLET)]
        first = " ".join(filter(None, (first, "; ".join(listed))))
        advice = "; ".join(line for line in others if not line.startswith(_BULLET)) or advice
    name = name_type(error)
    text = f"{name}: {first}" if first else name
    notes = "; ".join(_list_notes(error))
    return Fault(kind, f"{text} ({notes})" if notes else text, tuple(frames), phase, advice)


def _list_lines(error: BaseException) -> list[str]:
    try:
        text = str.__str__(str(error))  # which may be of a class that extends str
    except BaseException:  # noqa: BLE001 - an exception that cannot word itself
        return [""]
    return text.strip()[:_LONGEST_TEXT].split("\n")


def _list_notes(error: Any) -> list[str]:
    """Return the first lines of the notes that were added to an error."""
    try:
        notes: Any = error.__notes__
    except BaseException:  # noqa: BLE001 - no notes, or an attribute of somebody's own
        return []
    if not issubclass(type(notes), list):
        return []
    given = list[Any].__getitem__(notes, slice(_NOTES_SHOWN))
    texts = [str.__str__(note).strip() for note in given if issubclass(type(note), str)]
    return [text[:_LONGEST_TEXT].split("\n")[0] for text in texts if text]


def list_lines_of(error: BaseException) -> list[Frame]:
    """Return the lines that an error went through, the nearest first."""
    found = list_frames(_get_traceback(error))
    if issubclass(type(error), SyntaxError):
        place = _find_syntax_error(error)
        found[:0] = [] if place is None else [place]
    return found


def _find_syntax_error(error: Any) -> Frame | None:
    try:
        path, line = error.filename, error.lineno
    except BaseException:  # noqa: BLE001 - attributes of a class of somebody's own
        return None
    if type(path) is not str or not path:
        return None
    return Frame(path, line if type(line) is int and line > 0 else 1)


def is_missing_part(error: BaseException, module: str) -> str | None:
    """Return which module is missing: *module* or a package that holds it; else None."""
    if type(error) is not ModuleNotFoundError:
        return None
    name: object = error.name
    if type(name) is str and f"{module}.".startswith(f"{name}."):
        return name
    return None


def comes_of_refusal(error: BaseException | None) -> bool:
    """Tell whether a refusal of the guard is among what led to an error."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if type(error) is RefusedError:
            return True
        seen.add(id(error))
        error = _get_cause(error) or _get_context(error)
    return False
