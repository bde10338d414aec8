"""One order, run in this process; what it does to a process of its own is in test_dry_run."""

from __future__ import annotations

import importlib
import os
import pathlib
import resource
import sys
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
from pi_contracts.plugins import child
from pi_contracts.plugins.baseline import Baseline
from pi_contracts.plugins.child import Runner, Stage
from pi_contracts.plugins.guard import Guard, RefusedError
from pi_contracts.plugins.outcomes import Job, Line, Order, Outcome, Spoiled, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Run = Callable[..., list[Line]]

LOOK_FOR_CHILD = child.has_child
NAMES = (f"made_up_{number}" for number in count())
HEAD = """
import os, sys
from pi_contracts.plugins.guard import RefusedError
from pi_contracts.runtime import InvalidJSON, local_service
from pi_contracts.runtime.generated import Keyed, Referenced, Singleton
KEPT = []
def make(kind, service):
    def proxy(link): pass
    return kind(
        id=service, version=1, digest=service, members=(), proxy=proxy, scopes=("session",)
    )
X = make(Singleton, "x")
"""


@pytest.fixture
def watch() -> Guard:
    """Watches nothing: a hook of the interpreter could not be taken away again."""
    return Guard()


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, watch: Guard) -> Iterator[Run]:
    """Return what sets up functions of a module, by name, and gives what was told."""
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(child, "MOST_OUTPUT", 10)
    monkeypatch.setattr(child, "has_child", lambda: False)  # those of other tests are not meant
    output = os.open(tmp_path / "output", os.O_RDWR | os.O_CREAT)
    channel = os.open(tmp_path / "channel", os.O_RDWR | os.O_CREAT)
    loaded: list[str] = []

    def run_text(
        text: str, *attributes: str, is_optional: bool = False, is_careful: bool = False
    ) -> list[Line]:
        module = next(NAMES)
        loaded.append(module)
        tmp_path.joinpath(f"{module}.py").write_text(HEAD + text)
        jobs = [
            Job(f"p{number}", "tui", *_split(name, module), is_optional)
            for number, name in enumerate(attributes)
        ]
        lines: list[Line] = []

        def tell(line: Line) -> int:
            lines.append(line)
            return len(lines)

        order = Order(jobs, [os.fsencode(tmp_path)], 60.0, is_careful, b"")
        Runner(order, Stage(watch, Baseline()), tell, output, channel).run()
        return lines

    yield run_text
    for module in loaded:
        sys.modules.pop(module, None)
    os.close(output)
    os.close(channel)


def _split(name: str, module: str) -> tuple[str, str]:
    first, _, last = name.rpartition(":")
    return first or module, last


def find_outcome(lines: list[Line]) -> Outcome:
    (outcome,) = (line for line in lines if isinstance(line, Outcome))
    return outcome


def find_faults(lines: list[Line]) -> list[tuple[str, str]]:
    return [(fault.kind, fault.text) for fault in find_outcome(lines).faults]


