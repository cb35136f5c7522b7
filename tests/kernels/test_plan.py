"""Plans from the sidecars of many files, on both implementations: which sidecars count, and their values."""

from __future__ import annotations

import os
import shutil
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.samples import examples
from support.sidecars import with_checksum
from support.twins import both

from parquetext import sidecar
from parquetext.errors import Malformed

PLANNED, NONE, UNUSED, OTHER = range(4)


def table(first: int) -> pa.Table:
    rows = range(first, first + 40)
    return pa.table(
        {
            "n": pa.array(rows, pa.int32()),
            "text": pa.array([f"t{n:05}" if n % 3 else None for n in rows]),
            "x": [n / 2 if n % 5 else float("nan") for n in rows],
            "flag": [n % 2 == 0 for n in rows],
            "price": pa.array([Decimal(n) / 4 for n in rows], pa.decimal128(9, 2)),
            "raw": pa.array([n.to_bytes(5, "big") for n in rows], pa.binary(5)),
            "none": pa.nulls(40, pa.int64()),
            "big": pa.array([n << 40 for n in rows], pa.uint64()),
        }
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Files with sidecars, one without statistics; tests do not change them."""
    folder = tmp_path_factory.mktemp("files")
    for number in range(4):
        path = str(folder / f"{number}.parquet")
        pq.write_table(table(100 * number), path, row_group_size=15, write_statistics=number != 2)
        sidecar.build(path)
    return folder


@pytest.fixture
def files(made, tmp_path) -> list[str]:
    """Copies of them, with new sidecars."""
    paths = []
    for path in sorted(made.glob("*.parquet")):
        paths.append(shutil.copy(path, tmp_path))
        sidecar.build(paths[-1])
    return paths


def said(paths, columns=((0, 4), (1, 0), (2, 8), (3, 1), (4, 4), (5, 5), (6, 8), (7, 8)), **options) -> list:
    """Return the result of both kernels, after checking that they are equal."""
    found = []
    for kernel, scanner in zip(both("plan"), both("scan"), strict=True):
        first = kernel.first_schema(paths, **options)
        if first is None:
            found.append(None)
            continue
        try:
            schema = scanner.scan(first[1])
        except Malformed:
            found.append(first)
            continue
        statuses, counts, fields, filtered = kernel.gather(paths, schema, columns, **options)
        assert filtered == bytes(len(paths))
        found.append((first, list(statuses), list(counts), fields))
    assert found[0] == found[1]
    return found[0]


def test_all_files_of_one_schema_come_in_one_array(files):
    (first, _), statuses, counts, fields = said(files)
    assert (first, statuses, counts) == (0, [PLANNED] * 4, [3] * 4)
    nulls, values, (bits, ends, low), _ = fields[0]
    assert memoryview(values).cast("q").tolist() == [15, 15, 10] * 4
    assert memoryview(nulls).cast("q").tolist() == [0] * 6 + [-1] * 3 + [0] * 3
    assert (bits, ends) == (bytes([0b00111111, 0b1110]), None)
    assert memoryview(low).cast("i").tolist() == [0, 15, 30, 100, 115, 130, 0, 0, 0, 300, 315, 330]
    _, _, (_, ends, low), _ = fields[1]
    assert memoryview(ends).cast("q").tolist() == [0, 6, 12, 18, 24, 30, 36, 36, 36, 36, 42, 48, 54]
    assert low[:12] == b"t00001t00016"


def test_bounds_of_another_order_and_nan_bounds_are_omitted(files):
    """Decimals in bytes and unsigned integers above the signed range are in the sidecar as its format has them."""
    *_, fields = said(files)
    assert fields[6][2][0] == fields[6][3][0] == bytes(2)  # only nulls: no bounds


def test_a_file_without_a_sidecar_and_one_with_a_stale_one_do_not_count(files):
    os.unlink(sidecar.candidates(files[0])[0].path)
    os.utime(files[1], ns=(1, 1))
    with open(files[3], "ab") as file:
        file.write(b"x")
    (first, _), statuses, counts, _ = said(files)
    assert (first, statuses, counts) == (2, [NONE, UNUSED, PLANNED, UNUSED], [0, 0, 3, 0])


def test_the_plan_lists_files_with_bloom_filters(files):
    pq.write_table(table(0), files[1], bloom_filter_options={"n": True})
    for path in files[:2]:
        sidecar.build(path)
    os.unlink(sidecar.candidates(files[2])[0].path)
    for kernel, scanner in zip(both("plan"), both("scan"), strict=True):
        _, schema = kernel.first_schema(files)
        assert kernel.gather(files, scanner.scan(schema), [(0, 4)])[3] == bytes([0, 1, 0, 0])


def test_another_schema_is_distinguished(files):
    pq.write_table(table(0).rename_columns(["m", *table(0).column_names[1:]]), files[1])
    sidecar.build(files[1])
    assert said(files)[1] == [PLANNED, OTHER, PLANNED, PLANNED]


def test_a_lone_data_parquet_has_its_sidecar_under_its_short_name(tmp_path):
    path = str(tmp_path / "data.parquet")
    pq.write_table(table(0), path)
    sidecar.build(path)
    assert os.path.exists(tmp_path / "_pm")
    assert said([path])[1] == [PLANNED]


def test_no_files_and_no_sidecars_are_nothing(tmp_path):
    path = str(tmp_path / "a.parquet")
    assert said([]) is None
    assert said([path, path]) is None
    for kernel in both("plan"):
        with pytest.raises(ValueError, match="null byte"):
            kernel.first_schema(["a\0b"])


@settings(max_examples=examples(50), deadline=None)
@given(data=st.data())
def test_a_damaged_sidecar_is_no_sidecar(made, data):
    """With the checksum verified any flip is found; with a checksum that fits, or unverified, both say the same."""
    path = str(made / "3.parquet")
    position = sidecar.candidates(path)[0].path
    with open(position, "rb") as file:
        whole = file.read()
    at = data.draw(st.one_of(st.integers(8, len(whole) - 9), st.integers(len(whole) - 800, len(whole) - 9)))
    broken = bytearray(whole)
    broken[at] ^= 1 << data.draw(st.integers(0, 7))
    try:
        with open(position, "wb") as file:
            file.write(broken)
        found = said([path])
        assert found is None or found[1] == [UNUSED]
        said([path], verify=False)
        with open(position, "wb") as file:
            file.write(with_checksum(bytes(broken)))
        said([path])
    finally:
        with open(position, "wb") as file:
            file.write(whole)
