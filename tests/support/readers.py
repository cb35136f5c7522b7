"""Readers that know nothing of us, old and new, each of one version and in a place of its own.

As a program (`.ci/readers`) it installs missing readers into ~/.cache/parquetext-ci-readers, with `--long` also
those that take minutes to build. It needs only the standard library.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

__all__ = ["CACHE", "OLDEST_PYARROW", "READERS", "Reader"]

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "parquetext-ci-readers"
PROGRAMS = Path(__file__).parents[1] / "interop" / "programs"
INSTALL_SECONDS, READ_SECONDS = 900, 120
HADOOP = "3.5.0"

ASIDE, IN_STRUCT, AFTER_STOP = "aside", "in-struct", "after-stop"
JUMP_TABLE = "jump-table"  # a pointer in field 10 of FileMetaData
CARRIED = "carried"  # a text in ColumnMetaData, where copies of columns are told
TABLES = ("flat", "nested", "maps", "groups")


@dataclass(frozen=True)
class Reader:
    """One version of a reader.

    Attributes
    ----------
    name, version : str
    install : callable
        Puts it into an empty folder.
    command : callable
        The command that runs it, given that folder; paths of files follow.
    locked_out : str
        The placement of which it reads no file.
    unreliable : tuple of str
        Placements of which it reads some files and not others.
    endless : tuple of str
        Placements of which some files keep it busy without end: it is given none of them.
    tables : tuple of str
        The tables of the test whose plain file it reads.
    long : bool
        It is built from source.
    made_for : str
        Further inputs that its folder depends on.
    """

    name: str
    version: str
    install: Callable[[Path], None]
    command: Callable[[Path], list[str]]
    locked_out: str = ""
    unreliable: tuple[str, ...] = ()
    endless: tuple[str, ...] = ()
    tables: tuple[str, ...] = TABLES
    long: bool = False
    made_for: str = ""

    def __str__(self) -> str:
        return f"{self.name} {self.version}"

    @property
    def folder(self) -> Path:
        return CACHE / f"{self.name}-{self.version}{self.made_for}"

    def read(self, paths: list[str]) -> list[dict]:
        """Return its result for each file: rows, columns and digest, or an error.

        Where a file ends the process, that is its error, and another process goes on behind it.
        """
        found: list[dict] = []
        while len(found) < len(paths):
            command = [*self.command(self.folder), *paths[len(found) :]]
            done = subprocess.run(command, capture_output=True, text=True, timeout=READ_SECONDS, check=False)
            found += [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
            if len(found) < len(paths):
                last = (done.stderr.strip().splitlines() or [""])[-1]
                found.append({"error": f"its process ended with {done.returncode}: {last}"})
        return found


def _run(*command: object, folder: Path, **environment: str) -> None:
    subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env={**os.environ, **environment},
        check=True,
        timeout=INSTALL_SECONDS,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def _python(name: str, version: str, *beside: str, **fields) -> Reader:
    """A package of PyPI; the program sees nothing but its folder and the standard library."""
    package = name.lower()

    def install(folder: Path) -> None:
        _run(
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-compile",
            "--only-binary",
            ":all:",
            "--target",
            folder,
            f"{package}=={version}",
            *beside,
            folder=folder,
        )

    return Reader(
        name,
        version,
        install,
        lambda folder: [sys.executable, "-I", "-S", str(PROGRAMS / "read.py"), package, str(folder)],
        made_for="-python{}.{}".format(*sys.version_info),
        **fields,
    )


def _java(name: str, version: str, **fields) -> Reader:
    """A jar of Maven Central with Hadoop's client beside it."""
    jars = {
        "org.apache.parquet:parquet-hadoop": version,
        "org.apache.hadoop:hadoop-client-api": HADOOP,
        "org.apache.hadoop:hadoop-client-runtime": HADOOP,
        "org.slf4j:slf4j-nop": "1.7.36",
    }

    def install(folder: Path) -> None:
        dependencies = "".join(
            "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>".format(
                *jar.split(":"), wanted
            )
            for jar, wanted in jars.items()
        )
        (folder / "pom.xml").write_text(
            "<project><modelVersion>4.0.0</modelVersion><groupId>readers</groupId><artifactId>readers</artifactId>"
            f"<version>1</version><dependencies>{dependencies}</dependencies></project>"
        )
        _run("mvn", "-q", "-B", "dependency:copy-dependencies", f"-DoutputDirectory={folder}", folder=folder)
        _run("javac", "-cp", f"{folder}/*", "-d", folder, PROGRAMS / "Read.java", folder=folder)

    return Reader(
        name,
        version,
        install,
        lambda folder: [
            "java",
            "-Xmx256m",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            f"{folder}:{folder}/*",
            "Read",
        ],
        **fields,
    )


