"""Tell a function which arguments its caller gives, so that an explicit default differs from an omitted argument."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar

GIVEN = "given_names"
_P = ParamSpec("_P")
_R = TypeVar("_R")


def passing_given_names(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Pass the names of the given arguments to a function, as `GIVEN` among its ``**options``."""
    names = list(inspect.signature(function).parameters)

    @functools.wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        given: dict = {GIVEN: frozenset([*names[: len(args)], *kwargs])}
        return function(*args, **kwargs, **given)

    return call
