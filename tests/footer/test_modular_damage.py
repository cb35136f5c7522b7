"""Damaged modular footers, those of older generations, and footers that it cannot express."""

from __future__ import annotations

import random
import struct
import time
import tracemalloc
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.footers import footer_of
from support.modular_files import (
    BINARY,
    BYTE,
    FILE,
    FLAT,
    I32,
    I64,
    LIST,
    SPEC,
    STRUCT,
    TABLE,
    alone,
    array_of,
    assembled,
    modular_payload,
    modules_of,
    node_facts,
    older_placement,
    root_of,
    whole_file,
    written,
)
from support.samples import some
from support.twins import both

import parquetext
from parquetext import kernels, thrift
from parquetext.errors import Damaged, Malformed, ParquetextError, Unsupported
from parquetext.footer.jump_table.name_hash import placed
from parquetext.footer.locate import locate
from parquetext.footer.modular import framing
from parquetext.footer.modular.array_writing import number_array, packed
from parquetext.thrift import integer, list_header
from parquetext.thrift.values import joined


@pytest.fixture
def path(tmp_path) -> Path:
    file = tmp_path / "x.parquet"
    file.write_bytes(FILE)
    return file


# ---- damage -------------------------------------------------------------------------------------------------------


def facts_of(payload: bytes) -> list:
    """Return every fact that a payload gives."""
    form = SPEC.open_payload(payload)
    found: list = [form.version, form.num_rows, form.leaf_count, form.row_group_count, form.created_by]
    for leaf in range(form.leaf_count):
        node, chunks = form.node(leaf), form.column(leaf)
        found += [*node_facts(node), form.find_name(node.path)]
        found += [list(chunks.array(name)) for name in ("num_values", "data_page_offset", "null_count", "codec")]
        found += [chunks.bound_values(1), chunks.bound_values(2)]
    found.append(form.to_thrift())
    return found


def test_a_flipped_bit_is_an_error_or_changes_one_fact_and_no_more(implementation):
    """There are no checksums: a changed number is only found by a comparison. Nothing else may be raised.

    Without --long, bits of each fourth byte are flipped.
    """
    payload = modular_payload(footer_of(written(FLAT, row_group_size=30)))
    source, changed = random.Random(1), 0
    positions = some(range(len(payload)), 4) if implementation == "native" else source.sample(range(len(payload)), 60)
    for position in positions:
        for bit in range(8) if implementation == "native" else (source.randrange(8),):
            data = bytearray(payload)
            data[position] ^= 1 << bit
            try:
                facts_of(bytes(data))
                SPEC.verify_payload(bytes(data))
            except (ParquetextError, IndexError):
                changed += 1
    assert changed


