"""Filters over made tables: whatever the statistics rule out, the rows are those that pyarrow filters from all."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.flat_files import write_with_flat_footer
from support.samples import examples

import parquetext

KINDS = {
    "n": (pa.int16(), st.integers(-3, 3)),
    "f": (pa.float32(), st.sampled_from([-1.5, -0.0, 0.0, 2.0, float("nan"), float("inf")])),
    "t": (pa.string(), st.text("ab\u00e9", max_size=2)),
    "u": (pa.timestamp("us"), st.sampled_from([pa.scalar(n, pa.timestamp("us")).as_py() for n in (-1, 0, 1_000_001)])),
    "b": (pa.bool_(), st.booleans()),
}
OPERATORS = st.sampled_from(["=", "!=", "<", "<=", ">", ">=", "in", "not in"])


@st.composite
def tables(draw) -> pa.Table:
    rows = draw(st.integers(1, 12))
    column = {name: st.lists(values | st.none(), min_size=rows, max_size=rows) for name, (_, values) in KINDS.items()}
    return pa.table({name: pa.array(draw(values), KINDS[name][0]) for name, values in column.items()})


@st.composite
def comparisons(draw) -> tuple:
    name, operator = draw(st.sampled_from(list(KINDS))), draw(OPERATORS)
    values = KINDS[name][1]
    return name, operator, draw(st.lists(values, min_size=1, max_size=3) if operator.endswith("in") else values)


@pytest.mark.parametrize("form", ["thrift", "flat"])
@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    table=tables(),
    size=st.integers(1, 5),
    filters=st.lists(st.lists(comparisons(), min_size=1, max_size=2), min_size=1, max_size=2),
)
def test_rows_are_those_that_pyarrow_keeps_of_the_whole_table(tmp_path, form, table, size, filters):
    path = tmp_path / "table.parquet"
    pq.write_table(table, path, row_group_size=size, use_dictionary=["t"])
    if form == "flat":
        path = write_with_flat_footer(path, tmp_path / "flat.parquet")
    expression = pq.filters_to_expression(filters)
    try:
        theirs = pq.ParquetFile(path).read().filter(expression)
    except pa.ArrowNotImplementedError:
        return  # no comparison of this type
    ours = parquetext.read_table(str(path), filters=filters)
    assert repr(ours.to_pydict()) == repr(theirs.to_pydict())
    assert ours.schema == theirs.schema
    by_expression = parquetext.read_table(str(path), filters=expression)
    assert repr(by_expression.to_pydict()) == repr(theirs.to_pydict())
    some = parquetext.read_table(str(path), columns=["t"], filters=filters)
    assert some.column(0).to_pylist() == theirs.column("t").to_pylist()


@pytest.mark.parametrize("filters", [[("n", ">", 9)], pc.field("n") > 9, ~(pc.field("n") <= 9)])
def test_row_groups_that_are_ruled_out_are_not_read(tmp_path, filters):
    path = tmp_path / "table.parquet"
    pq.write_table(pa.table({"n": list(range(20))}), path, row_group_size=5)
    first = pq.read_metadata(path).row_group(0).column(0)
    data = bytearray(path.read_bytes())
    data[first.dictionary_page_offset : first.dictionary_page_offset + first.total_compressed_size] = bytes(
        first.total_compressed_size
    )
    path.write_bytes(data)
    with pytest.raises(OSError):
        parquetext.read_table(path)
    assert parquetext.read_table(path, filters=filters)["n"].to_pylist() == list(range(10, 20))


@pytest.mark.parametrize(
    "filters",
    [[["n", ">", 9]], [[["n", ">", 9], ["n", "<", 12]]], (("n", ">", 9),), [(("n", "=", 3),), [["n", "=", 11]]]],
    ids=str,
)
def test_comparisons_may_be_lists_and_groups_tuples_as_for_pyarrow(tmp_path, filters):
    pq.write_table(pa.table({"n": list(range(20))}), tmp_path / "a", row_group_size=5)
    expected = pq.read_table(tmp_path / "a", filters=filters)
    assert parquetext.read_table(tmp_path / "a", filters=filters).equals(expected)
    assert parquetext.dataset(tmp_path / "a").to_table(filter=filters).equals(expected)


def test_values_of_in_may_be_an_iterator(tmp_path):
    pq.write_table(pa.table({"n": list(range(20))}), tmp_path / "a", row_group_size=5)
    found = parquetext.read_table(tmp_path / "a", filters=[("n", "in", (number for number in (3, 11)))])
    assert found["n"].to_pylist() == [3, 11]


@pytest.mark.parametrize("begin", ["", "x"])
def test_expressions_may_contain_texts_that_arrow_truncates_within_a_character(tmp_path, begin):
    pq.write_table(pa.table({"t": [begin + "\u20ac" * 60, "b", None]}), tmp_path / "a", row_group_size=1)
    expression = pc.field("t").isin([begin + "\u20ac" * 60, "c"])
    expected = pq.read_table(tmp_path / "a", filters=expression)
    assert expected.num_rows == 1
    assert parquetext.read_table(tmp_path / "a", filters=expression).equals(expected)
    assert parquetext.dataset(tmp_path / "a").to_table(filter=expression).equals(expected)
