"""Filters compare values while they are decoded: the rows are those that Arrow's filter finds in the whole table."""

from __future__ import annotations

import datetime
import io
import math

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.filter_kinds import KINDS, OPERATORS

import parquetext
from parquetext import kernels
from parquetext.errors import ParquetextError
from parquetext.reading.execute.decoder import Decoder

COMPARED = [
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "float32", "float64", "bool", "string", "binary"),
    *("date", "milliseconds", "timestamp", "nanoseconds", "zoned", "time"),
]
LAYOUTS = [
    {},
    {"use_dictionary": False, "data_page_version": "2.0"},
    {"data_page_size": 64, "write_batch_size": 8, "write_page_index": True, "row_group_size": 20},
    {"use_dictionary": False, "data_page_size": 64, "write_batch_size": 8, "row_group_size": 20, "compression": "zstd"},
]


def read(path, columns, filters) -> pa.Table:
    return parquetext.read_table(path, columns, filters, engine="parquetext")


@pytest.fixture
def compared(monkeypatch) -> list:
    """Return the results of all calls that compare values while they are decoded."""
    calls = []
    real = Decoder.found

    def counted(self, *arguments, **options):
        calls.append(real(self, *arguments, **options))
        return calls[-1]

    monkeypatch.setattr(Decoder, "found", counted)
    return calls


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("matching") / "x.parquet"


@st.composite
def conditions(draw, some: dict, depth: int = 2) -> pc.Expression:
    """Return comparisons of columns with literals, joined by AND and OR, and negated."""
    if depth and draw(st.booleans()):
        left, right = draw(conditions(some, depth - 1)), draw(conditions(some, depth - 1))
        joined = left & right if draw(st.booleans()) else left | right
        return ~joined if draw(st.booleans()) else joined
    column = draw(st.sampled_from(list(some)))
    if not draw(st.integers(0, 5)):
        field = pc.field(column)
        return field.is_null() if draw(st.booleans()) else field.is_valid()
    operator = draw(st.sampled_from(OPERATORS))
    literals = st.sampled_from(some[column])
    value = draw(st.lists(literals, min_size=1, max_size=4) if operator.endswith("in") else literals)
    if column == "uint64":  # Python's integers would become int64
        value = pa.array(value, pa.uint64()) if operator.endswith("in") else pa.scalar(value, pa.uint64())
    found = pq.filters_to_expression([(column, operator, value)])
    return ~found if draw(st.booleans()) else found


@settings(deadline=None)
@given(data=st.data())
def test_rows_equal_those_of_a_filter_of_the_whole_table(path, data):
    names = data.draw(st.lists(st.sampled_from(list(KINDS)), min_size=1, max_size=2, unique=True))
    count = data.draw(st.integers(0, 60))
    some = {name: data.draw(st.lists(KINDS[name][1], min_size=2, max_size=6)) for name in names}
    columns: dict = {"row": pa.array(range(count), pa.int64())}
    for name in names:
        cells = st.none() | st.sampled_from(some[name][:4])
        columns[name] = pa.array(data.draw(st.lists(cells, min_size=count, max_size=count)), KINDS[name][0])
    table = pa.table(columns)
    pq.write_table(table, path, **data.draw(st.sampled_from(LAYOUTS)))
    expression = data.draw(conditions(some))
    try:
        wanted = pq.read_table(path).filter(expression)["row"].to_pylist()
    except (pa.ArrowException, OverflowError):
        return  # Arrow cannot compare the types
    assert read(path, ["row"], expression)["row"].to_pylist() == wanted


