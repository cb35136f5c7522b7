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
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

EXTENSION = "dev.parquetext.spark.Extensions"  # the class for `spark.sql.extensions`

# By the versions of Spark that they serve.
JARS = {"4": "parquetext-spark_2.13.jar"}
SOURCES = "sources.zip"  # instead of the jars, if the package was built without javac

_JARS = Path(__file__).parent / "jars"
_CHECKOUT = Path(__file__).parents[2] / "jvm"
_FOLDERS = "src", "stubs"
_JAVA = "17"  # the oldest that Spark 4 runs on
_TIME = (1980, 1, 1, 0, 0, 0)  # of everything in a zip: the same files give the same bytes


class CannotBuild(RuntimeError):
    """There is no javac, or it reports errors."""


def installed(name: str) -> Path | None:
    """Return a jar of this installation, or None if the package was built without it, or is imported from a zip."""
    path = _JARS / name
    return path if path.is_file() else None


def checkout() -> bool:
    """Return True if this module is in a checkout, or in a source distribution, with the sources of the jars."""
    return (_CHECKOUT / "src" / "dev" / "parquetext").is_dir()


def build(name: str, folder: Path = _JARS, sources: Path = _CHECKOUT, javac: str | None = None) -> Path:
    """Build a jar with javac, unless it was built from these sources.

    Parameters
    ----------
    name : str
        One of `JARS`.
    folder : pathlib.Path
        The folder of the new file; the file is replaced atomically.
    sources : pathlib.Path
        The folder that contains ``src`` and ``stubs``.
    javac : str, optional
        The compiler; by default the one on PATH.

    Returns
    -------
    pathlib.Path
        The jar.

    Raises
    ------
    CannotBuild
        If there is no javac, or if it reports errors; the message is one line.
    """
    jar, manifest = folder / name, _manifest(sources)
    if _manifest_of(jar) != manifest:
        with tempfile.TemporaryDirectory() as classes:
            compile_classes(sources, Path(classes), javac=javac)
            files = [(path.relative_to(classes).as_posix(), path.read_bytes()) for path in _below(classes, "*.class")]
        _put(jar, zipped([("META-INF/MANIFEST.MF", manifest), *files]))
    return jar


def build_all() -> None:
    """Build all jars in a checkout. If javac is missing, or reports errors, package their sources, and raise the error.

    Raises
    ------
    CannotBuild
        If there is no javac, or if it reports errors.
    """
    archive = _JARS / SOURCES
    try:
        for name in JARS.values():
            build(name)
    except CannotBuild:
        for name in JARS.values():
            (_JARS / name).unlink(missing_ok=True)
        _put(archive, zipped(_source_files(_CHECKOUT)))
        raise
    archive.unlink(missing_ok=True)


def _below(folder: Path | str, pattern: str) -> list[Path]:
    return sorted(Path(folder).rglob(pattern))


def _source_files(sources: Path) -> Iterator[tuple[str, bytes]]:
    for folder in _FOLDERS:
        for path in _below(sources / folder, "*.java"):
            yield path.relative_to(sources).as_posix(), path.read_bytes()


def _manifest(sources: Path) -> bytes:
    digest = hashlib.sha256()
    for name, content in _source_files(sources):
        digest.update(f"{name} {len(content)}\n".encode() + content)
    return f"Manifest-Version: 1.0\r\nSources-Digest: {digest.hexdigest()[:48]}\r\n\r\n".encode()


def _manifest_of(jar: Path) -> bytes | None:
    try:
        with zipfile.ZipFile(jar) as archive:
            return archive.read("META-INF/MANIFEST.MF")
    except (FileNotFoundError, zipfile.BadZipFile, KeyError):
        return None


def compile_classes(sources: Path, classes: Path, libraries: str | None = None, javac: str | None = None) -> None:
    """Compile the classes of the jar against the stubs, or against real libraries.

    Parameters
    ----------
    sources : pathlib.Path
        The folder that contains ``src`` and ``stubs``.
    classes : pathlib.Path
        The folder for the classes.
    libraries : str, optional
        A class path that replaces the stubs: a test compiles against each Spark, and expects the same classes.
    javac : str, optional
        The compiler; by default the one on PATH.

    Raises
    ------
    CannotBuild
        If there is no javac, or if it reports errors; the message is one line.
    """
    javac = javac or shutil.which("javac")
    if javac is None:
        raise CannotBuild(f"there is no javac: install a JDK, {_JAVA} or later")
    quickly = "-J-XX:TieredStopAtLevel=1"  # javac lives for seconds: this halves them
    options = [quickly, "--release", _JAVA, "-encoding", "UTF-8", "-proc:none", "-nowarn", "-Xlint:none"]
    options.append("-implicit:none")
    stubs = sources / "stubs"
    paths: list[Any] = ["-classpath", libraries] if libraries else ["-classpath", stubs, "-sourcepath", stubs]
    command = [javac, *options, *paths, "-d", classes, *_below(sources / "src", "*.java")]
    compiled = subprocess.run(command, capture_output=True, text=True)
    if compiled.returncode:
        lines = [line for line in compiled.stderr.splitlines() if "error:" in line] or compiled.stderr.splitlines()
        raise CannotBuild(f"{javac} fails: {lines[0].strip() if lines else compiled.returncode}")


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
        build_all()
    except CannotBuild as error:
        sys.exit(f"parquetext: the jars were not built: {error}")
    for each in JARS.values():
        print(_JARS / each)
