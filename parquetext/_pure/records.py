"""Records stored by column: one array for each member, as in the compiled kernels."""

from __future__ import annotations

from array import array
from collections.abc import Mapping

from .. import wire
from ..errors import wire_error

ABSENT = {"q": -1, "i": -1, "I": 0, "B": 0}


def members(*, ranges: str = "", **formats: str) -> dict[str, str]:
    """Return a mapping from member to array format.

    A range is two members. A format applies to all names in its string.
    """
    found = {f"{name}_{part}": "I" for name in ranges.split() for part in ("offset", "length")}
    for code, names in formats.items():
        found.update(dict.fromkeys(names.split(), code))
    return found


def checked(number: int, count: int) -> int:
    """Return the number of one of `count` leaves, row groups or others, or raise an error."""
    if not 0 <= number < count:
        raise wire_error(wire.BAD_ARGUMENT, 0, count, number)
    return number


class Records:
    """A growing list of records, stored by member. A missing member is -1, or 0 if the format is unsigned."""

    def __init__(self, formats: Mapping[str, str]):
        self.columns = {name: array(code) for name, code in formats.items()}
        self.count = 0

    def __len__(self) -> int:
        return self.count

    def append(self, fields: Mapping[str, int]) -> None:
        for name, column in self.columns.items():
            column.append(fields.get(name, ABSENT[column.typecode]))
        self.count += 1

    def truncate(self, count: int) -> None:
        """Keep the first `count` records."""
        for column in self.columns.values():
            del column[count:]
        self.count = count

    def view(self, name: str) -> memoryview:
        return memoryview(self.columns[name]).toreadonly()

    def every(self, first: int, step: int) -> Records:
        """Return the records `first`, `first` + `step`, and so on."""
        chosen = Records({})
        chosen.columns = {name: column[first::step] for name, column in self.columns.items()}
        chosen.count = len(range(first, self.count, step))
        return chosen
