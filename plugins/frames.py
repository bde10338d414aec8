"""Shortening a traceback to the lines that an author can change."""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING, Final

from .outcomes import Frame

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import TracebackType

SHOWN: Final = 10
"""How many lines of a traceback are kept."""
_OWN_FOLDER: Final = os.path.dirname(__file__)  # noqa: PTH120 - pathlib is not loaded in the child
_OWN_FILES: Final = frozenset(
    os.path.join(_OWN_FOLDER, name)  # noqa: PTH118 - as above
    for name in (
        "baseline.py",
        "child.py",
        "guard.py",
        "ledger.py",
        "raised.py",
        "recording.py",
        "setup_function.py",
    )
)
_LIBRARY: Final = os.path.dirname(os.__file__) + os.sep  # noqa: PTH120 - as above
_INSTALLED: Final = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")


def list_frames(traceback: TracebackType | None) -> list[Frame]:
    """Return the lines of a traceback, the nearest first."""
    frames: list[Frame] = []
    while traceback is not None:
        frames.append(Frame(traceback.tb_frame.f_code.co_filename, traceback.tb_lineno or 1))
        traceback = traceback.tb_next
    return frames[::-1]


def shorten(frames: Iterable[Frame], roots: Sequence[str]) -> tuple[Frame, ...]:
    """Return the lines below *roots*, the user's folders; if there is none, all but Python's own.

    The first root is the plugin's package, which may be installed; of the others,
    what is installed below them is not the user's. A recursion is one line.
    """
    foreign = [f for f in frames if f.path not in _OWN_FILES and not f.path.startswith("<frozen ")]
    own = [f for f in foreign if is_below(f.path, roots)]
    rest = own or [f for f in foreign if not _is_of_python(f.path)]
    return tuple(frame for frame, _ in itertools.islice(itertools.groupby(rest), SHOWN))


def is_own(path: str) -> bool:
    """Tell whether a file belongs to the dry run itself."""
    return path in _OWN_FILES


def is_below(path: str, roots: Sequence[str]) -> bool:
    """Tell whether a file is the user's; see `shorten` for what the roots are."""
    for number, root in enumerate(roots):
        if root and path.startswith(root.rstrip(os.sep) + os.sep):
            rest = path[len(root.rstrip(os.sep)) :]
            if number == 0 or not any(part in rest for part in _INSTALLED):
                return True
    return False


def _is_of_python(path: str) -> bool:
    is_installed = any(part in path for part in _INSTALLED)
    return path.startswith(_LIBRARY) and not is_installed
