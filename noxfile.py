"""Sessions for contributors: `nox` runs the fast tests and the linters; `nox -l` lists the others."""

from __future__ import annotations

import nox

nox.options.sessions = ["fast", "lint"]
nox.options.default_venv_backend = "venv"

C_FILES = "git ls-files '*.c' '*.h' | xargs clang-format --dry-run --Werror"


@nox.session
def fast(session: nox.Session) -> None:
    """Run the tests that need nothing but the package and the extra `dev`, in less than a minute."""
    session.install(".[dev]")
    session.run("pytest", "-m", "fast", *session.posargs)


@nox.session(name="all")
def every_check(session: nox.Session) -> None:
    """Run everything as continuous integration does: sanitizers, fuzzing, other readers, stores and Spark."""
    session.run(".ci/run", *session.posargs, external=True)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style, and that generated files match their table."""
    session.install(".[style]")
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("sh", "-c", C_FILES, external=True)
    session.run("python", "csrc/tables/generate.py", "--check")
    session.run("python", "csrc/tables/stubs.py", "--check")
    session.run("python", "csrc/tables/kernel_reference.py", "--check")
    session.run("towncrier", "build", "--draft", "--version", "next", silent=True)


@nox.session
def types(session: nox.Session) -> None:
    """Check the types of the whole package, strictly in public modules, and those that programs of users see."""
    session.install(".[test,style]")
    session.run("mypy")
    session.run("pytest", "tests/editors", *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """Run the examples of README and the documentation."""
    session.install(".[test]")
    session.run("pytest", "tests/test_examples.py", "tests/test_formats.py", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    """Compare with the readers that the extra `bench` installs."""
    session.install("-e", ".[bench]")
    session.run("python", "-m", "benchmarks", *session.posargs)
