"""Check the static library of a wheel: it depends neither on the machine nor on the folder that built it."""

from __future__ import annotations

MAGIC = b"!<arch>\n"
HEADER = 60  # bytes before each member: its name, time, owner, group, mode and size


def problems(archive: bytes) -> list[str]:
    """Return the problems of an archive of object files."""
    if not archive.startswith(MAGIC):
        return ["is no archive"]
    found = []
    if any(time or owner or group for time, owner, group in records(archive)):
        found.append("members have times or owners (use ar with D)")
    if b".debug_info" in archive:
        found.append("has debug information")
    if any(path in archive for path in (b"/csrc/", b"src/base", b"/zig/tmp")):
        found.append("contains paths of its build")
    return found


def records(archive: bytes) -> list[tuple[int, int, int]]:
    """Return time, owner and group of each member."""
    found, at = [], len(MAGIC)
    while at + HEADER <= len(archive):
        header = archive[at : at + HEADER]
        found.append((number(header[16:28]), number(header[28:34]), number(header[34:40])))
        size = number(header[48:58])
        at += HEADER + size + size % 2
    return found


def number(text: bytes) -> int:
    """Return a decimal number; spaces, as in tables of symbols, are 0."""
    return int(text.strip() or b"0")
