"""The exceptions of parquetext."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec, Self, TypeVar

from . import wire
from .masking import without_secrets

__all__ = [
    "ParquetextError",
    "Malformed",
    "Damaged",
    "Unsupported",
    "LimitExceeded",
    "OutOfMemory",
    "Refused",
    "Conflict",
    "ColumnError",
    "RowIndexError",
    "kind_of",
    "masking",
    "name_file",
    "names_memory",
    "naming_memory",
    "out_of_memory",
    "outcome_of",
    "retold",
    "wire_error",
]

P = ParamSpec("P")
R = TypeVar("R")
# Refusals (names of ignorable checks) that depend on the file, not on this machine or its caller.
_OF_THE_FILE = frozenset({"table-format", "summary", "free-form", "size", "hard-links", "foreign-sidecar"})
_CODES_OF_THE_FILE = frozenset({wire.ENCRYPTED, wire.NO_THRIFT})  # the same for refusals that cannot be ignored


def name_file(error: OSError, path: object) -> OSError:
    """Name the file in an error of the system that names none; other messages stay as they are.

    Parameters
    ----------
    error : OSError
        Changed if it names no file.
    path : path

    Returns
    -------
    OSError
        The same.

    Examples
    --------
    >>> from parquetext import errors
    >>> print(errors.name_file(OSError(2, "No such file"), "a.parquet"))
    [Errno 2] No such file: 'a.parquet'
    """
    if error.errno is not None and error.filename is None:
        error.filename = without_secrets(str(path))
    return error


class ParquetextError(ValueError):
    """The base of all errors of this package.

    Attributes
    ----------
    file : str or None
        The file that the bytes belong to, as far as it is known.
    offset : int or None
        Offset in bytes: from the file's start if `file` is set, else from the start of the given bytes.
    expected, found : int or None
        The expected and the found value.
    """

    page: int  # set by kernels that read several pages: the page's number
    part: str  # and the part of the page

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        offset: int | None = None,
        expected: int | None = None,
        found: int | None = None,
        code: int | None = None,
    ):
        message = without_secrets(message)
        super().__init__(message)
        self.message, self.file, self.offset = message, file and without_secrets(file), offset
        self.expected, self.found, self.code = expected, found, code

    def __str__(self) -> str:
        where = "" if self.offset is None else f" (at offset {self.offset})"
        return f"{self.file}: {self.message}{where}" if self.file else f"{self.message}{where}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.message, self.__dict__)

    def at(self, file: str | None, base: int = 0) -> Self:
        """Return the same error with the file named and its offset counted from the file's start."""
        self.file = file and without_secrets(file)
        if self.offset is not None:
            self.offset += base
        return self


class Malformed(ParquetextError):
    """The bytes violate their format."""


class Damaged(ParquetextError):
    """A form's own checks failed: another form of the same footer may still be good."""


class Unsupported(ParquetextError):
    """Valid, but nothing that this version can handle."""


class OutOfProportion(Unsupported):
    """Few bytes claim very many values, which this decoder does not read; they may be valid."""


class LimitExceeded(Unsupported, OSError):
    """A file's footer exceeds a limit of the caller; an OSError, as in pyarrow."""


class OutOfMemory(ParquetextError, MemoryError):
    """There is not enough memory for an operation; it says nothing about the file's bytes."""


def out_of_memory(error: MemoryError, path: object) -> OutOfMemory:
    """Return the error of a file for one of Python, of Arrow or of the kernels.

    Parameters
    ----------
    error : MemoryError
    path : path

    Returns
    -------
    OutOfMemory
        The same error if it is one.

    Examples
    --------
    >>> from parquetext import errors
    >>> errors.out_of_memory(MemoryError("malloc of size 9 failed"), "a.parquet").message
    'out of memory: malloc of size 9 failed'
    """
    if isinstance(error, OutOfMemory):
        return error
    message = str(error).removeprefix("out of memory: ")
    return OutOfMemory(f"out of memory: {message}" if message else "out of memory", file=str(path))


@contextmanager
def masking() -> Iterator[None]:
    """Take the secrets of URLs out of the errors of other libraries.

    Returns
    -------
    context manager

    Raises
    ------
    Exception
        In place of an error whose message has secrets, one of the same class that has not, as `retold` makes it.

    Examples
    --------
    >>> from parquetext import errors
    >>> with errors.masking():
    ...     raise ValueError("cannot open https://host/x?sig=abc")
    Traceback (most recent call last):
    ValueError: cannot open https://host/x?sig=…
    """
    try:
        yield
    except Exception as error:
        message = without_secrets(str(error))
        if message == str(error):
            raise
        raise retold(error, message) from None


@contextmanager
def naming_memory(path: object) -> Iterator[None]:
    """Name the file in an error of memory that ran out.

    Parameters
    ----------
    path : path

    Returns
    -------
    context manager

    Raises
    ------
    OutOfMemory
        In place of a MemoryError of Python, of Arrow or of the kernels.

    Examples
    --------
    >>> from parquetext import errors
    >>> with errors.naming_memory("a.parquet"):
    ...     raise MemoryError("malloc of size 9 failed")
    Traceback (most recent call last):
    parquetext.errors.OutOfMemory: a.parquet: out of memory: malloc of size 9 failed
    """
    try:
        yield
    except MemoryError as error:
        raise out_of_memory(error, path) from None