@pytest.mark.parametrize("position", ["begin", "middle", "end"])
def test_verify_finds_a_flipped_bit_beside_the_thrift_footer(path, position):
    parquetext.upgrade(path, form="modular")
    data = bytearray(path.read_bytes())
    block = locate(bytes(data), len(data)).blocks[-1]
    data[block.payload + {"begin": 3, "middle": block.length // 2, "end": block.length - 3}[position]] ^= 4
    path.write_bytes(data)
    report = parquetext.verify(path)
    assert "block-checksum" in {finding.kind for finding in report.findings}
    assert pq.read_table(path).equals(TABLE)


def test_every_cut_of_a_payload_is_an_error(implementation):
    payload = modular_payload(footer_of(written(FLAT)))
    for size in range(0, len(payload), 1 if implementation == "native" else 37):
        with pytest.raises(ParquetextError):
            facts_of(payload[:size])


MINIMAL = {0: b"\x19\x0c\0", 1: b"\0"}


@pytest.mark.parametrize(
    ("modules", "counts", "kind", "message"),
    [
        ({1: b"\0"}, (1, 1, 1, 1), Malformed, "without the module schema"),
        ({0: MINIMAL[0]}, (1, 1, 1, 1), Malformed, "without the module placement"),
        (MINIMAL, (1, 1 << 30, 1, 1), Damaged, "1073741824"),
        (MINIMAL, (1, 30000, 30000, 1), Damaged, "900000000"),
        (MINIMAL, (1, -1, 1, 1), Damaged, "not allow"),
    ],
)
def test_a_root_that_claims_too_much_or_lacks_a_module(modules, counts, kind, message, implementation):
    with pytest.raises(kind, match=message):
        SPEC.open_payload(assembled(modules, counts))


def test_modules_are_in_front_of_the_root(implementation):
    root = root_of((1, 0, 0, 0), {0: (0, 3), 1: (3, 99)})
    with pytest.raises(Malformed, match="placement of 99 bytes"):
        SPEC.open_payload(b"\x19\x0c\0\0" + root + struct.pack("<q4s", 4, b"MFT1"))


def test_a_module_that_is_listed_twice_is_an_error(implementation):
    root = root_of((1, 0, 0, 0), {0: (0, 3)})
    entry = joined([(1, I32, integer(0)), (2, STRUCT, joined([(1, I64, b"\0"), (2, I64, b"\6")]) + b"\0")]) + b"\0"
    twice = root.replace(list_header(1) + entry, list_header(2) + entry + entry)
    assert twice != root
    with pytest.raises(Damaged):
        SPEC.open_payload(b"\x19\x0c\0" + twice + struct.pack("<q4s", 3, b"MFT1"))


def test_unknown_modules_are_passed_over(implementation):
    modules = modules_of(modular_payload(footer_of(FILE)))
    with parquetext.open(alone(FILE)) as file:
        counts = file.version, len(file.row_groups), file.num_columns, file.num_rows
    form = SPEC.open_payload(assembled({9: b"unknown", **modules, 77: b""}, counts))
    assert form.node(0).path == b"id"


def placement_of_zeros(row_groups: int) -> bytes:
    """Return the placement of a column of INT32, all other numbers of which are 0."""
    zeros = array_of(row_groups, b"\0")
    arrays = [(id, STRUCT, zeros) for id in (1, 4, 5, 6, 7)] + [(8, STRUCT, array_of(1, b"\2\1")), (10, STRUCT, zeros)]
    return joined(arrays) + b"\0"


def test_width_0_makes_no_more_chunks_than_the_payload_justifies(implementation):
    """An array of a thousand zeros has no bytes; the number of chunks is limited by that of the payload's bytes."""
    schema = modules_of(modular_payload(footer_of(written(pa.table({"x": [1]})))))[0]
    count, padding = framing.FREE_CHUNKS, bytes(20_000)
    form = SPEC.open_payload(assembled({0: schema, 1: placement_of_zeros(count)}, (1, count, 1, 0)))
    assert len(form.column(0)) == count
    with pytest.raises(Damaged, match="1048576 chunks"):
        SPEC.open_payload(assembled({0: schema, 1: placement_of_zeros(1 << 20)}, (1, 1 << 20, 1, 0)))
    modules = {9: padding, 0: schema, 1: placement_of_zeros(count + 10_000)}
    assert SPEC.open_payload(assembled(modules, (1, count + 10_000, 1, 0))).row_group_count == count + 10_000
    with pytest.raises(Damaged):
        SPEC.open_payload(assembled(modules, (1, count + 11_000, 1, 0)))


def test_a_footer_of_which_readers_refuse_the_number_of_chunks_is_not_written():
    footer = thrift.read("FileMetaData", footer_of(written(pa.table({"x": [1]}), write_statistics=False)))
    [group] = footer["row_groups"]
    metadata = group["columns"][0]["meta_data"]
    del metadata["dictionary_page_offset"]
    names = ("data_page_offset", "num_values", "codec", "total_compressed_size", "total_uncompressed_size")
    metadata |= dict.fromkeys(names, 0)
    group["num_rows"] = 0
    footer["row_groups"] = [group] * (2 * framing.FREE_CHUNKS)
    with pytest.raises(Unsupported, match=r"8192 chunks, columns or row groups need only .* readers refuse"):
        modular_payload(thrift.write("FileMetaData", footer))


def test_texts_of_row_groups_share_no_bytes(implementation):
    """Slots of absent values may have any content, so that each text in between could be all bytes."""
    count, size = 2000, 100_000
    schema = modules_of(modular_payload(footer_of(written(pa.table({"x": [1]})))))[0]
    offsets = [0 if number % 2 == 0 else size for number in range(count)] + [size]
    bitmap = packed([1 - number % 2 for number in range(count)], 1)[1:]
    empty, texts = array_of(count, b"\0"), array_of(count, packed(offsets) + bytes(size), None, bitmap)
    statistics = joined([(2, STRUCT, empty), (3, STRUCT, texts), (4, STRUCT, empty)]) + b"\0"
    before = len(schema + placement_of_zeros(count))
    directory = joined([(1, STRUCT, number_array([before, before + len(statistics)]))]) + b"\0"
    modules = {0: schema, 1: placement_of_zeros(count), 9: statistics, 2: directory}
    form = SPEC.open_payload(assembled(modules, (1, count, 1, 0)))
    tracemalloc.start()
    with pytest.raises(Damaged, match="chunks of leaf 0 cannot be read"):
        form.column(0)
    assert tracemalloc.get_traced_memory()[1] < 20 * size
    tracemalloc.stop()


def test_offsets_without_a_width_take_no_time_to_verify():
    """Two billion offsets of no bits, which are all 0, are no reason to look at each."""
    statistics = joined([(2, STRUCT, array_of((1 << 31) - 1, b"\0"))]) + b"\0"
    for module in both("modular"):
        begin = time.process_time()
        module.verify_struct(statistics, (2, 3, 4))
        assert time.process_time() - begin < 1


# ---- other generations and magics ---------------------------------------------------------------------------------


def older(fields: list, modules: bytes = b"") -> bytes:
    return modules + joined(fields) + b"\0" + struct.pack("<q4s", len(modules), b"MFT1")


COUNTS = [(1, I32, integer(1)), (2, I32, integer(1)), (3, I32, integer(1)), (4, I64, integer(1))]
ROW_COUNTS = (5, LIST, list_header(1, I64) + integer(1))


def listed(modules: dict[int, tuple[int, int]]) -> tuple[int, int, bytes]:
    entries = b""
    for kind, (offset, length) in modules.items():
        location = joined([(1, I64, integer(offset)), (2, I64, integer(length))]) + b"\0"
        entries += joined([(1, I32, integer(kind)), (2, STRUCT, location)]) + b"\0"
    return 6, LIST, list_header(len(modules)) + entries


def test_older_generations_are_named(implementation):
    location = joined([(1, I64, b"\0"), (2, I32, b"\2")]) + b"\0"
    schema = MINIMAL[0]
    for is_page, words in ((True, "pages with parameters"), (False, "as in the present one")):
        placement = older_placement(is_page)
        where = {0: (0, len(schema)), 1: (len(schema), len(placement))}
        with pytest.raises(Unsupported, match=words):
            SPEC.open_payload(older([*COUNTS, ROW_COUNTS, listed(where)], schema + placement))
    with pytest.raises(Unsupported, match="2026-08-28"):
        SPEC.open_payload(older([*COUNTS, ROW_COUNTS, (6, STRUCT, location), (7, STRUCT, location)], schema))
    with pytest.raises(Unsupported, match="page-header draft"):
        SPEC.open_payload(older([(1, LIST, list_header(1) + location)], schema))


def test_an_older_generation_in_a_file_of_its_own_is_named():
    schema, placement = MINIMAL[0], older_placement(True)
    start = len(FILE) - 8 - len(footer_of(FILE))
    where = {0: (start, len(schema)), 1: (start + len(schema), len(placement))}
    modules = schema + placement
    payload = modules + joined([*COUNTS, ROW_COUNTS, listed(where)]) + b"\0" + struct.pack("<qq", start, len(modules))
    with pytest.raises(Exception, match="older generation"):
        parquetext.open(whole_file(FILE, payload))


def test_a_page_first_footer_is_named():
    data = FILE[: -8 - len(footer_of(FILE))] + bytes(36) + b"PMF1"
    with pytest.raises(Unsupported, match="page-first"):
        locate(data, len(data))


@pytest.mark.parametrize(
    ("start", "root"), [(0, 0), (3, 0), (1 << 40, 0), (-1, 0), (4, -1), (4, 1 << 40), (4, (1 << 63) - 1)]
)
def test_offsets_in_the_trailer_are_checked(start, root):
    data = FILE + struct.pack("<qq", start, root) + b"MFP1"
    with pytest.raises((ParquetextError, pa.ArrowException)):
        parquetext.open(data)


@pytest.mark.parametrize("size", range(4, 45))
def test_files_that_are_too_short_for_it(size):
    data = b"PAR1" + bytes(max(size - 8, 0)) + b"MFP1"
    with pytest.raises((ParquetextError, pa.ArrowException)):
        parquetext.open(data)


# ---- refusals -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"file_path": "other.parquet"}, "another file"),
        ({"meta_data": {"data_page_offset": -5}}, "negative data_page_offset"),
        ({"meta_data": {"dictionary_page_offset": -1}}, "negative dictionary_page_offset"),
        ({"meta_data": {"type": 6}}, "another physical type"),
        ({"meta_data": None}, "lacks metadata"),
    ],
)
def test_a_footer_that_it_cannot_express_is_refused_with_the_reason(change, message, implementation):
    footer = thrift.read("FileMetaData", footer_of(written(pa.table({"x": [1, 2]}), row_group_size=1)))
    chunk = footer["row_groups"][1]["columns"][0]
    for name, value in change.items():
        if value is None:
            del chunk[name]
        elif isinstance(value, dict):
            chunk[name] |= value
        else:
            chunk[name] = value
    with pytest.raises(Unsupported, match=message):
        modular_payload(thrift.write("FileMetaData", footer))


