"""The names of `pyarrow.compute` that the package uses."""

from __future__ import annotations

import subprocess
import sys

import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet as pq
import pytest

from parquetext import compute as pc

# Counts the attempts to import a package that pyarrow seeks when it infers the type of a value.
PROGRAM = """
import importlib.abc, sys
import parquetext

class Absent(importlib.abc.MetaPathFinder):
    attempts = 0

    def find_spec(self, name, path, target=None):
        if name == "dateutil":
            Absent.attempts += 1
            raise ModuleNotFoundError(name)

for name in [name for name in sys.modules if name.partition(".")[0] == "dateutil"]:
    del sys.modules[name]
sys.meta_path.insert(0, Absent())
with parquetext.open(sys.argv[1]) as file:
    file.pages("x")
    file.read(engine="parquetext")
parquetext.verify(sys.argv[1], deep=True)
print(Absent.attempts)
"""


def outcome(function, *values):
    try:
        found = function(*values)
    except (pa.ArrowException, TypeError) as error:
        return type(error), str(error)
    return found.type, found.to_pylist()


@pytest.mark.parametrize("value", [None, True, 1, -(2**63), 2**63, 2**65, 1.5, "a", b"a", pa.scalar(1, pa.int8())])
def test_a_plain_value_is_treated_as_pyarrow_treats_it(value):
    for others in (pa.array([1], pa.int8()), pa.array(["a"]), pa.array([0.5])):
        for name, values in (("equal", (others, value)), ("if_else", (True, value, others)), ("add", (value, others))):
            assert outcome(getattr(pc, name), *values) == outcome(getattr(pyarrow.compute, name), *values), name


def test_options_of_functions_are_no_values():
    texts = pa.array(["ab", "c"])
    assert pc.match_substring(texts, "b").to_pylist() == [True, False]
    assert pc.max_element_wise(pa.array([1, None]), 2, skip_nulls=False).to_pylist() == [2, None]
    assert pc.is_in(texts, pa.array(["c"])).to_pylist() == [False, True]


def test_an_absent_package_is_not_sought_for_each_value(tmp_path):
    """An attempt takes 150 µs, as long as reading the headers of ten pages."""
    pq.write_table(pa.table({"x": range(20)}), tmp_path / "x.parquet", row_group_size=1, write_page_index=True)
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "x.parquet")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 5
