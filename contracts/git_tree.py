"""Files of a commit, through the git command: nothing is checked out, nothing is fetched."""

from __future__ import annotations

import os
import posixpath
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_LINK: Final = "120000"
_CALM: Final = {
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
"""What makes git read and do nothing else."""


class GitError(Exception):
    """A commit that cannot be read, and what to do about it."""

    def __init__(self, message: str, fix: str) -> None:
        super().__init__(message)
        self.fix = fix


class _Entry(NamedTuple):
    """A file of a commit; its path is relative to the repository."""

    mode: str
    digest: str
    path: str


class GitTree:
    """The tree of one commit.

    Args:
        revision: A branch, a tag, a commit or whatever else names one.
        near: A path in the repository; it need not be there.

    Raises:
        GitError: There is no git, no repository, or no such revision.
    """

    def __init__(self, revision: str, near: Path) -> None:
        # not resolve(): a link is named as the user names it
        folder = Path(os.path.abspath(near))  # noqa: PTH100
        while not folder.is_dir():
            folder = folder.parent
        self.revision = revision
        self._folder = folder
        top = self._ask("rev-parse", "--show-toplevel")
        if top is None:
            message = f"{folder.name or folder} is in no git repository"
            raise GitError(message, "run this in a checkout, or name a folder")
        self.root = Path(os.fsdecode(top).rstrip("\n"))
        shown = f"{revision}^{{tree}}"
        tree = self._ask("rev-parse", "--verify", "--quiet", "--end-of-options", shown)
        if tree is None:
            message = f'git knows no revision "{revision}"'
            fix = "check its name; where a job fetches one commit only, fetch this one too"
            raise GitError(message, fix)
        self._tree = tree.decode().strip()

    def locate(self, path: Path) -> str | None:
        """Return a path relative to the repository, with ``/``; None if it is outside."""
        absolute = os.path.realpath(path)
        root = os.path.realpath(self.root)
        if os.path.commonpath([absolute, root]) != root:
            return None
        relative = Path(os.path.relpath(absolute, root)).as_posix()
        return "" if relative == "." else relative

    def has(self, path: str) -> bool:
        """Tell whether the commit has a file or folder."""
        if not path:
            return True
        kind = self._ask("cat-file", "-t", f"{self._tree}:{path}")
        return kind is not None and kind.strip() in {b"blob", b"tree"}

    def export(self, paths: Iterable[str], folder: Path) -> None:
        """Write the JSON files below *paths* into *folder*, as they are in the commit.

        Links are followed within what is written; others are left out, as are submodules.
        """
        entries = [one for path in dict.fromkeys(paths) for one in self._list(path)]
        wanted = {one.path: one for one in entries}
        texts = dict(zip(wanted, self._read([one.digest for one in wanted.values()]), strict=True))
        for path, entry in wanted.items():
            text: bytes | None = texts[path]
            if entry.mode == _LINK:
                target = posixpath.join(posixpath.dirname(path), os.fsdecode(texts[path]))
                text = texts.get(posixpath.normpath(target))
            if text is not None:
                file = folder / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(text)

    def _list(self, path: str) -> list[_Entry]:
        below = ["--", path] if path else []
        listed = self._ask("ls-tree", "-r", "-z", "--full-tree", self._tree, *below) or b""
        entries: list[_Entry] = []
        for line in os.fsdecode(listed).split("\0")[:-1]:
            facts, _, name = line.partition("\t")
            mode, kind, digest = facts.split()
            if kind == "blob" and name.endswith(".json"):
                entries.append(_Entry(mode, digest, name))
        return entries

    def _read(self, digests: Sequence[str]) -> list[bytes]:
        """Return the contents of blobs, all by one process."""
        asked = "".join(f"{digest}\n" for digest in digests).encode()
        told = self._ask("cat-file", "--batch", text=asked) or b""
        found: list[bytes] = []
        start = 0
        for _ in digests:
            end = told.find(b"\n", start)
            facts = told[start:end].split()
            if len(facts) != 3:  # noqa: PLR2004 # digest, kind and size
                message = f'a file of the revision "{self.revision}" is not in this checkout'
                raise GitError(message, "fetch it: the checkout is a partial one")
            start = end + 1 + int(facts[2]) + 1
            found.append(told[end + 1 : start - 1])
        return found

    def _ask(self, *arguments: str, text: bytes = b"") -> bytes | None:
        """Return what git says, None if it says no."""
        try:
            result = subprocess.run(  # noqa: S603 # no shell, and the revision is no option
                ["git", "-C", str(self._folder), *arguments],  # noqa: S607 # the user's git
                input=text,
                capture_output=True,
                env={**os.environ, **_CALM},
                check=False,
            )
        except OSError:
            raise GitError("the git command cannot be run", "install git") from None
        except ValueError:
            raise GitError("the name of the revision holds a null character", "check it") from None
        return result.stdout if result.returncode == 0 else None
