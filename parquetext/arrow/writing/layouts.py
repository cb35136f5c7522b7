"""Choose options of Arrow's writer for the use of a file: scans, access to single rows, or few bytes."""

from __future__ import annotations

import inspect
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ...edits.options import RANDOM_ACCESS, SIZE
from ...records import frozen
from .dictionaries import DICTIONARY_BYTES, leaf_paths, worth_a_dictionary

ROWS_LIMITED = "max_rows_per_page" in inspect.signature(pq.ParquetWriter.__init__).parameters
ALL_ROWS = 1 << 20  # of a row group: no limit for a page
SAMPLE_ROWS, SAMPLE_BYTES = 1 << 16, 64 << 20  # of the trials; at least `FEWEST_ROWS`, even if they have more bytes
FEWEST_ROWS = 1 << 10
LEAST_PAGE_ROWS = 128  # if each batch is a page: smaller pages would have more headers than values
DICTIONARY, PLAIN, DELTA = "DICTIONARY", "PLAIN", "DELTA_BINARY_PACKED"
SMALLER = 0.95  # of the bytes: a later encoding in the order of preference saves at least the rest
NOT_TRIED = (  # options that change no page, or that are valid for one file
    "encryption_properties",
    "bloom_filter_options",
    "use_dictionary",
    "use_byte_stream_split",
    "column_encoding",
)


@frozen
class Layout:
    """The layout of files for one use.

    Attributes
    ----------
    page_bytes, page_rows : int
        Limits of a page, the bytes of its values before compression. The widest column may exceed the first by its last
        batch.
    batch_bytes : int
        Bytes of values after which the writer checks the limits.
    dictionary_bytes : int
        Size of the largest dictionary.
    codec, level : str, int
        The codec, and its level.
    incompressible : float
        Columns are not compressed if the codec leaves at least this share of their bytes.
    encodings : mapping of str to sequence of str
        Encodings to try by physical type, in order of preference; PLAIN is the only one of other types.
    tolerance : float
        An encoding is preferred to a previous one if its bytes are less than this share.
    """

    page_bytes: int
    page_rows: int
    batch_bytes: int
    dictionary_bytes: int
    codec: str
    level: int
    incompressible: float
    encodings: Mapping[str, tuple[str, ...]]
    tolerance: float


LAYOUTS = {
    # Decompression takes most of the time of a page, and lz4 is the fastest codec, at each of its levels. A look-up
    # reads the whole dictionary: it has at most the bytes of sixteen pages.
    RANDOM_ACCESS: Layout(
        page_bytes=8 << 10,
        page_rows=512,
        batch_bytes=2 << 10,
        dictionary_bytes=16 * (8 << 10),
        codec="lz4",
        level=4,
        incompressible=0.9,
        encodings={"INT32": (PLAIN, DELTA), "INT64": (PLAIN, DELTA)},
        tolerance=SMALLER,
    ),
    # Without BYTE_STREAM_SPLIT, which Spark reads from version 4.3 on.
    SIZE: Layout(
        page_bytes=1 << 20,
        page_rows=ALL_ROWS,
        batch_bytes=64 << 10,
        dictionary_bytes=DICTIONARY_BYTES,
        codec="zstd",
        level=12,
        incompressible=math.inf,
        encodings={
            "INT32": (PLAIN, DELTA),
            "INT64": (PLAIN, DELTA),
            "BYTE_ARRAY": (PLAIN, "DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"),
        },
        tolerance=1.0,
    ),
}


@dataclass(slots=True)
class _Leaf:
    """A leaf, and for each encoding that was tried its estimated bytes, and the share that the codec leaves."""

    path: str
    physical: str
    width: float
    bytes: dict[str, float] = field(default_factory=dict)
    share: dict[str, float] = field(default_factory=dict)

    def best(self, tolerance: float) -> str:
        chosen = PLAIN
        for encoding, size in self.bytes.items():
            if size < tolerance * self.bytes[chosen]:
                chosen = encoding
        return chosen