def test_each_step_is_told_before_it_is_made(run: Run) -> None:
    lines = run("def f(facet): facet.session.use(X)\n", "f")
    steps = [(line.index, line.phase) for line in lines[:2] if isinstance(line, Step)]
    assert steps == [(0, "import"), (0, "setup")]
    outcome = find_outcome(lines)
    assert outcome.is_complete
    assert [(d.scope, d.service) for d in outcome.requires] == [("session", "x")]
    assert outcome.services["x"].scopes == ("session",)
    assert not outcome.is_last


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("def f(facet): raise KeyError('k')", [("raised", "KeyError: 'k'")]),
        ("def f(facet): raise ValueError", [("raised", "ValueError")]),
        ("def f(facet): raise ValueError('one\\ntwo')", [("raised", "ValueError: one")]),
        (
            "def f(facet): raise InvalidJSON('bad', 1, 2)",
            [("raised", "InvalidJSON: line 1, column 2: bad")],
        ),
        (
            "def f(facet): facet.use(X)",
            [
                (
                    "raised",
                    'WrongToken: facet.use("x") cannot take the token of a remote service here',
                )
            ],
        ),
        (
            "def f(facet): facet.session.use(make(Referenced, 'r'))",
            [
                (
                    "raised",
                    'WrongToken: facet.session.use("r") cannot take a token of mode referenced',
                )
            ],
        ),
        (
            "def f(facet): facet.provide_keyed(make(Keyed, 'k'))",
            [
                (
                    "raised",
                    (
                        'WrongToken: facet.provide_keyed("k") cannot take the token of a remote '
                        "service here"
                    ),
                )
            ],
        ),
        (
            "class E(Exception):\n    def __str__(self): 1 / 0\ndef f(facet): raise E",
            [("raised", "E")],
        ),
        ("def f(facet): return f", [("returned", "function")]),
        ("def f(facet):\n    os.write(1, b''); print('x' * 20)", []),
        ("def f(facet): sys.stdin = None", [("patched", "sys.stdin")]),
        ("f = 3", [("not-callable", "int")]),
        ("async def f(facet): pass", [("coroutine", "")]),
        ("def f(facet): yield", [("generator", "")]),
        (
            "class Later:\n    def __await__(self): yield\ndef f(facet): return Later()",
            [("awaitable", "Later")],
        ),
        ("async def g(): pass\ndef f(facet): return g()", [("awaitable", "coroutine")]),
        ("import functools\n@functools.partial\nasync def f(facet): pass", [("coroutine", "")]),
        ("class F:\n    def __call__(self, facet): yield\nf = F()", [("generator", "")]),
        ("def ff(facet): pass", [("no-attribute", "ff")]),
        ("", [("no-attribute", "")]),
    ],
)
def test_what_is_wrong_with_a_setup_is_told(
    run: Run, monkeypatch: pytest.MonkeyPatch, text: str, faults: list[tuple[str, str]]
) -> None:
    monkeypatch.setattr(sys, "stdin", sys.stdin)
    assert find_faults(run(text, "f")) == faults


def test_an_attribute_of_an_attribute_is_found(run: Run) -> None:
    text = "class A:\n    @staticmethod\n    def f(facet): pass\n"
    assert find_faults(run(text, "A.f")) == []
    assert find_faults(run(text, "A.g")) == [("no-attribute", "")]


@pytest.mark.parametrize(
    ("name", "is_optional", "kind"),
    [
        ("nowhere_at_all:f", False, "no-module"),
        ("nowhere_at_all:f", True, None),
        ("json.nowhere:f", True, "no-module"),
    ],
)
def test_a_module_that_is_missing_is_told_unless_another_report_stands_in(
    run: Run,
    name: str,
    is_optional: bool,  # noqa: FBT001 - a column of the table
    kind: str | None,
) -> None:
    outcome = find_outcome(run("", name, is_optional=is_optional))
    assert outcome.is_absent is (kind is None)
    assert [fault.kind for fault in outcome.faults] == ([kind] if kind else [])


@pytest.mark.parametrize(
    ("text", "says", "is_last"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero", False),
        ("raise MemoryError", "MemoryError", True),
        ("def f(:", "SyntaxError: invalid syntax", False),
        ("raise SyntaxError('no file')", "SyntaxError: no file", False),
        ("import nowhere_at_all", "ModuleNotFoundError: No module named 'nowhere_at_all'", False),
        ("raise ModuleNotFoundError", "ModuleNotFoundError", False),
    ],
)
def test_an_import_that_raises_is_told_with_its_line(
    run: Run,
    text: str,
    says: str,
    is_last: bool,  # noqa: FBT001 - a column of the table
) -> None:
    outcome = find_outcome(run(text, "f"))
    (fault,) = outcome.faults
    assert (fault.kind, fault.phase, outcome.is_last) == ("import-raised", "import", is_last)
    assert fault.text.startswith(says)
    assert fault.frames[0].line == HEAD.count("\n") + 1


def test_what_is_printed_is_measured_and_thrown_away(run: Run, monkeypatch: Any) -> None:
    sizes = iter([20, 0, 0, 3, 0, 0])

    def seek(*_: int) -> int:
        return next(sizes, 0)

    monkeypatch.setattr(os, "lseek", seek)
    lines = run("def f(facet): pass\ndef g(facet): pass\n", "f", "g")
    outcomes = [line for line in lines if isinstance(line, Outcome)]
    assert [[f.kind for f in one.faults] for one in outcomes] == [["printed"], []]


