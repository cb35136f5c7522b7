"""Whole files, in every form and with sidecars: filters find exactly the rows that a scan of all rows finds."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.filter_kinds import KINDS, OPERATORS
from support.parquet_bytes import footer_of, with_footer
from support.samples import some

import parquetext
from parquetext import kernels, sidecar
from parquetext.thrift import values

MORE = ("between", "is null", "is not null")


@pytest.fixture(scope="module")
def folder():
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@st.composite
def tables(draw) -> list[pa.Table]:
    """Two or three row groups of every kind of column; columns of few values, so that filters meet and miss."""
    some = {name: draw(st.lists(value, min_size=2, max_size=4)) for name, (_, value) in KINDS.items()}
    groups = []
    for number in range(draw(st.integers(2, 3))):
        rows = draw(st.integers(1, 4))
        columns = {"row": pa.array(range(10 * number, 10 * number + rows), pa.int64())}
        for name, (kind, _) in KINDS.items():
            more = st.none() if draw(st.booleans()) else st.sampled_from(some[name][:1])
            cells = st.sampled_from(some[name]) | more
            columns[name] = pa.array(draw(st.lists(cells, min_size=rows, max_size=rows)), kind)
        groups.append(pa.table(columns))
    return groups


def written(groups: list[pa.Table], truncated: bool, blooms: bool, int96: bool) -> bytes:
    """A Parquet file with a row group for each table."""
    sink = pa.BufferOutputStream()
    filters = {name: True for name in KINDS if name != "bool"} if blooms else None
    with pq.ParquetWriter(
        sink, groups[0].schema, bloom_filter_options=filters, use_deprecated_int96_timestamps=int96
    ) as writer:
        for group in groups:
            writer.write_table(group)
    data = sink.getvalue().to_pybytes()
    return with_footer(data, inexact(footer_of(data))) if truncated else data


def inexact(footer: bytes) -> bytes:
    """The footer with the bounds of texts cut to a byte, and rounded up."""
    fields = values.read("FileMetaData", footer)
    for row_group in fields["row_groups"]:
        for column in row_group["columns"]:
            meta = column["meta_data"]
            statistics = meta.get("statistics", {})
            if meta["path_in_schema"][0] not in ("string", "binary"):
                continue
            low, high = statistics.get("min_value"), statistics.get("max_value")
            statistics.pop("min", None)
            statistics.pop("max", None)
            if low is not None and high:
                statistics |= {"min_value": low[:1], "is_min_value_exact": False}
                if high[0] < 0xFF:
                    statistics |= {"max_value": bytes([high[0] + 1]), "is_max_value_exact": False}
            meta["statistics"] = {name: statistics[name] for name in sorted(statistics, key=ORDER.index)}
    return values.write("FileMetaData", fields)


ORDER = (
    "max",
    "min",
    "null_count",
    "distinct_count",
    "max_value",
    "min_value",
    "is_max_value_exact",
    "is_min_value_exact",
)


def files_of(folder: Path, data: bytes) -> dict[str, str]:
    """The same file in every form."""
    paths = {}
    for form in ("thrift", "flat", "index", "par3", "sidecar"):
        path = paths[form] = str(folder / f"{form}.parquet")
        Path(path).write_bytes(data)
        if form in ("flat", "index"):
            parquetext.upgrade(path, form=form)
        elif form == "par3":
            parquetext.upgrade(path, form="flat")
            parquetext.finalize(path, confirm=True)
    sidecar.build(paths["sidecar"])
    return paths


def wanted(name: str, operator: str, literal) -> pc.Expression:
    """Conditions on rows, for QuestDB's operators too."""
    field = pc.field(name)
    if operator == "between":
        low, high = sorted(literal)
        return (field >= pa.scalar(low, KINDS[name][0])) & (field <= pa.scalar(high, KINDS[name][0]))
    if operator in MORE:
        null = field.is_null(nan_is_null=True)
        return null if operator == "is null" else ~null
    return pq.filters_to_expression([(name, operator, literal)])


@pytest.mark.slow
@settings(max_examples=3, deadline=None)
@given(data=st.data())
def test_filters_find_the_rows_of_a_full_scan(folder, data):
    """Without --long each example tries half of the kinds of columns."""
    groups, before = data.draw(tables()), kernels.implementation()
    kernels.use(data.draw(st.sampled_from([before, "pure"])))
    try:
        truncated, blooms, int96 = (data.draw(st.booleans()) for _ in range(3))
        paths = files_of(folder, written(groups, truncated, blooms, int96))
        with sidecar.open(paths["sidecar"]) as plan:
            for name in some(list(KINDS), 2, data.draw(st.integers(0, 1))):
                literals = KINDS[name][1]
                if int96 and name == "zoned":
                    continue  # pyarrow writes it without its zone
                drawn = [value for group in groups for value in group[name].to_pylist() if value is not None]
                literals = st.sampled_from(drawn) | literals if drawn else literals
                for operator in data.draw(st.lists(st.sampled_from(OPERATORS), min_size=1, max_size=1)):
                    members = st.lists(literals, min_size=1, max_size=3) if operator.endswith("in") else literals
                    check(paths, plan, groups, (name, operator, data.draw(members)))
                for operator in MORE:
                    literal = [data.draw(literals), data.draw(literals)] if operator == "between" else None
                    if operator != "between" or all(value == value for value in literal):
                        check_plan(plan, groups, (name, operator, literal))
    finally:
        kernels.use(before)


def check(paths: dict[str, str], plan, groups: list[pa.Table], part: tuple) -> None:
    try:
        expression = pq.filters_to_expression([part])
        rows = pa.concat_tables(groups).filter(expression)["row"].to_pylist()
    except (pa.ArrowException, OverflowError):
        return  # nothing that pyarrow filters by
    for form, path in paths.items():
        for filters in ([part], expression) if form in ("thrift", "sidecar") else ([part],):
            for how in (True, plan) if form == "sidecar" else (False,):
                found = parquetext.read_table(path, ["row"], filters, sidecar=how)
                assert found["row"].to_pylist() == rows, (form, how, part)
    for how in ("auto", True):
        lake = parquetext.dataset(paths["sidecar"], sidecar=how)
        for filters in ([part], expression):
            assert lake.to_table(["row"], filters)["row"].to_pylist() == rows, ("dataset", how, part)
    check_plan(plan, groups, part)


def check_plan(plan, groups: list[pa.Table], part: tuple) -> None:
    try:
        expression = wanted(*part)
        met = [group.filter(expression).num_rows > 0 for group in groups]
    except (pa.ArrowException, OverflowError):
        return
    skipped = [number for number in range(len(groups)) if plan.can_skip(number, [part])]
    assert not [number for number in skipped if met[number]], part
    assert not [number for number, some in enumerate(met) if some and plan.can_skip(number, expression)], part
