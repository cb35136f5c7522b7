"""Combine two filters."""

from __future__ import annotations

from ...pruning import Predicate

MOST_ALTERNATIVES = 64


def both(one: Predicate | None, other: Predicate | None) -> Predicate | None:
    """Return the conjunction of two filters. Lists of filters remain lists if the result is short."""
    if one is None or other is None:
        return one or other
    alternatives = None
    if one.alternatives and other.alternatives and len(one.alternatives) * len(other.alternatives) <= MOST_ALTERNATIVES:
        alternatives = [first + second for first in one.alternatives for second in other.alternatives]
    return Predicate(one.expression & other.expression, alternatives)
