"""Import of libraries that the package does not depend on."""

from __future__ import annotations

import importlib
from types import ModuleType

from ..errors import Unsupported

__all__ = ["import_optional"]


def import_optional(name: str, wanted_by: str) -> ModuleType:
    """Return the module `name`, which the extra of the same name installs.

    Raises
    ------
    Unsupported
        It is not installed.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise Unsupported(f"{wanted_by} needs {name}: pip install 'parquetext[{name}]'") from None
