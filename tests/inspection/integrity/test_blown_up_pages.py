"""Files of 500 bytes at random, whose pages hold or claim very much: checked and read in little memory."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.blown_up_pages import blown_up_file, damaged
from support.peaks import VERBS, Peak, peaks

pytestmark = [
    pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="peaks are measured on Linux alone"),
    pytest.mark.slow,
]

ROOM = 64 << 20
FILES, VAST_FILES, MANY = 10, 4, 310  # a file takes a second or two
MOST_SECONDS = 3


def measured(folder: Path, numbers, *, pure: bool, vast: bool = False, flips: bool = False) -> list[Peak]:
    good = folder / "good.parquet"
    pq.write_table(pa.table({"n": [1, 2], "s": ["a", "b"], "l": [[1], [2]]}), good, compression="zstd")
    paths = [folder / f"{number}.parquet" for number in numbers]
    for number, path in zip(numbers, paths, strict=True):
        data = blown_up_file(Random(number), vast=vast)
        path.write_bytes(damaged(data, Random(number)) if flips else data)
    return list(peaks(good, paths, pure=pure, seconds=MOST_SECONDS))


def assert_little(found: list[Peak]) -> None:
    """Except for reading a table, because valid content may be large."""
    much = [peak for peak in found if peak.taken >= ROOM and (peak.verb, peak.outcome) != ("table", "read")]
    assert not much, much[0]


@pytest.mark.parametrize("pure", [False, True], ids=["native", "pure"])
def test_files_that_are_blown_up_take_little_memory_unless_a_table_of_them_is_valid(tmp_path, pure):
    found = measured(tmp_path, range(FILES), pure=pure)
    assert len(found) == FILES * len(VERBS)
    assert {peak.outcome == "read" for peak in found if peak.verb == "table"} == {True, False}
    assert_little(found)


@pytest.mark.parametrize("pure", [False, True], ids=["native", "pure"])
def test_files_of_up_to_2_to_the_31_values_take_little_memory_if_a_column_is_truncated(tmp_path, pure):
    found = measured(tmp_path, range(VAST_FILES), pure=pure, vast=True)
    assert all(peak.outcome != "read" for peak in found if peak.verb == "table")
    assert_little(found)


@pytest.mark.parametrize("pure", [False, True], ids=["native", "pure"])
def test_files_with_bytes_changed_take_little_memory(tmp_path, pure):
    assert_little(measured(tmp_path, range(FILES), pure=pure, flips=True))


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("pure", [False, True], ids=["native", "pure"])
@pytest.mark.parametrize("kind", [{}, {"vast": True}, {"flips": True}], ids=["sound or not", "cut", "changed"])
def test_hundreds_of_such_files_take_little_memory(tmp_path, pure, kind, long):
    for first in range(FILES, MANY, 100):
        assert_little(measured(tmp_path, range(first, first + 100), pure=pure, **kind))
