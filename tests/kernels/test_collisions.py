"""Names that were made to collide cost a reader no more than reading all names once."""

from __future__ import annotations

import struct

import pytest
from support import flat_footers as thrift
from support.blown_up import write_footer
from support.colliding_names import colliding_names
from support.flat_payloads import Memory
from support.form_readers import chunk_fields

import parquetext
from parquetext import kernels, wire
from parquetext._pure import flat_names, name_table
from parquetext._pure.checksum import xxh64

COUNT = 3000
FEW_READS = 220  # 64 and a few steps, and then all at once; 3,000 lookups of 3,000 candidates would be millions
INT32 = 1


class Counting(Memory):
    """A file in memory that counts the bytes read."""

    def __init__(self, data: bytes):
        super().__init__(data)
        self.reads = self.bytes = 0

    def read(self, offset: int, length: int) -> bytes:
        self.reads += 1
        self.bytes += length
        return super().read(offset, length)


def footer_of(names: list[bytes], field_ids=None, group: bytes | None = None) -> bytes:
    field_ids = field_ids or [None] * len(names)
    columns = [thrift.element(name, type=INT32, field_id=id) for name, id in zip(names, field_ids, strict=True)]
    if group is None:
        return thrift.footer([thrift.element(b"schema", children=len(names)), *columns], [])
    elements = [thrift.element(b"schema", children=1), thrift.element(group, children=len(names)), *columns]
    return thrift.footer(elements, [])


@pytest.fixture(params=["flat", "index"])
def open_form(request, implementation):
    """Open a footer in one form, and start counting the bytes read."""

    def opened(footer: bytes):
        payload = bytes(getattr(kernels, request.param).write(kernels.scan.scan(footer)))
        source = Counting(footer + payload)
        if request.param == "flat":
            reader = kernels.flat.Reader(source, len(footer), len(payload), b"")
        else:
            reader = kernels.index.Reader(source, 0, len(footer), len(payload), b"")
        source.reads = source.bytes = 0
        return reader, source

    return opened


@pytest.fixture(scope="module")
def colliding() -> list[bytes]:
    names = colliding_names(COUNT)
    assert len({xxh64(name, 0) for name in names}) == 1
    assert len(set(names)) == COUNT
    return names


def test_all_of_many_colliding_names_are_looked_up_in_few_steps(open_form, colliding):
    reader, source = open_form(footer_of(colliding))
    found = reader.find_columns([name.decode() for name in colliding])
    assert [leaf for leaf, _ in found] == list(range(COUNT))
    assert source.reads < FEW_READS
    assert source.bytes < 3 * source.size


def test_colliding_names_one_by_one_are_looked_up_in_few_steps(open_form, colliding):
    reader, source = open_form(footer_of(colliding))
    for leaf in range(0, COUNT, 7):
        assert reader.find_name(colliding[leaf]) == [leaf]
    assert source.reads < FEW_READS
    assert reader.find_name(colliding[5][:-1] + b"-") == reader.find_name(b"") == []


def test_a_lookup_that_comes_past_many_full_buckets_reads_all_names(open_form):
    """Thousands of columns with one field id fill hundreds of buckets in a row."""
    names = [b"c%d" % number for number in range(COUNT)]
    reader, source = open_form(footer_of(names, [7] * COUNT))
    buckets = flat_names.bucket_count(2 * COUNT)
    first = flat_names.home_of(flat_names.hash_field_id(7), buckets)
    passed = next(
        n for n, name in enumerate(names) if 0 <= flat_names.home_of(flat_names.hash_path(name), buckets) - first < 20
    )
    elsewhere = next(
        n
        for n, name in enumerate(names)
        if first > 10 and flat_names.home_of(flat_names.hash_path(name), buckets) < first - 10
    )
    assert reader.find_name(names[elsewhere]) == [elsewhere]
    assert source.bytes < 8192
    assert reader.find_name(names[passed]) == [passed]
    assert source.reads < FEW_READS
    size = source.size
    assert size / 2 < source.bytes < 3 * size
    before = source.reads
    assert reader.find_field_id(7) == list(range(COUNT))
    assert [reader.find_name(name) for name in names[:500]] == [[n] for n in range(500)]
    assert source.reads == before


