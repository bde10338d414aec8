"""Rules about what a dry run found; `rules` lists them with the others.

The kinds of faults, and their words, stand here and nowhere else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from pi_contracts.contracts.findings import (
    Facet,
    Finding,
    Related,
    Severity,
    Subject,
    escape,
    quote,
)

from .gaps import map_unjudged, say_unjudged
from .wording import list_facets, name_facet, place_origin

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .dry_run import Recording
    from .graph import Graph
    from .outcomes import Fault

_LATER: Final = "do it in a callback given to on_activate()"
_ENDED: Final = "let it return, and never end the process"


class _Words(NamedTuple):
    text: str
    """After the facet's name; ``{text}`` is what the fault says."""
    fix: str


OF_SETUP: Final = {
    "raised": _Words("raised {text}", "mend it; a setup only declares and registers"),
    "caught": _Words("went on after {text}", "mend the call; no host would accept it"),
    "late": _Words(
        "has given its context away, which raised {text}", "keep what is acquired, not the context"
    ),
    "coroutine": _Words(
        "is a coroutine function, but what it declares has to be complete when it returns",
        f"write it with def, not async def; if it has to wait, {_LATER}",
    ),
    "generator": _Words("is a generator function, of which nothing runs", "let it not yield"),
    "awaitable": _Words(
        "returned an awaitable ({text}), but what it declares has to be complete when it returns",
        f"let it return None; if it has to wait, {_LATER}",
    ),
    "returned": _Words("returned an object of type {text}", "let it return None"),
    "refused": _Words("{text}, which has to wait until the facet is active", _LATER),
    "printed": _Words(
        "printed {text} bytes; the output of its host is not its own",
        "let it print nothing; loggers are there for that",
    ),
    "patched": _Words(
        "changed {text}, which all facets of its process share",
        "leave it as it is; give what differs to whom it concerns",
    ),
    "disturbed": _Words(
        "took away what its process needs to go on ({text})",
        "leave the interpreter and its modules as they are",
    ),
    "undeclarable": _Words(
        "declares what no report can say: {text}", "mend the token; generated code makes them"
    ),
    "hung": _Words(
        "did not return within {text} s",
        f"let it not wait or compute for long; {_LATER}, or allow more with --timeout",
    ),
    "ended": _Words("ended its process ({text})", _ENDED),
    "noise": _Words(
        "wrote to, or closed, the file in which the result of the run is told",
        "let it use no descriptor that it has not opened",
    ),
}
OF_IMPORT: Final = {
    "import-raised": _Words(
        "importing {module} raised {text}", "mend the import; it should define and do nothing else"
    ),
    "printed": _Words(
        "importing {module} printed {text} bytes", "let the import define and do nothing else"
    ),
    "hung": _Words(
        "importing {module} took longer than {text} s",
        "let the import define and do nothing else, or allow more with --timeout",
    ),
    "ended": _Words("importing {module} ended the process ({text})", _ENDED),
    "noise": _Words(
        "importing {module} wrote to, or closed, the file in which the result of the run is told",
        "let it use no descriptor that it has not opened",
    ),
    "disturbed": _Words(
        "importing {module} took away what its process needs to go on ({text})",
        "leave the interpreter and its modules as they are",
    ),
    "attribute-raised": _Words(
        "looking for {attribute} in {module} raised {text}",
        "define the setup function in the module itself",
    ),
    "reserved": _Words(
        "{module} is a module of whoever runs it, and not of a plugin",
        "name the module of the plugin that holds the setup function",
    ),
    "standard": _Words(
        "{module} is a module of Python's own, and of no plugin",
        "name the plugin's module; if it has this name, give it another one",
    ),
    "not-callable": _Words(
        "{attribute} is an object of type {text}; a facet is a function of its context",
        "name the setup function",
    ),
}
OF_HOST: Final = {
    "not-started": _Words(
        "no process could be started to run the setups of kind {kind}: {text}",
        "mend the installation; python -P -c 'import pi_contracts.runtime' has to work",
    ),
    "not-run": _Words(
        "setups of kind {kind} took {text} s and did not return, so {facets} were not run",
        "mend those that did not return first",
    ),
}


def find_failed_setups(graph: Graph) -> Iterator[Finding]:
    """The setup of a facet fails, or does what no setup may do, when it is run without a host.

    It is run in a process of its own host kind: nothing is connected, no callback
    is called, and its time is bounded. What a facet declares whose setup did not
    return is unknown, and not reported as missing.
    """
    unjudged = map_unjudged(graph)
    hosts: dict[tuple[str, str], list[tuple[Recording, Fault]]] = {}
    for recording in graph.assembly.recordings:
        for fault in recording.faults:
            if fault.kind in OF_HOST:
                hosts.setdefault((recording.entry.kind, fault.kind), []).append((recording, fault))
            elif fault.phase == "setup":
                words = OF_SETUP[fault.kind]
                facet = Facet(recording.entry.plugin, recording.entry.kind)
                text = words.text.format(text=escape(fault.text))
                message = f"the setup of {name_facet(facet)} {text}"
                fix = fault.advice or words.fix
                yield _word("setup-failed", recording, fault, (message, fix), unjudged)
    for (kind, what), rows in hosts.items():
        yield _word_host(kind, what, rows)


