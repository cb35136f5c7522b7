"""The public names of the package: the names in each module's ``__all__``, and the members of public classes.

Not those of pyarrow, which the package hands on, and not those of ``parquetext.torch`` without torch.
"""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType

import parquetext

__all__ = ["PUBLIC", "functions_of", "name_of"]

Public = tuple[str, object]


def _walk(module: ModuleType) -> Iterator[Public]:
    for name in module.__all__:
        thing = getattr(module, name)
        if inspect.ismodule(thing):
            if name != "torch" or importlib.util.find_spec("torch"):
                yield from _walk(thing)
        elif callable(thing) and not thing.__module__.startswith("pyarrow"):
            yield f"{module.__name__}.{name}", thing


def name_of(public: Public) -> str:
    """By which users know it."""
    return public[0]


def functions_of(public: Public) -> Iterator[tuple[str, Callable]]:
    """A function itself; of a class its public methods, and the getters of its properties."""
    name, thing = public
    if isinstance(thing, FunctionType):
        yield name, thing
    elif isinstance(thing, type):
        for kind in thing.__mro__:
            if not kind.__module__.startswith("parquetext"):
                continue
            for attribute, value in vars(kind).items():
                function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
                # getters made by a helper, as facts of columns are, have a name of none
                if isinstance(function, FunctionType) and _is_public(attribute) and function.__name__ != "<lambda>":
                    yield f"{name}.{attribute}", function


def _is_public(name: str) -> bool:
    return not name.startswith("_") or name == "__init__"


def _all() -> list[Public]:
    """Each thing once, by its shortest name."""
    named: dict[int, Public] = {}
    for name, thing in sorted(_walk(parquetext), key=lambda public: len(public[0])):
        named.setdefault(id(thing), (name, thing))
    return sorted(named.values(), key=name_of)


PUBLIC = _all()