def test_bounds_of_binary_arrays_have_a_common_prefix_once(implementation):
    table = pa.table({"x": [f"https://example.org/{'a' * 300}/{n}" for n in range(100)]})
    footer = footer_of(written(table, row_group_size=1, store_schema=False))
    form = SPEC.open_payload(modular_payload(footer))
    _, statistics = form.statistics_of(0)
    assert len(statistics) < 100 * 400 < len(footer) and BINARY == 8
    assert form.column(0).bound_values(1)[7] == table["x"][7].as_py().encode()


# ---- indexes of other programs ------------------------------------------------------------------------------------


def test_an_index_that_leaves_groups_out_does_not_make_their_members_columns(implementation):
    footer = footer_of(written(pa.table({"s": [{"x": 1, "y": 2}], "z": [3]}), store_schema=False))
    modules = modules_of(modular_payload(footer))
    index = kernels.modular.SchemaIndex(modules[6], 3)
    offsets = [index.element_offset(element) for element in (0, *map(index.leaf_element, range(3)))]
    table = placed([kernels.modular.hash_of(name) for name in (b"x", b"y", b"z")], 8)
    fields = [
        (1, STRUCT, number_array(table)),
        (2, BYTE, b"\0"),
        (3, BYTE, b"\2"),
        (4, STRUCT, number_array(offsets)),
    ]
    modules[6] = joined(fields) + b"\0"
    with_index = assembled(modules, (2, 1, 3, 1))
    assert kernels.modular.SchemaIndex(modules[6], 3).is_flat
    for name, found in ((b"x", []), (b"s.x", [0]), (b"z", [2])):
        assert SPEC.open_payload(with_index).find_name(name) == found
    assert SPEC.open_payload(with_index).node(0).path == b"s\0x"
    del modules[2]  # whose offsets are those of the original payload
    with pytest.raises(Damaged, match="4 schema elements, the schema 5"):
        SPEC.verify_payload(assembled(modules, (2, 1, 3, 1)))
