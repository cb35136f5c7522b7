"""Row groups are skipped only if no row in them can meet the predicate: bounds against brute force."""

from __future__ import annotations

import datetime
import math

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.samples import examples

from parquetext.pruning import ColumnBounds, Comparison, may_match, predicate_of, surviving_row_groups

OPERATORS = ["=", "==", "!=", "<", "<=", ">", ">=", "in", "not in"]
FLOATS = st.one_of(st.sampled_from([0.0, -0.0, math.nan, math.inf, -math.inf, 1.0]), st.floats(width=32))
KINDS = {
    "int8": (pa.int8(), st.integers(-4, 4)),
    "int64": (pa.int64(), st.integers(-(2**63), 2**63 - 1) | st.integers(-2, 2)),
    "uint32": (pa.uint32(), st.integers(0, 2**32 - 1) | st.integers(0, 3)),
    "uint64": (pa.uint64(), st.integers(2**63 - 2, 2**63 + 2) | st.integers(0, 2)),
    "float32": (pa.float32(), FLOATS),
    "float64": (pa.float64(), FLOATS),
    "bool": (pa.bool_(), st.booleans()),
    "string": (pa.string(), st.text("aé\U0001f600z", max_size=3)),
    "binary": (pa.binary(), st.binary(max_size=3)),
    "date": (pa.date32(), st.dates(datetime.date(1969, 12, 29), datetime.date(1970, 1, 3))),
    "timestamp": (pa.timestamp("us"), st.datetimes(datetime.datetime(1969, 12, 31), datetime.datetime(1970, 1, 2))),
    "decimal": (pa.decimal128(5, 2), st.decimals(-9, 9, places=2)),
}


def trusted_bounds(chunks: list[pa.Array], loosen) -> ColumnBounds:
    """Return bounds of a careful writer: without NaN, none if no value is left, and not always tight."""
    lows, highs, nulls = [], [], []
    for chunk in chunks:
        values = [value for value in chunk.to_pylist() if value is not None and value == value]
        lows.append(min(values) if values and loosen() else None)
        highs.append(max(values) if values and loosen() else None)
        nulls.append(chunk.null_count if loosen() else -1)
    kind = chunks[0].type
    if pa.types.is_string(kind) or pa.types.is_binary(kind):
        kind = pa.large_binary()
        lows, highs = ([v.encode() if isinstance(v, str) else v for v in side] for side in (lows, highs))
    return ColumnBounds.of(pa.array(lows, kind), pa.array(highs, kind), nulls, [len(chunk) for chunk in chunks])


def check_against_brute_force(data, kind: str, filters_of) -> None:
    """Draw row groups, their bounds and filters on column x: no row group that holds a match is skipped."""
    arrow, values = KINDS[kind]
    chunks = data.draw(st.lists(st.lists(values | st.none(), min_size=1, max_size=4), min_size=1, max_size=4))
    arrays = [pa.array(chunk, arrow) for chunk in chunks]
    bounds = trusted_bounds(arrays, lambda: data.draw(st.integers(0, 9)) > 0)
    some = [value for chunk in chunks for value in chunk if value is not None]
    filters = data.draw(filters_of(st.sampled_from(some) | values if some else values))
    try:
        predicate = predicate_of(filters)
        meets = [pa.table({"x": array}).filter(predicate.expression).num_rows > 0 for array in arrays]
    except (pa.ArrowException, OverflowError):
        return  # nothing that pyarrow filters by
    kept = surviving_row_groups(predicate, lambda name: bounds, len(arrays), range(len(arrays)), {"x": arrow})
    lost = [row_group for row_group, met in enumerate(meets) if met and row_group not in kept]
    assert not lost, f"{filters} meets rows of {[chunks[row_group] for row_group in lost]}"


def comparisons(literals) -> st.SearchStrategy[tuple]:
    members = st.lists(literals | st.none(), min_size=1, max_size=3)
    return st.sampled_from(OPERATORS).flatmap(
        lambda operator: st.tuples(st.just("x"), st.just(operator), members if operator.endswith("in") else literals)
    )


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=examples(60), deadline=None)
@given(data=st.data())
def test_no_row_that_meets_the_predicate_is_skipped(kind, data):
    def lists(literals):
        return st.lists(st.lists(comparisons(literals), min_size=1, max_size=2), min_size=1, max_size=2)

    check_against_brute_force(data, kind, lists)


