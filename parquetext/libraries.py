"""System libraries that the compiled kernels call if they are installed."""

from __future__ import annotations

import sys
from functools import cache

ZSTD = "libzstd.1.dylib" if sys.platform == "darwin" else "libzstd.so.1"
# As `pqx_zstd_library` has them; they have been the same since version 1.3.
ZSTD_FUNCTIONS = (
    "ZSTD_createDCtx",
    "ZSTD_freeDCtx",
    "ZSTD_decompressDCtx",
    "ZSTD_isError",
    "ZSTD_initDStream",
    "ZSTD_decompressStream",
)


def zstd_by_arrow(frame: bytes, size: int) -> bytes | None:
    """Return the `size` bytes of a zstd frame, decompressed by pyarrow; None if it is damaged."""
    import pyarrow as pa

    try:
        found: bytes = pa.Codec("zstd").decompress(frame, decompressed_size=size, asbytes=True)
    except (pa.ArrowException, OSError):
        return None
    return found if len(found) == size else None


@cache
def libzstd() -> tuple[int, ...] | None:
    """Return the addresses of libzstd's functions, valid until the process ends; None if it is not installed."""
    try:
        import ctypes

        library = ctypes.CDLL(ZSTD)
        functions = [getattr(library, name) for name in ZSTD_FUNCTIONS]
    except (ImportError, OSError, AttributeError):
        return None
    return tuple(ctypes.cast(function, ctypes.c_void_p).value or 0 for function in functions)
