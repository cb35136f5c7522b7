"""Convert a chunk's members, as read from any footer form, to the members of a sidecar."""

from __future__ import annotations

from collections.abc import Callable

from .. import wire
from ..errors import wire_error
from .chunks import CHUNK_MEMBERS, PLACES_MEMBERS

# Bit of the sidecar: the Parquet encodings that it represents.
ENCODINGS = {
    1: (wire.ENCODING_PLAIN,),
    2: (wire.ENCODING_PLAIN_DICTIONARY, wire.ENCODING_RLE_DICTIONARY),
    4: (wire.ENCODING_DELTA_BINARY_PACKED,),
    8: (wire.ENCODING_DELTA_LENGTH_BYTE_ARRAY,),
    16: (wire.ENCODING_DELTA_BYTE_ARRAY,),
    32: (wire.ENCODING_BYTE_STREAM_SPLIT,),
}
SIGNED = b"\x7f"  # integers with a last byte above are negative for signed readers


def encoding_bits(listed: int) -> int:
    """Convert Parquet's encodings, by number, to the sidecar's bits; encodings without a bit are omitted."""
    return sum(bit for bit, numbers in ENCODINGS.items() if any(listed >> number & 1 for number in numbers))


def range_start(present: int, data_page_offset: int, dictionary_page_offset: int) -> int:
    """Return a chunk's begin by QuestDB's rule, which differs from `chunks.begin`.

    It is the dictionary's offset if there is one, even if that offset is invalid.
    """
    return dictionary_page_offset if present & wire.PRESENT_DICTIONARY_PAGE_OFFSET else data_page_offset


def chunk_fields(chunks, column) -> Callable[[int], tuple]:
    """Return a function from a row group's number to the arguments of its `Chunk`."""
    fields = {name: chunks.array(name) for name in CHUNK_MEMBERS | PLACES_MEMBERS}
    data = memoryview(chunks.buffer).cast("B")
    otherwise = 0 if column.max_definition == 0 else None  # a required leaf has no nulls
    misread = is_signed_integer(column) and chunks.has_unsigned_order
    is_binary = column.physical_type == wire.PHYSICAL_BYTE_ARRAY
    width = None if is_binary else wire.WIDTH_OF_TYPE.get(column.physical_type, column.fixed_byte_len)

    def statistic(chunk: dict, name: str, bit: int) -> bytes:
        offset, length = chunk[f"{name}_offset"], chunk[f"{name}_length"]
        fits = chunk["present"] & bit and 0 < length <= wire.PM_STATISTIC_BYTES and width in (None, length)
        return bytes(data[offset : offset + length]) if fits else b""

    def of(row_group: int) -> tuple:
        chunk = {name: values[row_group] for name, values in fields.items()}
        present, codec = chunk["present"], chunk["codec"]
        if not present & wire.PRESENT_METADATA:
            raise wire_error(wire.NO_METADATA, chunk["chunk_offset"])
        if present & wire.PRESENT_FILE_PATH:
            raise wire_error(wire.PM_FILE_PATH, chunk["chunk_offset"])
        if not 0 <= codec <= wire.PM_LAST_CODEC:
            raise wire_error(wire.UNSUPPORTED_VALUE, chunk["chunk_offset"], wire.PM_LAST_CODEC, codec & 0xFFFFFFFF)
        start = range_start(present, chunk["data_page_offset"], chunk["dictionary_page_offset"])
        bloom = chunk["bloom_filter_offset"], chunk["bloom_filter_length"]
        low = statistic(chunk, "min_value", wire.PRESENT_MIN_VALUE)
        high = statistic(chunk, "max_value", wire.PRESENT_MAX_VALUE)
        if misread and (low[-1:] > SIGNED or high[-1:] > SIGNED):
            low = high = b""
        return (
            codec,
            encoding_bits(chunk["encodings"]),
            max(0, chunk["num_values"]),
            max(0, start),
            max(0, chunk["total_compressed_size"]),
            possible_nulls(known(chunk, "null_count", wire.PRESENT_NULL_COUNT, otherwise), chunk, otherwise),
            known(chunk, "distinct_count", wire.PRESENT_DISTINCT_COUNT, None),
            low,
            high,
            exact(present, wire.PRESENT_MIN_EXACT_SET, wire.PRESENT_MIN_EXACT),
            exact(present, wire.PRESENT_MAX_EXACT_SET, wire.PRESENT_MAX_EXACT),
            bloom if min(bloom) > 0 else None,
        )

    return of


def is_signed_integer(column) -> bool:
    """Return True if the column contains integers that QuestDB compares as signed."""
    return column.physical_type in (wire.PHYSICAL_INT32, wire.PHYSICAL_INT64) and (
        column.type < 0 or column.type & 0xFF != wire.PM_TAG_IPV4
    )


def possible_nulls(count: int | None, chunk: dict, otherwise: int | None) -> int | None:
    """Return a null count, or `otherwise` if it is impossible: above the values, or above 0 in a required column."""
    most = 0 if otherwise == 0 else max(0, chunk["num_values"])
    return otherwise if count is None or count > most else count


def known(chunk: dict, name: str, bit: int, otherwise: int | None) -> int | None:
    """Return a count, or `otherwise` if it is absent or negative."""
    return chunk[name] if chunk["present"] & bit and chunk[name] >= 0 else otherwise


def exact(present: int, known: int, exact: int) -> bool:
    """Return True unless the footer marks the bound as inexact."""
    return not present & known or bool(present & exact)