@st.composite
def expressions(draw, literals) -> pc.Expression:
    """Comparisons, set membership and null tests, under not, and, or, including comparisons of their results."""
    field, literal = pc.field("x"), draw(literals)
    expression = draw(
        st.sampled_from(
            [
                lambda: field == literal,
                lambda: field != literal,
                lambda: field < literal,
                lambda: field <= literal,
                lambda: field > literal,
                lambda: field >= literal,
                lambda: field.isin([literal, draw(literals)]),
                field.is_valid,
                field.is_null,
                lambda: field.is_null(nan_is_null=True),
                lambda: (field > literal) == pc.scalar(False),
                lambda: pc.scalar(True) > (field <= literal),
            ]
        )
    )()
    if draw(st.booleans()):
        expression = ~expression
    if draw(st.integers(0, 2)) == 0:
        other = draw(expressions(literals))
        expression = expression & other if draw(st.booleans()) else expression | other
    return expression


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=examples(60), deadline=None)
@given(data=st.data())
def test_no_row_that_meets_an_expression_is_skipped(kind, data):
    typed = KINDS[kind][0]
    check_against_brute_force(
        data, kind, lambda literals: expressions(literals.map(lambda value: pa.scalar(value, typed)))
    )


MIXED = {
    "count": (pa.int64(), st.integers(-3, 3) | st.integers(-(2**54), 2**54)),
    "uint64": (pa.uint64(), st.integers(0, 3) | st.integers(2**63 - 2, 2**63 + 2)),
    "float32": (pa.float32(), st.floats(width=32) | st.sampled_from([0.1, 0.5, 1.0])),
    "price": (pa.decimal128(5, 2), st.decimals(-9, 9, places=2)),
    "large": (pa.decimal128(38, 18), st.decimals(-9, 9, places=18) | st.decimals(-(10**18), 10**18, places=18)),
    "date": (pa.date32(), st.dates() | st.dates(datetime.date(1969, 12, 29), datetime.date(1970, 1, 3))),
    "seconds": (pa.timestamp("s"), st.datetimes().map(lambda value: value.replace(microsecond=0))),
    "milliseconds": (pa.time32("ms"), st.times().map(lambda value: value.replace(microsecond=0))),
}
OF_OTHER_TYPES = {
    "numbers": st.integers(-3, 3) | st.floats() | st.sampled_from([0.1, 0.5, 1.0]) | st.decimals(-9, 9, places=3),
    "times": st.dates()
    | st.datetimes()
    | st.times()
    | st.integers(-(10**9), 10**9).map(lambda value: pa.scalar(value, pa.timestamp("ns"))),
}


@pytest.mark.parametrize("kind", MIXED)
@settings(max_examples=examples(150), deadline=None)
@given(data=st.data())
def test_row_groups_that_would_raise_for_the_literals_type_are_not_skipped(kind, data):
    arrow, values = MIXED[kind]
    numeric = pa.types.is_integer(arrow) or pa.types.is_floating(arrow) or pa.types.is_decimal(arrow)
    other = OF_OTHER_TYPES["numbers" if numeric else "times"]
    chunks = data.draw(st.lists(st.lists(values | st.none(), min_size=1, max_size=3), min_size=1, max_size=4))
    arrays = [pa.array(chunk, arrow) for chunk in chunks]
    known = trusted_bounds(arrays, lambda: data.draw(st.integers(0, 9)) > 0)
    some = [value for chunk in chunks for value in chunk if value is not None]
    near = st.sampled_from([float(value) for value in some] if numeric and some else [0.0]) if numeric else other
    filters = data.draw(comparisons(other | near))
    try:
        predicate = predicate_of([filters])
        pa.table({"x": arrays[0].slice(0, 0)}).filter(predicate.expression)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return  # nothing that pyarrow filters by
    for given_filters in (predicate, predicate_of(predicate.expression)):
        kept = surviving_row_groups(given_filters, lambda _: known, len(arrays), range(len(arrays)), {"x": arrow})
        for row_group, array in enumerate(arrays):
            try:
                needed = pa.table({"x": array}).filter(predicate.expression).num_rows > 0
            except pa.ArrowException:
                needed = True
            assert not needed or row_group in kept, f"{filters} of {chunks[row_group]}"


@pytest.mark.parametrize("kind", ["float32", "float64"])
@settings(max_examples=examples(200), deadline=None)
@given(data=st.data())
def test_no_row_that_meets_an_expression_of_doubles_is_skipped(kind, data):
    check_against_brute_force(data, kind, expressions)


X = pc.field("x")


@pytest.mark.parametrize(
    ("expression", "kept"),
    [
        (X == 5, [0, 2]),
        (X > 10, [1, 2]),
        (~(X <= 10), [1, 2]),
        ((X < 0) | (X == 20), [1, 2]),
        (X.isin([11, 12]), [1, 2]),
        (X.is_null(), [2, 3]),
        (~X.is_null(), [0, 1, 2]),
        (X + 1 == 5, [0, 1, 2, 3]),
    ],
)
def test_an_expression_skips_row_groups_excluded_by_bounds(expression, kept):
    known = bounds([0, 10, None, None], [10, 20, None, None], nulls=[0, 0, -1, 10])
    predicate = predicate_of(expression)
    assert surviving_row_groups(predicate, lambda name: known, 4, range(4), {"x": pa.int64()}) == kept


