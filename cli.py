"""The command line: arguments in, reports out, nothing else.

Each command imports what it needs when it runs, so that help and usage errors load
nothing. Which exit code means what is in docs/commands.md.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias, TypeVar

import typer
from pi_contracts.contracts.usage import Commands

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pi_contracts.contracts.findings import Finding

app = typer.Typer(
    name="pi-contracts",
    cls=Commands,
    help="Service contracts as JSON Schema documents: generate, check, compare and plan.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)

T = TypeVar("T")
Format: TypeAlias = Literal["text", "json", "github", "sarif"]
PlanFormat: TypeAlias = Literal["text", "json", "github", "sarif", "mermaid", "dot", "html"]
Position: TypeAlias = Literal["argument", "result", "state", "event", "error"]
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
    from pi_contracts.contracts.invocation import Invocation, refuse_usage
    from pi_contracts.contracts.read import read
    from pi_contracts.contracts.reports.report import UNWRITABLE
    from pi_contracts.contracts.suppressions import suppress

    run = Invocation("gen", style, quiet=quiet, strict=strict, config=config)
    if check and force:
        refuse_usage("--check writes nothing, and --force says what to write")
    folder = out or run.settings.out
    if folder is None:
        refuse_usage("name the package to write: --out DIR, or out in [tool.pi-contracts]")
    name = run.name(folder)
    shown = escape(name)
    reading = read(run.choose_paths(path), mapped=run.choose_map(mapped), base=run.base)
    found = suppress(reading.catalogue, reading.findings)
    if not reading.is_sound or not reading.catalogue.documents:
        # without a document everything in the package would be stale, which nobody means
        run.finish(found, is_stopped=True, done=f"Nothing was generated in {shown}.")
    files = generate(reading.catalogue, types=types or run.settings.types or "typed-dict")
    try:
        if check:
            differences = compare(folder, files).differences
            done = "" if differences else f"{shown} is up to date: {_count(len(files), 'file')}."
            run.finish((*found, *make_findings(differences, name)), done=done)
        written = write(folder, files, force=force)
    except OutputError as problem:
        run.finish((*found, error(UNWRITABLE, escape(str(problem)))))
    left = make_findings(written.left, name, severity=Severity.WARNING)
    refused = make_findings(written.refused, name)
    run.finish(
        (*found, *left, *refused),
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
    from pi_contracts.contracts.invocation import Invocation

    run = Invocation("check", style, quiet=quiet, strict=strict, config=config)
    run.finish(_check(run.choose_paths(path), run.choose_map(mapped), run.base))


@app.command()
def compat(
    old: Annotated[
        str,
        typer.Argument(metavar="OLD", help="A folder, a file, or git:REF[:PATH]: what runs now."),
    ],
    new: Annotated[
        str | None,
        typer.Argument(metavar="[NEW]", help="The same of what comes; else that of the settings."),
    ] = None,
    *,
    position: Annotated[
        Position | None,
        typer.Option("--position", help="Of two bare schemas, what their values are."),
    ] = None,
    mapped: MapOption = None,
    style: FormatOption = "text",
    quiet: QuietOption = False,
    strict: StrictOption = False,
    config: ConfigOption = None,
) -> None:
    """Tell whom a change breaks, and what to upgrade first."""
    from pi_contracts.codegen.source_compat import compare_sources
    from pi_contracts.contracts.comparison import compare_sides
    from pi_contracts.contracts.invocation import Invocation, refuse_usage
    from pi_contracts.contracts.sides import InvalidSideError, parse_sides

    run = Invocation("compat", style, quiet=quiet, strict=strict, config=config)
    try:
        sides = parse_sides(old, new, run.settings.contracts)
        more = partial(compare_sources, types=run.settings.types or "typed-dict")
        outcome = compare_sides(*sides, run.choose_map(mapped), position, base=run.base, more=more)
    except InvalidSideError as problem:
        refuse_usage(str(problem))
    settings = run.settings
    findings, accepted = outcome.accept(settings.acceptances, run.settings_name, settings.text)
    run.finish(
        findings,
        additions=outcome.additions,
        done=outcome.text,
        is_stopped=outcome.is_stopped,
        accepted=accepted,
    )


@app.command()
def explain(
    rule: Annotated[
        str | None,
        typer.Argument(metavar="[RULE]", help="A rule, or a code of compat in brackets; else all."),
    ] = None,
    *,
    style: Annotated[Literal["text", "json"], typer.Option("--format", help="For whom.")] = "text",
) -> None:
    """Say what a rule means, with a bad and a good example."""
    from pi_contracts.contracts.invocation import refuse_usage
    from pi_contracts.contracts.rule_index import UnknownRuleError, render

    try:
        typer.echo(render(rule, style), nl=False)
    except UnknownRuleError as problem:
        refuse_usage(str(problem))


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
    timeout: Annotated[float | None, typer.Option(metavar="SECONDS", help="Of one setup.")] = None,
    why: Annotated[
        list[str] | None,
        typer.Option(metavar="SCOPE/SERVICE", help="Who needs it; may be repeated."),
    ] = None,
    without: Annotated[
        list[str] | None, typer.Option(metavar="PLUGIN", help="What would break without it.")
    ] = None,
    against: Annotated[
        list[Path] | None,
        typer.Option(metavar="OLD", help="What has changed; - is standard input."),
    ] = None,
    style: Annotated[PlanFormat, typer.Option("--format", help="A report or a picture.")] = "text",
    quiet: QuietOption = False,
    strict: StrictOption = False,
    config: ConfigOption = None,
) -> None:
    """Judge a whole assembly of plugins before anything starts."""
    from pi_contracts.contracts.invocation import Invocation, refuse_usage
    from pi_contracts.plugins.explain import Drawing
    from pi_contracts.plugins.facets import STDIN
    from pi_contracts.plugins.pictures.draw import draw_picture, split_style
    from pi_contracts.plugins.plan import read_plan
    from pi_contracts.plugins.questions import Older, UnknownNameError, ask

    report_style, form = split_style(style)
    run = Invocation("plan", report_style, quiet=quiet, strict=strict, config=config)
    left_out, old = _take_one("--without", without), _take_one("--against", against)
    if [*(facets or ()), str(old)].count(STDIN) > 1:
        refuse_usage("standard input can be read once, and - stands twice")
    if str(manifest) == STDIN:
        refuse_usage("a manifest is a file, beside which modules are looked for; - is none")
    file = manifest or (None if facets else run.settings.manifest)
    if file is None and not facets:
        refuse_usage("name a manifest, or reports with --facets FILE")
    rules, limit = run.settings.rules, run.settings.choose_timeout(timeout, refuse_usage)
    judged = read_plan(
        None if file is None else str(file),
        facets or (),
        contracts=contracts or (),
        boundaries=run.settings.boundaries if boundaries else None,
        timeout=limit,
        rules=rules,
        show=run.name,
        base=run.base,
    )
    folder = None if file is None else file.parent
    older = None if old is None else Older(old, run.name(old), folder, limit)
    try:
        answers = ask(judged, why=why or (), without=left_out, against=older, rules=rules)
    except UnknownNameError as problem:
        refuse_usage(str(problem))
    drawing = Drawing(answers.plan)
    title = "plan" if file is None else run.name(file)
    is_told = answers.plan.is_ok and answers.plan.order and form is None
    order = f"Order of activation:\n{drawing.draw_plan()}" if is_told else ""
    is_json = style == "json"  # the only report that has them, and making them takes time
    run.finish(
        answers.findings,
        additions={**answers.plan.to_additions(), **answers.additions} if is_json else None,
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
    from pi_contracts.contracts.invocation import Invocation, refuse_usage
    from pi_contracts.contracts.scaffold import InvalidNameError, make_scaffold, say_next_steps

    run = Invocation("new", style, quiet=quiet, strict=strict, config=config)
    try:
        scaffold = make_scaffold(name)
    except InvalidNameError as problem:
        refuse_usage(str(problem))
    faults = scaffold.write()
    if faults:
        run.finish(faults)
    found = _check([scaffold.contract], run.settings.map, run.base)
    run.finish(found, done=say_next_steps(scaffold))


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


def _check(paths: Sequence[Path], mapped: Mapping[str, Path], base: Path) -> tuple[Finding, ...]:
    from pi_contracts.codegen.collisions import find_name_collisions
    from pi_contracts.contracts.check import check
    from pi_contracts.contracts.read import read
    from pi_contracts.runtime.wording import find_violation

    reading = read(paths, mapped=mapped, base=base)
    collisions = find_name_collisions(reading.catalogue) if reading.is_sound else ()
    return check(reading, paths, find_violation, more=collisions, base=base)


def _take_one(option: str, values: Sequence[T] | None) -> T | None:
    """Return the value of an option that may stand once; the library would take the last one."""
    from pi_contracts.contracts.invocation import refuse_usage

    if values and len(values) > 1:
        refuse_usage(f"{option} asks one question, and stands {len(values)} times")
    return values[0] if values else None


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _say_written(name: str, written: int, deleted: int) -> str:
    if not written and not deleted:
        return f"{name} is up to date."
    also = f" and deleted {deleted}" if deleted else ""
    return f"Wrote {_count(written, 'file')}{also} in {name}."


def main() -> None:
    """Run the command line."""
    app()


if __name__ == "__main__":
    main()
