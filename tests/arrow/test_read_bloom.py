"""Filters with Bloom filters in the file: fewer row groups are read, and never a row is lost."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.flat_files import with_flat_footer
from support.objects import BUCKET, put, recorded_s3_server
from support.samples import examples

import parquetext

FLOATS = st.sampled_from([-1.5, -0.0, 0.0, 2.0, math.nan, math.inf, 0.10000000149011612])
DOUBLES = FLOATS | st.just(0.1)
EPOCH = datetime.datetime(1970, 1, 1)
MOMENTS = st.integers(-3, 3).map(lambda n: EPOCH + datetime.timedelta(milliseconds=500 * n))
KINDS = {
    "int8": (pa.int8(), st.integers(-3, 3)),
    "uint32": (pa.uint32(), st.integers(2**32 - 3, 2**32 - 1)),
    "int64": (pa.int64(), st.integers(-2, 2) | st.sampled_from([2**53, 2**53 + 1])),
    "uint64": (pa.uint64(), st.integers(2**63 - 3, 2**63 - 1)),
    "float": (pa.float32(), FLOATS),
    "double": (pa.float64(), DOUBLES),
    "string": (pa.string(), st.text("aé", max_size=2)),
    "large": (pa.large_string(), st.text("ab", max_size=1)),
    "dictionary": (pa.dictionary(pa.int8(), pa.string()), st.text("ab", max_size=1)),
    "binary": (pa.binary(), st.binary(max_size=1)),
    "fixed": (pa.binary(2), st.binary(min_size=2, max_size=2)),
    "small": (pa.decimal128(5, 2), st.decimals(-1, 1, places=1)),
    "decimal": (pa.decimal128(30, 2), st.decimals(-1, 1, places=1)),
    "date": (pa.date32(), st.dates(datetime.date(1969, 12, 30), datetime.date(1970, 1, 3))),
    "ms": (pa.timestamp("ms"), MOMENTS),
    "ns": (pa.timestamp("ns", "UTC"), MOMENTS.map(lambda moment: moment.replace(tzinfo=datetime.UTC))),
    "time": (pa.time64("us"), MOMENTS.map(datetime.datetime.time)),
}
OPERATORS = st.sampled_from(["=", "==", "in", "!=", "not in", "<"])


def in_form(path, form: str) -> None:
    if form != "thrift":
        parquetext.upgrade(path, form=form)


@st.composite
def comparisons(draw) -> tuple:
    name, operator = draw(st.sampled_from(list(KINDS))), draw(OPERATORS)
    values = DOUBLES if name == "float" else KINDS[name][1]
    return name, operator, draw(st.lists(values, min_size=1, max_size=3) if operator.endswith("in") else values)


@pytest.mark.usefixtures("implementation")
@pytest.mark.parametrize("form", ["thrift", "flat", "index"])
@settings(max_examples=examples(20), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.data(),
    size=st.integers(1, 3),
    statistics=st.booleans(),
    blooms=st.sets(st.sampled_from(list(KINDS))),
    filters=st.lists(st.lists(comparisons(), min_size=1, max_size=2), min_size=1, max_size=2),
)
def test_rows_are_those_that_pyarrow_keeps_of_the_whole_table(tmp_path, form, data, size, statistics, blooms, filters):
    path, rows = tmp_path / "table.parquet", 4
    asked = {part[0] for group in filters for part in group}
    table = pa.table(
        {
            name: pa.array(
                data.draw(st.lists(KINDS[name][1] | st.none(), min_size=rows, max_size=rows)), KINDS[name][0]
            )
            for name in sorted(asked)
        }
    )
    pq.write_table(
        table,
        path,
        row_group_size=size,
        write_statistics=statistics,
        store_decimal_as_integer=True,
        bloom_filter_options={name: {"ndv": 10, "fpp": 0.01} for name in sorted(blooms & asked)},
    )
    in_form(path, form)
    expression = pq.filters_to_expression(filters)
    try:
        theirs = pq.ParquetFile(path).read().filter(expression)
    except pa.ArrowException:
        return  # no comparison of these types
    assert repr(parquetext.read_table(str(path), filters=filters).to_pydict()) == repr(theirs.to_pydict())


NAMES = ["n", "t", "d", "w"]


@pytest.fixture
def content(tmp_path) -> bytes:
    """Ten row groups of even numbers in turn, so that bounds enclose every odd one."""
    numbers = [2 * ((7 * n) % 50) for n in range(50)]
    table = pa.table(
        {
            "n": numbers,
            "t": [f"text {n:03}" for n in numbers],
            "w": pa.array(numbers, pa.float32()),
            "d": pa.array([Decimal(n) / 10 for n in numbers], pa.decimal128(9, 1)),
        }
    )
    pq.write_table(
        table,
        tmp_path / "b.parquet",
        row_group_size=5,
        bloom_filter_options={name: {"ndv": 5, "fpp": 0.0001} for name in NAMES},
    )
    return (tmp_path / "b.parquet").read_bytes()


def pages_gone(content: bytes) -> bytes:
    """The file without its pages: who reads a row group finds zeros."""
    metadata = pq.read_metadata(pa.BufferReader(content))
    last = metadata.row_group(metadata.num_row_groups - 1).column(metadata.num_columns - 1)
    end = last.data_page_offset + last.total_compressed_size
    first = metadata.row_group(0).column(0).dictionary_page_offset
    data = bytearray(content)
    positions = [
        metadata.row_group(g).column(c) for g in range(metadata.num_row_groups) for c in range(metadata.num_columns)
    ]
    assert first < end <= len(content)
    for position in positions:
        start = position.dictionary_page_offset
        data[start : start + position.total_compressed_size] = bytes(position.total_compressed_size)
    return bytes(data)


ABSENT = [("n", "=", 51), ("n", "in", [51, 33]), ("t", "==", "text 051"), ("d", "=", Decimal("5.1")), ("w", "=", 51.0)]


@pytest.mark.usefixtures("implementation")
@pytest.mark.parametrize("form", ["thrift", "flat", "index"])
@pytest.mark.parametrize("comparison", ABSENT)
def test_row_groups_without_the_value_are_not_read(tmp_path, content, form, comparison):
    data = pages_gone(content)
    path = tmp_path / "gone.parquet"
    path.write_bytes(data)
    in_form(path, form)
    assert parquetext.read_table(str(path), filters=[comparison]).num_rows == 0
    with pytest.raises(OSError):
        parquetext.read_table(str(path), filters=[("n", "=", 50)])


def test_remote_filters_come_in_one_round(content):
    with recorded_s3_server() as (filesystem, recorder):
        put(filesystem, f"{BUCKET}/b.parquet", with_flat_footer(pages_gone(content)))
        with parquetext.open((filesystem, f"{BUCKET}/b.parquet")) as file:
            assert file.column("n").min[0].is_valid
            recorder.forget()
            assert file.read(filters=[("n", "=", 51)]).num_rows == 0
            assert recorder.count("GET") <= 2


@pytest.mark.parametrize("comparison", [("w", "=", 0.0), ("w", "in", [0.0, -0.0]), ("w", "in", [0.1])])
@pytest.mark.parametrize("blooms", [False, True])
def test_zeros_are_one_value_and_a_list_of_doubles_is_rounded(tmp_path, comparison, blooms):
    path = tmp_path / "w.parquet"
    table = pa.table({"w": pa.array([-0.0, 0.1, 0.0], pa.float32())})
    pq.write_table(table, path, row_group_size=1, bloom_filter_options={"w": {"ndv": 5}} if blooms else None)
    expected = table.filter(pq.filters_to_expression([comparison]))
    assert expected.num_rows
    assert repr(parquetext.read_table(path, filters=[comparison]).to_pydict()) == repr(expected.to_pydict())


@pytest.mark.parametrize("sidecar", [False, True])
def test_filters_of_int96_rule_nothing_out(tmp_path, sidecar):
    """An instant is a day and nanoseconds there, and the filter has hashes of those 12 bytes."""
    path, instants = tmp_path / "a.parquet", pa.array([-1, 187, 10**9], pa.timestamp("us"))
    pq.write_table(
        pa.table({"at": instants}), path, use_deprecated_int96_timestamps=True, bloom_filter_options={"at": True}
    )
    parquetext.sidecar.build(path)
    for instant in instants.to_pylist():
        for filters in ([("at", "=", instant)], [("at", "in", [pa.scalar(instant, pa.timestamp("ns"))])]):
            assert parquetext.read_table(path, filters=filters, sidecar=sidecar).num_rows == 1
            assert parquetext.dataset(path, sidecar=sidecar).to_table(filter=filters).num_rows == 1
