"""Samples of cases: without `--long`, tests of many similar cases try a part of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from hypothesis import HealthCheck, settings

Case = TypeVar("Case")

_takes_all = False


def pytest_configure(config) -> None:
    """Before tests are imported, decide about the size of samples, and how hypothesis runs."""
    global _takes_all
    _takes_all = config.getoption("--long")
    # No test fails because a machine is slow, and a failure can be repeated on another machine.
    settings.register_profile(
        "any machine",
        deadline=None,
        max_examples=examples(100),
        suppress_health_check=[HealthCheck.too_slow],
        print_blob=True,
    )
    settings.load_profile("any machine")


def step(usual: int) -> int:
    """Return the distance between the cases that are tried: `usual`, or 1 with `--long`."""
    return 1 if _takes_all else usual


def some(cases: Sequence[Case], usual: int, first: int = 0) -> list[Case]:
    """Return each `usual`-th case, from case `first` modulo `usual`; all of them with `--long`."""
    return list(cases[first % step(usual) :: step(usual)])


def examples(number: int) -> int:
    """Return how many examples hypothesis makes: `number` with `--long`, otherwise a quarter, but at least 10."""
    return number if _takes_all else min(number, max(10, number // 4))
