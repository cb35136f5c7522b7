"""The footer reader in pure Java, compiled once and asked by requests."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.java_slices import Answer, Request, parsed

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def classes(tmp_path_factory) -> Path:
    """The compiled classes, test programs included; without javac the test is skipped, or fails if javac is needed."""
    javac = shutil.which("javac")
    if javac is None:
        message = "there is no javac: the footer reader in Java is not tested"
        if os.environ.get("PARQUETEXT_REQUIRE_JAR") == "1":
            pytest.fail(message)
        pytest.skip(message)
    folder = tmp_path_factory.mktemp("jvm")
    sources = [*ROOT.glob("jvm/src/dev/parquetext/footer/*.java"), *ROOT.glob("jvm/test/dev/parquetext/footer/*.java")]
    options = ["--release", "17", "-Xlint:all", "-Werror", "-implicit:none", "-sourcepath", folder / "stubs"]
    shutil.copytree(ROOT / "jvm/stubs/com", folder / "stubs/com")
    subprocess.run([javac, *options, "-d", folder, *sources], check=True)
    return folder


def zstd() -> list[str]:
    """The zstd library that Spark brings along."""
    spark = importlib.util.find_spec("pyspark")
    return [str(jar) for jar in Path(spark.origin).parent.glob("jars/zstd-jni-*.jar")] if spark else []


def java(classes: Path, program: str, *arguments: str, libraries: list[str]) -> list[str]:
    """The command that runs a program of the tests, in little memory."""
    options = ["-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dfile.encoding=UTF-8"]
    paths = os.pathsep.join([str(classes), *libraries])
    return ["java", *options, "-cp", paths, f"dev.parquetext.footer.{program}", *arguments]


@pytest.fixture(scope="session")
def run_java(classes):
    """Run a program of the tests; its output."""

    def run(program: str, *arguments: str) -> str:
        command = java(classes, program, *arguments, libraries=zstd())
        return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, timeout=300).stdout

    return run


@pytest.fixture(scope="session")
def ask(classes):
    """Answers to requests for slices, in their order; one Java program gives them all."""
    with asking(classes, zstd()) as answer:
        yield answer


@pytest.fixture(scope="session")
def ask_without_zstd(classes):
    """As `ask`, without the zstd library."""
    with asking(classes, []) as answer:
        yield answer


@contextmanager
def asking(classes: Path, libraries: list[str]):
    command = java(classes, "SliceMain", libraries=libraries)
    with subprocess.Popen(command, text=True, bufsize=1, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:

        def answer(request: Request) -> Answer:
            program.stdin.write(request.line() + "\n")
            return parsed(program.stdout.readline().rstrip("\n"))

        yield lambda requests: [answer(request) for request in requests]
        program.stdin.close()
    assert program.returncode == 0