def find_unresolvable_entry_points(graph: Graph) -> Iterator[Finding]:
    """The entry point of a facet leads to no setup function.

    It is written ``module:attribute``. The module is looked for in the manifest's
    folder, in PYTHONPATH, and among what is installed. What such a facet would
    declare is unknown, and not reported as missing.
    """
    unjudged = map_unjudged(graph)
    for recording in graph.assembly.recordings:
        for fault in recording.faults:
            if fault.phase == "import" and fault.kind not in OF_HOST:
                words = _word_import(recording, fault)
                yield _word("unresolvable-entry-point", recording, fault, words, unjudged)


def _word_import(recording: Recording, fault: Fault) -> tuple[str, str]:
    entry = recording.entry
    facet = name_facet(Facet(entry.plugin, entry.kind))
    start = f"the entry point {quote(entry.text)} of {facet}"
    parsed = entry.parse()
    if entry.text.strip().startswith("."):
        return (
            f"{start} is relative, but there is no package that it could be relative to",
            "write the whole name of the module, such as my_plugin.tui:facet",
        )
    if parsed is None:
        return (
            f"{start} is not of the form module:attribute",
            "name the module and the function in it, such as my_plugin.tui:facet",
        )
    module, attribute = map(quote, parsed)
    if fault.kind == "no-module":
        missing = quote(fault.text)
        if "." in fault.text:
            package = quote(fault.text.rpartition(".")[0])
            return (
                f"{start} cannot be resolved: {package} has no module {missing}",
                "name a module of the package, or leave the facet out",
            )
        where = "beside the manifest, in PYTHONPATH, or installed"
        return (
            f"{start} cannot be resolved: there is no module {missing} {where}",
            "install the plugin, or name its folder in PYTHONPATH",
        )
    if fault.kind == "no-attribute":
        near = f"; did you mean {quote(fault.text)}?" if fault.text else ""
        fix = f"write {quote(fault.text)}" if fault.text else "name a function of the module"
        return f"{start} cannot be resolved: {module} has no {attribute}{near}", fix
    if fault.kind == "not-callable" and fault.text == "NoneType":
        message = f"{attribute} of {module} is None; a facet is a function of its context"
        return f"{start} cannot be resolved: {message}", OF_IMPORT[fault.kind].fix
    words = OF_IMPORT[fault.kind]
    text = words.text.format(text=escape(fault.text), module=module, attribute=attribute)
    return f"{start} cannot be resolved: {text}", fault.advice or words.fix


def _word(
    rule: str,
    recording: Recording,
    fault: Fault,
    words: tuple[str, str],
    unjudged: Mapping[tuple[str, str | None], Sequence[str]],
) -> Finding:
    """Make a finding at the line that failed, if it is known, else at the facet's entry."""
    entry = recording.entry
    message, fix = words
    if fault is recording.faults[0]:
        message += say_unjudged(unjudged.get((entry.plugin, entry.kind)))
    place = place_origin(entry.origin)
    related: tuple[Related, ...] = ()
    if fault.frames:
        first, *others = fault.frames
        here = {"path": place.get("path"), "line": place.get("line"), "column": place.get("column")}
        named = Related("the facet is named here", **here)  # type: ignore[arg-type] # by field name
        related = (*(Related("called from here", f.path, f.line) for f in others), named)
        place = {"path": first.path, "line": first.line}
    return Finding(
        rule,
        Severity.ERROR,
        message,
        subject=Subject(facets=(Facet(entry.plugin, entry.kind),), detail=fault.kind),
        related=related,
        fix=fix,
        **place,  # type: ignore[arg-type] # by field name
    )


def _word_host(kind: str, what: str, rows: list[tuple[Recording, Fault]]) -> Finding:
    words = OF_HOST[what]
    facets = tuple(Facet(recording.entry.plugin, kind) for recording, _ in rows)
    text = escape(rows[0][1].text)
    message = words.text.format(kind=quote(kind), text=text, facets=list_facets(facets))
    return Finding(
        "setup-failed",
        Severity.ERROR,
        message,
        subject=Subject(facets=facets, detail=what),
        fix=words.fix,
        **place_origin(rows[0][0].entry.origin),  # type: ignore[arg-type] # by field name
    )
