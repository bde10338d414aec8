"""Unix sockets: paths that only their owner may enter, and nobody else's socket.

A path below a link is followed to the folder; the folder itself and the socket must
be no links. A socket that nobody listens on any more is replaced.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import socket
import stat
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pi_contracts.runtime.errors import PiContractsError, clip

from .attempt import attempt
from .listening import Handover, Listening
from .stream import StreamTransport

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from pi_contracts.runtime.transport import Accept, Connect, Listen

LONGEST_PATH: Final = 103
"""How many bytes a path may take so that every system can name the socket."""

_BACKLOG: Final = 128
_LONGEST_SHOWN: Final = 200
_CREDENTIALS: Final = struct.Struct("3i")


class UnsafePath(PiContractsError, OSError):  # noqa: N818 - errors are named by what is wrong
    """A path must not be used for a socket: others could reach it, or it is taken."""

    def __init__(self, path: Path, problem: str, advice: str) -> None:
        super().__init__(f'"{clip(str(path), _LONGEST_SHOWN)}": {problem}\n{advice}')
        self.path = path
        self.problem = problem


def connect_unix(path: str | os.PathLike[str], *, credential: str | None = None) -> Connect:
    """Return a `Connect` to the socket at *path*, which must be our own user's.

    An attempt raises OSError, `UnsafePath` among them.
    """
    place = Path(path)

    async def open_socket() -> StreamTransport:
        _check_length(place)
        _check_socket(place)
        loop = asyncio.get_running_loop()
        made = StreamTransport(describe=_describe, credential=credential)
        transport, _ = await loop.create_unix_connection(lambda: made, str(place))
        owner = made.facts.get("uid", os.getuid())
        if owner != os.getuid():
            transport.abort()
            raise UnsafePath(
                place,
                f"user {owner} listens here, not user {os.getuid()}",
                "connect to a socket of your own user",
            )
        return made

    return lambda ctx: attempt(open_socket, ctx)


def listen_unix(
    path: str | os.PathLike[str],
) -> Listen:
    """Return a `Listen` at *path*, in a folder that only its owner may enter.

    A folder that is missing is made, with mode 0700. Listening raises OSError:
    `UnsafePath`, or EADDRINUSE where somebody listens already.
    """
    place = Path(path)

    async def listen(accept: Accept) -> Listening:
        _check_length(place)
        _prepare_folder(place.parent)
        handover = Handover(accept)
        with _lock(place.parent):
            _remove_stale(place)
            listener, mark = _bind(place)
        loop = asyncio.get_running_loop()
        server = await loop.create_unix_server(
            lambda: StreamTransport(describe=_describe, on_open=handover.accept), sock=listener
        )

        def stop() -> None:
            server.close()
            _remove_own(place, mark)

        return Listening(handover, stop, (str(place),))

    return listen


def _check_length(path: Path) -> None:
    length = len(os.fsencode(path))
    if length > LONGEST_PATH:
        raise UnsafePath(
            path,
            f"a socket's path takes at most {LONGEST_PATH} bytes, this one {length}",
            "choose a folder with a shorter path",
        )


def _prepare_folder(folder: Path) -> None:
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    facts = folder.lstat()
    if stat.S_ISLNK(facts.st_mode):
        raise UnsafePath(folder, "the folder of a socket is a link", "give the folder itself")
    if not stat.S_ISDIR(facts.st_mode):
        raise UnsafePath(folder, "this is no folder", "give a path in a folder")
    if facts.st_uid != os.getuid():
        raise UnsafePath(
            folder,
            f"the folder of a socket belongs to user {facts.st_uid}",
            "choose a folder of your own",
        )
    if facts.st_mode & 0o077:
        raise UnsafePath(
            folder,
            f"others may enter the folder of a socket (mode {stat.S_IMODE(facts.st_mode):04o})",
            "choose a folder of your own for it, of mode 0700",
        )


def _check_socket(path: Path) -> None:
    facts = path.lstat()
    if stat.S_ISLNK(facts.st_mode):
        raise UnsafePath(path, "the socket is a link", "give the socket itself")
    if not stat.S_ISSOCK(facts.st_mode):
        raise UnsafePath(path, "this is no socket", "give the path that is listened at")


@contextlib.contextmanager
def _lock(folder: Path) -> Generator[None]:
    """Let no other process of ours look for stale sockets in *folder* meanwhile."""
    import fcntl  # noqa: PLC0415 - Windows has none

    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _remove_stale(path: Path) -> None:
    """Remove a socket that nobody listens on; refuse whatever else stands at *path*."""
    try:
        _check_socket(path)
    except FileNotFoundError:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        # A listener whose queue is full answers as late as it likes: it is there.
        probe.setblocking(False)
        outcome = probe.connect_ex(str(path))
    if outcome != errno.ECONNREFUSED:
        raise OSError(errno.EADDRINUSE, "somebody listens here already", str(path))
    path.unlink()


def _bind(path: Path) -> tuple[socket.socket, os.stat_result]:
    """Return a socket that listens at *path*, and what describes its file."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.setblocking(False)
        listener.bind(str(path))
        path.chmod(0o600)
        listener.listen(_BACKLOG)
        return listener, path.lstat()
    except BaseException:
        listener.close()
        raise


def _remove_own(path: Path, mark: os.stat_result) -> None:
    """Remove the socket at *path* if it is still the one that *mark* describes."""
    with contextlib.suppress(FileNotFoundError):
        facts = path.lstat()
        if (facts.st_dev, facts.st_ino) == (mark.st_dev, mark.st_ino):
            path.unlink()


def _describe(transport: asyncio.Transport) -> Mapping[str, object]:
    connection = transport.get_extra_info("socket")
    facts: dict[str, object] = {"transport": "unix"}
    option = getattr(socket, "SO_PEERCRED", None)
    if option is not None:
        packed = connection.getsockopt(socket.SOL_SOCKET, option, _CREDENTIALS.size)
        facts["pid"], facts["uid"], facts["gid"] = _CREDENTIALS.unpack(packed)
    return facts