def _node(name: str, version: str, **fields) -> Reader:
    """A package of npm; its program stands beside it, where imports are looked for."""

    def install(folder: Path) -> None:
        certificates = os.environ.get("NODE_EXTRA_CA_CERTS", "/etc/ssl/certs/ca-certificates.crt")
        _run(
            "npm",
            "install",
            "--no-fund",
            "--no-audit",
            "--prefix",
            folder,
            f"{name}@{version}",
            folder=folder,
            NODE_EXTRA_CA_CERTS=certificates,
        )
        shutil.copy(PROGRAMS / "read.mjs", folder)

    return Reader(name, version, install, lambda folder: ["node", str(folder / "read.mjs")], **fields)


def _go(name: str, version: str, module: str, **fields) -> Reader:
    """A module of Go, built with its program; not optimised, for that takes longest."""

    def install(folder: Path) -> None:
        shutil.copy(PROGRAMS / f"{name.replace('-', '_')}.go", folder / "main.go")
        _run("go", "mod", "init", "reader", folder=folder)
        _run("go", "get", f"{module}@v{version}", folder=folder)
        _run("go", "build", "-gcflags=all=-N -l", "-o", "reader", ".", folder=folder, GOFLAGS="-mod=mod")

    return Reader(name, version, install, lambda folder: [str(folder / "reader")], long=True, **fields)


def _rust(name: str, version: str, crate: str, **fields) -> Reader:
    """A crate, built with its program."""

    def install(folder: Path) -> None:
        (folder / "src").mkdir()
        shutil.copy(PROGRAMS / f"{name.replace('-', '_')}.rs", folder / "src" / "main.rs")
        (folder / "Cargo.toml").write_text(
            '[package]\nname = "reader"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n'
            f'{crate} = {{ version = "={version}", default-features = false, features = ["snap"] }}\n'
        )
        _run("cargo", "build", "--quiet", folder=folder)
        (folder / "target" / "debug" / "reader").rename(folder / "reader")
        shutil.rmtree(folder / "target")

    return Reader(name, version, install, lambda folder: [str(folder / "reader")], long=True, **fields)


READERS = [
    _python("Polars", "0.20.31", locked_out=IN_STRUCT, unreliable=(JUMP_TABLE,), tables=("flat", "nested", "groups")),
    _python("Polars", "1.20.0", locked_out=IN_STRUCT, unreliable=(JUMP_TABLE,)),
    _python("Polars", "1.40.1", locked_out=IN_STRUCT, unreliable=(JUMP_TABLE,)),
    _python("Polars", "2.1.0"),
    _python("DataFusion", "36.0.0", locked_out=IN_STRUCT, unreliable=(JUMP_TABLE,)),
    _python("DataFusion", "55.0.0"),
    _python("pyarrow", "10.0.1", "numpy<2"),
    _python("pyarrow", "26.0.1"),
    _python("DuckDB", "0.8.1", "pytz"),
    _python("DuckDB", "2.0.0", "pytz"),
    _python("fastparquet", "2026.9.0", locked_out=JUMP_TABLE, unreliable=(ASIDE, IN_STRUCT), endless=(CARRIED,)),
    _node("hyparquet", "1.31.5"),
    _java("parquet-java", "1.10.1"),
    _java("parquet-java", "1.18.1"),
    _go("parquet-go", "0.32.0", "github.com/parquet-go/parquet-go", locked_out=AFTER_STOP),
    _go("arrow-go", "18.8.0", "github.com/apache/arrow-go/v18"),
    _rust("arrow-rs", "60.1.0", "parquet"),
]

# The oldest version that our package supports, with the packages it needs.
OLDEST_PYARROW = _python("pyarrow", "22.0.0", "numpy", "zlib-ng", "typer", "rich")


def install(reader: Reader) -> str:
    """Install a reader that is missing, completely or not at all; return the error, or an empty string."""
    if reader.folder.exists():
        return ""
    with tempfile.TemporaryDirectory(dir=CACHE, prefix="new.") as new:
        folder = Path(new, "reader")
        folder.mkdir()
        try:
            reader.install(folder)
        except (OSError, subprocess.SubprocessError) as error:
            return f"{reader}: {error}\n{getattr(error, 'stderr', '') or ''}"
        folder.rename(reader.folder)
    return ""


def main(*options: str) -> int:
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock, ThreadPoolExecutor(2) as pool:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for left in CACHE.glob("new.*"):  # of a run that was killed
            shutil.rmtree(left)
        wanted = [reader for reader in [*READERS, OLDEST_PYARROW] if "--long" in options or not reader.long]
        failures = list(filter(None, pool.map(install, wanted)))
    print(*failures, sep="\n", end="")
    return len(failures)


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
