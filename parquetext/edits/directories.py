"""Apply an operation to every file of a directory, as the command does."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import pyarrow as pa

from .. import wire
from ..errors import ParquetextError, outcome_of
from ..masking import without_secrets
from ..storage import resolve
from .many import expand
from .result import Result

F = TypeVar("F", bound=Callable)
OF_FILES = (ParquetextError, pa.ArrowException, OSError)


def failed_result(path: object, error: Exception) -> Result:
    """Return the result for a file that was refused or that failed, with the error's message."""
    return Result(without_secrets(str(path)), outcome_of(error), message=without_secrets(str(error)))


def takes_directories(failed: Callable[[object, Exception], object] = failed_result) -> Callable[[F], F]:
    """Extend a function of one file to directories: it returns a list with one result for each file.

    Parameters
    ----------
    failed : callable
        Makes the result of a file from its path and its error. One such file does not stop the others.

    Returns
    -------
    callable
        The decorator. The decorated operation is applied to each file that `expand` finds in a local directory, or
        below the URI of a remote directory that ends in ``/``.

    Raises
    ------
    FileNotFoundError
        When the operation is called, if there is no Parquet file in the directory.
    ParquetextError
        When the operation is called, if one of its arguments is wrong.
    """

    def decorate(verb: F) -> F:
        @wraps(verb)
        def for_all(path: object, *arguments: object, **options: Any) -> object:
            if not _is_directory(path):
                return verb(path, *arguments, **options)
            results = [_result(verb, file, arguments, options, failed) for file in expand([path])]
            if not results:
                raise FileNotFoundError(f"{without_secrets(str(path))}: the directory has no Parquet files")
            return results

        return for_all  # type: ignore[return-value]

    return decorate


def _result(verb: Callable, file: Any, arguments: tuple, options: dict, failed: Callable) -> object:
    try:
        return verb(file, *arguments, **options)
    except OF_FILES as error:
        if isinstance(error, MemoryError) or getattr(error, "code", None) == wire.BAD_ARGUMENT:
            raise
        return failed(file, error)


def _is_directory(path: object) -> bool:
    """Return True for a local directory, or for a remote path that ends in a slash, which costs no request."""
    target = resolve(path)
    if target.is_local:
        return os.path.isdir(target.path)
    given = path[1] if isinstance(path, tuple) else path
    return isinstance(given, str) and given.endswith("/")
