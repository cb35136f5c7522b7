"""Does an installed wheel work? Imports it, and checks that its compiled kernels are live and agree with their twin."""

from __future__ import annotations

import platform
import random
import sys
import sysconfig
import zlib

from parquetext import kernels
from parquetext._pure import checksum, varint


def main() -> str | None:
    if kernels.implementation() != "native":
        return f"the compiled kernels are not live: {kernels.reason()}"
    if sysconfig.get_config_var("Py_GIL_DISABLED") and sys._is_gil_enabled():
        return "a free-threaded Python enabled the GIL when it imported the compiled kernels"
    for name in kernels.MODULES:
        getattr(kernels, name)
    data = random.Random(1).randbytes(5000)
    for name in kernels.checksum.crc32_implementations():
        if kernels.checksum.crc32_with(name, data) != zlib.crc32(data):
            return f"the CRC-32 routine {name} is wrong"
    if kernels.checksum.xxh64(data) != checksum.xxh64(data):
        return "XXH64 is wrong"
    values = list(range(0, 1 << 40, 0x123456789))
    if kernels.varint.encode_many(values) != varint.encode_many(values):
        return "varints are wrong"
    routines = ", ".join(kernels.checksum.crc32_implementations())
    print(f"native kernels on {platform.machine()}, Python {platform.python_version()}; CRC-32 by {routines}")
    return None


if __name__ == "__main__":
    sys.exit(main())
