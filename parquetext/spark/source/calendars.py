"""Convert dates and timestamps that old versions of Spark wrote in the hybrid calendar.

Spark before 3.0 (before 3.1 for INT96), and later versions in their legacy mode, used the Julian calendar for days up
to 1582-10-04.
"""

from __future__ import annotations

import datetime
import re
from functools import cache

import pyarrow as pa

from ... import compute as pc
from ...errors import Unsupported
from ...footer.model import FooterReader

SPARK_VERSION = b"org.apache.spark.version"
LEGACY_KEYS = {"datetime": b"org.apache.spark.legacyDateTime", "int96": b"org.apache.spark.legacyINT96"}
FIRST_GREGORIAN = {"datetime": (3, 0), "int96": (3, 1)}
_EPOCH = datetime.date(1970, 1, 1).toordinal()
SWITCH_DAY = datetime.date(1582, 10, 15).toordinal() - _EPOCH
SWITCH_MOMENT = -2_208_988_800_000_000  # 1900-01-01 in UTC: from here on all time zones agree
_JULIAN_OFFSET = 1_721_424  # a Julian day number minus Python's ordinal of the day
_CENTURIES = (100, 200, 300, 500, 600, 700, 900, 1000, 1100, 1300, 1400, 1500)  # leap years only in the Julian calendar


class Calendar:
    """Convert the dates and timestamps of one file.

    Parameters
    ----------
    form : FooterReader
        The file's footer.
    modes : mapping
        The mode for ``"datetime"`` and for ``"int96"`` if the file does not declare its calendar: CORRECTED, LEGACY or
        EXCEPTION.
    """

    def __init__(self, form: FooterReader, modes: dict[str, str]):
        pairs = dict(form.key_value(index) for index in range(form.key_value_count))
        self._modes = {what: _mode(pairs, what, default) for what, default in modes.items()}

    @property
    def is_plain(self) -> bool:
        """Return True if values need no conversion."""
        return set(self._modes.values()) == {"CORRECTED"}

    def days(self, days: pa.Array) -> pa.Array:
        """Convert dates to the proleptic Gregorian calendar."""
        mode = self._modes["datetime"]
        if mode == "CORRECTED" or not _any_below(days, SWITCH_DAY, pa.int32()):
            return days
        if mode == "EXCEPTION":
            raise _refused("dates before 1582-10-15")
        numbers = days.cast(pa.int32())
        shifted = numbers
        for first, difference in _differences():
            shifted = pc.if_else(
                pc.greater_equal(numbers, first), pc.add(numbers, pa.scalar(difference, pa.int32())), shifted
            )
        return shifted.cast(pa.date32())

    def moments(self, moments: pa.Array, what: str) -> pa.Array:
        """Return timestamps in microseconds unchanged; refuse old ones that depend on the writer's time zone."""
        if self._modes[what] != "CORRECTED" and _any_below(moments, SWITCH_MOMENT, pa.int64()):
            raise _refused("timestamps before 1900")
        return moments


def _mode(pairs: dict, what: str, default: str) -> str:
    version = pairs.get(SPARK_VERSION)
    if version is None:
        return default
    numbers = re.match(rb"(\d+)\.(\d+)", version)
    old = numbers is not None and (int(numbers[1]), int(numbers[2])) < FIRST_GREGORIAN[what]
    return "LEGACY" if old or LEGACY_KEYS[what] in pairs else "CORRECTED"


def _any_below(values: pa.Array, limit: int, kind: pa.DataType) -> bool:
    smallest = pc.min(values.cast(kind)).as_py()
    return smallest is not None and smallest < limit


def _refused(what: str) -> Unsupported:
    return Unsupported(
        f"{what} in the hybrid calendar of old versions of Spark: use spark.read.parquet, or set the "
        "option datetimeRebaseMode (int96RebaseMode) to CORRECTED to read them without conversion"
    )


@cache
def _differences() -> list[tuple[int, int]]:
    """Return (first stored day, days to add), ascending, back to 300 years before the first difference."""
    found = [(-(1 << 31), 2)]
    for year in _CENTURIES:
        first = _first_of_march(year)
        found.append((first, datetime.date(year, 3, 1).toordinal() - _EPOCH - first))
    return [*found, (SWITCH_DAY, 0)]


def _first_of_march(year: int) -> int:
    """Return the days since 1970 of March 1 in the Julian calendar."""
    years = year + 4800  # since the first year of the Julian day numbers' formula
    return 365 * years + years // 4 - 32083 - _JULIAN_OFFSET - _EPOCH
