"""Errors that say which file of a dataset they are about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from ...errors import ParquetextError, naming_memory, retold
from ...footer.arrow_errors import as_arrow_error
from ...masking import without_secrets

__all__ = ["naming"]


@contextmanager
def naming(target) -> Iterator[None]:
    """See to it that an error says which file it is about."""
    try:
        with naming_memory(target):
            yield
    except ParquetextError as error:
        if error.file is None:
            error.file = str(target)
        raise as_arrow_error(error) from None
    except (pa.ArrowException, OSError) as error:
        told = without_secrets(str(error))
        if told != str(error):
            raise retold(error, f"{target}: {told}") from None
        if str(target) in told:
            raise
        raise retold(error, f"{target}: {told}") from error
