"""The command line: arguments in, reports out, nothing else.

Each command imports what it needs when it runs, so that help and usage errors load
nothing. Which exit code means what is in docs/commands.md.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn, TypeAlias

import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pi_contracts.contracts.config import Settings
    from pi_contracts.contracts.findings import Finding

app = typer.Typer(
    name="pi-contracts",
    help="Service contracts as JSON Schema documents: generate code, check, and plan assemblies.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)

Format: TypeAlias = Literal["text", "json", "github", "sarif"]
PlanFormat: TypeAlias = Literal["text", "json", "github", "sarif", "mermaid", "dot", "html"]
TypesKind: TypeAlias = Literal["typed-dict", "pydantic"]
Paths = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[PATH]...",
        help="Folders and files of contracts and schemas; else those of the settings.",
    ),
]
FormatOption = Annotated[Format, typer.Option("--format", help="How the report is printed.")]
QuietOption = Annotated[bool, typer.Option("--quiet", help="Print findings and nothing else.")]
StrictOption = Annotated[bool, typer.Option("--strict", help="Let warnings count as errors.")]
ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE",
        help="The file with [tool.pi-contracts]; else the nearest pyproject.toml that has it.",
    ),
]
MapOption = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="PREFIX=DIR",
        help="Look up references that begin with PREFIX in DIR; may be repeated.",
    ),
]


def _show_version(is_asked: bool) -> None:  # noqa: FBT001 # typer calls it with the value
    if is_asked:
        from importlib.metadata import version

        typer.echo(f"pi-contracts {version('pi-contracts')}")
        raise typer.Exit


@app.callback()
def _start(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Print the version and exit.",
            is_eager=True,
            callback=_show_version,
        ),
    ] = False,
) -> None:
    pass


@app.command()
def gen(
    path: Paths = None,
    *,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="The package to write.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; report what would change.")
    ] = False,
    types: Annotated[
        TypesKind | None,
        typer.Option("--types", help="What payloads are in Python; typed-dict by default."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace files that were edited or are not listed.")
    ] = False,
    mapped: MapOption = None,
    style: FormatOption = "text",
    quiet: QuietOption = False,
    strict: StrictOption = False,
    config: ConfigOption = None,
) -> None:
    """Generate a Python package from contracts and schemas."""
    from pi_contracts.codegen.generate import generate
    from pi_contracts.codegen.output import OutputError, compare, make_findings, write
    from pi_contracts.contracts.findings import Severity, error, escape
    from pi_contracts.contracts.read import read
    from pi_contracts.contracts.reports.report import UNWRITABLE

    run = _Run("gen", style, quiet=quiet, strict=strict, config=config)
    if check and force:
        _refuse_usage("--check writes nothing, and --force says what to write")
    folder = out or run.settings.out
    if folder is None:
        _refuse_usage("name the package to write: --out DIR, or out in [tool.pi-contracts]")
    name = _name(folder)
    shown = escape(name)
    reading = read(run.choose_paths(path), mapped=run.choose_map(mapped))
    if not reading.is_sound or not reading.catalogue.documents:
        # without a document everything in the package would be stale, which nobody means
        run.finish(reading.findings, is_stopped=True, done=f"Nothing was generated in {shown}.")
    files = generate(reading.catalogue, types=types or run.settings.types or "typed-dict")
    try:
        if check:
            differences = compare(folder, files).differences
            done = "" if differences else f"{shown} is up to date: {_count(len(files), 'file')}."
            run.finish((*reading.findings, *make_findings(differences, name)), done=done)
        written = write(folder, files, force=force)
    except OutputError as problem:
        run.finish((*reading.findings, error(UNWRITABLE, escape(str(problem)))))
    left = make_findings(written.left, name, severity=Severity.WARNING)
    refused = make_findings(written.refused, name)
    run.finish(
        (*reading.findings, *left, *refused),
        is_stopped=bool(refused),
        done=f"Nothing was written in {shown}."
        if refused
        else _say_written(shown, len(written.written), len(written.deleted)),
    )


@app.command()
def check(
    path: Paths = None,
    *,
    mapped: MapOption = None,
    style: FormatOption = "text",
    quiet: QuietOption = False,
    strict: StrictOption = False,
    config: ConfigOption = None,
) -> None:
    """Check contracts, schemas, and their fixtures."""
    run = _Run("check", style, quiet=quiet, strict=strict, config=config)
    run.finish(_check(run.choose_paths(path), run.choose_map(mapped)))


@app.command()
def plan(
    manifest: Annotated[
        Path | None,
        typer.Argument(metavar="[MANIFEST]", help="The manifest; else that of the settings."),
    ] = None,
    *,
    facets: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="Facet reports made elsewhere, which need no manifest; - is standard input.",
        ),
    ] = None,
    contracts: Annotated[
        list[Path] | None, typer.Option(metavar="DIR", help="Contracts of the services.")
    ] = None,
    boundaries: Annotated[
        bool, typer.Option("--boundaries", help="Follow imports: none may lead to another host.")
    ] = False,
    why: Annotated[str | None, typer.Option(metavar="SCOPE/SERVICE", help="Who needs it.")] = None,
    without: Annotated[str | None, typer.Option(metavar="PLUGIN", help="What would break.")] = None,
    against: Annotated[Path | None, typer.Option(metavar="OLD", help="What has changed.")] = None,
    style: Annotated[PlanFormat, typer.Option("--format", help="A report or a picture.")] = "text",
    quiet: QuietOption = False,
    strict: StrictOption = False,
    config: ConfigOption = None,
) -> None:
    """Judge a whole assembly of plugins before anything starts."""
    from pi_contracts.plugins.explain import Drawing
    from pi_contracts.plugins.pictures.draw import draw_picture, split_style
    from pi_contracts.plugins.plan import read_plan
    from pi_contracts.plugins.questions import UnknownNameError, ask

    report_style, form = split_style(style)
    run = _Run("plan", report_style, quiet=quiet, strict=strict, config=config)
    if facets and facets.count("-") > 1:
        _refuse_usage("standard input can be read once: --facets - stands twice")
    file = manifest or (None if facets else run.settings.manifest)
    if file is None and not facets:
        _refuse_usage("name a manifest, or reports with --facets FILE")
    rules = run.settings.rules
    judged = read_plan(
        None if file is None else str(file),
        facets or (),
        contracts=contracts or (),
        boundaries=run.settings.boundaries if boundaries else None,
        rules=rules,
        show=_name,
    )
    old = None if against is None else (against, _name(against))
    try:
        answers = ask(judged, why=why, without=without, against=old, rules=rules)
    except UnknownNameError as problem:
        _refuse_usage(str(problem))
    drawing = Drawing(answers.plan)
    title = "plan" if file is None else _name(file)
    is_told = answers.plan.is_ok and answers.plan.order and form is None
    order = f"Order of activation:\n{drawing.draw_plan()}" if is_told else ""
    run.finish(
        answers.findings,
        additions={**answers.plan.to_additions(), **answers.additions},
        done=answers.text or order,
        draw=drawing.draw_fault,
        picture=partial(draw_picture, form, answers.plan, title) if form else None,
    )


@app.command()
def new(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="The service, such as models; before it a folder, if wanted."
        ),
    ],
    *,
    style: FormatOption = "text",
    quiet: QuietOption = False,
    strict: StrictOption = False,
    config: ConfigOption = None,
) -> None:
    """Write a contract and its fixtures to start from."""
    from pi_contracts.contracts.scaffold import InvalidNameError, make_scaffold, say_next_steps

    run = _Run("new", style, quiet=quiet, strict=strict, config=config)
    try:
        scaffold = make_scaffold(name)
    except InvalidNameError as problem:
        _refuse_usage(str(problem))
    faults = scaffold.write()
    if faults:
        run.finish(faults)
    run.finish(_check([scaffold.contract], run.settings.map), done=say_next_steps(scaffold))


@app.command()
def demo() -> None:
    """Show the whole path on the contracts that come with the tool."""
    from pi_contracts.codegen.generate import generate
    from pi_contracts.plugins.tour import SurpriseError, give_tour

    try:
        give_tour(partial(generate, types="typed-dict"), typer.echo)
    except SurpriseError as surprise:
        typer.echo(f"pi-contracts: {surprise}", err=True)
        raise typer.Exit(1) from None


class _Run:
    """One run of a command: its options and settings, and the one report at its end."""

    def __init__(
        self, tool: str, style: Format, *, quiet: bool, strict: bool, config: Path | None
    ) -> None:
        self.tool = tool
        self.style: Format = style
        self.quiet = quiet
        self.strict = strict
        self.settings = self._read_settings(config)

    def _read_settings(self, config: Path | None) -> Settings:
        from pi_contracts.contracts.config import Settings, find_settings, read_settings

        file = config or find_settings(Path.cwd())
        self.settings = Settings()
        if file is None:
            return self.settings
        settings, faults = read_settings(file.absolute(), _name(file), _list_rules)
        if faults:
            self.finish(faults)
        return settings

    def choose_paths(self, paths: Sequence[Path] | None) -> Sequence[Path]:
        """Return the paths given, or those of the settings; one of them is needed."""
        chosen = paths or self.settings.contracts
        if not chosen:
            _refuse_usage("name folders or files, or set contracts in [tool.pi-contracts]")
        return chosen

    def choose_map(self, pairs: Sequence[str] | None) -> dict[str, Path]:
        """Return the folders of the settings and of the command line, which wins."""
        from pi_contracts.contracts.config import InvalidMapError, join_map

        try:
            return join_map(self.settings.map, pairs or ())
        except InvalidMapError as problem:
            _refuse_usage(str(problem))

    def finish(
        self,
        findings: Iterable[Finding],
        *,
        additions: Mapping[str, object] | None = None,
        done: str = "",
        draw: Callable[[Finding], str] | None = None,
        is_stopped: bool = False,
        picture: Callable[[Sequence[Finding]], str] | None = None,
    ) -> NoReturn:
        """Print the report and end the process; after a picture, on standard error.

        With *is_stopped* no level weakens an error, nor hides that nothing was found:
        the command could not do its work for it.
        """
        from pi_contracts.contracts.reports.printing import print_bytes, print_report
        from pi_contracts.contracts.reports.report import Report, apply_levels
        from pi_contracts.contracts.reports.text import draw_nothing

        levels = {**self.settings.rules, **({"nothing-found": "error"} if is_stopped else {})}
        kept = apply_levels(findings, levels, strict=self.strict, keep_errors=is_stopped)
        report = Report(self.tool, kept, additions or {}, done)
        stream, problem = sys.stdout, None
        if picture is not None:
            stream, problem = sys.stderr, print_bytes(picture(kept).encode(), sys.stdout)
        problem = problem or print_report(
            report,
            self.style,
            stream,
            list_rules=_list_rules,
            draw=draw or draw_nothing,
            quiet=self.quiet,
        )
        if problem is not None:
            typer.echo(f"pi-contracts: the report cannot be written: {problem}", err=True)
            raise typer.Exit(4)
        raise typer.Exit(report.exit_code)


def _check(paths: Sequence[Path], mapped: Mapping[str, Path]) -> tuple[Finding, ...]:
    from pi_contracts.codegen.collisions import find_name_collisions
    from pi_contracts.contracts.check import check
    from pi_contracts.contracts.read import read
    from pi_contracts.runtime.wording import find_violation

    reading = read(paths, mapped=mapped)
    collisions = find_name_collisions(reading.catalogue) if reading.is_sound else ()
    return check(reading, paths, find_violation, more=collisions)


def _list_rules() -> dict[str, str]:
    """Return one sentence for each rule, by its id."""
    from pi_contracts.contracts.rule_index import DESCRIPTIONS
    from pi_contracts.plugins.questions import RULES as ASKED
    from pi_contracts.plugins.rules import RULES

    planned = {rule.id: (rule.find.__doc__ or "").partition("\n")[0] for rule in RULES}
    return {**DESCRIPTIONS, **planned, **ASKED}


def _name(path: Path | str) -> str:
    """Return how messages name a path: relative to the working directory, with ``/``."""
    return Path(os.path.relpath(path)).as_posix()


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _say_written(name: str, written: int, deleted: int) -> str:
    if not written and not deleted:
        return f"{name} is up to date."
    also = f" and deleted {deleted}" if deleted else ""
    return f"Wrote {_count(written, 'file')}{also} in {name}."


def _refuse_usage(message: str) -> NoReturn:
    typer.echo(f"pi-contracts: {message}", err=True)
    raise typer.Exit(2)


def main() -> None:
    """Run the command line."""
    app()


if __name__ == "__main__":
    main()
