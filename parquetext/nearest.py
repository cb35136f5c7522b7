"""Suggest similar names in errors about unknown names."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import nsmallest
from itertools import pairwise
from typing import Any

SHOWN = 3
LEAST = 0.5  # of the pairs of letters that two names share


def nearest(name: str, names: Iterable[str]) -> list[str]:
    """Return the names most similar to `name`, best first; at most a few.

    Case counts for nothing; otherwise those are alike that share most pairs of letters. The time grows with the number
    of names alone.

    Parameters
    ----------
    name : str
    names : iterable of str

    Returns
    -------
    list of str
    """
    wanted = _pairs(name)
    found: list[Any] = []
    for other in dict.fromkeys(names):
        pairs = _pairs(other)
        alike = 2 * len(wanted & pairs) / (len(wanted) + len(pairs))
        if alike >= LEAST:
            found.append((-alike, abs(len(other) - len(name)), len(found), other))
    return [other for *_, other in nsmallest(SHOWN, found)]


def _pairs(name: str) -> set[tuple[str, str]]:
    """Pairs of letters next to each other, with the name's ends."""
    text = f" {name.casefold()} "
    return set(pairwise(text))
