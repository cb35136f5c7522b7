"""The kernels of the modular footer: arrays, roots, placement, statistics and the index of the schema."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.footers import footer_of
from support.modular_files import BINARY, I32, STRUCT, array_of, modular_payload, modules_of, root_of
from support.samples import examples
from support.twins import both, outcome

from parquetext import kernels
from parquetext.errors import Damaged, Malformed, ParquetextError, Unsupported
from parquetext.footer.modular.array_writing import number_array, text_array
from parquetext.thrift import binary, integer, list_header
from parquetext.thrift.values import joined

NUMBERS = st.lists(st.one_of(st.none(), st.integers(0, (1 << 64) - 1)), max_size=50)
SMALL = st.lists(st.one_of(st.none(), st.integers(0, 7)), min_size=1, max_size=80)
TEXTS = st.lists(st.one_of(st.none(), st.binary(max_size=20)), min_size=1, max_size=30)


def written(table: pa.Table, **options) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, **options)
    return footer_of(sink.getvalue())


TABLE = pa.table(
    {
        "id": range(40),
        "text": [None if n % 5 == 0 else f"text {n * 37 % 100:03d}" for n in range(40)],
        "tags": [[str(n)] * (n % 3) for n in range(40)],
    }
)
FOOTER = written(TABLE, row_group_size=8)
PAYLOAD = modular_payload(FOOTER)
MODULES = modules_of(PAYLOAD)
LEAVES, GROUPS = 3, 5
SCHEMA, PLACEMENT, STATISTICS, INDEX = 0, 1, 2, 6


def statistics_of(leaf: int) -> bytes:
    begin, end = kernels.modular.statistics_directory(MODULES[STATISTICS], leaf, LEAVES)
    return PAYLOAD[begin:end]


def column_of_nulls(array: bytes) -> bytes:
    """Return statistics with these numbers of nulls."""
    return joined([(1, STRUCT, array)]) + b"\0"


def placement_of(row_groups: int) -> bytes:
    """Return the placement of one column, all of whose numbers are 0."""
    zeros = array_of(row_groups, b"\0")
    arrays = [(id, STRUCT, zeros) for id in (1, 4, 5, 6, 7)]
    return joined([*arrays, (8, STRUCT, array_of(1, b"\0")), (10, STRUCT, zeros)]) + b"\0"


def null_counts(module, statistics: bytes, row_groups: int) -> list[int]:
    structs, _ = module.Placement(placement_of(row_groups), 1, row_groups).structs(
        0, 0, row_groups, statistics, in_row_groups=True
    )
    head = b"\x15\x02\x19\x2c\x48\x01r\x15\x02\0\x15\x02\x38\x01x\0\x16\0\x19"
    scan = kernels.scan.scan(head + list_header(row_groups) + structs + b"\0", strict=False)
    return list(scan.column(0).array("null_count"))


@given(values=SMALL)
@settings(max_examples=examples(150), deadline=None)
def test_numbers_come_back_from_both_implementations(values):
    array = number_array(values)
    for module in both("modular"):
        module.verify_array(array, 0)
        found = null_counts(module, column_of_nulls(array), len(values))
        assert found == [-1 if value is None else value for value in values]


@given(values=NUMBERS)
@settings(max_examples=examples(100), deadline=None)
def test_numbers_of_64_bits_are_sound_arrays(values):
    for module in both("modular"):
        module.verify_array(number_array(values), 0)


@given(pairs=st.lists(st.one_of(st.none(), st.tuples(st.binary(max_size=9), st.binary(max_size=9))), min_size=1))
@settings(max_examples=examples(100), deadline=None)
def test_bounds_come_back_from_both_implementations(pairs):
    prefixes = [None if pair is None else b"p" * (len(pair[0]) % 3) for pair in pairs]
    sides = [[None if pair is None else pair[side] for pair in pairs] for side in (0, 1)]
    arrays = [(2, STRUCT, text_array(prefixes)), *((3 + at, STRUCT, text_array(side)) for at, side in enumerate(sides))]
    statistics, count = joined(arrays) + b"\0", len(pairs)
    outcomes = []
    for module in both("modular"):
        module.verify_struct(statistics, (2, 3, 4))
        for deprecated in (False, True):
            structs, lengths = module.Placement(placement_of(count), 1, count).structs(
                0, 0, count, statistics, deprecated=deprecated
            )
            outcomes.append((deprecated, structs, list(lengths)))
        at = 0
        for pair, prefix, length in zip(pairs, prefixes, lengths, strict=True):
            struct = structs[at : at + length]
            at += length
            assert pair is None or (binary(prefix + pair[1]) in struct and binary(prefix + pair[0]) in struct)
    assert outcomes[:2] == outcomes[2:]


def test_both_implementations_make_the_same_structs():
    path = b"\x18" + binary(b"x")
    for leaf in range(LEAVES):
        for options in (
            {},
            {"path": path},
            {"statistics": statistics_of(leaf)},
            {"statistics": statistics_of(leaf), "path": path, "deprecated": True, "in_row_groups": True},
        ):
            one, other = (
                module.Placement(MODULES[PLACEMENT], LEAVES, GROUPS).structs(leaf, 1, 3, **options)
                for module in both("modular")
            )
            assert one[0] == other[0] and list(one[1]) == list(other[1])


def test_the_encodings_follow_from_the_dictionary(implementation):
    footer = written(pa.table({"a": ["x"] * 9, "b": range(9)}), use_dictionary=["a"], column_encoding={"b": "PLAIN"})
    placement = kernels.modular.Placement(modules_of(modular_payload(footer))[PLACEMENT], 2, 1)
    assert (
        b"\x19\x35\x00\x06\x10" in placement.structs(0, 0, 1)[0] or b"\x19\x25\x06\x10" in placement.structs(0, 0, 1)[0]
    )
    assert b"\x19\x25\x00\x06" in placement.structs(1, 0, 1)[0]
    assert placement.dictionary_count == 1


def test_a_chunk_with_indexes_in_all_pages_lists_no_other_encoding(implementation):
    footer = written(pa.table({"a": ["x"] * 9}))
    placement = kernels.modular.Placement(modules_of(modular_payload(footer))[PLACEMENT], 1, 1)
    assert b"\x19\x25\x06\x10" in placement.structs(0, 0, 1)[0]


def test_rows_and_bytes_of_row_groups(implementation):
    placement = kernels.modular.Placement(MODULES[PLACEMENT], LEAVES, GROUPS)
    scan = kernels.scan.scan(FOOTER)
    assert list(placement.rows()) == list(scan.row_groups("num_rows"))
    assert list(placement.row_group_bytes()) == list(scan.row_groups("total_byte_size"))


@pytest.mark.parametrize("arguments", [(-1, 0, 1), (LEAVES, 0, 1), (0, -1, 1), (0, 0, GROUPS + 1), (0, GROUPS + 1, 0)])
def test_arguments_out_of_range_are_errors(arguments):
    one, other = (
        outcome(module.Placement(MODULES[PLACEMENT], LEAVES, GROUPS).structs, *arguments) for module in both("modular")
    )
    assert one == other and one[0] == "error"


def test_the_index_leads_to_leaves_and_elements(implementation):
    index, scan = kernels.modular.SchemaIndex(MODULES[INDEX], LEAVES), kernels.scan.scan(FOOTER)
    assert (index.elements, index.is_flat, index.has_non_ascii_names) == (scan.element_count, False, False)
    assert [index.leaf_element(leaf) for leaf in range(LEAVES)] == list(scan.leaves)
    assert [index.parent(element) for element in range(index.elements)] == [max(p, 0) for p in scan.elements("parent")]
    assert 2 in index.candidates(b"tags\0list\0element") and index.candidates(b"none") == []
    assert 1 in index.candidates(b"TEXT")  # ASCII letters are folded; the caller compares the name
    begin = index.element_offset(0)
    assert MODULES[SCHEMA][begin:].startswith(FOOTER[scan.elements("bytes_offset")[0] :][:8])


BAD_ARRAYS = {
    "another encoding": (array_of(2, b"\x01\x00", 2), Unsupported),
    "a width of 65 bits": (array_of(1, b"\x41" + bytes(9)), Damaged),
    "values that are too short": (array_of(9, b"\x08\x01"), Damaged),
    "no width": (array_of(1, b""), Malformed),
    "a negative count": (array_of(-1, b"\x00"), Damaged),
    "no values": (joined([(1, I32, integer(2))]) + b"\0", Malformed),
    "no count": (joined([(2, BINARY, binary(b"\0"))]) + b"\0", Malformed),
    "a count of another type": (joined([(1, BINARY, binary(b"\0"))]) + b"\0", Malformed),
    "a bitmap that is too short": (array_of(9, b"\x00", None, b"\xff"), Damaged),
    "no positions": (array_of(2, b"\x00", 1), Malformed),
    "more positions than the count": (array_of(2, b"\x00", 1, b"\x03\x01\x07"), Damaged),
    "positions of 33 bits": (array_of(2, b"\x00", 1, b"\x01\x21" + bytes(8)), Damaged),
    "positions that are too short": (array_of(9, b"\x00", 1, b"\x05\x08\x01"), Damaged),
    "positions without a width": (array_of(9, b"\x00", 1, b"\x05"), Malformed),
    "cut": (array_of(2, b"\x08\x01\x02")[:-3], Malformed),
}
NOT_SOUND = {
    "bits behind the last value": (array_of(3, b"\x01\xff"), False),
    "bits behind the bitmap": (array_of(3, b"\x00", None, b"\xff"), False),
    "bytes behind the values": (array_of(3, b"\x00\x00"), False),
    "positions that do not ascend": (array_of(9, b"\x00", 1, b"\x02\x04\x33"), False),
    "a position behind the last one": (array_of(4, b"\x00", 1, b"\x01\x04\x04"), False),
    "offsets that do not ascend": (array_of(2, b"\x08\x00\x02\x01a"), True),
    "an offset behind the texts": (array_of(2, b"\x08\x00\x05\x01a"), True),
    "texts that are too long": (array_of(1, b"\x08\x00\x01ab"), True),
}


@pytest.mark.parametrize("name", BAD_ARRAYS)
def test_bad_arrays_are_errors_of_both_implementations(name):
    array, kind = BAD_ARRAYS[name]
    one, other = (outcome(module.verify_array, array, 0) for module in both("modular"))
    assert one == other and issubclass(one[1], kind)


@pytest.mark.parametrize("name", NOT_SOUND)
def test_what_readers_pass_over_is_found_by_the_check(name):
    array, is_text = NOT_SOUND[name]
    one, other = (outcome(module.verify_array, array, 0, is_text=is_text) for module in both("modular"))
    assert one == other and issubclass(one[1], Damaged)


def everything(module, kind: int, data: bytes) -> list:
    """Return everything that an implementation makes of a module, or of a column's statistics (kind -1)."""
    found = []
    if kind == PLACEMENT:
        found.append(outcome(lambda: placement_facts(module.Placement(data, LEAVES, GROUPS))))
    elif kind == INDEX:
        found.append(outcome(lambda: index_facts(module.SchemaIndex(data, LEAVES))))
    elif kind == STATISTICS:
        found += [outcome(module.statistics_directory, data, leaf, LEAVES) for leaf in range(-1, LEAVES + 1)]
    else:
        placement = module.Placement(MODULES[PLACEMENT], LEAVES, GROUPS)
        found.append(outcome(lambda: bytes(placement.structs(1, 0, GROUPS, data)[0])))
        found.append(outcome(module.verify_struct, data, (2, 3, 4)))
    found.append(outcome(module.verify_struct, data))
    return found


