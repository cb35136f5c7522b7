"""Memory that a call takes at its peak, without the pages of libraries that it is the first to touch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

__all__ = ["most_taken"]


def _status(name: str) -> int:
    return int(Path("/proc/self/status").read_text().split(f"{name}:")[1].split()[0]) << 10


def most_taken(call: Callable[[], object]) -> tuple[int, object]:
    """Return the bytes that a call takes at its peak, and its result.

    Code is mapped from files when it is first run, in pieces whose size depends on the kernel's page cache (4 KiB to
    2 MiB). Pages of files that are mapped at the end and were not at the beginning are therefore not counted.
    """
    Path("/proc/self/clear_refs").write_text("5")
    before, of_files = _status("VmHWM"), _status("RssFile")
    result = call()
    return _status("VmHWM") - before - max(0, _status("RssFile") - of_files), result
