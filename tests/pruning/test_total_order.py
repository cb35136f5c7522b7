"""Filters on floats with IEEE_754_TOTAL_ORDER and counts of NaN: fewer reads, and the rows of `pyarrow.compute`."""

from __future__ import annotations

import math

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.changed_metadata import with_footer, with_indexes
from support.samples import examples
from support.total_order import total_order_file

import parquetext
from parquetext.pruning import known_nans

NAN, X = math.nan, pc.field("x")
GROUPS = [
    [-2.0, -0.0, None, 0.0, 5.0, 7.0],
    [NAN, -1.0, 3.0, NAN, None, 3.0],
    [NAN, NAN, NAN, None, NAN, NAN],
    [None] * 6,
]
KINDS = [pa.float16(), pa.float32(), pa.float64()]
CORPUS = "parquet-testing/data/floating_orders_nan_count.parquet"


@pytest.fixture(params=KINDS[1:], ids=str)
def path(request, tmp_path):
    path = tmp_path / "x.parquet"
    total_order_file(path, [pa.array(group, request.param) for group in GROUPS], 2)
    return path


def read_groups(path, filters) -> list[int]:
    """Return the row groups that a plan reads."""
    with parquetext.open(path) as file:
        groups = file.explain(filters=filters).row_groups
    return [number for number, group in enumerate(groups) if group.is_read]


def test_counts_of_nan_skip_row_groups_of_half_floats(tmp_path):
    path = tmp_path / "x.parquet"
    total_order_file(path, [pa.array(group, pa.float16()) for group in GROUPS], 2)
    assert (read_groups(path, X.is_nan()), read_groups(path, ~X.is_nan())) == ([1, 2], [0, 1])


@pytest.mark.parametrize("form", ["thrift", "flat", "index", "packed"])
@pytest.mark.parametrize(
    ("expression", "groups"),
    [
        (X.is_nan(), [1, 2]),
        (~X.is_nan(), [0, 1]),
        (X.is_null(nan_is_null=True), [0, 1, 2, 3]),
        (~X.is_null(nan_is_null=True), [0, 1]),
        (X > -100.0, [0, 1]),
        (X != 100.0, [0, 1, 2]),
        (~(X > -100.0), [0, 1, 2]),
        (X.isin([NAN]), [1, 2]),
        (X == 0.0, [0, 1]),
    ],
    ids=str,
)
def test_counts_of_nan_skip_row_groups(path, form, expression, groups):
    if form != "thrift":
        parquetext.upgrade(path, form=form)
    assert read_groups(path, expression) == groups
    expected = pq.read_table(path, use_threads=False).filter(expression)
    assert parquetext.read_table(path, filters=expression)["x"].to_pylist() == pytest.approx(
        expected["x"].to_pylist(), nan_ok=True
    )


def test_counts_of_nan_mean_nothing_in_another_order(tmp_path):
    path = tmp_path / "x.parquet"
    total_order_file(path, [pa.array(group, pa.float64()) for group in GROUPS], 2, "TYPE_ORDER")
    assert read_groups(path, X.is_nan()) == [0, 1, 2]
    assert read_groups(path, X > -100.0) == [0, 1, 2]


@pytest.mark.parametrize("count", [0, -1, 6, 1 << 40])
def test_counts_of_nan_that_cannot_be_right_skip_nothing(tmp_path, count):
    path = tmp_path / "x.parquet"
    total_order_file(path, [pa.array([NAN, NAN, None, NAN])], 2)

    def changed(footer: dict) -> None:
        footer["row_groups"][0]["columns"][0]["meta_data"]["statistics"]["nan_count"] = count

    with_footer(path, changed)
    for expression in (X.is_nan(), ~X.is_nan(), X > 0.0):
        assert read_groups(path, expression) == [0]
        assert parquetext.read_table(path, filters=expression).num_rows == (3 if expression.equals(X.is_nan()) else 0)


@pytest.mark.parametrize(
    ("has_bounds", "nans", "nulls", "values", "is_required", "expected"),
    [
        (False, 3, 1, 4, False, (True, False)),
        (False, 3, 1, 4, True, (False, False)),
        (True, 3, 1, 4, False, (False, False)),
        (False, 3, -1, 4, False, (False, False)),
        (False, 4, -1, 4, False, (True, False)),
        (False, 4, 9, 4, False, (True, False)),
        (True, 0, -1, 4, False, (False, True)),
        (False, -1, 0, 4, False, (False, False)),
        (False, -1, 5, 4, False, (False, False)),
        (False, 0, 4, 4, False, (True, True)),
    ],
)
def test_only_counts_that_agree_are_conclusive(has_bounds, nans, nulls, values, is_required, expected):
    found = known_nans([has_bounds], [nans], [nulls], [values], is_required)
    assert tuple(side.to_pylist()[0] for side in found) == expected