def placement_facts(placement) -> list:
    reads = [placement.rows, placement.row_group_bytes]
    facts = [outcome(lambda read=read: list(read())) for read in reads]
    return facts + [
        outcome(lambda leaf=leaf, group=group: placement.structs(leaf, group, 1, in_row_groups=True)[0])
        for leaf in range(LEAVES)
        for group in range(GROUPS)
    ]


def index_facts(index) -> list:
    facts = [index.elements, index.is_flat, index.has_non_ascii_names]
    for element in range(-1, min(index.elements, 9) + 1):
        facts += [outcome(read, element) for read in (index.element_offset, index.parent)]
    facts += [outcome(index.leaf_element, leaf) for leaf in range(LEAVES)]
    return facts + [outcome(index.candidates, path) for path in (b"id", b"text", b"tags\0list\0element")]


@pytest.mark.parametrize("kind", [PLACEMENT, STATISTICS, INDEX, -1])
def test_every_flipped_bit_means_the_same_to_both_implementations(kind):
    data = statistics_of(1) if kind == -1 else MODULES[kind]
    native, pure = both("modular")
    for at in range(len(data)):
        for bit in range(8):
            changed = bytearray(data)
            changed[at] ^= 1 << bit
            assert everything(native, kind, bytes(changed)) == everything(pure, kind, bytes(changed)), (at, bit)


