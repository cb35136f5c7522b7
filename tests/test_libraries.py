"""System libraries: if one is missing or has another version, the package works without it."""

from __future__ import annotations

import pytest

from parquetext import kernels, libraries, wire


def test_the_kernels_decompress_zstandard_if_the_system_has_libzstd():
    known = wire.CODEC_ZSTD in kernels.column.codecs()
    assert known == (kernels.implementation() == "native" and libraries.libzstd() is not None)


@pytest.mark.parametrize("name", ["libnowhere.so.1", "libm.so.6"], ids=["none", "another"])
def test_without_libzstd_there_are_no_functions(monkeypatch, name):
    monkeypatch.setattr(libraries, "ZSTD", name)
    assert libraries.libzstd.__wrapped__() is None
