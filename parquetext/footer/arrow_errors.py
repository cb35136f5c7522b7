"""Errors of reading that an `except` written for pyarrow catches; errors.py does not import pyarrow."""

from __future__ import annotations

from typing import TypeVar

import pyarrow as pa

from .. import wire
from ..encoding.pages import OutOfProportion
from ..errors import ColumnError, Damaged, LimitExceeded, Malformed, ParquetextError, Refused, Unsupported
from ..storage import SchemeError

__all__ = [
    "NO_KEYS",
    "ArrowColumnError",
    "ArrowDamaged",
    "ArrowIndexError",
    "ArrowLimitExceeded",
    "ArrowMalformed",
    "ArrowOutOfProportion",
    "ArrowSchemeError",
    "ArrowUnsupported",
    "EncryptedFile",
    "as_arrow_error",
]

NO_KEYS = (
    "no decryption properties: give decryption_properties to read_table, read_schema, read_metadata, ParquetFile or "
    "ParquetDataset"
)
Error = TypeVar("Error", bound=ParquetextError)


class ArrowMalformed(Malformed, pa.ArrowInvalid):
    """The bytes are not what their format allows."""


class ArrowDamaged(Damaged, pa.ArrowInvalid):
    """A form's own checks failed, and there is no other form."""


class ArrowColumnError(ColumnError, pa.ArrowInvalid):
    """A column name that names nothing, or more than one thing."""

    __str__ = ParquetextError.__str__


class ArrowIndexError(pa.lib.ArrowIndexError, pa.ArrowInvalid):
    """A row group that the file does not have."""


class ArrowSchemeError(SchemeError, pa.ArrowInvalid):
    """Nobody knows the scheme of a URI, what it takes is not installed, or the rest of the URI does not fit it."""


class ArrowUnsupported(Unsupported, pa.ArrowNotImplementedError):
    """Valid, but nothing that this version can handle."""


class ArrowOutOfProportion(OutOfProportion, ArrowUnsupported):
    """A few bytes that say to hold very much are not read so."""


class ArrowLimitExceeded(LimitExceeded, ArrowUnsupported):
    """A file goes beyond a limit, of which the caller may give a larger one."""

    __str__ = ParquetextError.__str__
    __reduce__ = ParquetextError.__reduce__


class EncryptedFile(Refused, OSError):
    """An encrypted file without keys; an OSError, as it is with pyarrow."""

    __str__ = ParquetextError.__str__
    __reduce__ = ParquetextError.__reduce__


_KINDS: dict[type, type] = {
    Malformed: ArrowMalformed,
    Damaged: ArrowDamaged,
    ColumnError: ArrowColumnError,
    SchemeError: ArrowSchemeError,
    Unsupported: ArrowUnsupported,
    OutOfProportion: ArrowOutOfProportion,
    LimitExceeded: ArrowLimitExceeded,
}


def as_arrow_error(error: Error) -> Error:
    """The same error as one that is also pyarrow's, where there is such a class.

    Parameters
    ----------
    error : ParquetextError
        A subclass of a class that has a twin here stays as it is.
    """
    if error.code == wire.ENCRYPTED and type(error) is Refused:
        kind, message = EncryptedFile, f"encrypted metadata, and {NO_KEYS}"
    elif type(error) in _KINDS:
        kind, message = _KINDS[type(error)], error.message
    else:
        return error
    twin = kind(message)
    twin.__dict__.update(error.__dict__ | {"message": message})
    return twin.with_traceback(error.__traceback__)