@pytest.mark.parametrize("kind", [PLACEMENT, STATISTICS, INDEX, -1])
def test_every_cut_is_an_error_of_both_implementations(kind):
    data = statistics_of(1) if kind == -1 else MODULES[kind]
    native, pure = both("modular")
    for size in range(len(data)):
        assert everything(native, kind, data[:size]) == everything(pure, kind, data[:size]), size
        with pytest.raises(ParquetextError):
            native.verify_struct(data[:size])


ROOT = root_of((2, GROUPS, LEAVES, 40), {0: (0, 9), 1: (9, 300), 6: (309, 1 << 40), 200: (1, 2)})


def test_the_root_gives_counts_and_modules(implementation):
    modules = {0: (0, 9), 1: (9, 300), 6: (309, 1 << 40)}
    assert kernels.modular.read_root(ROOT) == (2, GROUPS, LEAVES, 40, modules)


def test_every_changed_byte_of_the_root_means_the_same_to_both_implementations():
    native, pure = both("modular")
    for at in range(len(ROOT)):
        for value in range(256):
            data = ROOT[:at] + bytes([value]) + ROOT[at + 1 :]
            assert outcome(native.read_root, data) == outcome(pure.read_root, data), (at, value)
        assert outcome(native.read_root, ROOT[:at]) == outcome(pure.read_root, ROOT[:at])


