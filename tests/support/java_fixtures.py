"""Fixtures of tests that start Java."""

from __future__ import annotations

from pathlib import Path

import pytest


def _kept_folder(request) -> Path:
    """A folder that the next run finds again; of this run alone where pytest keeps none."""
    cache = getattr(request.config, "cache", None)
    return cache.mkdir("java") if cache else request.getfixturevalue("tmp_path_factory").mktemp("java")


@pytest.fixture(scope="session")
def quick_java(request) -> None:
    """From here on every Java program starts quickly, whoever starts it."""
    from support.quick_java import java_options

    from parquetext.spark import find_java_home

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JDK_JAVA_OPTIONS", java_options(_kept_folder(request), find_java_home()))
        yield
