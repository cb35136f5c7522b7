"""Thrift to flat and back: the same bytes for any content, and the cost of the conversion."""

from __future__ import annotations

import functools
import importlib
import struct

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from support import compact
from support import flat_footers as thrift
from support.flat_payloads import Memory, cells, irregular, one_chunk, outcome, sign, small_footer
from support.footers import footer_of, struct_values
from support.rewriting import rewrite
from support.samples import examples, some
from support.varints import varint

from parquetext import kernels, wire
from parquetext import thrift as values
from parquetext.errors import Damaged, ParquetextError, Unsupported

hypothesis_settings = settings(
    max_examples=examples(60),
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture],
)
EXTENSION = bytes.fromhex("08ffff01") + b"\5hello"


def write(footer: bytes, stats: str = "full", **options) -> bytes:
    return bytes(kernels.flat.write(kernels.scan.scan(footer, strict=False), stats, **options))


def there_and_back(footer: bytes) -> bytes:
    payload = write(footer)
    kernels.flat.verify(payload)
    return bytes(kernels.flat.to_thrift(payload))


def module(package: str, name: str):
    try:
        return importlib.import_module(f"parquetext._{package}.{name}")
    except ImportError:
        pytest.skip("the compiled kernels are not built: nothing to compare the twin with")


def both(footer: bytes, stats: str = "full") -> bytes:
    """The payload, which both implementations write alike and turn into the same footer."""
    payloads, footers = [], []
    for package in ("native", "pure"):
        flat = module(package, "flat")
        payloads.append(
            outcome(
                lambda flat=flat, package=package: bytes(
                    flat.write(module(package, "scan").scan(footer, strict=False), stats)
                )
            )
        )
    assert payloads[0] == payloads[1]
    assert isinstance(payloads[0], bytes), payloads[0]
    for package in ("native", "pure"):
        module(package, "flat").verify(payloads[0])
        footers.append(bytes(module(package, "flat").to_thrift(payloads[0])))
    assert footers[0] == footers[1]
    if stats == "full":
        assert footers[0] == footer
    return payloads[0]


def is_verbatim(payload: bytes) -> bool:
    end = len(payload) - struct.unpack_from("<I", payload, len(payload) - 8)[0]
    return bool(struct.unpack_from("<I", payload, end + 24)[0] & 8)


# ---- content that comes back


def test_every_footer_of_the_corpus_comes_back(implementation, corpus, expected):
    """Without --long the Python kernels convert each third footer."""
    count, step = 0, 3 if implementation == "pure" else 1
    tried = some(expected, step)
    for fields in tried:
        file = (corpus / fields["file"]).read_bytes()
        if file[-4:] != b"PAR1" or int.from_bytes(file[-8:-4], "little") > len(file) - 8:
            continue
        footer = footer_of(file)
        try:
            if kernels.thrift.struct_end(footer) != len(footer):
                continue
        except ParquetextError:
            continue
        payload = write(footer)
        assert kernels.flat.to_thrift(payload) == footer, fields["file"]
        count += 1
    assert count == 454 if tried == expected else count > 140


def test_both_write_the_same_payload_for_every_footer_of_the_corpus(corpus, expected):
    kinds = [
        is_verbatim(both(footer_of((corpus / fields["file"]).read_bytes())))
        for fields in some(expected, 3, 1)
        if fields["class"] == "readable"
    ]
    assert not any(kinds)


@hypothesis_settings
@given(thrift.footers(max_row_groups=4))
def test_a_footer_of_known_fields_comes_back(footer):
    assert not is_verbatim(both(footer))


def some_of(name: str, *fields: str):
    """Some of these fields of a struct of parquet.thrift."""
    return struct_values(name).map(lambda found: {field: found[field] for field in found if field in fields})


@functools.cache
def more_of_chunk():
    """Fields of ColumnChunk that no table holds, or not like this."""
    return some_of("ColumnChunk", "file_offset", "offset_index_length", "column_index_offset", "crypto_metadata")


@functools.cache
def more_of_metadata():
    """Fields of ColumnMetaData that no table holds, of the newest parquet.thrift."""
    return some_of(
        "ColumnMetaData",
        "encodings",
        "path_in_schema",
        "encoding_stats",
        "size_statistics",
        "geospatial_statistics",
        "bloom_filter_length",
        "key_value_metadata",
    )


@functools.cache
def unknown_fields():
    """Fields that parquet.thrift does not have, of every type."""
    return st.dictionaries(
        st.integers(50, 20_000),
        st.integers(1, 13).flatmap(
            lambda type: compact.contents(type, 2).map(
                lambda content: values.Unknown(type, compact.value(type, content))
            )
        ),
        max_size=2,
    )


