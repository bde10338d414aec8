"""A plan as a mermaid flowchart, which code hosts and wikis draw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .bundles import bundle_arrows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .scene import Scene

_ENTITIES: Final = str.maketrans(
    {c: f"#{ord(c)};" for c in '"#$&:<>`%\\|[](){};'}  # what has a meaning somewhere in a label
)


def render_mermaid(scene: Scene) -> str:
    """Return the flowchart: hosts as subgraphs, arrows from providers to consumers.

    Services with a star are keyed. What is faulty is red.
    """
    return "".join(f"{line}\n" for line in _iter_lines(scene))


def _iter_lines(scene: Scene) -> Iterator[str]:
    yield "flowchart LR"
    for host, kind in enumerate(scene.hosts):
        yield f'  subgraph host{host}["{_escape(kind)}"]'
        for number, box in enumerate(scene.boxes):
            if box.host == host:
                style = ":::faulty" if box.findings else ""
                yield f'    f{number}["{_escape(box.label)}"]{style}'
        yield "  end"
    faulty: list[int] = []
    for number, bundle in enumerate(bundle_arrows(scene)):
        label = "<br>".join(map(_escape, bundle.services))
        if bundle.is_faulty or bundle.provider is None:
            faulty.append(number)
        if bundle.provider is None:
            yield f'  nobody{number}(["nobody"]):::faulty -.->|"{label}"| f{bundle.consumer}'
        else:
            yield f'  f{bundle.provider} -->|"{label}"| f{bundle.consumer}'
    if faulty or any(box.findings for box in scene.boxes):
        yield "  classDef faulty stroke:#c00,stroke-width:2px"
    if faulty:
        yield f"  linkStyle {','.join(map(str, faulty))} stroke:#c00,stroke-width:2px"


def _escape(text: str) -> str:
    return text.translate(_ENTITIES)
