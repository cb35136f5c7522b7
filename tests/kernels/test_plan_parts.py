"""Plans from a few hundred bytes of each sidecar, on both implementations: used bytes are checked, others not read."""

from __future__ import annotations

import os
import struct

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import sidecars
from support.samples import examples
from support.twins import both

from parquetext import kernels, sidecar, wire
from parquetext.errors import Damaged, ParquetextError

PLANNED, NONE, UNUSED, OTHER = range(4)
COLUMNS, ROW_GROUPS = 200, 3
ASKED = ((0, 4), (1, 0), (140, 4))
DESCRIPTORS = [(32 + 32 * leaf, 32) for leaf, _ in ASKED]
CODES = (wire.PM_ORIGIN_CODE, wire.PM_SLICES_CODE, wire.PM_SUMS_CODE)


def table(first: int) -> pa.Table:
    rows = range(first, first + 6)
    columns = {"n": pa.array(rows, pa.int32()), "text": [f"a text of {n:06}" for n in rows]}
    return pa.table(columns | {f"c{number}": pa.array(rows, pa.int32()) for number in range(2, COLUMNS)})


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Two files with sidecars, and the bytes of the second sidecar, which the tests change."""
    folder, paths = tmp_path_factory.mktemp("files"), []
    for number in range(2):
        paths.append(str(folder / f"{number}.parquet"))
        pq.write_table(table(100 * number), paths[-1], row_group_size=2)
        sidecar.build(paths[-1])
    position = sidecar.candidates(paths[1])[0].path
    with open(position, "rb") as file:
        return paths, position, file.read()


def said(paths, **options):
    """Return both kernels' statuses and values for these files."""
    found = []
    for kernel, scanner in zip(both("plan"), both("scan"), strict=True):
        _, schema = kernel.first_schema(paths, **options)
        statuses, _, fields, _ = kernel.gather(paths, scanner.scan(schema), ASKED, **options)
        found.append((list(statuses), fields))
    assert found[0] == found[1]
    return found[0]


def with_sidecar(made, data: bytes, **options):
    """Return the same if the second file's sidecar has these bytes."""
    paths, position, whole = made
    try:
        with open(position, "wb") as file:
            file.write(data)
        return said(paths, **options)
    finally:
        with open(position, "wb") as file:
            file.write(whole)


def used(data: bytes) -> list[tuple[int, int]]:
    """Return the ranges that the plan needs: offsets and lengths."""
    reader = kernels.sidecar.Reader(data)
    parts = [(8, 24), *DESCRIPTORS, (reader.footer.offset, 40 + 4 * ROW_GROUPS)]
    tail = 2 * 8 + 52 + 4 * COLUMNS + 28  # the notes PQTX and PQTC
    parts.append((len(data) - 8 - tail, tail))
    for leaf, _ in ASKED:
        parts += [(block + 8 + 64 * leaf, 64) for block in reader.block_offsets]
    _, low, low_size, high, high_size = reader.chunks(1).bounds()
    return parts + list(zip([*low, *high], [*low_size, *high_size], strict=True))


def test_nothing_else_is_read(made):
    """All other bytes may be any: no checksum is taken of them."""
    *_, data = made
    changed = bytearray(os.urandom(len(data)))
    for at, size in [(0, 8), *used(data), (len(data) - 4, 4)]:
        changed[at : at + size] = data[at : at + size]
    assert with_sidecar(made, bytes(changed)) == said(made[0])
    assert said(made[0])[0] == [PLANNED, PLANNED]


def test_used_bytes_are_checked(made):
    """A change of a byte there, and another in a part that is not used: the whole sidecar is damaged, too."""
    *_, data = made
    for at in [at for start, size in used(data) for at in range(start, start + size) if at % 23 == 0]:
        changed = bytearray(data)
        changed[at] ^= 1 << at % 8
        assert with_sidecar(made, bytes(changed))[0] == [PLANNED, UNUSED], at


@settings(max_examples=examples(30), deadline=None)
@given(data=st.data())
def test_any_byte_may_be_any_other(made, data):
    """A plan says the same as of the sound sidecar, or that this one is none; and both kernels say the same."""
    paths, _, whole = made
    parts = used(whole)
    start, size = data.draw(st.sampled_from([(0, len(whole)), (len(whole) - 900, 900), *parts]))
    changed = bytearray(whole)
    changed[start + data.draw(st.integers(0, size - 1))] ^= 1 << data.draw(st.integers(0, 7))
    statuses, fields = with_sidecar(made, bytes(changed))
    assert statuses == [PLANNED, UNUSED] or (statuses, fields) == said(paths)
    with_sidecar(made, sidecars.with_checksum(bytes(changed)))
    with_sidecar(made, bytes(changed), verify=False)


def test_damage_under_the_note_s_own_checksum_is_left_to_the_whole_one(made):
    """A column's checksum that is wrong: the whole sidecar is read, and its checksum decides."""
    *_, data = made
    note = data.index(wire.PM_SUMS_CODE.to_bytes(4, "little"), len(data) - 4 * COLUMNS - 100)
    changed = bytearray(data)
    changed[note + 8] ^= 1  # the first column's
    assert with_sidecar(made, bytes(changed))[0] == [PLANNED, UNUSED]
    assert with_sidecar(made, sidecars.with_checksum(bytes(changed))) == said(made[0])


