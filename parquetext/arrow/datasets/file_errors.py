"""Add the name of the file to errors about a file of a dataset."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from ...errors import ParquetextError, naming_memory, retold
from ...footer.arrow_errors import as_arrow_error
from ...masking import without_secrets


@contextmanager
def naming(target) -> Iterator[None]:
    """Make sure that errors name their file."""
    try:
        with naming_memory(target):
            yield
    except ParquetextError as error:
        if error.file is None:
            error.file = str(target)
        raise as_arrow_error(error) from None
    except (pa.ArrowException, OSError) as error:
        message = without_secrets(str(error))
        if message != str(error):
            raise retold(error, f"{target}: {message}") from None
        if str(target) in message:
            raise
        raise retold(error, f"{target}: {message}") from error
