"""The kernels: the compiled package, or its pure-Python twin, as a whole."""

from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING

__all__ = ["implementation", "is_pure_asked_for", "reason", "use"]

MODULES = (
    "varint",
    "checksum",
    "thrift",
    "extension",
    "scan",
    "chunks",
    "slice",
    "flat",
    "index",
    "packed",
    "modular",
    "reference",
    "local",
    "bloom",
    "bound_checks",
    "sidecar",
    "plan",
    "catalog",
    "required",
    "values",
    "encoding",
    "page",
    "arrays",
    "ranges",
    "small_files",
    "wide",
    "page_table",
    "column",
    "levels",
    "encode",
    "pfor",
    "fsst",
)
PURE_VARIABLE = "PARQUETEXT_PURE"
SUPPORTED = {
    ("linux", "x86_64"),
    ("linux", "aarch64"),
    ("darwin", "x86_64"),
    ("darwin", "arm64"),
    ("win32", "AMD64"),
}
REMEDY_OF_ARCHIVES = "pip install the wheel, or set TMPDIR to a folder of this user in which programs may be executed"
REMEDY = "Install a C compiler, then run pip install --force-reinstall --no-deps --no-cache-dir parquetext"
REINSTALL = "install parquetext again, or in a checkout run python setup.py build_ext --inplace"

_implementation = "pure"
_reason = ""


def implementation() -> str:
    """Return the kernels in use: ``"native"`` or ``"pure"``.

    Returns
    -------
    str

    Examples
    --------
    >>> parquetext.implementation() in ("native", "pure")
    True
    """
    return _implementation


def is_pure_asked_for() -> bool:
    """Return True if the environment selects the twin."""
    return os.environ.get(PURE_VARIABLE, "") not in ("", "0")


def reason() -> str:
    """Return the reason why the twin is in use, or an empty string."""
    return _reason


def use(package: str) -> None:
    """Switch all kernels to ``"native"`` or ``"pure"``; for tests. ImportError if there is no such build."""
    global _implementation
    importlib.import_module(f"parquetext._{package}.{MODULES[0]}")
    for name in MODULES:
        globals().pop(name, None)
    _implementation = package


if TYPE_CHECKING:
    from ._pure import arrays as arrays
    from ._pure import bloom as bloom
    from ._pure import bound_checks as bound_checks
    from ._pure import catalog as catalog
    from ._pure import checksum as checksum
    from ._pure import chunks as chunks
    from ._pure import column as column
    from ._pure import encode as encode
    from ._pure import encoding as encoding
    from ._pure import extension as extension
    from ._pure import flat as flat
    from ._pure import fsst as fsst
    from ._pure import index as index
    from ._pure import levels as levels
    from ._pure import local as local
    from ._pure import modular as modular
    from ._pure import packed as packed
    from ._pure import page as page
    from ._pure import page_table as page_table
    from ._pure import pfor as pfor
    from ._pure import plan as plan
    from ._pure import ranges as ranges
    from ._pure import reference as reference
    from ._pure import required as required
    from ._pure import scan as scan
    from ._pure import sidecar as sidecar
    from ._pure import slice as slice
    from ._pure import small_files as small_files
    from ._pure import thrift as thrift
    from ._pure import values as values
    from ._pure import varint as varint
    from ._pure import wide as wide
else:

    def __getattr__(name: str) -> object:
        """Import a kernel module when it is first used."""
        if name not in MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        full_name = f"parquetext._{_implementation}.{name}"
        try:
            module = globals()[name] = importlib.import_module(full_name)
        except ImportError as error:
            if error.name != full_name:
                raise
            message = f"the compiled kernels belong to another version of parquetext ({error}): {REINSTALL}"
            raise ImportError(message, name=full_name) from None
        return module


def _why_not(error: ImportError | UnicodeEncodeError) -> str:
    """Return why the compiled kernels are not used, in words for users."""
    if isinstance(error, ModuleNotFoundError) and (error.name or "").startswith("parquetext._native"):
        from ._native import why_missing

        error = ImportError(why_missing())
    if isinstance(error, UnicodeEncodeError):  # Python 3.13 cannot load a library from such a folder
        return f"no compiled kernels: the locale cannot encode the path of the package ({error.reason})"
    return f"no compiled kernels for this Python: {error}"


def _warn() -> None:
    """Warn, on a platform for which there are compiled kernels, that they are missing."""
    import platform
    import warnings

    if (sys.platform, platform.machine()) in SUPPORTED and sys.implementation.name == "cpython":
        remedy = REMEDY_OF_ARCHIVES if hasattr(__spec__.loader, "archive") else REMEDY
        message = f"parquetext is slow: {_reason}. {remedy}, or set {PURE_VARIABLE}=1 to hide this warning"
        warnings.warn_explicit(message, RuntimeWarning, "parquetext", 0)  # one line, without source code


def _choose() -> None:
    global _reason
    if is_pure_asked_for():
        _reason = f"{PURE_VARIABLE} is set"
    else:
        try:
            return use("native")
        except (ImportError, UnicodeEncodeError) as error:
            _reason = _why_not(error)
            _warn()
    use("pure")


_choose()
