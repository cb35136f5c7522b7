"""Build the jar with which Spark's scans read slices of footers, with javac alone.

`jvm/stubs` has the signatures of Spark, Hadoop, parquet-java and Scala that the sources use, so no Spark is needed.
This module imports no other one of the package, because the package's build runs it.
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
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

EXTENSION = "dev.parquetext.spark.Extensions"  # the class for `spark.sql.extensions`

JAR = "parquetext-spark.jar"
SOURCES = "sources.zip"  # instead of the jar, if the package was built without javac

_JARS = Path(__file__).parent / "jars"
_CHECKOUT = Path(__file__).parents[2] / "jvm"
_FOLDERS = "src", "spark3", "spark4", "stubs", "stubs_2.12"
_JAVA = "8"  # clusters with Spark 3.5 may run on it
_REMEDY = "install a JDK, 17 or later"
_TIME = (1980, 1, 1, 0, 0, 0)  # of everything in a zip: the same files give the same bytes


class ClassSet(NamedTuple):
    """The classes for one version of Spark and Scala: folders of sources and stubs, and replacements in their text."""

    sources: tuple[str, ...]
    stubs: tuple[str, ...]
    replaced: tuple[tuple[str, str], ...] = ()


def _package(scala: str) -> tuple[str, str]:
    return "dev.parquetext.spark.scan", f"dev.parquetext.spark.scan_{scala}"


# Before Scala 2.13, `Seq` without a package was not the immutable one.
_SEQ = "import scala.collection.immutable.Seq;", "import scala.collection.Seq;"
# By the versions of Spark and Scala. `Extensions` finds the set of the running versions by the package's name.
SETS = {
    ("4", "2.13"): ClassSet(("src", "spark4"), ("stubs",)),
    ("3.5", "2.12"): ClassSet(("src", "spark3"), ("stubs", "stubs_2.12"), (_package("2_12"), _SEQ)),
    ("3.5", "2.13"): ClassSet(("src", "spark3"), ("stubs",), (_package("2_13"),)),
}


class CannotBuild(RuntimeError):
    """There is no javac, it cannot be run, or it reports errors."""


def installed() -> Path | None:
    """Return the jar of this installation, or None if the package was built without it, or is imported from a zip."""
    path = _JARS / JAR
    return path if path.is_file() else None


def checkout() -> bool:
    """Return True if this module is in a checkout, or in a source distribution, with the sources of the jar."""
    return (_CHECKOUT / "src" / "dev" / "parquetext").is_dir()


def build(folder: Path = _JARS, sources: Path = _CHECKOUT, javac: str | None = None) -> Path:
    """Build the jar with javac, unless it was built from these sources.

    Parameters
    ----------
    folder : pathlib.Path
        The folder of the new file; the file is replaced atomically.
    sources : pathlib.Path
        The folder with the sources and stubs.
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
    jar, manifest = folder / JAR, _manifest(sources)
    if _manifest_of(jar) != manifest:
        classes: dict[str, bytes] = {}
        for each in SETS.values():
            classes |= compiled(each, sources, javac=javac, known=classes)
        _put(jar, zipped([("META-INF/MANIFEST.MF", manifest), *sorted(classes.items())]))
    return jar


def build_or_package() -> None:
    """Build the jar in a checkout. If javac is missing, or reports errors, package the sources, and raise the error.

    Raises
    ------
    CannotBuild
        If there is no javac, or if it reports errors.
    """
    archive = _JARS / SOURCES
    try:
        build()
    except CannotBuild:
        (_JARS / JAR).unlink(missing_ok=True)
        _put(archive, zipped(_source_files(_CHECKOUT)))
        raise
    archive.unlink(missing_ok=True)


def _below(folder: Path, pattern: str) -> list[Path]:
    return sorted(Path(folder).rglob(pattern), key=lambda path: path.parts)  # Windows sorts paths without their case


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
    except (OSError, zipfile.BadZipFile, KeyError):
        return None


def compiled(
    classes: ClassSet,
    sources: Path = _CHECKOUT,
    libraries: str | None = None,
    javac: str | None = None,
    known: Mapping[str, bytes] = MappingProxyType({}),
) -> dict[str, bytes]:
    """Compile a set of classes against the stubs, or against real libraries.

    Parameters
    ----------
    classes : ClassSet
        A set of `SETS`.
    sources : pathlib.Path
        The folder with the sources and stubs.
    libraries : str, optional
        A class path that replaces the stubs: a test compiles against each Spark, and expects the same classes.
    javac : str, optional
        The compiler; by default the one on PATH.
    known : mapping of str to bytes
        Files of classes, as returned for another set. A source is not compiled if its class is known and the
        replacements do not change its text.

    Returns
    -------
    dict of str to bytes
        The content of each new file of a class.

    Raises
    ------
    CannotBuild
        If there is no javac, or if it reports errors; the message is one line.
    """
    javac = javac or shutil.which("javac")
    if javac is None:
        raise CannotBuild(f"there is no javac: {_REMEDY}")
    with tempfile.TemporaryDirectory() as folder:
        ours, stubs, made, before = (Path(folder, name) for name in ("sources", "stubs", "classes", "known"))
        _copy(sources, classes.sources, ours, classes.replaced, known)
        _copy(sources, classes.stubs, stubs, classes.replaced)
        for name, content in known.items():
            Path(before, name).parent.mkdir(parents=True, exist_ok=True)
            Path(before, name).write_bytes(content)
        made.mkdir()
        found = ["-classpath", os.pathsep.join([str(before), libraries or str(stubs)])]
        paths = found if libraries else [*found, "-sourcepath", str(stubs)]
        _run_javac(javac, [*paths, "-d", str(made), *map(str, _below(ours, "*.java"))])
        files = {path.relative_to(made).as_posix(): path.read_bytes() for path in _below(made, "*.class")}
    if not files:
        raise CannotBuild(f"{javac} made no classes: {_REMEDY}")
    return files


def _copy(
    sources: Path, folders: Iterable[str], into: Path, replaced: Iterable[tuple[str, str]], known: Iterable[str] = ()
) -> None:
    """Copy sources with replacements in their text, without unchanged ones whose classes are known."""
    for folder in folders:
        for path in _below(sources / folder, "*.java"):
            name, before = path.relative_to(sources / folder), path.read_text("utf-8")
            text = before
            for old, new in replaced:
                text = text.replace(old, new)
            if text == before and name.with_suffix(".class").as_posix() in known:
                continue
            copy = into / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(text, "utf-8")


def _run_javac(javac: str, arguments: list[str]) -> None:
    quickly = ["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"]  # javac lives for seconds: these halve them
    options = ["--release", _JAVA, "-encoding", "UTF-8", "-proc:none", "-nowarn", "-Xlint:none", "-implicit:none"]
    command = [javac, *quickly, *options, *arguments]
    try:
        finished = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace")
    except OSError as error:
        raise CannotBuild(f"{javac} cannot be run ({error.strerror}): {_REMEDY}") from None
    if finished.returncode:
        lines = finished.stderr.splitlines() or [f"exit code {finished.returncode}"]
        reason = next((line for line in lines if "error:" in line), lines[0]).strip()
        raise CannotBuild(f"{javac} fails: {reason}: {_REMEDY}")


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
        build_or_package()
    except CannotBuild as error:
        sys.exit(f"parquetext: the jar was not built: {error}")
    print(_JARS / JAR)