def names_memory(function: Callable[P, R]) -> Callable[P, R]:
    """Wrap a function of a file: if memory runs out, raise OutOfMemory with the file's name.

    Parameters
    ----------
    function : callable
        Its first argument is the file.

    Returns
    -------
    callable

    Raises
    ------
    OutOfMemory
        When it is called, in place of a MemoryError.

    Examples
    --------
    >>> from parquetext import errors
    >>> @errors.names_memory
    ... def read(path):
    ...     raise MemoryError
    >>> read("a.parquet")
    Traceback (most recent call last):
    parquetext.errors.OutOfMemory: a.parquet: out of memory
    """

    @wraps(function)
    def named(*arguments: P.args, **options: P.kwargs) -> R:
        with naming_memory(arguments[0] if arguments else options.get("path")):
            return function(*arguments, **options)

    return named


class Refused(ParquetextError):
    """A change that would break the file, or something that relies on it.

    Attributes
    ----------
    ignore : str or None
        The name of the check, if a caller may ignore it.
    """

    ignore: str | None = None


class Conflict(ParquetextError):
    """Another process changes the file, or has changed it meanwhile."""


class ColumnError(ParquetextError, KeyError):
    """A name matches no column, or more than one.

    Attributes
    ----------
    absent : str, tuple of str or None
        The name that matches no column.
    """

    def __init__(self, message: str, *, absent: str | tuple[str, ...] | None = None, **where: Any) -> None:
        super().__init__(message, **where)
        self.absent = absent

    def suggest(self, names: list[str]) -> None:
        """Add names to the message that may have been meant."""
        absent = self.absent if isinstance(self.absent, str | None) else ".".join(self.absent)
        names = [name for name in names if name != absent]  # the name of something else, such as a leaf
        if names:
            self.message += f"; the nearest: {', '.join(map(repr, names))}"


class RowIndexError(ParquetextError, IndexError):
    """There is no row with this number.

    Attributes
    ----------
    found : int
        The number.
    expected : int
        The number of rows.
    """


def kind_of(error: Exception) -> str:
    """Return the name of an error's class for output; if the class is also pyarrow's, the name of our class.

    Parameters
    ----------
    error : Exception
        Of this package, or any other.

    Returns
    -------
    str
        Such as ``"Malformed"``.

    Examples
    --------
    >>> from parquetext import errors
    >>> errors.kind_of(errors.Conflict("another process is changing it"))
    'Conflict'
    """
    kinds = type(error).__mro__ if isinstance(error, ParquetextError) else ()
    return next((kind for kind in kinds if kind.__module__ == __name__), type(error)).__name__


def outcome_of(error: Exception) -> str:
    """Return the outcome for a file among many: ``"refused"`` if it is intact but must not change, else ``"failed"``.

    Parameters
    ----------
    error : Exception

    Returns
    -------
    str
        ``"refused"`` or ``"failed"``.

    Examples
    --------
    >>> from parquetext import errors
    >>> errors.outcome_of(errors.Conflict("another process is changing it"))
    'failed'
    """
    of_the_file = isinstance(error, Refused) and (error.code in _CODES_OF_THE_FILE or error.ignore in _OF_THE_FILE)
    return "refused" if of_the_file else "failed"


def retold(error: Exception, message: str) -> Exception:
    """Return an error of the same class with another message; an OSError if the class needs other arguments.

    Parameters
    ----------
    error : Exception
    message : str

    Returns
    -------
    Exception

    Examples
    --------
    >>> from parquetext import errors
    >>> errors.retold(errors.Conflict("long"), "short")
    Conflict('short')
    """
    try:
        return type(error)(message)
    except TypeError:
        return OSError(message)


_CLASSES = {kind.__name__: kind for kind in (ParquetextError, Malformed, Damaged, Unsupported, Refused)}


def _rebuild(kind: type[ParquetextError], message: str, state: dict[str, Any]) -> ParquetextError:
    error = kind(message)
    error.__dict__.update(state)
    return error


def wire_error(code: int, offset: int = 0, expected: int = 0, found: int = 0, *, file: str | None = None) -> Exception:
    """Return the exception for a status of the C library; the pure kernels raise the same ones.

    Parameters
    ----------
    code : int
        One of `wire`'s.
    offset : int
        Offset in bytes.
    expected, found : int
    file : str, optional
        The file that contains the bytes.

    Returns
    -------
    Exception

    Examples
    --------
    >>> from parquetext import errors, wire
    >>> type(errors.wire_error(wire.HAS_EXTENSION, 7)).__name__
    'Refused'
    """
    kind, message = wire.ERRORS[code]
    text = message.format(expected=expected, found=found)
    if kind == "MemoryError":
        return MemoryError(text)
    if kind == "OSError":
        return OSError(found, text)
    return _CLASSES[kind](text, file=file, offset=offset, expected=expected, found=found, code=code)
