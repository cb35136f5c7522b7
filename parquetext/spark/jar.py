"""Locate the jar with which Spark's scans read slices of footers, and build it from `jvm/src`.

`python -m parquetext.spark.jar` prints its path, and builds it first in a checkout. This module imports no other one,
because the package's build runs it.
"""

from __future__ import annotations

import hashlib
import importlib.util
import io
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

EXTENSION = "dev.parquetext.spark.Extensions"  # the class for `spark.sql.extensions`

JAR = "parquetext-spark_2.13.jar"

_JAR = Path(__file__).parent / "jars" / JAR
_SOURCES = Path(__file__).parents[2] / "jvm" / "src"
_JAVA = "17"  # the oldest that Spark 4 runs on
_SCALA_LIBRARY = "scala-library-2.13.*.jar"
_TIME = (1980, 1, 1, 0, 0, 0)  # of everything in a zip: the same files give the same bytes


class CannotBuild(RuntimeError):
    """There is no javac, or no Spark to compile against."""


def installed() -> Path | None:
    """Return the jar of this installation, or None if the package was built without it, or is imported from a zip."""
    return _JAR if _JAR.is_file() else None


def build(jar: Path = _JAR, sources: Path = _SOURCES) -> Path:
    """Build the jar with javac against the jars of Spark 4, unless it was built from these sources.

    An installed package has no sources: its jar was built when the package was built.

    Parameters
    ----------
    jar : pathlib.Path
        The new file; it is replaced atomically.
    sources : pathlib.Path
        The folder that contains ``dev/parquetext``.

    Returns
    -------
    pathlib.Path
        `jar`.

    Raises
    ------
    CannotBuild
        If javac is not on PATH, if no Spark 4 is found through SPARK_HOME, an installed pyspark or PATH, if javac
        reports errors, or if there are neither sources nor a jar.
    """
    if not sources.is_dir():
        if jar.is_file():
            return jar
        raise CannotBuild("this installation has none; run jvm/build.sh in a checkout, and install from there")
    manifest = _manifest(sources)
    if _manifest_of(jar) != manifest:
        with tempfile.TemporaryDirectory() as folder:
            _compile(sources, Path(folder))
            classes = sorted(Path(folder).rglob("*.class"))
            files = [(path.relative_to(folder).as_posix(), path.read_bytes()) for path in classes]
            _put(jar, zipped([("META-INF/MANIFEST.MF", manifest), *files]))
    return jar


def _java_files(sources: Path) -> list[Path]:
    return sorted(sources.rglob("*.java"), key=lambda path: path.parts)  # Windows sorts paths without their case


def _manifest(sources: Path) -> bytes:
    digest = hashlib.sha256()
    for path in _java_files(sources):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(sources).as_posix()} {len(content)}\n".encode() + content)
    return f"Manifest-Version: 1.0\r\nSources-Digest: {digest.hexdigest()[:48]}\r\n\r\n".encode()


def _manifest_of(jar: Path) -> bytes | None:
    try:
        with zipfile.ZipFile(jar) as archive:
            return archive.read("META-INF/MANIFEST.MF")
    except (FileNotFoundError, zipfile.BadZipFile, KeyError):
        return None


def _compile(sources: Path, classes: Path) -> None:
    javac = shutil.which("javac")
    if javac is None:
        raise CannotBuild("there is no javac on PATH: install a JDK")
    options = ["--release", _JAVA, "-proc:none", "-nowarn", "-Xlint:none", "-classpath", f"{_spark_jars()}/*"]
    command: list[Any] = [javac, *options, "-d", classes, *_java_files(sources)]
    compiled = subprocess.run(command, capture_output=True, text=True)
    if compiled.returncode:
        raise CannotBuild(f"javac: {compiled.stderr.strip()}")


def _spark_jars() -> Path:
    """Return the folder with the jars of Spark 4."""
    homes = [Path(os.environ["SPARK_HOME"])] if os.environ.get("SPARK_HOME") else []
    if (spec := importlib.util.find_spec("pyspark")) and spec.submodule_search_locations:
        homes += map(Path, spec.submodule_search_locations)
    # pip hides installed packages from a build, but not their folder; `python -m build` hides the folder, too.
    homes.append(Path(sysconfig.get_path("purelib"), "pyspark"))
    if script := shutil.which("spark-submit"):
        home = Path(script).resolve().parents[1]
        homes += [home, *home.glob("lib/python3*/site-packages/pyspark")]
    for home in homes:
        if list((home / "jars").glob(_SCALA_LIBRARY)):
            return home / "jars"
    raise CannotBuild("no Spark 4 to compile against: install pyspark, set SPARK_HOME, or put spark-submit on PATH")


def zipped(files: Iterable[tuple[str, bytes]], level: int | None = None) -> bytes:
    """Return a zip of files, given by their names and contents; the same files give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files:
            archive.writestr(zipfile.ZipInfo(name, _TIME), content, zipfile.ZIP_DEFLATED, compresslevel=level)
    return buffer.getvalue()


def _put(jar: Path, content: bytes) -> None:
    jar.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=jar.parent, prefix=f".{jar.name}.", delete=False) as file:
        file.write(content)
    os.chmod(file.name, 0o644)
    os.replace(file.name, jar)


if __name__ == "__main__":
    try:
        print(build())
    except CannotBuild as error:
        sys.exit(f"parquetext: the jar was not built: {error}")
