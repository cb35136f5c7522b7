"""Find the jar of Spark's own scan that serves a version of Spark: `python -m parquetext.spark.scan_jar [VERSION]`.

A package that was built without javac contains the sources of the jars. They are compiled when a jar is first needed.
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
from importlib import util
from pathlib import Path

from ..private import keep
from .jar_build import JARS, SOURCES, CannotBuild, build, checkout, installed

# Spark separates the paths of jars by commas, and `ADD JAR` escapes spaces and quotation marks twice.
_PLAIN = re.compile(r"[\w./\\:~+=@-]+")
_REMEDY = "install parquetext again"


class NoJar(RuntimeError):
    """No jar serves this Spark, or it cannot be compiled here."""


def jar(version: str | None = None) -> str:
    """Return the path of the jar for `spark-submit --jars`, with which Spark's own scans read slices of footers.

    Parameters
    ----------
    version : str, optional
        The version of Spark, such as ``"3.5.9"``. By default that of ``SPARK_HOME`` or of the installed pyspark.

    Returns
    -------
    str
        A file of this installation. If the package was imported from a zip, was built without javac, or is in a folder
        whose name Spark does not take, a file in a private directory.

    Raises
    ------
    NoJar
        If there is no jar for this version, if the package has only its sources and there is no JDK, if the jar is
        damaged, or if it cannot be read, or be written to a private directory.

    Examples
    --------
    >>> os.path.basename(parquetext.spark.jar("4.3.0"))
    'parquetext-spark_2.13.jar'
    """
    version = version or _installed_version()
    if version is None:
        raise NoJar("no Spark is installed here: state its version, such as 4.0.0")
    return str(find_jar(version))


def find_jar(version: str) -> Path:
    """Return the jar for a version of Spark, or raise `NoJar` with the reason in one line."""
    names = [name for served, name in JARS.items() if f"{version}.".startswith(f"{served}.")]
    if not names:
        raise NoJar(f"the jars of parquetext serve Spark {' and '.join(JARS)}, not Spark {version}")
    (name,) = names
    try:
        if (content := _packaged(name)) is not None:
            if not zipfile.is_zipfile(io.BytesIO(content)):
                raise NoJar(f"the jar for Spark {version} is damaged in this installation: {_REMEDY}")
            path = installed(name)
            return path if path and _PLAIN.fullmatch(str(path)) else keep({name: content}) / name
        return _built(partial(build, name)) if checkout() else _compiled(name)
    except CannotBuild as error:
        raise NoJar(f"the jar for Spark {version} is not in this installation, and was not compiled: {error}") from None
    except OSError as error:
        raise NoJar(f"the jar for Spark {version} cannot be read or written: {error}") from None


def _installed_version() -> str | None:
    """Return the version of the Spark that a new session would start, or None if there is none."""
    home = os.environ.get("SPARK_HOME")
    if home is None:
        found = util.find_spec("pyspark")
        home = found.submodule_search_locations[0] if found and found.submodule_search_locations else None
    for path in Path(home, "jars").glob("spark-core_*.jar") if home else ():
        if version := re.search(r"-(\d+\.\d.*)\.jar$", path.name):
            return version[1]
    return None


def _packaged(name: str) -> bytes | None:
    """Return a file of the folder `jars` of this package, also if the package is in a zip."""
    try:
        return pkgutil.get_data(__package__, f"jars/{name}")
    except PermissionError:
        raise
    except OSError:
        return None


def _compiled(name: str) -> Path:
    """Compile a jar from the packaged sources into a private directory, unless it is there already."""
    archive = _packaged(SOURCES)
    if archive is None:
        raise CannotBuild(f"this package has no sources of it, either: {_REMEDY}")
    folder = keep({SOURCES: archive})
    with tempfile.TemporaryDirectory() as sources:
        zipfile.ZipFile(io.BytesIO(archive)).extractall(sources)
        return _built(partial(build, name, folder, Path(sources)))


def _built(build: Callable[..., Path]) -> Path:
    """Build a jar with the first javac that can: the one of the JDK that Spark runs on may be too old."""
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
        print(jar(*sys.argv[1:2]))
    except NoJar as error:
        sys.exit(f"parquetext: {error}")
