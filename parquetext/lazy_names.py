"""Import the public names of a package when they are first used."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping


def homes_of(text: str) -> dict[str, str]:
    """Return the module that defines each name, from lines with a module, a colon, and names."""
    lines = (line.split(":") for line in text.split("\n") if line.strip())
    return {name: module.strip() for module, names in lines for name in names.split()}


def lazy_names(
    namespace: dict[str, object], homes: Mapping[str, str]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package.

    Parameters
    ----------
    namespace : dict
        The package's `globals()`.
    homes : mapping
        The module of the package that defines each name.
    """
    package = str(namespace["__name__"])

    def get(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = namespace[name] = getattr(importlib.import_module(f".{homes[name]}", package), name)
        return value

    return get, lambda: [*homes, *(name for name in namespace if name.startswith("__"))]
