"""The git command: run so that it reads and does nothing else, and its refusals in words."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Final

_CALM: Final = {
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
"""What makes git read and do nothing else, in words that are known."""


class GitError(Exception):
    """A commit that cannot be read, and what to do about it."""

    def __init__(self, message: str, fix: str) -> None:
        super().__init__(message)
        self.fix = fix


class Git:
    """The git command in the repository that a folder is in.

    Args:
        near: A path in the work tree of the repository; it need not be there.

    Raises:
        GitError: There is no git, or no work tree that it reads.
    """

    def __init__(self, near: Path) -> None:
        # not resolve(): a link is named as the user names it
        folder = Path(os.path.abspath(near))  # noqa: PTH100
        while not folder.is_dir():
            folder = folder.parent
        self._folder = folder
        told = self._run("rev-parse", "--show-toplevel")
        if told.returncode != 0:
            raise _word_refusal(folder, os.fsdecode(told.stderr))
        self.root = Path(os.fsdecode(told.stdout).rstrip("\n"))
        """The folder of the work tree."""

    def ask(self, *arguments: str, text: bytes = b"") -> bytes | None:
        """Return what git says, None if it says no."""
        result = self._run(*arguments, text=text)
        return result.stdout if result.returncode == 0 else None

    def find_object(self, name: str) -> str | None:
        """Return the digest of what a name of a revision leads to, None if nothing has it."""
        told = self.ask("rev-parse", "--verify", "--quiet", "--end-of-options", name)
        return None if told is None else told.decode().strip()

    def _run(self, *arguments: str, text: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        environment = {**os.environ, **_CALM}
        if "GIT_WORK_TREE" not in environment:
            # a hook of git is told where it runs, which need not be where this looks
            environment.pop("GIT_DIR", None)
        try:
            return subprocess.run(  # noqa: S603 # no shell, and no revision is an option
                ["git", "-C", str(self._folder), *arguments],  # noqa: S607 # the user's git
                input=text,
                capture_output=True,
                env=environment,
                check=False,
            )
        except OSError:
            raise GitError("the git command cannot be run", "install git") from None
        except ValueError:
            raise GitError("the name of the revision holds a null character", "check it") from None


def _word_refusal(folder: Path, told: str) -> GitError:
    """Word why git reads no work tree at a folder."""
    name = folder.name or str(folder)
    if "dubious ownership" in told:
        message = f"git does not read the repository of {name}: it belongs to another user"
        return GitError(message, "run: git config --global --add safe.directory PATH-OF-CHECKOUT")
    if "work tree" in told:
        message = f"{name} is in a git repository without a work tree"
        return GitError(message, "run this in a checkout: git worktree add makes one")
    message = f"{name} is in no git repository"
    return GitError(message, "run this in a checkout, or name a folder")
