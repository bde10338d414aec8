from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest
from pi_contracts.contracts.config import Settings, find_settings, read_settings

if TYPE_CHECKING:
    from pathlib import Path

    from pi_contracts.contracts.findings import Finding

RULES = {"missing-provider": "…", "unknown-keyword": "…", "invalid-json": "…"}


def read(folder: Path, text: str) -> tuple[Settings, tuple[Finding, ...]]:
    file = folder / "pyproject.toml"
    file.write_text(text, "utf-8")
    return read_settings(file, "pyproject.toml", lambda: RULES)


def test_every_key_is_taken_and_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    settings, findings = read(
        tmp_path,
        """
[tool.pi-contracts]
contracts = ["a", "../b/c.contract.json"]
out = "src/services"
types = "pydantic"
manifest = "app.manifest.json"
timeout = 2
acceptances = [{fingerprint = "0a1b", reason = "agreed", until = 2999-12-31}]
[tool.pi-contracts.map]
"https://x.test/" = "vendor"
[tool.pi-contracts.rules]
missing-provider = "off"
[tool.pi-contracts.boundaries]
tui = ["pi.session", "pi.server"]
""",
    )
    assert findings == ()
    assert settings == Settings(
        contracts=(tmp_path / "a", tmp_path.parent / "b" / "c.contract.json"),
        out=tmp_path / "src" / "services",
        types="pydantic",
        manifest=tmp_path / "app.manifest.json",
        map={"https://x.test/": tmp_path / "vendor"},
        rules={"missing-provider": "off"},
        acceptances=({"fingerprint": "0a1b", "reason": "agreed", "until": dt.date(2999, 12, 31)},),
        boundaries={"tui": ("pi.session", "pi.server")},
        timeout=2.0,
    )


@pytest.mark.parametrize(
    ("line", "message", "fix"),
    [
        ('kontracts = "x"', 'unknown key "kontracts"; did you mean "contracts"?', "contracts"),
        ('zzz = "x"', 'unknown key "zzz"', "known are acceptances"),
        ('contracts = "x"', '"contracts" takes an array of paths', None),
        ("contracts = [1]", '"contracts.0" takes a path, as a string', None),
        ('out = ""', '"out" takes a path, as a string', None),
        ('manifest = "a\\u0000b"', '"manifest" takes a path, as a string', None),
        ('types = "classes"', '"types" takes "typed-dict" or "pydantic"', None),
        ("types = ['pydantic']", '"types" takes "typed-dict" or "pydantic"', None),
        ("map = 1", '"map" takes a table', None),
        ('map = {"" = "x"}', "a prefix is empty", "beginning of a URI"),
        ('map = {"x:" = 1}', '"map.x:" takes a path, as a string', None),
        ("rules = []", '"rules" takes a table', None),
        (
            'rules = {missing-provder = "off"}',
            'unknown rule "missing-provder"; did you mean "missing-provider"?',
            "missing-provider",
        ),
        ('rules = {unknown-keyword = "loud"}', '"rules.unknown-keyword" takes one of', None),
        (
            'rules = {invalid-json = "off"}',
            '"invalid-json" says that a file was not read, and stays an error',
            "remove this line",
        ),
        ("acceptances = {}", '"acceptances" takes an array of tables', None),
        ("acceptances = [1]", '"acceptances.0" takes a table', None),
        (
            'acceptances = [{fingerprint = "0a1b", reason = "", until = 2999-12-31}]',
            'an acceptance is not understood: "reason" must be a text that is not empty',
            'give "fingerprint", "reason" and "until", a date',
        ),
        (
            'acceptances = [{fingerprint = "0a1b", reason = "agreed", until = "soon"}]',
            'an acceptance is not understood: "until" must be a date, such as 2027-01-31',
            'give "fingerprint", "reason" and "until", a date',
        ),
        ("boundaries = 1", '"boundaries" takes a table', None),
        ('boundaries = {tui = "x"}', '"boundaries.tui" takes an array of module prefixes', None),
        ("boundaries = {tui = [1]}", '"boundaries.tui.0" takes the prefix of a module', None),
        ('timeout = "5"', '"timeout" takes a number of seconds above 0, at most 3600', None),
        ("timeout = true", '"timeout" takes a number of seconds', None),
        ("timeout = 0", '"timeout" takes a number of seconds', None),
        ("timeout = -1.5", '"timeout" takes a number of seconds', None),
        ("timeout = inf", '"timeout" takes a number of seconds', None),
        ("timeout = nan", '"timeout" takes a number of seconds', None),
    ],
    ids=str,
)
def test_a_mistake_is_a_finding_at_its_line(
    tmp_path: Path, line: str, message: str, fix: str | None
) -> None:
    _, (finding,) = read(tmp_path, f"[tool.pi-contracts]\n\n{line}\n")
    assert finding.rule == "invalid-configuration"
    assert (finding.path, finding.line, finding.column) == ("pyproject.toml", 3, 1)
    assert message in finding.message
    assert (finding.fix is None) == (fix is None)
    assert (fix or "") in (finding.fix or "")