def shuffled(fields: dict, draw) -> dict:
    names = list(fields)
    return {name: fields[name] for name in (draw(st.permutations(names)) if draw(st.booleans()) else names)}


@st.composite
def rich_footers(draw) -> bytes:
    """Regular footers with any field of the newest parquet.thrift, fields that it does not have, in any order."""
    footer = values.read("FileMetaData", draw(thrift.footers()))
    for group in footer["row_groups"]:
        for chunk in group["columns"]:
            if "meta_data" in chunk:
                meta = chunk["meta_data"] | draw(more_of_metadata()) | draw(unknown_fields())
                if "statistics" in meta and draw(st.booleans()):
                    meta["statistics"] |= {"nan_count": draw(st.integers(-9, 1 << 40))} | draw(unknown_fields())
                chunk["meta_data"] = shuffled(meta, draw)
            chunk |= draw(more_of_chunk()) | draw(unknown_fields())
        group["columns"] = [shuffled(chunk, draw) for chunk in group["columns"]]
        group |= draw(unknown_fields())
    for pair in footer.get("key_value_metadata", []):
        pair |= draw(unknown_fields())
    if draw(st.integers(0, 4)) == 0:
        footer |= draw(some_of("FileMetaData", "encryption_algorithm", "footer_signing_key_metadata"))
    return values.write("FileMetaData", shuffled(footer | draw(unknown_fields()), draw))


@hypothesis_settings
@given(rich_footers())
def test_any_field_known_or_not_and_any_order_comes_back(footer):
    both(footer)


@hypothesis_settings
@given(rich_footers(), st.randoms(use_true_random=False))
def test_headers_and_numbers_that_are_longer_than_they_have_to_be_come_back(footer, random):
    both(rewrite(footer, lambda: random.random() < 0.2))


@hypothesis_settings
@given(struct_values("FileMetaData"))
def test_a_footer_of_any_structure_comes_back(fields):
    both(values.write("FileMetaData", fields))


@hypothesis_settings
@given(compact.struct_bytes())
def test_any_struct_comes_back(data):
    both(data)


# ---- content that does not come back


@pytest.mark.parametrize("footer", [small_footer(), irregular()], ids=["tables", "verbatim"])
@pytest.mark.parametrize(
    "extended",
    [
        lambda footer: footer[:-1] + EXTENSION + b"\0",
        lambda footer: footer + EXTENSION + b"\0",
    ],
    ids=["in the struct", "after its stop"],
)
def test_the_rebuilt_footer_has_no_extension(implementation, footer, extended):
    payload = write(extended(footer))
    assert payload == write(footer)
    assert kernels.flat.to_thrift(payload) == footer


# ---- footers that the tables cannot say


@pytest.mark.parametrize(
    "footer",
    [
        irregular(),
        b"\0",
        one_chunk(thrift.metadata(2, [b"a"])),
        one_chunk(thrift.metadata(1, [b"a"], codec=200)),
        one_chunk(thrift.metadata(1, [b"a"], data_page=None)),
        one_chunk(thrift.metadata(1, [b"a"]), column_orders=[1, 1]),
        thrift.footer([thrift.element(b"schema", children=9)], []),
    ],
)
def test_footers_that_the_tables_cannot_store_are_verbatim_and_refused_by_readers(implementation, footer):
    payload = write(footer)
    assert is_verbatim(payload)
    kernels.flat.verify(payload)
    assert kernels.flat.to_thrift(payload) == footer
    with pytest.raises(Unsupported) as caught:
        kernels.flat.Reader(Memory(payload), 0, len(payload), payload)
    assert caught.value.code == wire.VERBATIM
    with pytest.raises(ParquetextError):
        write(footer, verbatim=False)


# ---- compact statistics


def long_bounds(value: bytes, other: bytes = b"", **exact) -> bytes:
    stats = thrift.statistics(min=other or value, max=other or value, min_value=value, max_value=value, **exact)
    elements = [thrift.element(b"schema", children=1), thrift.element(b"a", type=6, converted=0)]
    group = thrift.row_group([thrift.chunk(thrift.metadata(6, [b"a"], stats=stats))])
    return thrift.footer(elements, [group, group], column_orders=[1])


def statistics_of(footer: bytes) -> dict:
    return values.read("FileMetaData", footer)["row_groups"][1]["columns"][0]["meta_data"]["statistics"]


