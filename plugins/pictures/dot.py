"""A plan as a graph in the language of graphviz."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .bundles import bundle_arrows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .scene import Scene


def render_dot(scene: Scene) -> str:
    """Return the graph: hosts as clusters, arrows from providers to consumers.

    Services with a star are keyed. What is faulty is red.
    """
    return "".join(f"{line}\n" for line in _iter_lines(scene))


def _iter_lines(scene: Scene) -> Iterator[str]:
    yield "digraph plan {"
    yield "  rankdir=LR"
    yield '  node [shape=box, style=rounded, fontname="sans-serif"]'
    yield '  edge [fontname="sans-serif", fontsize=10]'
    for host, kind in enumerate(scene.hosts):
        yield f"  subgraph cluster_{host} {{"
        yield f"    label={_quote(kind)}"
        for number, box in enumerate(scene.boxes):
            if box.host == host:
                colour = ", color=red" if box.findings else ""
                yield f"    f{number} [label={_quote(box.label)}{colour}]"
        yield "  }"
    for number, bundle in enumerate(bundle_arrows(scene)):
        label = _join(bundle.services)
        if bundle.provider is None:
            yield f"  nobody{number} [label=nobody, shape=plaintext, fontcolor=red]"
            source, style = f"nobody{number}", ", color=red, style=dashed"
        else:
            source, style = f"f{bundle.provider}", ", color=red" if bundle.is_faulty else ""
        yield f"  {source} -> f{bundle.consumer} [label={label}{style}]"
    yield "}"


def _quote(text: str) -> str:
    return _join((text,))


def _join(lines: Iterable[str]) -> str:
    """Return a quoted string of several lines; in labels, ``&`` begins an entity."""
    escaped = (
        line.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;") for line in lines
    )
    return '"' + "\\n".join(escaped) + '"'