def test_a_refusal_hides_what_it_makes_a_setup_raise(run: Run, watch: Guard) -> None:
    def setup_refused(text: str) -> list[tuple[str, str]]:
        sys.modules["watched_guard"] = watch  # type: ignore[assignment] # for the module below
        try:
            return find_faults(run(f"import watched_guard\n{text}", "f"))
        finally:
            del sys.modules["watched_guard"]

    direct = "def f(facet): watched_guard.audit('os.fork', ())\n"
    assert setup_refused(direct) == [("refused", "starts a process")]
    wrapped = (
        "def f(facet):\n"
        "    try: watched_guard.audit('os.fork', ())\n"
        "    except OSError: raise ValueError('other')\n"
    )
    assert setup_refused(wrapped) == [("refused", "starts a process")]
    caught = (
        "def f(facet):\n"
        "    try: watched_guard.audit('os.fork', ())\n"
        "    except OSError: pass\n"
        "    raise ValueError('other')\n"
    )
    assert setup_refused(caught) == [
        ("refused", "starts a process"),
        ("raised", "ValueError: other"),
    ]
    ring = (
        "def f(facet):\n"
        "    try: watched_guard.audit('os.fork', ())\n"
        "    except OSError: pass\n"
        "    error = ValueError('ring'); other = ValueError('o')\n"
        "    error.__cause__ = other; other.__cause__ = error\n"
        "    raise error\n"
    )
    assert setup_refused(ring) == [("refused", "starts a process"), ("raised", "ValueError: ring")]
    assert issubclass(RefusedError, OSError)


def test_a_refused_call_whose_error_is_caught_is_told_where_it_was_made(run: Run) -> None:
    text = "def f(facet):\n    try: facet.use(X)\n    except Exception: pass\n"
    (fault,) = find_outcome(run(text, "f")).faults
    assert fault.kind == "caught"
    assert [frame.line for frame in fault.frames] == [HEAD.count("\n") + 2]


def test_a_late_call_that_nobody_hears_of_is_told_of_its_owner(run: Run) -> None:
    """SNG-2: and one that is heard of is told once, where it was made."""
    text = (
        "def keep(facet): KEPT.append(facet)\n"
        "def silent(facet):\n"
        "    try: KEPT[0].session.use(X)\n"
        "    except Exception: pass\n"
        "def loud(facet): KEPT[0].session.use(X)\n"
    )
    lines = run(text, "keep", "silent", "loud")
    outcomes = [line for line in lines if isinstance(line, Outcome)]
    assert [(one.index, [f.kind for f in one.faults]) for one in outcomes] == [
        (0, []),
        (1, []),
        (0, ["late"]),
        (2, ["raised"]),
    ]
    assert outcomes[2].faults[0].advice


def test_a_process_that_was_changed_takes_no_further_facet(run: Run) -> None:
    text = (
        "def patch(facet):\n"
        "    import colorsys\n"
        "    colorsys.rgb_to_yiq = patch\n"
        "def after(facet): pass\n"
    )
    sys.modules.pop("colorsys", None)
    lines = run(text, "patch", "after", is_careful=True)
    sys.modules.pop("colorsys", None)
    outcome = find_outcome(lines)
    assert outcome.is_last
    assert find_faults(lines) == [("patched", "colorsys.rgb_to_yiq")]
    assert outcome.faults[0].frames[0].line == HEAD.count("\n") + 1
    assert find_outcome(run("def f(facet): raise MemoryError", "f")).is_last


