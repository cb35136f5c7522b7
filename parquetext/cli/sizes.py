"""Sizes as people type them: ``128MiB``, ``1_000_000``, ``64 KB``."""

from __future__ import annotations

import re

import typer

__all__ = ["Size", "size_of"]

UNITS = {"": 1, "B": 1}
for power, letter in enumerate("KMGT", 1):
    UNITS |= {letter: 1024**power, f"{letter}IB": 1024**power, f"{letter}B": 1000**power}
_SIZE = re.compile(r"(\d[\d_]*(?:\.\d+)?)\s*([A-Za-z]*)\Z")


class Size(int):
    """A number of bytes."""


def size_of(text: str) -> Size:
    """A size of at least one byte."""
    found = _SIZE.match(text.strip())
    if found is None or found[2].upper() not in UNITS:
        raise typer.BadParameter(f"no size: {text!r}; a number of bytes, or one with KiB, MiB, GiB")
    return Size(float(found[1].replace("_", "")) * UNITS[found[2].upper()])
