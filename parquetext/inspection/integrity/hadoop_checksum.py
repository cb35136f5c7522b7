"""Check the checksum file that Hadoop's readers use against the file next to it."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator

from ...errors import ParquetextError
from ...findings import Finding
from ...storage import LocalSource
from ...storage.hadoop_crc import Checksums, crc_path

_KIND = "hadoop-checksum"


def check_hadoop_crc(source: LocalSource, begin: int) -> Iterator[Finding]:
    """Yield findings about the checksum file next to `source`, for chunks with bytes from `begin` on."""
    path = crc_path(source.name)
    name = os.path.basename(path)
    try:
        with LocalSource(path) as file:
            sums = Checksums.read(file)
    except FileNotFoundError:
        return
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            yield Finding(_KIND, f"it cannot be read: {error.strerror}", place=name, is_note=True)
        return
    except ParquetextError as error:
        yield Finding(_KIND, error.message, place=name, is_note=True)
        return
    advice = ": Hadoop's readers, Spark's among them, fail on the file"
    if sums is None:
        yield Finding(_KIND, f"it is no checksum file{advice}", place=name)
    elif beyond := sums.beyond(source.size):
        sizes = f"{len(sums.sums)} chunks of {sums.chunk} bytes, the file {source.size} bytes"
        message = f"it has checksums of {sizes}{advice if beyond < 0 else ''}"
        yield Finding(_KIND, message, place=name, is_note=beyond > 0)
    if sums is None or sums.beyond(source.size) < 0:
        return
    if (wrong := sums.first_wrong(source, begin)) is not None:
        at = wrong * sums.chunk
        part = f"the bytes {at} to {min(at + sums.chunk, source.size)}"
        yield Finding(_KIND, f"{part} do not have the checksum {sums.sums[wrong]:#010x}{advice}", at, name)
