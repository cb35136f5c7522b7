"""The executable description of Parquet files, and `parquetext layout`'s result in the same form."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import parquetext

from .document import Claim, Owner
from .evaluate import Evaluator
from .kinds import kinds_of
from .syntax import parse

__all__ = ["DESCRIPTION", "description", "evaluator", "layout_claims", "parquet"]

DESCRIPTION = Path(__file__).parents[2] / "docs" / "parquet.dogma"


def description() -> str:
    """The text of docs/parquet.dogma."""
    return DESCRIPTION.read_text(encoding="utf-8")


def evaluator(text: str) -> Evaluator:
    """A description of Parquet files that runs."""
    grammar = parse(text)
    return Evaluator(grammar, kinds_of(grammar))


@cache
def parquet() -> Evaluator:
    """The one of docs/parquet.dogma."""
    return evaluator(description())


def layout_claims(layout: parquetext.inspection.layout.Layout) -> list[Claim]:
    """Return the parts of a layout; neighbors of one owner are merged, as in the result of the description."""
    names = "offset", "length", "kind", "row_group", "column", "page"
    claims: list[Claim] = []
    for offset, length, kind, *position in zip(*(layout.parts[name].to_pylist() for name in names), strict=True):
        owner = Owner(kind, *(-1 if number is None else number for number in position))
        begin = claims.pop().begin if claims and claims[-1].owner == owner else offset
        claims.append(Claim(begin, offset + length, owner))
    return claims
