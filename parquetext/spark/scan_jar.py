"""Find the jar of Spark's own scan: `python -m parquetext.spark.scan_jar` prints its path.

A package that was built without javac contains the sources of the jar. They are compiled when it is first needed.
"""

from __future__ import annotations

import io
import os
import pkgutil
import re
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from ..private import keep
from .jar_build import JAR, SOURCES, CannotBuild, build, checkout, installed

# Spark separates the paths of jars by commas, and `ADD JAR` escapes spaces and quotation marks twice.
_PLAIN = re.compile(r"[\w./\\:~+=@-]+")
_REMEDY = "install parquetext again"


class NoJar(RuntimeError):
    """The jar is missing or damaged, or cannot be compiled here."""


def jar() -> str:
    """Return the path of the jar for `spark-submit --jars`, with which Spark's own scans read slices of footers.

    The jar contains classes for each supported version of Spark and Scala.

    Returns
    -------
    str
        A file of this installation. If the package was imported from a zip, was built without javac, or is in a folder
        whose name Spark does not take, a file in a private directory.

    Raises
    ------
    NoJar
        If the package has only the sources and there is no JDK, if the jar is damaged, or if it cannot be read, or be
        written to a private directory.

    Examples
    --------
    >>> os.path.basename(parquetext.spark.jar())
    'parquetext-spark.jar'
    """
    try:
        if (content := _packaged(JAR)) is None:
            return str(_built(build) if checkout() else _compiled())
        if not zipfile.is_zipfile(io.BytesIO(content)):
            raise NoJar(f"the jar is damaged in this installation: {_REMEDY}")
        path = installed()
        return str(path if path and _PLAIN.fullmatch(str(path)) else keep({JAR: content}) / JAR)
    except CannotBuild as error:
        raise NoJar(f"the jar is not in this installation, and was not compiled: {error}") from None
    except OSError as error:
        raise NoJar(f"the jar cannot be read or written: {error}") from None


def _packaged(name: str) -> bytes | None:
    """Return a file of the folder `jars` of this package, also if the package is in a zip."""
    try:
        return pkgutil.get_data(__package__, f"jars/{name}")
    except PermissionError:
        raise
    except OSError:
        return None


def _compiled() -> Path:
    """Compile the jar from the packaged sources into a private directory, unless it is there already."""
    archive = _packaged(SOURCES)
    if archive is None:
        raise CannotBuild(f"this package has no sources of it, either: {_REMEDY}")
    folder = keep({SOURCES: archive})
    with tempfile.TemporaryDirectory() as sources:
        zipfile.ZipFile(io.BytesIO(archive)).extractall(sources)
        return _built(partial(build, folder, Path(sources)))


def _built(build: Callable[..., Path]) -> Path:
    """Build the jar with the first javac that can: the one of the JDK that Spark runs on may be too old."""
    reasons = []
    javacs: list[str | None] = [*_javacs()]
    for javac in javacs or [None]:
        try:
            return build(javac=javac)
        except CannotBuild as error:
            reasons.append(str(error))
    raise CannotBuild("; ".join(reasons))


def _javacs() -> list[str]:
    """Return javac of the JDK that Spark runs on, the one next to java, and the one on PATH."""
    home, java = os.environ.get("JAVA_HOME"), shutil.which("java")
    folders = [f"{home}/bin" if home else None, os.path.dirname(os.path.realpath(java)) if java else None]
    found = [*(shutil.which("javac", path=folder) for folder in folders if folder), shutil.which("javac")]
    by_file: dict[str, str] = {}
    for javac in filter(None, found):
        by_file.setdefault(os.path.realpath(javac), javac)
    return list(by_file.values())


if __name__ == "__main__":
    try:
        print(jar())
    except NoJar as error:
        sys.exit(f"parquetext: {error}")
