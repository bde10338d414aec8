"""Files of a commit, through the git command: nothing is checked out, nothing is fetched."""

from __future__ import annotations

import os
import posixpath
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from .git_command import Git, GitError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_FILE: Final = "100"
_FOLDER: Final = "040000"
_LINK: Final = "120000"
_SUBMODULE: Final = "160000"
_LONGEST_CHAIN: Final = 40
"""How many links are followed to one file; systems take no more either."""
_THREE_DOTS: Final = "..."


class _Entry(NamedTuple):
    """A file of a commit; its path is relative to the repository."""

    mode: str
    digest: str
    path: str


class GitTree:
    """The tree of one commit.

    Args:
        revision: A branch, a tag, a commit or whatever else names one; ``A...B`` is where
            the two have parted, and HEAD may be left out of it.
        near: A path in the repository; it need not be there.

    Raises:
        GitError: There is no git, no repository, or no such revision.
    """

    def __init__(self, revision: str, near: Path) -> None:
        self.revision = revision
        self._git = Git(near)
        self.root = self._git.root
        self._tree = self._find_tree(revision)

    def locate(self, path: Path) -> str | None:
        """Return a path relative to the repository, with ``/``; None if it is outside.

        Links in the path are kept: where they lead, each commit says for itself.
        """
        root = os.path.realpath(self.root)
        absolute = os.path.abspath(path)  # noqa: PTH100 # see above
        for one in (absolute, os.path.realpath(path)):
            if os.path.commonpath([one, root]) == root:
                relative = Path(os.path.relpath(one, root)).as_posix()
                return "" if relative == "." else relative
        return None

    def find(self, path: str) -> str | None:
        """Return where a path leads in the commit, links followed; None if nowhere.

        Raises:
            GitError: It leads into a submodule.
        """
        if not path:
            return path
        entry = self._follow(path)
        if entry is not None and entry.mode == _SUBMODULE:
            message = f"{entry.path} is a submodule, whose files are in another repository"
            fix = f"name the commit that it stands at: git:{entry.digest[:12]}:{path}"
            raise GitError(message, fix)
        return None if entry is None else entry.path

    def export(self, paths: Iterable[str], folder: Path) -> tuple[str, ...]:
        """Write the JSON files below *paths* into *folder*, as they are in the commit.

        Links lead to files of the commit. What cannot be had, links that lead elsewhere and
        submodules, is returned.
        """
        listed = [one for path in dict.fromkeys(paths) for one in self._list("-rz", path)]
        wanted: dict[str, _Entry] = {}
        left: list[str] = []
        for one in listed:
            entry = self._follow(one.path) if one.mode == _LINK else one
            if one.mode == _SUBMODULE:
                left.append(one.path)
            elif one.path.endswith(".json"):
                if entry is not None and entry.mode.startswith(_FILE):
                    wanted[one.path] = entry
                else:
                    left.append(one.path)
        texts = self._read([one.digest for one in wanted.values()])
        for path, text in zip(wanted, texts, strict=True):
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text)
        return tuple(left)

    def _find_tree(self, revision: str) -> str:
        if _THREE_DOTS in revision:
            revision = self._find_fork(*revision.split(_THREE_DOTS, 1))
        elif ".." in revision:
            message = f'"{revision}" is a range, and a side is one revision'
            fix = "name the older end; where two branches have parted is A...B"
            raise GitError(message, fix)
        tree = self._git.find_object(f"{revision}^{{tree}}")
        if tree is None:
            raise _word_unknown(revision)
        return tree

    def _find_fork(self, one: str, other: str) -> str:
        commits: list[str] = []
        for name in (one or "HEAD", other or "HEAD"):
            commit = self._git.find_object(f"{name}^{{commit}}")
            if commit is None:
                raise _word_unknown(name)
            commits.append(commit)
        fork = self._git.ask("merge-base", *commits)
        if fork is None:
            message = f'"{one or "HEAD"}" and "{other or "HEAD"}" have no commit in common here'
            fix = "where a job fetches the last commits only, fetch all of them"
            raise GitError(message, fix)
        return fork.decode().split()[0]

    def _follow(self, path: str) -> _Entry | None:
        """Return what a path leads to, which is no link, or a submodule on the way."""
        for _ in range(_LONGEST_CHAIN):
            tokens = path.split("/")
            prefixes = ["/".join(tokens[:end]) for end in range(1, len(tokens) + 1)]
            # of folders on the way nothing is listed, but what stands in their place is
            listed = {one.path: one for one in self._list("-z", *prefixes)}
            stop = next((one for one in prefixes if one in listed), None)
            entry = listed[stop] if stop is not None else None
            if entry is None or entry.mode != _LINK:
                is_there = entry and (entry.path == path or entry.mode == _SUBMODULE)
                return entry if is_there else None
            rest = path[len(entry.path) :].lstrip("/")
            path = posixpath.normpath(posixpath.join(self._lead(entry), rest))
            if path == ".":
                return _Entry(_FOLDER, self._tree, "")
            if path == ".." or path.startswith(("/", "../")):
                return None
        return None

    def _lead(self, link: _Entry) -> str:
        """Return where a link leads, relative to the repository."""
        (target,) = self._read([link.digest])
        return posixpath.join(posixpath.dirname(link.path), os.fsdecode(target))

    def _list(self, how: str, *paths: str) -> list[_Entry]:
        below = ["--", *paths] if any(paths) else []
        listed = self._git.ask("ls-tree", how, "--full-tree", self._tree, *below) or b""
        entries: list[_Entry] = []
        for line in os.fsdecode(listed).split("\0")[:-1]:
            facts, _, name = line.partition("\t")
            mode, _, digest = facts.split()
            entries.append(_Entry(mode, digest, name))
        return entries

    def _read(self, digests: Sequence[str]) -> list[bytes]:
        """Return the contents of blobs, all by one process."""
        asked = "".join(f"{digest}\n" for digest in digests).encode()
        told = self._git.ask("cat-file", "--batch", text=asked) or b""
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


def _word_unknown(revision: str) -> GitError:
    message = f'git knows no revision "{revision}"'
    fix = "check its name; where a job fetches one commit only, fetch this one too"
    return GitError(message, fix)
