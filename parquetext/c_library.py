"""Find the C library that an installed package contains: its header and the static library.

Programs that embed it need nothing else of this package (docs/embedding.md).
"""

from __future__ import annotations

from pathlib import Path

from .errors import Unsupported

__all__ = ["include", "library"]

_FOLDER = Path(__file__).parent / "_native"


def include() -> Path:
    """Return the directory that contains ``parquetext.h``.

    Returns
    -------
    pathlib.Path

    Raises
    ------
    parquetext.errors.Unsupported
        If the package was installed without its compiled kernels.

    Examples
    --------
    >>> from parquetext import c_library
    >>> (c_library.include() / "parquetext.h").is_file()
    True
    """
    return _existing("include/parquetext.h").parent


def library() -> Path:
    """Return the static library, whose code is independent of its position and does not use Python.

    Returns
    -------
    pathlib.Path
        ``libparquetext.a``; on Windows, for GCC and Clang (MinGW).

    Raises
    ------
    parquetext.errors.Unsupported
        As for `include`.

    Examples
    --------
    >>> from parquetext import c_library
    >>> c_library.library().name
    'libparquetext.a'
    """
    return _existing("lib/libparquetext.a")


def _existing(name: str) -> Path:
    path = _FOLDER / name
    if not path.is_file():
        remedy = "pip install a wheel for this platform, or the source distribution where there is a C compiler"
        raise Unsupported(f"this installation of parquetext has no C library (no {path}): {remedy}")
    return path
