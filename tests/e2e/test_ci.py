"""What projects run in CI: the hooks and the workflow that we ship, in a repository of git."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
WORKFLOW: dict[object, Any] = yaml.safe_load(
    (ROOT / ".github/workflows/contracts.yml").read_text("utf-8")
)
JOB: dict[str, Any] = WORKFLOW["jobs"]["contracts"]
# YAML 1.1 reads the key `on` as a boolean
INPUTS: dict[str, Any] = WORKFLOW[True]["workflow_call"]["inputs"]
SETTINGS = '[tool.pi-contracts]\ncontracts = ["contracts"]\nout = "services"\n'
ACCEPTANCE = """
[[tool.pi-contracts.acceptances]]
fingerprint = "{fingerprint}"
reason = "No consumer sends it."
until = {until}
"""


class Job(NamedTuple):
    """One command of CI: what it is called, and how it is run."""

    name: str
    command: str
    environment: dict[str, str]


def fill_in(value: str) -> str:
    """Return a text of the workflow with the defaults of its inputs."""
    for name, facts in INPUTS.items():
        value = value.replace("${{ inputs." + name + " }}", facts["default"])
    assert "${{" not in value
    return value


STEPS = [
    Job(
        step["name"],
        step["run"],
        {name: fill_in(value) for name, value in step.get("env", {}).items()},
    )
    for step in JOB["steps"]
    if step.get("name", "Install") != "Install"
]
ENTRIES = [Job(one["id"], " ".join([one["entry"], *one.get("args", ())]), {}) for one in HOOKS]


class Repository:
    """A clone with a contract, a baseline at its origin, and the package generated."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "clone"
        origin = folder / "origin"
        self.call("git", "init", "--quiet", "--bare", "--initial-branch=main", str(origin))
        self.folder.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("remote", "add", "origin", str(origin))
        (self.folder / "pyproject.toml").write_text(SETTINGS)
        self.tool("new", "contracts/todo")
        self.tool("gen")
        self.commit("Add a contract")
        self.git("push", "--quiet", "origin", "main")

    def call(self, *arguments: str, folder: Path | None = None) -> None:
        identity = {
            f"GIT_{role}_{part}": f"{role}@example.test"
            for role in ("AUTHOR", "COMMITTER")
            for part in ("NAME", "EMAIL")
        }
        environment = {**os.environ, **identity, "GIT_CONFIG_GLOBAL": os.devnull}
        subprocess.run(arguments, cwd=folder, env=environment, check=True, capture_output=True)

    def git(self, *arguments: str) -> None:
        self.call("git", *arguments, folder=self.folder)

    def tool(self, *arguments: str) -> None:
        self.call(sys.executable, "-P", "-m", "pi_contracts.cli", *arguments, folder=self.folder)

    def commit(self, message: str) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", f"--message={message}")

    def edit(self, old: str, new: str) -> None:
        file = self.folder / "contracts/todo.contract.json"
        text = file.read_text("utf-8")
        assert old in text
        file.write_text(text.replace(old, new), "utf-8")

    def run(self, job: Job) -> tuple[int, str]:
        """Run a command as a shell of CI does, with the tools of this environment."""
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        result = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", job.command],
            cwd=self.folder,
            env={**os.environ, **job.environment, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert "Traceback" not in result.stderr
        return result.returncode, result.stdout + result.stderr

    def run_all(self) -> dict[str, int]:
        """Run the workflow; what it runs, the hooks run too."""
        return {job.name: self.run(job)[0] for job in STEPS}


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


SHELL = Path(sys.executable).parent / "pi-contracts"
GEN, CHECK, COMPAT = (step.name for step in STEPS)

pytestmark = pytest.mark.skipif(
    not SHELL.exists(), reason="the console script is not beside the interpreter"
)


def expect(*failing: str) -> dict[str, int]:
    return {job.name: int(job.name in failing) for job in STEPS}


def test_the_hooks_and_the_workflow_run_the_same_three_commands() -> None:
    def cut(job: Job) -> str:
        return job.command.replace(" --format github", "").replace('"$BASELINE"', "git:origin/main")

    assert sorted(map(cut, STEPS)) == sorted(map(cut, ENTRIES))


def test_a_change_that_breaks_nobody_passes(repository: Repository) -> None:
    repository.edit("All entries, in order.", "Every entry, in order.")
    repository.tool("gen")
    repository.commit("Say it better")
    assert repository.run_all() == expect()


def test_a_contract_that_was_changed_alone_fails_the_generated_code(repository: Repository) -> None:
    repository.edit("All entries, in order.", "Every entry, in order.")
    repository.commit("Say it better")
    assert repository.run_all() == expect(GEN)


def test_a_warning_of_lint_fails_the_check(repository: Repository) -> None:
    repository.edit('"description": "All entries, in order.",', "")
    repository.tool("gen")
    repository.commit("Say nothing")
    assert repository.run_all() == expect(CHECK)


def test_a_break_fails_until_it_is_accepted_and_its_version_raised(repository: Repository) -> None:
    # of the parameter alone: what it narrows breaks old consumers
    repository.edit(
        '"description": "The new label.",\n          "type": "string",\n          "minLength": 1,',
        '"description": "The new label.",\n          "type": "string",\n          "minLength": 2,',
    )
    repository.tool("gen")
    repository.commit("Ask for longer labels")
    assert repository.run_all() == expect(COMPAT)
    code, out = repository.run(STEPS[2])
    assert code == 1
    assert "title=version-not-raised::" in out
    assert "::error file=contracts/todo.contract.json,line=26,col=17,title=compat-breaking::" in out
    repository.edit('"version": 1', '"version": 2')
    repository.tool("gen")
    code, out = repository.run(ENTRIES[2])
    assert code == 1
    assert "[version-not-raised]" not in out
    fingerprint = out.partition("fingerprint: ")[2][:16]
    settings = repository.folder / "pyproject.toml"
    accept = ACCEPTANCE.format(fingerprint=fingerprint, until="2999-12-31")
    settings.write_text(SETTINGS + accept)
    repository.commit("Accept it")
    assert repository.run_all() == expect()
    assert "accepted until 2999-12-31: No consumer sends it." in repository.run(ENTRIES[2])[1]
    settings.write_text(SETTINGS + accept.replace("2999", "2001"))
    assert repository.run(ENTRIES[2])[0] == 1
    settings.write_text(SETTINGS + accept)
    # once it is merged the baseline holds it too, and the acceptance is left over
    repository.git("push", "--quiet", "origin", "main")
    code, out = repository.run(ENTRIES[2])
    assert code == 0
    assert "[unused-acceptance]" in out


def test_a_baseline_that_was_not_fetched_is_told(repository: Repository) -> None:
    repository.git("update-ref", "-d", "refs/remotes/origin/main")
    code, out = repository.run(ENTRIES[2])
    assert code == 3
    assert 'git knows no revision "origin/main"' in out
    assert "fetch this one too" in out


def test_the_first_contracts_of_a_project_pass(repository: Repository) -> None:
    repository.git("checkout", "--quiet", "--orphan", "empty")
    repository.git("rm", "-r", "--quiet", "--cached", ".")
    (repository.folder / ".gitkeep").touch()
    repository.git("add", ".gitkeep")
    repository.git("commit", "--quiet", "--message=Begin")
    repository.git("push", "--quiet", "--force", "origin", "empty:main")
    code, out = repository.run(ENTRIES[2])
    assert code == 0
    assert "[empty-baseline]" in out


def test_the_hooks_are_a_manifest_that_pre_commit_takes() -> None:
    validate = [sys.executable, "-m", "pre_commit", "validate-manifest", ".pre-commit-hooks.yaml"]
    subprocess.run(validate, cwd=ROOT, check=True)


def test_the_workflow_hands_no_input_to_a_shell_as_code() -> None:
    for step in JOB["steps"]:
        assert "${{" not in step.get("run", "")
    assert WORKFLOW["permissions"] == {"contents": "read"}