@pytest.mark.parametrize(
    ("text", "index"),
    [
        ("import colorsys\ncolorsys.rgb_to_yiq = print", 1),
        ("def change(facet):\n    import colorsys\n    colorsys.rgb_to_yiq = print", 1),
        ("import pathlib\ndef change(facet): pathlib.Path.made_up = print", 0),
        ("import pathlib\ndef change(facet): pathlib.Path.made_up = print; 1 / 0", 0),
    ],
    ids=["by an import", "by a setup", "a class", "a class, by one that fails"],
)
def test_who_has_changed_the_library_is_looked_for_in_another_process(
    run: Run, monkeypatch: pytest.MonkeyPatch, text: str, index: int
) -> None:
    """Looking after each import and setup would take longer than all of them."""
    colorsys = importlib.import_module("colorsys")
    monkeypatch.setattr(colorsys, "rgb_to_yiq", colorsys.rgb_to_yiq)
    monkeypatch.setattr(pathlib.Path, "made_up", None, raising=False)
    first = "def before(facet): pass\n"
    changing = "def change(facet): pass\n" if text.startswith("import colorsys") else ""
    lines = run(first, "before")
    assert isinstance(lines[-1], Outcome)
    lines = run(f"{first}def load(facet): pass\n{changing}{text}\n", "before", "change")
    # What an import does shows after the setup of the first facet that is in its module.
    expected = 0 if text.startswith("import colorsys") else index
    assert lines[-1] == Spoiled(expected)


def test_what_an_import_changes_ends_its_process_and_is_no_fault(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    colorsys = importlib.import_module("colorsys")
    monkeypatch.setattr(colorsys, "rgb_to_yiq", colorsys.rgb_to_yiq)
    text = "import colorsys\ncolorsys.rgb_to_yiq = print\n"
    outcome = find_outcome(run(f"{text}def f(facet): pass", "f", "f", is_careful=True))
    assert (outcome.is_last, outcome.faults) == (True, ())
    for wrong in ("f = 1", "1 / 0"):
        vars(colorsys)["rgb_to_yiq"] = len  # another one than before
        outcome = find_outcome(run(text + wrong, "f", "f", is_careful=True))
        assert (outcome.is_last, len(outcome.faults)) == (True, 1)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("sys.path.insert(0, 'x')", "sys.path"),
        ("os.environ['PI_X'] = '1'", 'os.environ["PI_X"]'),
        ("for n in range(9): os.environ[f'PI_{n}'] = '1'", "4 more"),
    ],
)
def test_what_a_setup_changes_for_others_is_its_fault(
    run: Run, monkeypatch: pytest.MonkeyPatch, text: str, found: str
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(os, "environ", os.environ)
    names = ["PI_X", *(f"PI_{number}" for number in range(9))]
    for name in names:
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    outcome = find_outcome(run(f"def f(facet):\n    {text}\n", "f", "f"))
    (fault,) = outcome.faults
    assert (fault.kind, outcome.is_last) == ("patched", True)
    assert fault.text.endswith(found)


HOSTILE = """
class Raises:
    @property
    def __class__(self): raise KeyboardInterrupt
    def __getattribute__(self, name): raise SystemExit
    def __call__(self, facet): pass
    def __await__(self): yield
class Named(type):
    @property
    def __name__(cls): raise SystemExit
    def __hash__(cls): raise KeyboardInterrupt
class Odd(Exception, metaclass=Named):
    __cause__ = property(lambda self: 1 / 0)
class Text(str):
    def strip(self): raise KeyboardInterrupt
class Texts(Exception):
    def __str__(self): return Text("words")
"""


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("def f(facet): raise Odd", ("raised", "Odd")),
        ("def f(facet): raise Texts", ("raised", "Texts: words")),
        ("def f(facet): raise ValueError('\\ud800')", ("raised", "ValueError: \ud800")),
        ("def f(facet): return Raises()", ("returned", "Raises")),
        ("f = Raises()", ("attribute-raised", "SystemExit")),
        ("def __getattr__(name): raise RecursionError(name)", ("attribute-raised", "")),
        ("def __getattr__(name): raise SystemExit", ("attribute-raised", "SystemExit")),
        ("def __getattr__(name): raise AttributeError", ("no-attribute", "")),
        ("f = None", ("not-callable", "NoneType")),
        (
            "def f(facet): facet.session.use(make_odd(version='1'))",
            ("undeclarable", "Expected `int`, got `str` - at `$.requires[0].contract.version`"),
        ),
        (
            "def f(facet): facet.session.use(make_odd(digest=object()))",
            ("undeclarable", "Encoding objects of type object is unsupported"),
        ),
        (
            "def f(facet): sys._getframe(2).f_locals['self']._output = None",
            ("disturbed", "TypeError"),
        ),
        ("def f(facet): os.lseek = None", None),
        ("f = print", None),
    ],
)
def test_hostile_objects_end_nothing(
    run: Run, monkeypatch: pytest.MonkeyPatch, text: str, fault: tuple[str, str] | None
) -> None:
    monkeypatch.setattr(os, "lseek", os.lseek)
    odd = (
        "def make_odd(**more):\n"
        "    facts = dict(id='x', version=1, digest='d', members=(), proxy=lambda link: None)\n"
        "    return Singleton(**facts | more)\n"
    )
    lines = run(HOSTILE + odd + text, "f")
    if fault is None:
        assert isinstance(lines[-1], (Outcome, Spoiled))
        return
    (found,) = find_faults(lines)
    assert found[0] == fault[0]
    assert found[1].startswith(fault[1])


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("__main__:f", "reserved"),
        ("pi_contracts.plugins.child:main", "reserved"),
        ("pi_contracts:f", "reserved"),
        ("builtins:print", "standard"),
        ("os.path:join", "standard"),
        ("json.decoder:f", "standard"),
    ],
)
def test_a_module_that_is_no_plugins_is_told(run: Run, name: str, kind: str) -> None:
    outcome = find_outcome(run("", name))
    assert [(fault.kind, fault.phase) for fault in outcome.faults] == [(kind, "import")]


