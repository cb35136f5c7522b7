"""Iterators that nobody has ended are ended at the interpreter's exit, while there still are modules to do it with."""

from __future__ import annotations

import atexit
from collections.abc import Generator
from contextlib import suppress
from typing import TypeVar
from weakref import WeakSet

__all__ = ["closed_at_exit"]

G = TypeVar("G", bound=Generator)
_begun: WeakSet[Generator] = WeakSet()


def closed_at_exit(generator: G) -> G:
    """The generator, which is closed at exit if it is not by then."""
    _begun.add(generator)
    return generator


@atexit.register
def _close() -> None:
    for generator in list(_begun):
        with suppress(ValueError):  # a thread that nobody waits for is in it
            generator.close()
