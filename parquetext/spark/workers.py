"""The Python of a session's workers: set it for local ones, and refuse one without pyarrow."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ..errors import Unsupported

if TYPE_CHECKING:
    from pyspark import SparkContext

_VARIABLE, _SETTING = "PYSPARK_PYTHON", "spark.pyspark.python"
_OTHER_VERSION = re.compile(r"\[PYTHON_VERSION_MISMATCH\] ([^\n]*)")
_NOT_RUN = re.compile(r"Cannot run program ([^\n]*)")
_checked: set[tuple[str, str]] = set()


def check_workers(context: SparkContext) -> None:
    """Let local workers run this Python if none was chosen, and check others by a task, once per application.

    Raises
    ------
    Unsupported
        If the workers' Python does not start, has another version, or has no pyarrow.
    """
    is_local = str(context.master).startswith("local")
    if is_local and _VARIABLE not in os.environ and not context.getConf().contains(_SETTING):
        os.environ[_VARIABLE] = context.pythonExec = sys.executable
    asked = (context.applicationId, context.pythonExec)
    if (is_local and context.pythonExec == sys.executable) or asked in _checked:
        return
    if problem := _problem(context):
        raise Unsupported(
            f"the workers' Python, {context.pythonExec}, {problem}: before the session starts, set {_VARIABLE} to a "
            f"Python {'.'.join(platform.python_version_tuple()[:2])} with pyarrow"
            + (f", such as {sys.executable}" if is_local else "")
        )
    _checked.add(asked)


def _problem(context: SparkContext) -> str:
    """Return the reason why the workers' Python cannot run tasks of ours; empty if it can."""
    from py4j.protocol import Py4JJavaError

    def missing(_: Iterable) -> Iterator[str]:
        import importlib.util

        yield "" if importlib.util.find_spec("pyarrow") else "has no pyarrow"

    try:
        return context.parallelize([0], 1).mapPartitions(missing).first()
    except Py4JJavaError as error:
        if found := _OTHER_VERSION.search(str(error)):
            return f"has another version ({found[1].split(', PySpark')[0]})"
        if found := _NOT_RUN.search(str(error)):
            return f"does not start ({found[1]})"
        raise