@pytest.mark.parametrize(
    ("expression", "kept"),
    [
        (X == 5, [0, 2]),
        (X > 10, [1, 2]),
        ((X < 0) | (X >= 20), [1, 2]),
        ((X > -1) & (pc.field("name") == 'a (not "b")') & (X < 1), [0, 2]),
        (~(X <= 10), [0, 1, 2]),
        (X != 0, [0, 1, 2]),
        ((X <= 10) == pc.scalar(False), [0, 1, 2]),
        (pc.and_not(X < 30, X < 10), [0, 1, 2]),
        (pc.and_not_kleene(X < 30, X < 10), [0, 1, 2]),
        (X.is_nan(), [0, 1, 2]),
        (X.isin([11.0, float("nan")]), [0, 1, 2]),
    ],
)
def test_bounds_of_floats_exclude_only_conditions_that_no_nan_meets(expression, kept):
    known = bounds([0.0, 10.0, None], [10.0, 20.0, None], pa.float64())
    types = {"x": pa.float64(), "name": pa.string()}
    known_of = {"x": known, "name": None}.get
    assert surviving_row_groups(predicate_of(expression), known_of, 3, range(3), types) == kept


S = pa.struct([("n", pa.int64()), ("day", pa.date32())])


@pytest.mark.parametrize(
    ("other", "kept"),
    [
        (pc.field("s", "n") == 1, [1]),
        (pc.field("s", "n") == 0.1, [0, 1]),
        (pc.field("s", "n").isin([1, 2]), [1]),
        (pc.field("s", "day") == datetime.date(2020, 1, 1), [1]),
        (pc.starts_with(pc.field("name"), "a"), [1]),
        (pc.utf8_lower(pc.field("name")) == "a", [1]),
        (pc.field("name") == pc.field("name"), [1]),
        (pc.field("x") == pc.field("f"), [0, 1]),
        (pc.field("name").cast(pa.int8()) == 1, [0, 1]),
        (pc.field("x") + 1 > 0, [0, 1]),
        (pc.scalar(True), [1]),
        (pc.scalar(False), []),
    ],
)
def test_row_groups_stay_if_another_part_of_the_expression_may_raise(other, kept):
    types = {"x": pa.int64(), "name": pa.string(), "s": S, "f": pa.float64()}
    known_of = {"x": bounds([0, 10], [9, 20]), "name": None, "s": None, "f": None}.get
    for expression in ((X >= 10) & other, other & (pc.scalar(10) <= X)):
        assert surviving_row_groups(predicate_of(expression), known_of, 2, range(2), types) == kept


def test_columns_with_quotes_in_their_names_do_not_pass_for_text():
    expression = pc.field('"') != pc.field('" > x')  # of which the text is a comparison of a text with x
    known = dict.fromkeys(['"', '" > x'], bounds([5.0], [5.0], pa.float64()))
    types = dict.fromkeys(known, pa.float64())
    assert pa.table({'"': [5.0, math.nan], '" > x': [5.0, 5.0]}).filter(expression).num_rows == 1
    assert surviving_row_groups(predicate_of(expression), known.get, 1, range(1), types) == [0]


def test_text_cut_within_a_character_is_compared_as_bytes():
    known = bounds([b"a\xc3", b"b"], [b"b", b"c\xc3"], pa.large_binary())
    for expression, kept in ((X < "a", []), (X < "b", [0]), (X > "c", [1]), (X > "d", [])):
        predicate = predicate_of(expression)
        assert surviving_row_groups(predicate, lambda name: known, 2, range(2), {"x": pa.string()}) == kept


def bounds(lows, highs, kind=None, nulls=None, rows=10) -> ColumnBounds:
    return ColumnBounds.of(
        pa.array(lows, kind or pa.int64()),
        pa.array(highs, kind or pa.int64()),
        nulls or [0] * len(lows),
        [rows] * len(lows),
    )


@pytest.mark.parametrize(
    ("operator", "value", "kept"),
    [
        ("=", 5, [True, False, True]),
        ("==", 10, [True, True, True]),
        ("<", 0, [False, False, True]),
        ("<=", 0, [True, False, True]),
        (">", 10, [False, True, True]),
        (">=", 20, [False, True, True]),
        ("in", [-1, 11], [False, True, True]),
        ("in", [], [False, False, False]),
        ("!=", 5, [True, True, True]),
        ("not in", [5], [True, True, True]),
    ],
)
def test_row_groups_excluded_by_bounds_are_skipped_and_those_without_bounds_stay(operator, value, kept):
    assert may_match(Comparison("x", operator, value), bounds([0, 10, None], [10, 20, None])).meets.to_pylist() == kept


