"""A headless browser, driven over the pipe of its DevTools protocol: no port, no library."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from itertools import count
from select import select
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from pathlib import Path

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --hide-scrollbars "
    "--disable-background-networking --disable-component-update --disable-sync "
    "--remote-debugging-pipe"
).split()
PATIENCE = 30
START = (
    "import os, sys; [os.dup2(int(fd), i) for fd, i in zip(sys.argv[1:3], (3, 4))]; "
    "os.execv(sys.argv[3], sys.argv[3:])"
)
"""Python that begins another program with two descriptors as 3 and 4."""


class Browser:
    """One page of a browser."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands = commands
        self._answers = answers
        self._buffer = b""
        self._numbers = count(1)
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        number = next(self._numbers)
        message: dict[str, Any] = {"id": number, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == number:
                assert "error" not in answer, answer
                return answer["result"]  # type: ignore[no-any-return]
            self.events.append(answer)

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            assert select([self._answers], [], [], PATIENCE)[0], "the browser does not answer"
            data = os.read(self._answers, 1 << 16)
            assert data, "the browser has gone"
            self._buffer += data
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)  # type: ignore[no-any-return]

    def open(self, file: Path, *, width: int = 1500, height: int = 900, dark: bool = False) -> None:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.events.clear()
        self.call("Page.navigate", url=file.as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._read())

    def run(self, script: str) -> Any:
        """Return the value of an expression in the page, awaited."""
        answer = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def click(self, selector: str) -> None:
        """Click on the middle of the first element of a selector, as a person does."""
        place = self.run(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            "e.scrollIntoView({block: 'center', inline: 'center'});"
            "const r = e.getBoundingClientRect();"
            "return [r.x + r.width / 2, r.y + r.height / 2]; })()"
        )
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call(
                "Input.dispatchMouseEvent",
                type=kind, x=place[0], y=place[1], button="left", clickCount=1,
            )  # fmt: skip

    def press(self, key: str, code: int = 0, text: str = "") -> None:
        facts: dict[str, Any] = {"key": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **facts)
        self.call("Input.dispatchKeyEvent", type="keyUp", **facts)

    def type(self, text: str) -> None:
        self.call("Input.insertText", text=text)

    def list_complaints(self) -> list[str]:
        """Return what the page threw, what its policy refused, and what it asked of a network."""
        self.run("new Promise((done) => setTimeout(done, 50))")
        told: list[str] = []
        for event in self.events:
            method, params = event.get("method"), event.get("params", {})
            if method in {"Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled"}:
                told.append(json.dumps(params))
            elif method == "Network.requestWillBeSent":
                url = params["request"]["url"]
                if not url.startswith("file:"):
                    told.append(url)
        return told


@contextmanager
def start_browser(program: str, profile: Path) -> Generator[Browser]:
    commands, ours = os.pipe()
    answers, theirs = os.pipe()
    command = [sys.executable, "-c", START, str(commands), str(theirs), program, *FLAGS]
    process = subprocess.Popen(
        [*command, f"--user-data-dir={profile}"],
        pass_fds=(commands, theirs),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(commands)
    os.close(theirs)
    try:
        yield Browser(ours, answers)
    finally:
        os.close(ours)
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        os.close(answers)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A page of chromium; where there is none, the test is skipped."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("chromium is not installed here")
    with start_browser(program, tmp_path_factory.mktemp("browser")) as page:
        yield page


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Callable[..., Browser]:
    """Return a function that opens a text as a page."""

    def show_page(text: str, **options: Any) -> Browser:
        file = tmp_path / "plan.html"
        file.write_text(text, "utf-8")
        browser.open(file, **options)
        return browser

    return show_page
