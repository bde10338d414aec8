"""One run of a command: its settings, and the one report that ends it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from pi_contracts.contracts.config import (
    InvalidMapError,
    Settings,
    find_settings,
    join_map,
    read_settings,
)
from pi_contracts.contracts.reports.printing import print_bytes, print_report
from pi_contracts.contracts.reports.report import Report, apply_levels
from pi_contracts.contracts.reports.text import draw_nothing

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence

    from pi_contracts.contracts.findings import Finding
    from pi_contracts.contracts.reports.printing import Format


class Invocation:
    """A command that runs, from its options and settings to its report.

    Settings that are invalid end it at once. `base` is the folder that the report names files
    relative to: that of the settings, else the working directory.
    """

    def __init__(
        self, tool: str, style: Format, *, quiet: bool, strict: bool, config: Path | None
    ) -> None:
        self.tool = tool
        self.style: Format = style
        self.quiet = quiet
        self.strict = strict
        self.settings = Settings()
        self.settings_name: str | None = None
        self.base = Path.cwd()
        file = config or find_settings(self.base)
        if file is not None:
            self.base = file.absolute().parent
            self.settings_name = self.name(file)
            settings, faults = read_settings(file.absolute(), self.settings_name, list_rules)
            if faults:
                self.finish(faults)
            self.settings = settings

    def name(self, path: Path | str) -> str:
        """Return how the report names a path: relative to its folder, with ``/``."""
        return Path(os.path.relpath(path, self.base)).as_posix()

    def choose_paths(self, paths: Sequence[Path] | None) -> Sequence[Path]:
        """Return the paths given, or those of the settings; one of them is needed."""
        chosen = paths or self.settings.contracts
        if not chosen:
            refuse_usage("name folders or files, or set contracts in [tool.pi-contracts]")
        return chosen

    def choose_map(self, pairs: Sequence[str] | None) -> dict[str, Path]:
        """Return the folders of the settings and of the command line, which wins."""
        try:
            return join_map(self.settings.map, pairs or ())
        except InvalidMapError as problem:
            refuse_usage(str(problem))

    def finish(
        self,
        findings: Iterable[Finding],
        *,
        additions: Mapping[str, object] | None = None,
        done: str = "",
        draw: Callable[[Finding], str] | None = None,
        is_stopped: bool = False,
        accepted: Container[str] = (),
        picture: Callable[[Sequence[Finding]], str] | None = None,
    ) -> NoReturn:
        """Print the report and end the process; after a picture, on standard error.

        With *is_stopped* no level weakens an error, nor hides that nothing was found:
        the command could not do its work for it. What is *accepted*, by its fingerprint, has
        the weight that it comes with.
        """
        levels = {**self.settings.rules, **({"nothing-found": "error"} if is_stopped else {})}
        kept = apply_levels(
            findings, levels, strict=self.strict, keep_errors=is_stopped, accepted=accepted
        )
        report = Report(self.tool, kept, additions or {}, done)
        stream, problem = sys.stdout, None
        if picture is not None:
            stream, problem = sys.stderr, print_bytes(picture(kept).encode(), sys.stdout)
        problem = problem or print_report(
            report,
            self.style,
            stream,
            folder=self.base,
            list_rules=list_rules,
            draw=draw or draw_nothing,
            quiet=self.quiet,
        )
        if problem is not None:
            sys.stderr.write(f"pi-contracts: the report cannot be written: {problem}\n")
            raise SystemExit(4)
        raise SystemExit(report.exit_code)


def list_rules() -> dict[str, str]:
    """Return one sentence for each rule, by its id; the pages are read when they are asked for."""
    from pi_contracts.contracts.rule_index import describe_rules  # noqa: PLC0415

    return describe_rules()


def refuse_usage(message: str) -> NoReturn:
    """End the process for wrong usage, with a message on standard error."""
    sys.stderr.write(f"pi-contracts: {message}\n")
    raise SystemExit(2)
