"""Unix sockets are reached by their owner only, and nobody's socket is taken away (SEC-9)."""

from __future__ import annotations

import os
import socket
import stat
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.runtime.context import BACKGROUND
from pi_contracts.runtime.transports import UnsafePath, connect_unix, listen_unix, unix

if TYPE_CHECKING:
    from pathlib import Path


def listen_for_refusal(run: Any, path: Path) -> str:
    refused: list[UnsafePath] = []

    async def main() -> None:
        with pytest.raises(UnsafePath) as caught:
            await listen_unix(path)(lambda _: None)
        refused.append(caught.value)

    run(main)
    return str(refused[0])


def connect_for_refusal(run: Any, path: Path) -> str:
    refused: list[UnsafePath] = []

    async def main() -> None:
        with pytest.raises(UnsafePath) as caught:
            await connect_unix(path)(BACKGROUND)
        refused.append(caught.value)

    run(main)
    return str(refused[0])


def test_the_folder_and_the_socket_are_their_owners_only(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "new" / "s"

    async def main() -> None:
        stop = await listen_unix(path)(lambda _: None)
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stop.addresses == (str(path),)
        await stop()
        assert not path.exists()

    run(main)


def test_a_folder_that_others_may_enter_is_refused(run: Any, tmp_path: Path) -> None:
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o750)
    assert listen_for_refusal(run, folder / "s") == (
        f'"{folder}": others may enter the folder of a socket (mode 0750)\n'
        "choose a folder of your own for it, of mode 0700"
    )


def test_a_folder_of_somebody_else_is_refused(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unix.os, "getuid", lambda: os.geteuid() + 1)
    assert f"belongs to user {os.geteuid()}" in listen_for_refusal(run, tmp_path / "s")


def test_links_are_refused(run: Any, tmp_path: Path) -> None:
    folder = tmp_path / "real"
    folder.mkdir(mode=0o700)
    link = tmp_path / "link"
    link.symlink_to(folder)
    assert "is a link" in listen_for_refusal(run, link / "s")
    (folder / "s").symlink_to(folder / "elsewhere")
    assert "is a link" in listen_for_refusal(run, folder / "s")
    assert "is a link" in connect_for_refusal(run, folder / "s")
    assert (folder / "s").is_symlink()


def test_what_is_no_socket_or_no_folder_is_refused(run: Any, tmp_path: Path) -> None:
    folder = tmp_path / "real"
    folder.mkdir(mode=0o700)
    (folder / "file").write_text("precious", "utf-8")
    assert "this is no socket" in listen_for_refusal(run, folder / "file")
    assert "this is no socket" in connect_for_refusal(run, folder / "file")
    assert "this is no folder" in listen_for_refusal(run, folder / "file" / "s")
    assert (folder / "file").read_text("utf-8") == "precious"


def test_a_path_too_long_for_some_system_is_refused(run: Any, tmp_path: Path) -> None:
    """LSE-20: what works here works on every platform."""
    path = tmp_path / ("x" * 120)
    assert "takes at most 103 bytes" in listen_for_refusal(run, path)
    assert "takes at most 103 bytes" in connect_for_refusal(run, path)


def test_a_message_shows_no_control_characters(run: Any, tmp_path: Path) -> None:
    assert "\x1b" not in listen_for_refusal(run, tmp_path / ("\x1b[2J" * 40))


def test_a_stale_socket_is_replaced(run: Any, tmp_path: Path) -> None:
    folder = tmp_path / "real"
    folder.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(folder / "s"))

    async def main() -> None:
        stop = await listen_unix(folder / "s")(lambda transport: transport.abort())
        client = await connect_unix(folder / "s")(BACKGROUND)
        client.abort()
        await stop()

    run(main)


def test_a_socket_that_somebody_listens_on_is_left_alone(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "new" / "s"

    async def main() -> None:
        stop = await listen_unix(path)(lambda transport: transport.abort())
        with pytest.raises(OSError, match="somebody listens here already"):
            await listen_unix(path)(lambda _: None)
        (await connect_unix(path)(BACKGROUND)).abort()
        await stop()

    run(main)


def test_stop_removes_only_its_own_socket(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "new" / "s"

    async def main() -> None:
        first = await listen_unix(path)(lambda _: None)
        path.rename(path.with_name("moved"))
        second = await listen_unix(path)(lambda _: None)
        await first()
        assert path.exists()
        await second()
        assert not path.exists()

    run(main)


def test_a_socket_that_cannot_be_bound_leaves_nothing_open(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError("not here")

    monkeypatch.setattr(unix.Path, "chmod", refuse)

    async def main() -> None:
        with pytest.raises(PermissionError):
            await listen_unix(tmp_path / "new" / "s")(lambda _: None)

    run(main)  # an open socket would be a ResourceWarning, and warnings are errors


def test_both_ends_know_each_others_user(run: Any, tmp_path: Path, make_notes: Any) -> None:
    path = tmp_path / "new" / "s"

    async def main() -> None:
        accepted: list[Any] = []
        stop = await listen_unix(path)(accepted.append)
        client = await connect_unix(path)(BACKGROUND)
        client.start(make_notes())
        client.close()
        await client.wait_closed()
        expected = {"transport": "unix", "uid": os.getuid(), "gid": os.getgid(), "pid": os.getpid()}
        assert client.facts == expected
        assert accepted[0].facts == expected
        await stop()

    run(main)


def test_a_socket_that_another_user_listens_on_is_refused(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "new" / "s"

    async def main() -> None:
        stop = await listen_unix(path)(lambda transport: transport.abort())
        monkeypatch.setattr(unix.os, "getuid", lambda: os.geteuid() + 1)
        with pytest.raises(UnsafePath, match=f"user {os.geteuid()} listens here"):
            await connect_unix(path)(BACKGROUND)
        await stop()

    run(main)


def test_where_the_system_tells_no_user_none_is_known(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(unix.socket, "SO_PEERCRED", raising=False)
    path = tmp_path / "new" / "s"

    async def main() -> None:
        stop = await listen_unix(path)(lambda transport: transport.abort())
        client = await connect_unix(path)(BACKGROUND)
        assert client.facts == {"transport": "unix"}
        client.abort()
        await stop()

    run(main)
