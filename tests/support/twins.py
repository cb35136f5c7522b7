"""Calling a kernel in both implementations."""

from __future__ import annotations

import importlib

import pytest

from parquetext.errors import ParquetextError


def both(module: str):
    """The native and the pure module of that name; skips where the native one is not built."""
    return (
        pytest.importorskip(f"parquetext._native.{module}", exc_type=ImportError),
        importlib.import_module(f"parquetext._pure.{module}"),
    )


def outcome(function, *arguments, **options):
    """Return a call's result in a form that can be compared between two implementations."""
    try:
        return "result", function(*arguments, **options)
    except ParquetextError as error:
        return "error", type(error), error.code, error.offset, error.expected, error.found
