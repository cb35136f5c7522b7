"""Decimals in sidecars: their codes are QuestDB's, and no filter on them loses a row, with sidecars of any writer."""

from __future__ import annotations

import io
import json
import operator
from decimal import Decimal, localcontext
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.growing import grow
from support.memory_files import Memory, plan_of, planned
from support.older_sidecars import as_older, older_code
from support.samples import examples

import parquetext
from parquetext import sidecar
from parquetext.pruning import predicate_of
from parquetext.sidecar.building import sidecar_bytes
from parquetext.sidecar.origin import Origin
from parquetext.sidecar.questdb_types import decimal_digits, means_the_same, type_name

pytestmark = pytest.mark.usefixtures("implementation")

COMPARE = {"=": operator.eq, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
TAGS = ((2, 28), (4, 29), (9, 30), (18, 31), (38, 32), (76, 33))


def code_of(precision: int, scale: int) -> int:
    """QuestDB's code of a decimal."""
    return next(tag for digits, tag in TAGS if precision <= digits) | precision << 8 | scale << 18


class TestCodes:
    def test_a_code_of_quest_db_s_engine(self):
        assert code_of(18, 3) == 791071
        assert (decimal_digits(791071), type_name(791071)) == ((18, 3), "DECIMAL64(18,3)")

    def test_every_precision_and_scale_is_read_as_it_is_written(self):
        unsure = [
            (precision, scale)
            for precision in range(1, 77)
            for scale in range(precision + 1)
            if decimal_digits(code_of(precision, scale)) != (precision, scale)
        ]
        assert unsure == [(precision, 64) for precision in range(64, 77)], "these mean a scale of 1 at bit 24"

    def test_a_code_with_the_scale_in_other_bits_has_no_digits(self):
        for precision in range(1, 77):
            for scale in range(1, precision + 1):
                older = older_code(code_of(precision, scale))
                assert decimal_digits(older) is None
                assert type_name(older) == type_name(older & 0xFF).split("(")[0]

    def test_an_old_code_means_the_same_as_the_current_one(self):
        for precision in range(1, 77):
            for scale in range(precision + 1):
                code = code_of(precision, scale)
                assert means_the_same(code, code)
                assert means_the_same(older_code(code), code)
                assert not means_the_same(older_code(code), code + (1 << 18))


def table_of(values: list, precision: int, scale: int) -> pa.Table:
    kind = pa.decimal128(precision, scale) if precision <= 38 else pa.decimal256(precision, scale)
    return pa.table({"x": pa.array(values, kind)})


@st.composite
def decimals(draw) -> tuple[pa.Table, int, list]:
    """A table, rows of a row group, and literals of which some are values, some between them, some far off."""
    precision = draw(st.integers(1, 76))
    scale = draw(st.integers(0, precision))
    # Few different values, near zero or near the limits of the type, so that literals equal bounds.
    largest = 10**precision - 1
    numbers = st.integers(-largest, largest) | st.integers(max(-largest, -20), min(largest, 20))
    with localcontext(prec=100):
        values = draw(
            st.lists(st.none() | numbers.map(lambda number: Decimal(number).scaleb(-scale)), min_size=1, max_size=12)
        )
        known = [value for value in values if value is not None] or [Decimal(0)]
        near = st.sampled_from(known).flatmap(
            lambda value: st.sampled_from(
                [
                    value,
                    value + Decimal(1).scaleb(-scale),
                    value - Decimal(1).scaleb(-scale),
                    value + Decimal(5).scaleb(-scale - 1),
                ]
            )
        )
        literals = draw(st.lists(near | st.integers(-3, 3) | st.floats(-9, 9), min_size=1, max_size=4))
    return table_of(values, precision, scale), draw(st.integers(1, 4)), literals


def written(table: pa.Table, rows: int, **options) -> bytes:
    file = io.BytesIO()
    pq.write_table(table, file, row_group_size=rows, **options)
    return file.getvalue()


def declared(table: pa.Table, code: int) -> pa.Table:
    return table.replace_schema_metadata({"questdb": json.dumps({"version": 1, "schema": [{"column_type": code}]})})


def lost(plan, values: list, rows: int, literals: list) -> list:
    """The predicates for which a row group is left out although one of its rows meets them."""
    found = []
    for sign, is_met in COMPARE.items():
        for literal in literals:
            left = plan.surviving(predicate_of([("x", sign, literal)]))
            for group in range(plan.num_row_groups):
                hit = any(
                    value is not None and is_met(value, literal) for value in values[group * rows : (group + 1) * rows]
                )
                if hit and (group not in left or plan.can_skip(group, [("x", sign, literal)])):
                    found.append((sign, literal, group))
    return found


class TestNoRowIsLost:
    @given(decimals(), st.booleans(), st.booleans())
    @settings(max_examples=examples(80), suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_filters_keep_every_row_that_meets_them(self, made, as_integer, is_declared):
        table, rows, literals = made
        kind, values = table.schema.field("x").type, table["x"].to_pylist()
        if is_declared:
            table = declared(table, code_of(kind.precision, kind.scale))
        data = written(table, rows, store_decimal_as_integer=as_integer)
        assert lost(planned(data), values, rows, literals) == []
        older = plan_of(as_older(sidecar_bytes(Memory(data))[0]))
        assert lost(older, values, rows, literals) == []

    @given(decimals(), st.booleans())
    @settings(max_examples=examples(30), suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_expressions_keep_the_row_groups_that_arrow_keeps(self, made, as_integer):
        table, rows, literals = made
        kind = table.schema.field("x").type
        plan = planned(written(table, rows, store_decimal_as_integer=as_integer))
        for literal in literals:
            try:
                value = pa.scalar(literal, kind)
            except (pa.ArrowInvalid, pa.ArrowTypeError):
                continue
            for expression in (pc.field("x") < value, pc.field("x") >= value, pc.field("x") == value):
                left = plan.surviving(predicate_of(expression))
                for group in range(plan.num_row_groups):
                    part = table.slice(group * rows, rows)
                    assert group in left or not part.filter(expression).num_rows


class TestRuledOut:
    """Filters skip data: ranges that the bounds exclude are left out."""

    @pytest.mark.parametrize("as_integer", [False, True])
    @pytest.mark.parametrize(("precision", "scale"), [(2, 1), (4, 4), (9, 3), (18, 3), (38, 10), (76, 30)])
    def test_row_groups_are_left_out(self, precision, scale, as_integer):
        with localcontext(prec=100):
            unit = Decimal(1).scaleb(-scale)
            values = [unit * number for number in range(-8, 8)]
        table = declared(table_of(values, precision, scale), code_of(precision, scale))
        plan = planned(written(table, 4, store_decimal_as_integer=as_integer))
        assert plan.column("x").type.endswith(f"({precision},{scale})")
        assert plan.surviving(predicate_of([("x", "=", unit * 5)])) == [3]
        assert plan.surviving(predicate_of([("x", "<", unit * -4)])) == [0]
        assert [group for group in range(4) if not plan.can_skip(group, [("x", ">=", unit * 4)])] == [3]

    def test_quest_db_s_own_types_stay(self):
        table = declared(table_of([Decimal("1.500"), Decimal("2.250")], 18, 3), 791071)
        plan = planned(written(table, 1))
        assert (plan.column("x").type_code, plan.column("x").min.to_pylist()) == (
            791071,
            [Decimal("1.500"), Decimal("2.250")],
        )


class TestOlderSidecars:
    """Of versions that had the scale at bit 24."""

    @pytest.fixture
    def file(self, tmp_path) -> Path:
        path = tmp_path / "x.parquet"
        pq.write_table(table_of([Decimal(number) / 8 for number in range(16)], 9, 3), path, row_group_size=4)
        position = Path(sidecar.build(path).sidecar)
        position.write_bytes(as_older(position.read_bytes()))
        return path

    def test_values_are_read_by_them(self, file):
        table = parquetext.read_table(file, filters=[("x", ">=", Decimal("1.5"))], sidecar=True)
        assert table["x"].to_pylist() == [Decimal(number) / 8 for number in range(12, 16)]

    def test_their_decimals_rule_nothing_out(self, file):
        with sidecar.open(file) as plan:
            assert plan.column("x").type == "DECIMAL32"
            assert plan.column("x").bounds is None
            assert plan.surviving(predicate_of([("x", ">", Decimal(100))])) == [0, 1, 2, 3]

    def test_update_writes_old_sidecars_again(self, file):
        assert sidecar.update(file).outcome == "rebuilt"
        with sidecar.open(file) as plan:
            assert plan.column("x").type == "DECIMAL32(9,3)"
            assert plan.surviving(predicate_of([("x", ">", Decimal(100))])) == []
        assert sidecar.update(file).outcome == "current"

    def test_the_note_has_the_layout_that_they_do_not_know(self, file):
        sidecar.update(file)
        with sidecar.open(file) as plan:
            assert plan.origin.layout == 2, "versions that know layout 1 would take the scale for 0"

    def test_without_digits_after_the_point_the_layout_is_1(self, tmp_path):
        path = tmp_path / "y.parquet"
        pq.write_table(pa.table({"x": pa.array([1], pa.decimal128(9, 0)), "y": [2]}), path)
        sidecar.build(path)
        with sidecar.open(path) as plan:
            assert plan.origin.layout == 1

    def test_a_store_with_old_codes_continues(self, tmp_path):
        store = sidecar.Store(tmp_path)
        store.append(table_of([Decimal("1.5")], 9, 3))
        position = tmp_path / "_0" / "_pm"
        position.write_bytes(as_older(position.read_bytes()))
        store.append(table_of([Decimal("2.5")], 9, 3))
        grow(tmp_path / "data.parquet", table_of([Decimal("3.5")], 9, 3))
        store.commit()
        with store.snapshot() as held:
            values = held.read(filters=[("x", ">", Decimal("2.25"))])["x"].to_pylist()
        assert values == [Decimal("2.5"), Decimal("3.5")]


def test_a_note_of_each_layout_is_read():
    for layout in (1, 2):
        assert Origin.from_bytes(Origin(1, 2, layout=layout).to_bytes()).layout == layout
