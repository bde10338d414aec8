"""Say which machine figures come from.

Run: python benchmarks/machine.py
"""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

LIBRARIES = ("jsonschema-rs", "jsonschema", "msgspec", "jinja2", "pydantic", "typer", "networkx")


def find_processor() -> str:
    """Return the name of the processor, as far as the system tells it."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def describe() -> str:
    """Return the machine, the interpreter, the load, and the versions of what is measured."""
    load = ", ".join(f"{one:.1f}" for one in os.getloadavg()) if hasattr(os, "getloadavg") else "?"
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return (
        f"{platform.system()} {platform.release()}, {find_processor()}, {os.cpu_count()} cores,"
        f" load {load}\n{platform.python_implementation()} {platform.python_version()}, {libraries}"
    )


if __name__ == "__main__":
    print(describe())
