"""Errors of reading that are also pyarrow's, so that an `except` for pyarrow catches them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

import pyarrow as pa

from .. import wire
from ..errors import (
    ColumnError,
    Damaged,
    LimitExceeded,
    Malformed,
    OutOfProportion,
    ParquetextError,
    Refused,
    RowIndexError,
    Unsupported,
)
from ..storage import SchemeError

NO_KEYS = (
    "no decryption properties: give decryption_properties to read_table, read_schema, read_metadata, ParquetFile or "
    "ParquetDataset"
)
Error = TypeVar("Error", bound=ParquetextError)


class ArrowMalformed(Malformed, pa.ArrowInvalid):
    """The bytes violate their format."""


class ArrowDamaged(Damaged, pa.ArrowInvalid):
    """The checks of a form failed, and there is no other form."""


class ArrowColumnError(ColumnError, pa.ArrowInvalid):
    """A column name matches no column, or more than one."""


class ArrowIndexError(pa.lib.ArrowIndexError, pa.ArrowInvalid):
    """The file has no such row group."""


class ArrowRowIndexError(RowIndexError, pa.lib.ArrowIndexError):
    """There is no row with this number; also the error that pyarrow raises for it."""


class ArrowSchemeError(SchemeError, pa.ArrowInvalid):
    """The scheme of a URI is unknown, its backend is not installed, or the URI is invalid for it."""


class ArrowUnsupported(Unsupported, pa.ArrowNotImplementedError):
    """The file is valid, but this version does not support it."""


class ArrowOutOfProportion(OutOfProportion, ArrowUnsupported):
    """A few bytes claim to contain very many values."""


class ArrowLimitExceeded(LimitExceeded, ArrowUnsupported):
    """A file exceeds a limit, which the caller may raise."""


class EncryptedFile(Refused, OSError):
    """There are no keys for an encrypted file; an OSError, as in pyarrow."""


_KINDS: dict[type[ParquetextError], type] = {
    Malformed: ArrowMalformed,
    Damaged: ArrowDamaged,
    ColumnError: ArrowColumnError,
    SchemeError: ArrowSchemeError,
    Unsupported: ArrowUnsupported,
    OutOfProportion: ArrowOutOfProportion,
    LimitExceeded: ArrowLimitExceeded,
}


def as_arrow_error(error: Error) -> Error:
    """Return the error as one of the classes above, if there is one for it.

    Parameters
    ----------
    error : ParquetextError
        Errors of other classes, including subclasses, are returned unchanged.
    """
    kind: type
    if error.code == wire.ENCRYPTED and type(error) is Refused:
        kind, message = EncryptedFile, f"encrypted metadata, and {NO_KEYS}"
    elif type(error) in _KINDS:
        kind, message = _KINDS[type(error)], error.message
    else:
        return error
    twin = kind(message)
    twin.__dict__.update(error.__dict__ | {"message": message})
    return twin.with_traceback(error.__traceback__)


@contextmanager
def arrow_errors(path: object = None) -> Iterator[None]:
    """Raise errors of this package as pyarrow's, with the name of the file if there is a path."""
    try:
        yield
    except ParquetextError as error:
        raise as_arrow_error(error if path is None else error.at(str(path))) from None