def test_names_that_do_not_collide_are_never_all_read(open_form):
    names = [b"column %d" % number for number in range(2000)]
    reader, source = open_form(footer_of(names, list(range(2000))))
    assert [leaf for leaf, _ in reader.find_columns([name.decode() for name in names[:100]])] == list(range(100))
    assert source.bytes < source.size / 2


def test_many_columns_of_one_name_are_counted_without_comparing_them_each_time(open_form):
    reader, source = open_form(footer_of([b"twin"] * COUNT + [b"other"]))
    assert reader.find_columns(["twin"] * 200 + ["other"])[:200] == [None] * 200
    assert reader.find_name(b"twin") == list(range(COUNT))
    assert reader.find_column("other")[0] == COUNT
    assert source.bytes < 3 * source.size


def test_groups_and_paths_are_in_the_table_as_in_the_buckets(open_form, colliding):
    some = colliding[:2500]
    reader, _ = open_form(footer_of(some, [n % 50 for n in range(2500)], group=b"g"))
    fresh, _ = open_form(footer_of(some, [n % 50 for n in range(2500)], group=b"g"))
    for name in some[:120]:
        assert len(reader.find_name(b"g." + name)) == 1
    for name in (b"g", b"g." + some[9], b"g\0" + some[2400], some[9], b"schema"):
        assert reader.find_name(name) == fresh.find_name(name)
    for id in (0, 49, 50, -1):
        assert reader.find_field_id(id) == fresh.find_field_id(id)
    leaf, chunks = reader.find_column("g." + some[77].decode())
    assert (leaf, chunk_fields(chunks)) == (77, chunk_fields(fresh.column(77)))


def test_each_table_has_a_random_key():
    keys = []
    for _ in range(2):
        table = name_table.NameTable()
        table.begin()
        table.add(b"a\0b", 3, 5)
        keys.append(next(iter(table._ids)))
        assert table.candidates(b"a.b") == table.candidates(3) == [5]
        assert table.candidates(b"a") == table.candidates(4) == []
    assert keys[0] != keys[1]


@pytest.mark.parametrize("placement", ["aside", "in-struct", "after-stop"])
@pytest.mark.parametrize("form", ["flat", "index"])
def test_colliding_names_are_found_in_every_placement(implementation, tmp_path, colliding, form, placement):
    path = write_footer(tmp_path / "colliding.parquet", footer_of(colliding[:2500]))
    parquetext.upgrade(path, form=form, placement=placement)
    with parquetext.open(path) as file:
        assert file.form == form
        columns = file.columns([name.decode() for name in colliding[:2500]])
        assert [column.leaf for column in columns] == list(range(2500))
        assert file._form.io[0] < FEW_READS


def test_full_buckets_pass_entries_on_as_a_plain_search_would(implementation, colliding):
    names = [name for pair in zip(colliding, [b"c%d" % n for n in range(COUNT)], strict=True) for name in pair]
    payload = bytes(kernels.index.write(kernels.scan.scan(footer_of(names))))
    count = flat_names.bucket_count(len(names))
    expected = [[] for _ in range(count)]
    for leaf, name in enumerate(names):
        bucket = flat_names.home_of(flat_names.hash_path(name), count)
        while len(expected[bucket]) == wire.FLAT_BUCKET_ENTRIES:
            bucket = (bucket + 1) % count
        expected[bucket].append((flat_names.tag_of(flat_names.hash_path(name)), leaf))
    tail = int.from_bytes(payload[-8:-4], "little")
    pages = payload[-tail - wire.FLAT_PAGE_BYTES * count : -tail]
    for number, entries in enumerate(expected):
        page = pages[wire.FLAT_PAGE_BYTES * number :][: wire.FLAT_PAGE_BYTES]
        assert int.from_bytes(page[10:12], "little") == len(entries)
        assert list(struct.iter_unpack("<II", page[16 : 16 + 8 * len(entries)])) == entries
