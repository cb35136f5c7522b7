"""The names of `pyarrow.compute`, which is imported when one of them is first used; importing it takes long."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import pyarrow as pa

# To infer the type of a value, pyarrow imports dateutil: without it, each attempt takes 150 µs, longer than most calls.
_INFERRED = {
    type(None): pa.null(),
    bool: pa.bool_(),
    int: pa.int64(),
    float: pa.float64(),
    str: pa.string(),
    bytes: pa.binary(),
}


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import pyarrow.compute

    value = getattr(pyarrow.compute, name)
    signature = getattr(value, "__arrow_compute_function__", None)
    if signature and (not signature["options_class"] or signature["arity"] is ...):  # all its arguments are values
        value = _with_typed_values(value)
    globals()[name] = value
    return value


def _with_typed_values(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that gives `function` the scalars that pyarrow infers from plain values."""

    @wraps(function)
    def call(*values: Any, **options: Any) -> Any:
        return function(*map(_typed, values), **options)

    return call


def _typed(value: Any) -> Any:
    type = _INFERRED.get(value.__class__)
    if type is None or (value.__class__ is int and value.bit_length() > 63):
        return value
    return pa.scalar(value, type)