@pytest.mark.parametrize("without", [(), (wire.PM_SUMS_CODE,)], ids=["copied", "dropped"])
def test_notes_copied_by_a_foreign_commit_are_ignored(made, without):
    """A program that appends a footer keeps notes that it does not know: they belong to the previous footer."""
    *_, data = made
    reader = kernels.sidecar.Reader(data)
    more = kernels.sidecar.Writer.on(reader)
    notes = [(code, note) for code, note in reader.scratchpad.items() if code not in without]
    tail = more.finish(*reader.parquet_footer, scratchpad=notes)
    whole = (len(data) + len(tail)).to_bytes(8, "little") + data[8:] + tail
    statuses, fields = with_sidecar(made, whole)
    assert (statuses, fields) == said(made[0])  # for the blocks are the same
    reader = kernels.sidecar.Reader(whole)
    more = kernels.sidecar.Writer.on(reader)
    more.add_scan(kernels.scan.scan(footer_of(made[0][0])), at=range(ROW_GROUPS))
    tail = more.finish(*reader.parquet_footer, scratchpad=notes)
    _, fields = with_sidecar(made, (len(whole) + len(tail)).to_bytes(8, "little") + whole[8:] + tail)
    assert memoryview(fields[0][2][2]).cast("i").tolist() == [0, 2, 4] * 2


def footer_of(path: str) -> bytes:
    with open(path, "rb") as file:
        data = file.read()
    return data[len(data) - 8 - int.from_bytes(data[-8:-4], "little") : -8]


def test_another_schema_is_distinguished_by_its_hash(made, tmp_path):
    path = str(tmp_path / "0.parquet")
    pq.write_table(table(0).rename_columns([f"d{number}" for number in range(COLUMNS)]), path)
    sidecar.build(path)
    assert said([made[0][0], path])[0] == [PLANNED, OTHER]


def test_an_updated_sidecar_is_planned_too(made, tmp_path):
    """Its checksums were those of the blocks before: the note is left out, and all of it is read."""
    path = str(tmp_path / "0.parquet")
    pq.write_table(table(0), path, row_group_size=2)
    position = sidecar.build(path).sidecar
    pq.write_table(table(50), path, row_group_size=2)
    assert sidecar.update(path).outcome == "updated"
    with open(position, "rb") as file:
        assert set(kernels.sidecar.Reader(file.read()).scratchpad) == set(CODES) - {wire.PM_SUMS_CODE}
    statuses, fields = said([made[0][0], path])
    assert statuses == [PLANNED, PLANNED]
    assert memoryview(fields[0][2][2]).cast("i").tolist() == [0, 2, 4, 50, 52, 54]


class TestWriting:
    ORIGIN = (wire.PM_ORIGIN_CODE, struct.pack("<IIIIqqQQI", 1, 0, 0, 500, 1, 2, 3, 4, 0))

    def finish(self, kernel, notes, schema=b"schema", **options):
        return sidecars.writer(kernel, **options).finish(6004, 500, scratchpad=notes, schema=schema)

    def test_both_write_the_same_and_the_note_is_the_last(self):
        first, second = (self.finish(kernel, [(7, b"x"), self.ORIGIN]) for kernel in both("sidecar"))
        assert first == second
        assert list(kernels.sidecar.Reader(first).scratchpad) == [7, *CODES[::2]]

    @pytest.mark.parametrize("notes", [[], [(7, b"x")], [ORIGIN, (7, b"x")], [(wire.PM_ORIGIN_CODE, ORIGIN[1] + b"t")]])
    def test_the_note_of_checksums_follows_the_note_of_the_file(self, notes):
        for kernel in both("sidecar"):
            with pytest.raises(ParquetextError) as caught:
                self.finish(kernel, notes)
            assert (caught.value.code, caught.value.expected) == (wire.BAD_ARGUMENT, wire.PM_ORIGIN_BYTES)

    def test_it_is_a_new_sidecar_s(self):
        for kernel in both("sidecar"):
            data = sidecars.sidecar(kernel)
            more = kernel.Writer.on(kernel.Reader(data))
            with pytest.raises(ParquetextError) as caught:
                more.finish(6004, 500, scratchpad=[self.ORIGIN], schema=b"schema")
            assert (caught.value.code, caught.value.found) == (wire.BAD_ARGUMENT, len(data))

    def test_it_counts_for_the_scratchpad_s_limit(self):
        room = (1 << 20) - 4 - 8 - (8 + 52) - (8 + 3 * 4 + 28)
        for kernel in both("sidecar"):
            self.finish(kernel, [(1, bytes(room)), self.ORIGIN])
            with pytest.raises(Damaged, match="scratchpad of 1048577 bytes"):
                self.finish(kernel, [(1, bytes(room + 1)), self.ORIGIN])

    def test_a_layout_to_come_is_not_read_by_parts(self, made):
        *_, data = made
        changed = bytearray(data)
        changed[-8 - 8] = 2
        assert with_sidecar(made, bytes(changed))[0] == [PLANNED, UNUSED]  # by the checksum over all
        assert with_sidecar(made, sidecars.with_checksum(bytes(changed))) == said(made[0])
