"""How little of a file a slice takes: ranges that are read, in rounds that wait for each other."""

from __future__ import annotations

import itertools
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.java_slices import GAP, Request

from parquetext import edits

DISK = 16 << 10  # bytes that cost a disk as much as a read of their own
COLUMNS, GROUPS = 2500, 8


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A wide file in every form and placement, key-values of its writer included; gives the path of one."""
    folder = tmp_path_factory.mktemp("reads")
    metadata = {"org.apache.spark.version": "4.1.1", "org.apache.spark.sql.parquet.row.metadata": "x" * 200_000}
    table = pa.table({f"column_{i}": [float(i)] * GROUPS for i in range(COLUMNS)}).replace_schema_metadata(metadata)
    pq.write_table(table, folder / "plain", row_group_size=1, compression="none", use_dictionary=False)
    for form in ("flat", "index", "packed"):
        for placement in ("aside", "in-struct", "after-stop"):
            path = folder / f"{form}-{placement}"
            shutil.copyfile(folder / "plain", path)
            edits.upgrade(path, form=form, placement=placement)
    shutil.copyfile(folder / "flat-aside", folder / "par3-alone")
    edits.finalize(folder / "par3-alone", confirm=True)
    return lambda form, placement: folder / f"{form}-{placement}"


FLAT = [("flat", "aside"), ("flat", "in-struct"), ("flat", "after-stop"), ("par3", "alone")]
INDEX = [("index", "aside"), ("index", "in-struct"), ("index", "after-stop")]
PACKED = [("packed", "aside"), ("packed", "in-struct"), ("packed", "after-stop")]


@pytest.mark.parametrize("gap", [DISK, GAP])
@pytest.mark.parametrize(("form", "placement"), FLAT)
def test_a_column_takes_few_reads_in_three_rounds_at_most(ask, files, form, placement, gap):
    for name in (b"column_0", b"column_1249", b"column_2499"):
        for what, case in (("slice", False), ("slice", True), ("as-c", True)):
            (answer,) = ask([Request(files(form, placement), [name], what, case, gap=gap)])
            assert (answer.form, answer.reason) == (form, "")
            assert answer.reads <= (4 if gap == GAP else 5) and answer.rounds <= 3
            assert answer.bytes_read < (400 << 10) + 2 * gap


@pytest.mark.parametrize(("form", "placement"), INDEX)
def test_a_column_by_the_index_takes_three_rounds(ask, files, form, placement):
    """Its Thrift bytes and those of the row groups are distant: one read each, all in one round."""
    for case in (False, True):
        asked = [Request(files(form, placement), [b"column_1249"], "slice", case, gap=gap) for gap in (GAP, DISK)]
        (near, far) = ask(asked)
        assert near.footer == far.footer is not None
        assert near.reads <= 4 and near.rounds <= 3
        assert far.reads <= 8 + 2 * GROUPS and far.rounds <= 4
        assert far.bytes_read < ((256 if case else 400) << 10)


@pytest.mark.parametrize(("form", "placement"), PACKED)
def test_a_column_of_a_packed_footer_takes_three_rounds(ask, files, form, placement):
    for name in (b"column_0", b"column_1249", b"column_2499"):
        ways = itertools.product((False, True), (DISK, GAP))
        answers = ask([Request(files(form, placement), [name], "slice", case, gap=gap) for case, gap in ways])
        assert len({answer.footer for answer in answers}) == 1
        for answer in answers:
            assert answer.form == form and answer.rounds <= 3
            assert answer.reads <= 12 and answer.bytes_read < (400 << 10)


@pytest.mark.parametrize(("form", "placement"), FLAT)
def test_distant_columns_are_read_in_the_same_rounds(ask, files, form, placement):
    names = [b"column_%d" % i for i in range(3, 2500, 250)]
    (disk, store) = ask([Request(files(form, placement), names, "slice", gap=gap) for gap in (DISK, GAP)])
    assert disk.rounds <= 3 and store.rounds <= 3
    assert disk.reads <= 4 + 2 * len(names) and store.reads <= 4
    assert disk.footer == store.footer is not None


def test_a_small_file_takes_one_read(ask, tmp_path):
    for form, placement in [*FLAT[:3], *INDEX, *PACKED]:
        path = tmp_path / f"{form}-{placement}"
        pq.write_table(pa.table({"a": [1], "b": [{"c": 1}]}), path)
        edits.upgrade(path, form=form, placement=placement)
        answers = ask([Request(path, names, what) for names in ([b"a"], [b"b"], []) for what in ("slice", "schema")])
        assert {(answer.form, answer.reads, answer.rounds) for answer in answers} == {(form, 1, 1)}


def test_a_schema_takes_a_small_part_of_the_footer(ask, files):
    for form, placement in [*FLAT[:3], *PACKED]:
        (answer,) = ask([Request(files(form, placement), [], "schema")])
        assert answer.reads <= 5 and answer.rounds <= 3 and answer.bytes_read < 1 << 20, answer