def test_all_mistakes_of_one_table_are_told(tmp_path: Path) -> None:
    settings, findings = read(
        tmp_path, '[tool.pi-contracts]\na = 1\nout = 1\nmanifest = "m.json"\n'
    )
    assert [finding.line for finding in findings] == [2, 3]
    assert [finding.pointer for finding in findings] == [
        "/tool/pi-contracts/a",
        "/tool/pi-contracts/out",
    ]
    assert settings == Settings(manifest=tmp_path / "m.json")


def test_a_level_of_a_rule_that_says_a_file_was_not_read_may_be_error(tmp_path: Path) -> None:
    settings, findings = read(tmp_path, '[tool.pi-contracts]\nrules = {invalid-json = "error"}')
    assert not findings
    assert settings.rules == {"invalid-json": "error"}


@pytest.mark.parametrize(
    ("data", "message", "line"),
    [
        (b"[tool.pi-contracts]\nx = = 1", "malformed TOML: invalid value", 2),
        (b"[tool.pi-contracts", "malformed TOML: ", None),
        (b"\xff", "the file is not UTF-8", None),
        (b"[tool.other]", "the file has no table [tool.pi-contracts]", None),
        (b"tool = 1", "the file has no table [tool.pi-contracts]", None),
        (b"[tool]\npi-contracts = 1", "the file has no table [tool.pi-contracts]", None),
    ],
    ids=str,
)
def test_a_file_that_cannot_be_read_gives_no_settings(
    tmp_path: Path, data: bytes, message: str, line: int | None
) -> None:
    file = tmp_path / "x.toml"
    file.write_bytes(data)
    settings, (finding,) = read_settings(file, "x.toml", lambda: RULES)
    assert settings == Settings()
    assert finding.message.startswith(message)
    assert finding.line == line
    assert "(at " not in finding.message


def test_a_file_that_is_not_there_is_a_finding(tmp_path: Path) -> None:
    _, (finding,) = read_settings(tmp_path / "none.toml", "none.toml", lambda: RULES)
    assert finding.message == "the file cannot be read: No such file or directory"


def test_the_nearest_file_with_the_table_counts(tmp_path: Path) -> None:
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("[tool.pi-contracts]\n")
    (tmp_path / "a" / "pyproject.toml").write_text('[project]\nname = "pi-contracts-user"\n')
    (below / "pyproject.toml").write_text("[tool.ruff]\n")
    assert find_settings(below) == tmp_path / "pyproject.toml"


def test_a_broken_file_counts_if_it_speaks_of_us(tmp_path: Path) -> None:
    below = tmp_path / "a"
    below.mkdir()
    (tmp_path / "pyproject.toml").write_text("[tool.pi-contracts]\n")
    (below / "pyproject.toml").write_text("broken =\n")
    assert find_settings(below) == tmp_path / "pyproject.toml"
    (below / "pyproject.toml").write_text("[tool.pi-contracts]\nbroken =\n")
    assert find_settings(below) == below / "pyproject.toml"


@pytest.mark.parametrize("text", ["# pi-contracts\ntool = 1\n", "# pi-contracts\n[tool.x]\n"])
def test_a_file_that_only_mentions_us_does_not_count(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    assert find_settings(tmp_path) != tmp_path / "pyproject.toml"


def test_the_time_that_is_given_wins_over_the_configured_one_or_is_refused() -> None:
    refused: list[str] = []
    settings = Settings(timeout=3.0)
    assert settings.choose_timeout(None, refused.append) == 3.0
    assert settings.choose_timeout(2.0, refused.append) == 2.0
    assert not refused
    for seconds in (0, -1, float("nan"), float("inf"), 3601):
        settings.choose_timeout(seconds, refused.append)
    assert refused == ["--timeout takes a number of seconds above 0, at most 3600"] * 5


def test_of_many_rules_the_list_is_named_instead_of_shown(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text("[tool.pi-contracts.rules]\nnonsense = 'off'\n")
    many = {f"rule-{number}": "…" for number in range(30)}
    _, (finding,) = read_settings(file, "pyproject.toml", lambda: many)
    assert (finding.message, finding.fix) == (
        'unknown rule "nonsense"',
        "pi-contracts explain lists them",
    )