@pytest.mark.skipif(kernels.implementation() != "native", reason="the twin compares Arrow arrays")
@pytest.mark.parametrize("name", COMPARED)
def test_values_of_a_type_are_compared_in_their_stored_form(name, path, compared):
    kind, _ = KINDS[name]
    instants = {"date": datetime.date(1970, 1, 2), "time": datetime.time(12)}
    literal = {"float32": 1.5, "float64": 1.5, "bool": True, "string": "b", "binary": b"b", **instants}.get(name, 2)
    literal = datetime.datetime(1970, 1, 2) if pa.types.is_timestamp(kind) else literal
    literal = literal.replace(tzinfo=datetime.UTC) if name == "zoned" else literal
    values = pa.array([literal, None, literal], kind)
    pq.write_table(pa.table({"row": [0, 1, 2], "x": values}), path)
    found = read(path, ["row"], [("x", "=", values[0] if pa.types.is_timestamp(kind) else literal)])
    assert found["row"].to_pylist() == [0, 2]
    assert [each is None for each in compared] == [False]


@pytest.mark.parametrize("filters", [[("large", "<", 6.5)], pc.field("small") + 1 > 2, [("large", "in", [None, 5])]])
def test_comparisons_that_need_a_cast_are_left_to_arrow(filters, path, compared):
    table = pa.table({"row": range(3), "small": pa.array([1, 2, 3], pa.float32()), "large": [7, None, 5]})
    pq.write_table(table, path)
    assert read(path, ["row"], filters).equals(pq.read_table(path, columns=["row"], filters=filters))
    assert compared == []


def test_a_column_of_the_result_is_decoded_twice_only_if_it_is_small(path, compared):
    wide = {f"c{number}": [float(row * number) for row in range(500)] for number in range(8)}
    pq.write_table(pa.table({"key": list(range(500)), **wide}), path, use_dictionary=False)
    assert read(path, ["key", "c1"], [("key", "=", 7)]).num_rows == 1
    assert compared == []
    assert read(path, None, [("key", "=", 7)])["key"].to_pylist() == [7]
    assert len(compared) == 1


def test_nan_zeros_and_infinities_are_compared_as_arrow_compares_them(path):
    special = [0.0, -0.0, math.nan, math.inf, -math.inf, None, 1.0]
    for kind in (pa.float32(), pa.float64()):
        table = pa.table({"row": range(len(special)), "x": pa.array(special, kind)})
        pq.write_table(table, path)
        for operator in ("=", "!=", "<", "<=", ">", ">="):
            for literal in (0.0, -0.0, math.inf, -math.inf, 0, 1, 0.1, -0.1):
                expression = pq.filters_to_expression([("x", operator, literal)])
                for condition in (expression, ~expression):
                    wanted = table.filter(condition)["row"].to_pylist()
                    assert read(path, ["row"], condition)["row"].to_pylist() == wanted, condition


def test_a_file_without_rows_that_match_gives_an_empty_table(path):
    pq.write_table(pa.table({"row": range(9), "x": ["a", "c", None] * 3}), path)
    for literal in ("b", ""):
        assert read(path, ["row"], [("x", "=", literal)]).num_rows == 0


def test_damage_in_a_column_of_the_filter_is_an_error(path):
    sink = io.BytesIO()
    pq.write_table(pa.table({"row": range(300), "x": range(300)}), sink, use_dictionary=False, compression="none")
    data = bytearray(sink.getvalue())
    chunk = pq.read_metadata(sink).row_group(0).column(1)
    begin = chunk.data_page_offset
    data[begin : begin + 4] = b"\xff" * 4
    path.write_bytes(data)
    with pytest.raises(ParquetextError):
        read(path, ["row"], [("x", "=", 7)])


@pytest.mark.parametrize("operator", ["in", "not in"])
@pytest.mark.parametrize(
    ("column", "members"),
    [
        (pa.array([0], pa.timestamp("us", "UTC")), [datetime.datetime(1970, 1, 1)]),
        (pa.array([0], pa.timestamp("us")), [datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)]),
        (pa.array(["ab"]), [pa.scalar(b"ab", pa.binary(2))]),
        (pa.array(["ab"], pa.large_string()), [pa.scalar(b"ab", pa.binary(2))]),
    ],
)
def test_a_list_of_a_type_that_arrow_refuses_is_refused(path, operator, column, members):
    pq.write_table(pa.table({"a": column, "wide": ["z" * 100]}), path)
    with pytest.raises(pa.ArrowTypeError):
        read(path, ["wide"], [("a", operator, members)])