def writer_options(use: str, rows: pa.Table, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return options of pyarrow's writer for a file that begins with these rows.

    Parameters
    ----------
    use : {"random_access", "size"}
    rows : pyarrow.Table
        The first row group, if it is known. It decides about dictionaries, and a sample of it about other encodings.
    given : mapping of str to object
        The caller's options, which win. If they include `use_dictionary`, or one encoding for all columns, no encoding
        is chosen. Otherwise, columns that `column_encoding` or `use_byte_stream_split` names get these encodings; here,
        ``"DICTIONARY"`` is one of them.
    """
    layout = LAYOUTS[use]
    options: dict[str, Any] = {
        "compression": layout.codec,
        "dictionary_pagesize_limit": layout.dictionary_bytes,
        "write_page_index": True,
    }
    if given.get("compression", layout.codec) == layout.codec:
        options["compression_level"] = layout.level
    leaves = _tried_leaves(layout, rows, options | dict(given)) if rows.num_rows else []
    options |= _pages(layout, max((leaf.width for leaf in leaves), default=0.0)) | dict(given)
    if _chooses_encodings(given):
        encodings = {leaf.path: leaf.best(layout.tolerance) for leaf in leaves} | _named(given)
        options |= _as_options(encodings) | {"use_byte_stream_split": False}
        if given.keys().isdisjoint({"compression", "compression_level"}):
            options |= _codecs(layout, leaves, encodings)
    return options


def _chooses_encodings(given: Mapping[str, Any]) -> bool:
    for_all = given.get("use_byte_stream_split") is True or isinstance(given.get("column_encoding"), str)
    return not for_all and "use_dictionary" not in given


def _named(given: Mapping[str, Any]) -> dict[str, str]:
    named = {name: encoding.upper() for name, encoding in (given.get("column_encoding") or {}).items()}
    return named | dict.fromkeys(given.get("use_byte_stream_split") or (), "BYTE_STREAM_SPLIT")


def _as_options(encodings: Mapping[str, str]) -> dict[str, Any]:
    """Return the two options of pyarrow's writer that select encodings."""
    dictionaries = [path for path, encoding in encodings.items() if encoding == DICTIONARY]
    others = {path: encoding for path, encoding in encodings.items() if encoding != DICTIONARY}
    return {"use_dictionary": dictionaries or False, "column_encoding": others or None}


def _codecs(layout: Layout, leaves: list[_Leaf], encodings: Mapping[str, str]) -> dict[str, Any]:
    """Return the options that compress all columns but incompressible ones; leaves of one name share them."""
    paths = {leaf.path for leaf in leaves if leaf.share.get(encodings[leaf.path], 0.0) < layout.incompressible}
    if all(leaf.path in paths for leaf in leaves):
        return {}
    codecs = {leaf.path: layout.codec if leaf.path in paths else "none" for leaf in leaves}
    return {"compression": codecs, "compression_level": dict.fromkeys(paths, layout.level)}


def _pages(layout: Layout, widest: float) -> dict[str, int]:
    """Return the limits of pages, which the writer checks after each batch.

    An older pyarrow cannot limit the rows of a page. There, each batch becomes a page, of as many rows as the widest
    column permits.
    """
    width = max(widest, 1 / 8)
    if not ROWS_LIMITED and layout.page_rows < ALL_ROWS:
        rows = min(max(int(layout.page_bytes / width), LEAST_PAGE_ROWS), layout.page_rows)
        return {"data_page_size": 1, "write_batch_size": rows}
    batch = min(max(int(layout.batch_bytes / width), 1), FEWEST_ROWS)
    limits = {"data_page_size": layout.page_bytes - layout.batch_bytes, "write_batch_size": batch}
    return limits | ({"max_rows_per_page": layout.page_rows} if ROWS_LIMITED else {})


def _tried_leaves(layout: Layout, rows: pa.Table, options: Mapping[str, Any]) -> list[_Leaf]:
    """Return the leaves of the file with estimated sizes of their chunks in the first row group."""
    sample = _sample(rows)
    tried = {name: value for name, value in options.items() if name not in NOT_TRIED} | _pages(layout, 64.0)
    leaves = [
        _Leaf(chunk.path_in_schema, chunk.physical_type, chunk.total_uncompressed_size / max(chunk.num_values, 1))
        for chunk in _written(sample, tried, use_dictionary=False)
    ]
    if not _chooses_encodings(options):
        return leaves
    wishes = {leaf.path: layout.encodings.get(leaf.physical, (PLAIN,)) for leaf in leaves}
    wishes |= dict.fromkeys(_categorical_texts(rows.schema, leaves), (PLAIN,))
    for path in _dictionary_leaves(layout, rows, leaves):
        wishes[path] += (DICTIONARY,)
    names = Counter(leaf.path for leaf in leaves)  # leaves of one name and several types support PLAIN
    wishes = {path: wish if names[path] == 1 else (PLAIN,) for path, wish in wishes.items()}
    share = rows.num_rows / sample.num_rows
    for number in range(max(map(len, wishes.values()))):
        encodings = {path: wish[min(number, len(wish) - 1)] for path, wish in wishes.items()}
        for leaf, chunk in zip(leaves, _written(sample, tried, **_as_options(encodings)), strict=True):
            leaf.bytes[encodings[leaf.path]] = _estimate(chunk, share)
            leaf.share[encodings[leaf.path]] = chunk.total_compressed_size / max(chunk.total_uncompressed_size, 1)
    return leaves


def _categorical_texts(schema: pa.Schema, leaves: list[_Leaf]) -> list[str]:
    """Return the leaves of texts with an Arrow dictionary type: pyarrow cannot read their DELTA encodings."""
    is_categorical = [pa.types.is_dictionary(kind) for kind in leaf_paths(schema).values()]
    if len(is_categorical) != len(leaves):  # an extension type has several leaves
        is_categorical = [any(is_categorical)] * len(leaves)
    texts = zip(leaves, is_categorical, strict=True)
    return [leaf.path for leaf, is_one in texts if is_one and leaf.physical == "BYTE_ARRAY"]


def _dictionary_leaves(layout: Layout, rows: pa.Table, leaves: list[_Leaf]) -> Iterable[str]:
    """Return the leaves whose dictionaries are small in the whole row group and smaller than the values."""
    paths = list(leaf_paths(rows.schema))
    if len(paths) != len(leaves):  # an extension type has several leaves
        return []
    worth = {*worth_a_dictionary(rows, layout.dictionary_bytes, is_complete=True)}
    return [leaf.path for path, leaf in zip(paths, leaves, strict=True) if path in worth]


def _sample(rows: pa.Table) -> pa.Table:
    """Return consecutive rows from the middle, because differences to previous values matter."""
    per_row = rows.nbytes / rows.num_rows
    count = max(min(SAMPLE_ROWS, int(SAMPLE_BYTES / max(per_row, 1))), FEWEST_ROWS)
    return rows.slice(max(rows.num_rows - count, 0) // 2, count)


def _written(sample: pa.Table, options: Mapping[str, Any], **encodings: Any) -> list[pq.ColumnChunkMetaData]:
    """Write a sample into memory, and return the column chunks of its row group."""
    sink = pa.BufferOutputStream()
    with pq.ParquetWriter(sink, sample.schema, **dict(options) | encodings | {"write_page_index": False}) as writer:
        writer.write_table(sample)
    group = pq.read_metadata(pa.BufferReader(sink.getvalue())).row_group(0)
    return [group.column(number) for number in range(group.num_columns)]


def _estimate(chunk: pq.ColumnChunkMetaData, share: float) -> float:
    """Return the bytes of a chunk of so many times as many rows; its dictionary grows little."""
    start = chunk.dictionary_page_offset
    dictionary = chunk.data_page_offset - start if start else 0
    return (chunk.total_compressed_size - dictionary) * share + dictionary