@pytest.mark.parametrize(("operator", "value"), [("!=", 7), ("not in", [7])])
def test_a_single_value_excludes_inequality(operator, value):
    assert may_match(Comparison("x", operator, value), bounds([7, 7], [7, 8])).meets.to_pylist() == [False, True]


@pytest.mark.parametrize("kind", [pa.int64(), pa.float32(), pa.float64(), pa.string(), pa.large_binary()], ids=str)
@given(data=st.data())
def test_a_long_list_is_judged_as_its_members_are(kind, data):
    numbers = st.integers(-50, 50)
    if pa.types.is_floating(kind):
        numbers = numbers.map(lambda number: number / 4) | st.just(-0.0)
    values = numbers if pa.types.is_primitive(kind) else st.text("ab", max_size=3)
    if kind == pa.large_binary():
        values = st.binary(max_size=3)
    pairs = data.draw(st.lists(st.tuples(values, values).map(sorted) | st.just((None, None)), min_size=1, max_size=4))
    members = data.draw(st.lists(values, min_size=9, max_size=20, unique=True))
    known = bounds(*zip(*pairs, strict=True), kind=kind)
    each = [may_match(Comparison("x", "=", member), known).meets.to_pylist() for member in members]
    assert may_match(Comparison("x", "in", members), known).meets.to_pylist() == list(map(any, zip(*each, strict=True)))


def test_nulls_meet_not_in_and_only_it():
    one = bounds([7, 7], [7, 7], nulls=[0, 3])
    assert may_match(Comparison("x", "not in", [7]), one).meets.to_pylist() == [False, True]
    assert may_match(Comparison("x", "!=", 7), one).meets.to_pylist() == [False, False]


def test_a_chunk_of_nulls_alone_is_skipped():
    empty = bounds([None], [None], nulls=[10])
    assert may_match(Comparison("x", "=", 1), empty).meets.to_pylist() == [False]
    assert may_match(Comparison("x", "in", [1]), empty).meets.to_pylist() == [False]
    assert may_match(Comparison("x", "in", [1, None]), empty).meets.to_pylist() == [True]


def test_a_nan_hides_from_bounds_so_floats_never_all_differ():
    same = bounds([1.0], [1.0], pa.float64())
    assert may_match(Comparison("x", "!=", 1.0), same).meets.to_pylist() == [True]
    assert may_match(Comparison("x", "not in", [1.0]), same).meets.to_pylist() == [True]
    assert may_match(Comparison("x", "in", [math.nan]), same).meets.to_pylist() == [True]


@pytest.mark.parametrize("value", [object(), "text", None, b"x", datetime.date(2000, 1, 1), [1]])
def test_incomparable_row_groups_are_kept(value):
    assert may_match(Comparison("x", "=", value), bounds([5], [9], pa.float64())).meets.to_pylist() == [True]


def test_signed_zeros_are_one_value():
    assert may_match(Comparison("x", "=", 0.0), bounds([-1.0], [-0.0], pa.float64())).meets.to_pylist() == [True]
    assert may_match(Comparison("x", ">=", 0.0), bounds([-1.0], [-0.0], pa.float64())).meets.to_pylist() == [True]


TYPES = {"a": pa.int64(), "b)": pa.string(), "s": pa.struct([("x", pa.int8())])}


class TestColumnsOfExpressions:
    def columns(self, expression):
        return predicate_of(expression).columns(TYPES.get)

    def test_all_that_are_looked_at_are_found(self):
        assert self.columns(pc.field("a") > 3) == ["a"]
        assert sorted(self.columns((pc.field("b)") == "x") | ~(pc.field("a") > pc.field("a")))) == ["a", "b)"]
        assert self.columns(pc.field("s", "x") == 1) == ["s"]

    def test_a_column_by_its_position_may_be_any(self):
        assert self.columns((pc.field("a") == 1) & (pc.field(0) == 2)) is None

    def test_expressions_without_bounds_may_have_any_value(self):
        assert self.columns(pc.field("nope") == 1) is None
        assert self.columns(pc.field("a") == "text") is None

    def test_changed_types_are_checked_again(self):
        predicate = predicate_of(pc.field("a") == 1)
        for kind, columns in [(pa.int8(), ["a"]), (pa.string(), None), (None, None), (pa.int64(), ["a"])] * 2:
            assert predicate.columns({"a": kind}.get) == columns
            assert predicate_of(pc.field("b") == 1).columns({"b": pa.int8()}.get) == ["b"]
            assert predicate.columns({"a": kind}.get) == columns


def test_filters_are_checked_as_pyarrow_checks_them():
    for wrong in ([], [("a", "~", 1)], "a = 1"):
        with pytest.raises((ValueError, TypeError)):
            pq.filters_to_expression(wrong)
        with pytest.raises((ValueError, TypeError)):
            predicate_of(wrong)