@pytest.mark.parametrize("exact", [None, True, False])
def test_compact_statistics_are_shorter_bounds_that_are_not_exact(implementation, exact):
    footer = long_bounds(b"measurement-of-something", min_exact=exact, max_exact=exact)
    payload = write(footer, "compact")
    kernels.flat.verify(payload)
    found = statistics_of(bytes(kernels.flat.to_thrift(payload)))
    assert found["min_value"] == found["min"] == b"measurement-of-s"
    assert found["max_value"] == found["max"] == b"measurement-of-t"
    assert found.get("is_min_value_exact") == found.get("is_max_value_exact") == (None if exact is None else False)
    reader = kernels.flat.Reader(Memory(payload), 0, len(payload), payload)
    assert not reader.is_lossless
    inexact = wire.PRESENT_MIN_EXACT_SET | wire.PRESENT_MAX_EXACT_SET
    every = inexact | wire.PRESENT_MIN_EXACT | wire.PRESENT_MAX_EXACT
    assert [present & every for present in reader.column(0).array("present")] == [inexact] * 2


@pytest.mark.parametrize("value", [b"sixteen bytes...", b"\xff" * 20, b"short"])
def test_bounds_that_are_short_or_have_no_shorter_one_stay_whole_in_compact_statistics(implementation, value):
    found = statistics_of(bytes(kernels.flat.to_thrift(write(long_bounds(value, max_exact=True), "compact"))))
    assert found["max_value"] == value
    assert found["is_max_value_exact"]


def test_a_full_payload_is_marked_lossless(implementation):
    payload = write(small_footer())
    assert kernels.flat.Reader(Memory(payload), 0, len(payload), payload).is_lossless


def test_statistics_are_full_or_compact(implementation):
    with pytest.raises(ParquetextError, match="'full', 'compact'"):
        write(small_footer(), "smaller")


@hypothesis_settings
@given(rich_footers())
def test_both_write_the_same_compact_payload(footer):
    both(footer, "compact")


# ---- cost and limits


def test_similar_chunks_share_skeletons(implementation):
    """A column's row groups cost a byte or two each."""
    sizes = []
    for encodings in (4, 40):
        page_stats = [thrift.encoding_stats(0, 0)] * encodings
        meta = thrift.metadata(2, [b"a"], encodings=[0] * encodings, page_stats=page_stats)
        group = thrift.row_group([thrift.chunk(meta)])
        footer = thrift.footer([thrift.element(b"schema", children=1), thrift.element(b"a", type=2)], [group] * 1000)
        sizes.append(len(write(footer)))
    assert sizes[1] - sizes[0] < 4000


def test_a_footer_that_is_much_larger_than_its_payload_is_refused(implementation):
    name = b"n" * 100_000
    group = thrift.row_group([thrift.chunk(thrift.metadata(2, [name]))])
    footer = thrift.footer([thrift.element(b"schema", children=1), thrift.element(name, type=2)], [group] * 100)
    with pytest.raises(Unsupported) as caught:
        write(footer)
    assert caught.value.code == wire.TOO_LARGE


def test_a_hostile_skeleton_cannot_blow_up(implementation):
    pairs = [thrift.key_value(b"k%d" % n, b"v") for n in range(1000)]
    group = thrift.row_group([thrift.chunk(thrift.metadata(2, [b"a"], key_values=pairs[:50]))])
    elements = [thrift.element(b"schema", children=1), thrift.element(b"a", type=2)]
    payload = bytearray(write(thrift.footer(elements, [group] * 20, key_values=pairs)))
    (root,) = (
        position
        for position, _ in cells(payload)
        if struct.unpack_from("<H", payload, position + 8) == (wire.KIND_ROOT,)
    )
    at, length = struct.unpack_from("<2I", payload, root + 16)
    payload[root + at : root + at + length] = bytes([wire.OP_ROW_GROUPS]) * length
    with pytest.raises(Unsupported) as caught:
        kernels.flat.to_thrift(sign(payload, cells(payload)))
    assert caught.value.code == wire.TOO_LARGE


def test_an_invalid_operation_is_damage(implementation):
    payload = write(small_footer())
    for position, length in cells(payload):
        if struct.unpack_from("<H", payload, position + 8) != (wire.KIND_POOL,):
            continue
        for at in range(position + 24, position + length):
            for op in (wire.OP_CHUNKS, wire.OP_UUID, 0xFF, 0x7F):
                broken = bytearray(payload)
                broken[at] = op
                found = outcome(kernels.flat.to_thrift, sign(broken, cells(payload)))
                assert isinstance(found, bytes) or found[0] == Damaged.__name__


def test_the_extension_does_not_count_for_the_size_limit(implementation):
    footer = small_footer()
    extended = footer[:-1] + EXTENSION[:4] + varint(100_000) + bytes(100_000) + b"\0"
    assert write(extended) == write(footer)
