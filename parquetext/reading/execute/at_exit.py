"""Close unfinished iterators at the interpreter's exit, while the modules that they need still exist."""

from __future__ import annotations

import atexit
from collections.abc import Generator
from contextlib import suppress
from typing import TypeVar
from weakref import WeakSet

G = TypeVar("G", bound=Generator)
_begun: WeakSet[Generator] = WeakSet()


def closed_at_exit(generator: G) -> G:
    """Return the generator, and close it at exit if it is not finished by then."""
    _begun.add(generator)
    return generator


@atexit.register
def _close() -> None:
    for generator in list(_begun):
        with suppress(ValueError):  # a thread that is never joined is running it
            generator.close()
