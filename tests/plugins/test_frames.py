from __future__ import annotations

import json
import os
import sysconfig
from pathlib import Path

import pytest
from pi_contracts.plugins import child
from pi_contracts.plugins.frames import SHOWN, is_own, list_frames, shorten
from pi_contracts.plugins.outcomes import Frame

CHILD = str(child.__file__)
STANDARD = str(Path(os.__file__).parent / "json" / "decoder.py")
INSTALLED = str(Path(sysconfig.get_path("purelib")) / "library" / "x.py")


@pytest.mark.parametrize(
    ("paths", "roots", "kept"),
    [
        (["/app/p/a.py", STANDARD, "/app/b.py", CHILD], ("/app/p", "/app"), [0, 2]),
        ([INSTALLED, "/app/a.py", "<frozen importlib._bootstrap>"], ("", "/app"), [1]),
        ([INSTALLED, STANDARD, CHILD], ("", "/app"), [0]),
        ([INSTALLED], (str(Path(INSTALLED).parent), "/app"), [0]),
        (["/app/.venv/lib/site-packages/x.py", "/app/a.py"], ("", "/app/"), [1]),
        (["/other/a.py"], ("/app",), [0]),
        (["/application/a.py", "/app/a.py"], ("/app",), [1]),
        ([STANDARD, CHILD], ("/app",), []),
        ([], (), []),
    ],
    ids=[
        "python's own and ours are left out",
        "what is installed is not the user's",
        "of others' code all is kept, if there is nothing else",
        "an installed plugin's own package is its author's",
        "what is installed below the folder is not the user's",
        "elsewhere",
        "a folder is no prefix of a name",
        "nothing is left",
        "nothing at all",
    ],
)
def test_a_traceback_is_shortened_to_the_lines_of_its_author(
    paths: list[str], roots: tuple[str, ...], kept: list[int]
) -> None:
    frames = [Frame(path, line) for line, path in enumerate(paths)]
    assert shorten(frames, roots) == tuple(frames[number] for number in kept)


def test_a_recursion_is_one_line_and_a_long_way_is_cut() -> None:
    frames = [Frame("/app/a.py", line // 100) for line in range(10_000)]
    assert shorten(frames, ("/app",)) == tuple(Frame("/app/a.py", n) for n in range(SHOWN))


def test_the_nearest_line_of_a_traceback_comes_first() -> None:
    with pytest.raises(ValueError, match="Expecting") as caught:
        json.loads("x")
    frames = list_frames(caught.value.__traceback__)
    assert frames[0].path.endswith("decoder.py")
    assert frames[-1].path == __file__
    assert list_frames(None) == []


def test_our_own_files_are_known_by_their_exact_path() -> None:
    assert is_own(CHILD)
    assert not is_own("/elsewhere/child.py")