def pages_read(path, filters) -> int:
    with parquetext.open(path) as file:
        return sum(
            group.pages_read for group in file.explain(filters=filters, engine="parquetext").row_groups if group.is_read
        )


def test_counts_of_nan_skip_pages(tmp_path):
    path = tmp_path / "x.parquet"
    total_order_file(path, [pa.array([1.0, 2.0, NAN, NAN, -0.0, 0.0, NAN, 9.0])], 2)
    assert pages_read(path, X.is_nan()) == 2
    assert pages_read(path, ~X.is_nan()) == 3
    assert pages_read(path, X >= 2.0) == 2
    assert pages_read(path, X == -0.0) == 1
    for expression in (X.is_nan(), ~X.is_nan(), X >= 2.0, X == -0.0):
        found = parquetext.read_table(path, filters=expression, engine="parquetext")
        assert found.num_rows == pq.read_table(path).filter(expression).num_rows


@pytest.mark.parametrize("counts", [[0, 0, 0], [0, 0, 0, 0, 0]])
def test_an_index_with_another_number_of_counts_skips_nothing(tmp_path, counts):
    path = tmp_path / "x.parquet"
    total_order_file(path, [pa.array([1.0, 2.0, NAN, NAN, -0.0, 0.0, NAN, 9.0])], 2)
    with_indexes(path, 0, lambda _, index, offsets: (index | {"nan_counts": counts}, offsets))
    assert pages_read(path, X.is_nan()) == 4
    assert parquetext.read_table(path, filters=X.is_nan(), engine="parquetext").num_rows == 3


FLOATS = st.one_of(
    st.none(), st.sampled_from([0.0, -0.0, NAN, -NAN, math.inf, -math.inf, 1.0]), st.integers(-3, 3).map(float)
)
OPERATORS = [lambda x, v: x < v, lambda x, v: x <= v, lambda x, v: x == v, lambda x, v: x != v, lambda x, v: x >= v]
OPERATORS += [lambda x, v: x > v, lambda x, v: x.isin([v]), lambda x, v: x.is_nan(), lambda x, v: x.is_null()]
OPERATORS += [lambda x, v: x.is_null(nan_is_null=True), lambda x, v: pc.is_finite(x)]


@st.composite
def expressions(draw, kind: pa.DataType) -> pc.Expression:
    literal = pa.scalar(draw(FLOATS.filter(lambda value: value is not None)), kind)
    expression = draw(st.sampled_from(OPERATORS))(X, literal)
    expression = ~expression if draw(st.booleans()) else expression
    if draw(st.integers(0, 2)) == 0:
        other = draw(expressions(kind))
        return expression & other if draw(st.booleans()) else expression | other
    return expression


@pytest.mark.parametrize("kind", KINDS, ids=str)
@settings(max_examples=examples(60), deadline=None)
@given(data=st.data())
def test_filters_find_every_row_that_a_scan_finds(tmp_path_factory, kind, data):
    groups = data.draw(st.lists(st.lists(FLOATS, min_size=1, max_size=6), min_size=1, max_size=3))
    arrays = [pa.array(group, kind) for group in groups]
    path = tmp_path_factory.mktemp("total") / "x.parquet"
    total_order_file(path, arrays, data.draw(st.integers(1, 3)))
    expression = data.draw(expressions(kind))
    try:
        expected = pa.table({"x": pa.concat_arrays(arrays)}).filter(expression)
    except pa.ArrowException:
        return  # half floats have no is_in
    for engine in ("parquetext", "pyarrow"):
        found = parquetext.read_table(path, filters=expression, engine=engine)
        assert repr(found["x"].to_pylist()) == repr(expected["x"].to_pylist())


@pytest.mark.parametrize("name", ["float_ieee754", "double_ieee754", "float16_ieee754"])
def test_a_file_of_parquet_java_is_skipped_by_its_counts(corpus, name):
    path, field = corpus / CORPUS, pc.field(name)
    assert read_groups(path, field.is_nan()) == [1, 2]
    assert read_groups(path, ~field.is_nan()) == [0, 1, 3, 4]
    comparisons = [] if name.startswith("float16") else [field >= 0.0, field < 0.0, field == 0.0]
    for expression in comparisons:
        assert 2 not in read_groups(path, expression)
    table = pq.read_table(path)
    for expression in (field.is_nan(), ~field.is_nan(), *comparisons):
        found = parquetext.read_table(path, filters=expression)[name].to_pylist()
        assert repr(found) == repr(table.filter(expression)[name].to_pylist())
