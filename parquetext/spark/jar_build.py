"""Build the jar with which Spark's scans read slices of footers, with javac alone.

`jvm/stubs` has the signatures of Spark, Hadoop, parquet-java and Scala that `jvm/src` uses, so no Spark is needed. This
module imports no other one of the package, because the package's build runs it.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

EXTENSION = "dev.parquetext.spark.Extensions"  # the class for `spark.sql.extensions`

JAR = "parquetext-spark_2.13.jar"

_JAR = Path(__file__).parent / "jars" / JAR
_SOURCES = Path(__file__).parents[2] / "jvm"
_JAVA = "17"  # the oldest that Spark 4 runs on
_TIME = (1980, 1, 1, 0, 0, 0)  # of everything in a zip: the same files give the same bytes


class CannotBuild(RuntimeError):
    """There is no javac, or it reports errors."""


def installed() -> Path | None:
    """Return the jar of this installation, or None if the package was built without it, or is imported from a zip."""
    return _JAR if _JAR.is_file() else None


def build(jar: Path = _JAR, sources: Path = _SOURCES) -> Path:
    """Build the jar with javac, unless it was built from these sources.

    An installed package has no sources: its jar was built when the package was built.

    Parameters
    ----------
    jar : pathlib.Path
        The new file; it is replaced atomically.
    sources : pathlib.Path
        The folder that contains ``src`` and ``stubs``.

    Returns
    -------
    pathlib.Path
        `jar`.

    Raises
    ------
    CannotBuild
        If javac is not on PATH, if javac reports errors, or if there are neither sources nor a jar.
    """
    if not (sources / "src" / "dev" / "parquetext").is_dir():
        if jar.is_file():
            return jar
        raise CannotBuild("this installation has none; run jvm/build.sh in a checkout, and install from there")
    manifest = _manifest(sources)
    if _manifest_of(jar) != manifest:
        with tempfile.TemporaryDirectory() as folder:
            compile_classes(sources, Path(folder))
            classes = sorted(Path(folder).rglob("*.class"))
            files = [(path.relative_to(folder).as_posix(), path.read_bytes()) for path in classes]
            _put(jar, zipped([("META-INF/MANIFEST.MF", manifest), *files]))
    return jar


def _java_files(sources: Path) -> list[Path]:
    return sorted(sources.rglob("*.java"))


def _manifest(sources: Path) -> bytes:
    digest = hashlib.sha256()
    for path in (*_java_files(sources / "src"), *_java_files(sources / "stubs")):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(sources).as_posix()} {len(content)}\n".encode() + content)
    return f"Manifest-Version: 1.0\r\nSources-Digest: {digest.hexdigest()[:48]}\r\n\r\n".encode()


def _manifest_of(jar: Path) -> bytes | None:
    try:
        with zipfile.ZipFile(jar) as archive:
            return archive.read("META-INF/MANIFEST.MF")
    except (FileNotFoundError, zipfile.BadZipFile, KeyError):
        return None


def compile_classes(sources: Path, classes: Path, libraries: str | None = None) -> None:
    """Compile the classes of the jar against the stubs, or against real libraries.

    Parameters
    ----------
    sources : pathlib.Path
        The folder that contains ``src`` and ``stubs``.
    classes : pathlib.Path
        The folder for the classes.
    libraries : str, optional
        A class path that replaces the stubs: a test compiles against each Spark, and expects the same classes.

    Raises
    ------
    CannotBuild
        If javac is not on PATH, or reports errors.
    """
    javac = shutil.which("javac")
    if javac is None:
        raise CannotBuild("there is no javac on PATH: install a JDK")
    options = ["--release", _JAVA, "-encoding", "UTF-8", "-proc:none", "-nowarn", "-Xlint:none", "-implicit:none"]
    stubs = sources / "stubs"
    paths: list[Any] = ["-classpath", libraries] if libraries else ["-classpath", stubs, "-sourcepath", stubs]
    command = [javac, *options, *paths, "-d", classes, *_java_files(sources / "src")]
    compiled = subprocess.run(command, capture_output=True, text=True)
    if compiled.returncode:
        raise CannotBuild(f"javac: {compiled.stderr.strip()}")


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
