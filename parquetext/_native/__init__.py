"""The compiled kernels: one shared library that contains all modules of this package (see `csrc/merge.py`).

A library in an archive cannot be loaded. It is copied out, for this user alone.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, ModuleSpec
from importlib.util import spec_from_file_location
from os import listdir
from os.path import exists, isdir, join, relpath, sep
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.abc import Loader
else:
    Loader = object  # its module imports many others

CORE = f"{__name__}.core"
NAMES = tuple(f"core{suffix}" for suffix in EXTENSION_SUFFIXES)


class Exports(Loader):
    """Load a module with what the library's one module has for it: `name`, or `name=name_there`."""

    def __init__(self, exports: list[str]):
        self._exports = exports

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        core = import_module(CORE)
        pairs = [(name, there or name) for name, _, there in (each.partition("=") for each in self._exports)]
        module.__dict__.update(
            {name: getattr(core, there) for name, there in pairs}, __all__=[name for name, _ in pairs]
        )


class Finder:
    """Find the modules of this package in the library, whose one module lists the exports of each of them."""

    def __init__(self, library: str):
        self._library = library
        self._lines: dict[str, list[str]] | None = None

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        package, _, short = name.rpartition(".")
        if package != __name__:
            return None
        if name == CORE:
            return spec_from_file_location(name, self._library, loader=ExtensionFileLoader(name, self._library))
        if self._lines is None:
            lines = map(str.split, import_module(CORE).EXPORTS.splitlines())
            self._lines = {module: exports for module, *exports in lines}
        exports = self._lines.get(short)
        if exports is None:
            return None
        return spec_from_file_location(name, self._library, loader=Exports(exports))


def _copied_out(archive: str) -> str:
    """Return the directory with the library of an archive."""
    import zipfile

    from ..private import keep

    inside = f"{relpath(__path__[0], archive).replace(sep, '/')}/"
    try:
        with zipfile.ZipFile(archive) as opened:
            names = [name for name in NAMES if inside + name in opened.namelist()]
            return str(keep({name: opened.read(inside + name) for name in names}))
    except OSError as error:
        raise ImportError(f"they cannot be copied out of {archive}: {error}") from error


def why_missing() -> str:
    """Return why the package has no library for this Python: the build's reason, or the libraries that it has."""
    from pkgutil import get_data

    try:
        return (get_data(__name__, "not_built.txt") or b"").decode("utf-8", "replace").strip()
    except OSError:
        others = sorted(name for name in listdir(folder) if name.startswith("core.")) if isdir(folder) else []
        return f"the package has {', '.join(others)} for another platform" if others else "the package has none"


archive = getattr(__spec__.loader, "archive", None)
folder = __path__[0] if archive is None else _copied_out(archive)
library = next(filter(exists, (join(folder, name) for name in NAMES)), None)
if library is not None:
    sys.meta_path.insert(0, Finder(library))
