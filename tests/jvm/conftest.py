"""The footer reader in pure Java, compiled once and asked by requests."""

from __future__ import annotations

import os
import shutil
import subprocess
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
    subprocess.run([javac, "--release", "17", "-Xlint:all", "-Werror", "-d", folder, *sources], check=True)
    return folder


def java(classes: Path, program: str, *arguments: str) -> list[str]:
    """The command that runs a program of the tests, in little memory."""
    options = ["-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dfile.encoding=UTF-8"]
    return ["java", *options, "-cp", str(classes), f"dev.parquetext.footer.{program}", *arguments]


@pytest.fixture(scope="session")
def run_java(classes):
    """Run a program of the tests; its output."""

    def run(program: str, *arguments: str) -> str:
        command = java(classes, program, *arguments)
        return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, timeout=300).stdout

    return run


@pytest.fixture(scope="session")
def ask(classes):
    """Answers to requests for slices, in their order; one Java program gives them all."""
    with subprocess.Popen(
        java(classes, "SliceMain"), text=True, bufsize=1, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as program:

        def answer(request: Request) -> Answer:
            program.stdin.write(request.line() + "\n")
            return parsed(program.stdout.readline().rstrip("\n"))

        yield lambda requests: [answer(request) for request in requests]
        program.stdin.close()
    assert program.returncode == 0