@given(numbers=st.lists(st.integers(0, (1 << 64) - 1), max_size=40), width=st.integers(0, 64))
def test_numbers_are_packed_alike_or_refused(numbers, width):
    native, pure = both("modular")
    assert outcome(native.pack, numbers, width) == outcome(pure.pack, numbers, width)
    fitting = [number >> 64 - width if width else 0 for number in numbers]
    assert native.pack(fitting, width) == pure.pack(fitting, width)


@given(path=st.binary(max_size=60))
def test_the_hash_is_fnv_1a_of_lower_case(path):
    native, pure = both("modular")
    assert native.hash_of(path) == pure.hash_of(path) == native.hash_of(path.upper().lower())
    assert native.hash_of(b"") == 0xCBF29CE484222325


def test_candidates_are_none_if_few_probes_reach_no_empty_slot():
    def index(slots: int, used: int) -> bytes:
        table = array_of(slots, b"\x08" + b"\1" * used + bytes(slots - used))
        offsets = array_of(2, b"\0")
        return joined([(1, STRUCT, table), (2, 3, b"\0"), (3, 3, b"\x08"), (4, STRUCT, offsets)]) + b"\0"

    for module in both("modular"):
        assert module.SchemaIndex(index(1024, 1024), 1).candidates(b"x") == [0] * 1024
        assert module.SchemaIndex(index(2048, 2048), 1).candidates(b"x") == []
