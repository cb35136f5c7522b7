"""A terminal for programs that draw: the final text of its lines."""

from __future__ import annotations

import os
import pty
import re
import struct
import subprocess
import termios

import pytest

__all__ = ["in_terminal"]

fcntl = pytest.importorskip("fcntl", exc_type=ImportError)

_PIECE = re.compile(r"\x1b\[(\?)?([\d;]*)([A-Za-z])|([\r\n])|([^\x1b\r\n]+)|(.)", re.DOTALL)


def in_terminal(
    command: list[str], columns: int = 80, *, apart: bool = False, **environment: str
) -> tuple[int, list[str]]:
    """Run a program in a terminal of so many columns; its exit code, and the lines that are left.

    `apart`: standard output alone leads there, standard error to a terminal of its own. `environment`: variables of it.
    """
    ours, theirs = pty.openpty()
    others = pty.openpty() if apart else ()
    for each in (theirs, *others[1:]):
        fcntl.ioctl(each, termios.TIOCSWINSZ, struct.pack("HHHH", 1000, columns, 0, 0))
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=others[1] if apart else theirs,
        env=os.environ | {"TERM": "xterm-256color"} | environment,
    )
    os.close(theirs)
    text = _read(ours)
    code = process.wait()
    for each in (ours, *others):
        os.close(each)
    return code, screen(text, columns)


def screen(text: str, columns: int) -> list[str]:
    """Return the lines that a terminal shows after this text."""
    lines, row, column = [""], 0, 0

    def put(letter: str) -> None:
        nonlocal row, column
        if column == columns:
            row, column = row + 1, 0
            lines.extend([""] * (row + 1 - len(lines)))
        line = lines[row].ljust(column)
        lines[row] = line[:column] + letter + line[column + 1 :]
        column += 1

    for found in _PIECE.finditer(text):
        _, number, command, move, letters, other = found.groups()
        assert other is None, f"an escape that is none of the program's: {text[found.start() :][:20]!r}"
        for letter in letters or "":
            put(letter)
        if move == "\n":
            row += 1
            lines.extend([""] * (row + 1 - len(lines)))
        elif move == "\r":
            column = 0
        elif command == "K":
            lines[row] = "" if number == "2" else lines[row][:column]
        elif command == "A":
            row = max(row - int(number or 1), 0)
        else:
            assert command in (None, "m", "h", "l"), f"not known here: {found[0]!r}"
    return [line.rstrip() for line in lines if line.strip()]


def _read(descriptor: int) -> str:
    pieces = []
    while True:
        try:
            piece = os.read(descriptor, 1 << 16)
        except OSError:  # the other end is closed
            piece = b""
        if not piece:
            return b"".join(pieces).decode()
        pieces.append(piece)
