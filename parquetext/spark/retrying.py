"""Retry transient errors: a file that another process is changing, or a failed request to a store."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import TypeVar

from ..errors import Conflict, masking

T = TypeVar("T")
TRIES = 4
PAUSE_SECONDS = 0.5  # before the second try; doubled each time
_LASTING = (FileNotFoundError, PermissionError, NotADirectoryError, IsADirectoryError)
_LASTING_AWS = re.compile(r"AWS Error (ACCESS_DENIED|NO_SUCH_BUCKET|INVALID_ACCESS_KEY_ID|SIGNATURE_DOES_NOT_MATCH)")


def retrying(action: Callable[[], T], *, remote: bool) -> T:
    """Call `action`; retry if another process is changing the file, or, if `remote`, a request failed."""
    for number in range(1, TRIES + 1):
        try:
            with masking():  # Spark's logs contain the messages
                return action()
        except (Conflict, OSError) as error:
            if number == TRIES or not (isinstance(error, Conflict) or (remote and _may_pass(error))):
                raise
        time.sleep(PAUSE_SECONDS * 2 ** (number - 1))
    raise AssertionError("unreachable")


def _may_pass(error: OSError) -> bool:
    return not isinstance(error, _LASTING) and not _LASTING_AWS.search(str(error))