def test_more_than_a_report_can_hold_is_a_fault(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "MOST_LINE", 500)
    text = "def f(facet):\n    for n in range(9): facet.session.use(make(Singleton, f's{n}'))\n"
    ((kind, words),) = find_faults(run(text, "f"))
    assert kind == "undeclarable"
    assert words.endswith(" bytes of services")


def test_a_process_that_has_told_much_leaves_the_rest_to_another(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "MOST_TOLD", 0)
    lines = run("def f(facet): pass\n", "f", "f")
    assert not find_outcome(lines).is_last


def test_where_children_are_not_waited_for_none_are_looked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(os, "WNOHANG", raising=False)
    assert child.list_leftovers(1_000) == []
    assert child.list_leftovers(-1) == ["starts a thread"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_what_a_setup_has_started_is_a_fault_even_if_nobody_was_told(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "has_child", LOOK_FOR_CHILD)
    text = "def f(facet):\n    if os.fork() == 0: os._exit(0)\n"
    (fault,) = find_faults(run(text, "f"))
    assert fault == ("refused", "starts a process")


def test_the_folder_of_a_plugin_is_that_of_its_top_level_package(run: Run, tmp_path: Path) -> None:
    package = tmp_path / "made_up_package"
    package.mkdir()
    package.joinpath("inner.py").write_text("def f(facet): pass\n")
    assert find_outcome(run("", "made_up_package.inner:f")).folder == str(package)
    for name in ("made_up_package", "made_up_package.inner"):
        del sys.modules[name]


def test_memory_and_files_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    limits: dict[int, tuple[int, int]] = {}
    monkeypatch.setattr(resource, "setrlimit", limits.__setitem__)
    hard = {resource.RLIMIT_DATA: resource.RLIM_INFINITY}

    def get_limit(kind: int) -> tuple[int, int]:
        return 0, hard.get(kind, 5)

    monkeypatch.setattr(resource, "getrlimit", get_limit)
    child.limit_resources()
    assert limits == {
        resource.RLIMIT_DATA: (child.MOST_MEMORY, resource.RLIM_INFINITY),
        resource.RLIMIT_FSIZE: (5, 5),
        resource.RLIMIT_CORE: (0, 5),
    }
    monkeypatch.setitem(sys.modules, "resource", None)
    child.limit_resources()


def test_what_is_printed_goes_to_a_file_without_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):
        output = child.open_output()
        assert os.write(output, b"x") == 1
        os.close(output)
        monkeypatch.delattr(os, "memfd_create", raising=False)
