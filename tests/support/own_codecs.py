"""Codecs by pyarrow's names: those that the compiled kernels decompress themselves here, and others."""

from __future__ import annotations

from parquetext import kernels, wire

_NUMBERS = {
    "none": wire.CODEC_UNCOMPRESSED,
    "snappy": wire.CODEC_SNAPPY,
    "zstd": wire.CODEC_ZSTD,
    "lz4": wire.CODEC_LZ4_RAW,
}
OTHERS = ("gzip", "brotli")

# ZSTD is among them where the system has libzstd; with the twins, which decompress none, all of them.
CODECS = [name for name, number in _NUMBERS.items() if number in (kernels.column.codecs() or _NUMBERS.values())]
