"""The third stage of a read: choose the decoder of each part of a plan, and state the reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

import pyarrow as pa

from ... import kernels, wire
from ...encoding.carried import may_have_copies
from ...errors import Damaged, Malformed, ParquetextError
from ...footer.model import FooterReader
from ...footer.row_counts import RowsMissing
from ...records import frozen
from ...storage import has_descriptor
from ..fields.assemble_plan import LeafPlan
from ..fields.wanted_columns import Column
from ..open_file import OpenFile
from ..plan.part import SMALL_ROWS, Part
from ..plan.read_plan import Plan
from ..request.read_request import AUTO, OURS

# The decoders.
PYARROW, NATIVE, SHORT_CHUNKS, COPIES = "pyarrow", "parquetext", "short chunks", "encoded copies"

LEAST_ROWS = 1 << 12  # rows per row group; in smaller ones pyarrow is faster: its overhead per chunk is lower
GOOD_PART = 2  # at least one in this many leaves must have short chunks
STORED = (
    wire.PHYSICAL_BOOLEAN,
    wire.PHYSICAL_INT32,
    wire.PHYSICAL_INT64,
    wire.PHYSICAL_FLOAT,
    wire.PHYSICAL_DOUBLE,
    wire.PHYSICAL_BYTE_ARRAY,
)
BYTES_OF_DIGITS = [next(size for size in range(1, 33) if 10**digits <= 1 << 8 * size - 1) for digits in range(77)]
ENCODINGS = sum(
    1 << encoding
    for encoding in (
        wire.ENCODING_PLAIN,
        wire.ENCODING_PLAIN_DICTIONARY,
        wire.ENCODING_RLE,
        wire.ENCODING_RLE_DICTIONARY,
        wire.ENCODING_DELTA_BINARY_PACKED,
        wire.ENCODING_DELTA_LENGTH_BYTE_ARRAY,
        wire.ENCODING_DELTA_BYTE_ARRAY,
        wire.ENCODING_BYTE_STREAM_SPLIT,
    )
)


@frozen
class Choice:
    """The decoder of one part of a plan.

    Attributes
    ----------
    decoder : str
    reason : str
    fallback : str or None
        The decoder that is used if this one raises one of the errors `retried`.
    retried : tuple of exception classes
    final : tuple of exception classes
        Those of them after which the fallback is not used: it would not notice the error.
    arrays : object or None
        The prepared state of the kernel that reads short chunks.
    """

    decoder: str
    reason: str
    fallback: str | None = None
    retried: tuple[type[Exception], ...] = field(default=(), repr=False)
    final: tuple[type[Exception], ...] = field(default=(), repr=False)
    arrays: Any = field(default=None, repr=False, compare=False)


OF_PYARROW = pa.ArrowException, Malformed, OSError, UnicodeError
OF_NATIVE = pa.ArrowException, ParquetextError
REQUESTED = Choice(NATIVE, "requested by engine='parquetext'")
COPIES_REQUESTED = Choice(COPIES, "requested by engine='parquetext', and chunks may have copies")
ONLY_PYARROW = Choice(PYARROW, "requested by engine='pyarrow'", NATIVE, (RowsMissing,))
COPIES_FIRST = Choice(COPIES, "engine='auto', and chunks may have copies in faster encodings", PYARROW, OF_NATIVE)
PYARROW_FIRST = Choice(PYARROW, "engine='auto', and no chunk has a copy", NATIVE, OF_PYARROW)
BATCHES = Choice(PYARROW, "the default for batches", NATIVE, (RowsMissing,))
WITH_OPTIONS = Choice(PYARROW, "options of pyarrow's reader are given", NATIVE, (RowsMissing,))
REMOTE = Choice(PYARROW, "the file is remote: fetching takes longer than decoding", NATIVE, (RowsMissing,))
FASTER = Choice(NATIVE, "many values, of types and encodings that all decoders read alike", PYARROW, OF_NATIVE)
DEFAULT = Choice(PYARROW, "neither short chunks, nor many values that all decoders read alike", NATIVE, (RowsMissing,))
REFUSED = Choice(PYARROW, "the faster decoder refused the data", NATIVE, (RowsMissing,))
ROWS = Choice(NATIVE, "only the pages that contain the rows are read", PYARROW, OF_NATIVE, (Damaged,))
SHORT_REASON = "short chunks of a local file are converted together"


def choose(plan: Plan, file: OpenFile, *, batches: bool = False) -> list[Choice]:
    """Choose the decoder of each part of a plan.

    Parameters
    ----------
    batches : bool
        True if the plan is read batch by batch.
    """
    engine, options = plan.options.engine, plan.options.reader
    if plan.rows is not None and engine in (None, AUTO):
        choice = ROWS
    elif engine == OURS:
        choice = COPIES_REQUESTED if has_copies(plan, file) else REQUESTED
    elif engine == AUTO:
        choice = COPIES_FIRST if has_copies(plan, file) else PYARROW_FIRST
    elif engine is not None:
        choice = ONLY_PYARROW
    elif batches:
        choice = BATCHES
    elif options:
        choice = WITH_OPTIONS
    elif file._is_remote:
        choice = REMOTE
    elif plan.filter_part is None and _is_faster_natively(plan.part):
        choice = FASTER
    else:
        return [_short_or_pyarrow(part, file._source) for part in plan.parts]
    return [choice] * len(plan.parts)


def has_copies(plan: Plan, file: OpenFile) -> bool:
    """Return True if chunks of a plan may have copies."""
    return file._table_of_copies() is not None or any(may_have_copies(part.footer or b"") for part in plan.parts)


def has_own_codec(form: FooterReader, leaf: LeafPlan) -> bool:
    """Return True if the kernels can decompress all chunks of a leaf."""
    return kernels.column.codecs().issuperset(form.column(leaf.leaf).array("codec"))


def _short_or_pyarrow(part: Part, source) -> Choice:
    if not part.footer or not part.chunks or not has_descriptor(source) or kernels.implementation() != "native":
        return DEFAULT
    try:
        arrays = kernels.arrays.Arrays(part.form.scan, source.size)
    except ParquetextError:
        return DEFAULT
    if not arrays.count or arrays.count < part.form.leaf_count / GOOD_PART:
        return DEFAULT
    return Choice(SHORT_CHUNKS, SHORT_REASON, NATIVE, (RowsMissing,), arrays=arrays)


def _is_faster_natively(part: Part) -> bool:
    """Return True if our decoder is faster than pyarrow and returns the same values."""
    if not part.footer or not _is_large(part):
        return False
    try:
        form, fields = part.form, part.fields
        if sum(form.row_groups("num_rows")) != part.rows or not _is_flat(form, fields):
            return False
        return all(_is_alike(form, field) for field in fields)
    except (pa.ArrowException, ParquetextError):
        return False


def _is_large(part: Part) -> bool:
    """Return True if the kernels are compiled and the part is large enough for our decoder to be faster."""
    groups = max(len(part.row_groups), 1)
    is_native = kernels.implementation() == "native"
    return is_native and part.rows >= LEAST_ROWS * groups and part.values >= SMALL_ROWS


def _is_flat(form: FooterReader, columns: Sequence[Column]) -> bool:
    """Return True if all columns are flat and our decoder is likely to be faster than pyarrow's one thread per column.

    Chunks with a codec that the kernels do not implement are decompressed page by page in Python.
    """
    if not all(isinstance(column.plan, LeafPlan) for column in columns):
        return False
    return len(columns) == 1 or all(has_own_codec(form, column.plan) for column in columns)


def _is_alike(form: FooterReader, column: Column) -> bool:
    """Return True if a flat column has a type and encodings that every decoder reads in the same way."""
    leaf, type = column.plan, column.field.type
    if leaf.levels.repetition or not _has_one_meaning(leaf, type):
        return False
    # pyarrow reads BIT_PACKED levels in another bit order. Writers also list BIT_PACKED if there are no levels. If
    # levels are BIT_PACKED but the footer does not list the encoding, the file is read as the format specifies.
    known = ENCODINGS if leaf.levels.definition else ENCODINGS | 1 << wire.ENCODING_BIT_PACKED
    return not any(listed & ~known for listed in form.column(leaf.leaf).array("encodings"))


def _has_one_meaning(leaf: LeafPlan, type: pa.DataType) -> bool:
    """Return True if the stored values equal those of the type bit for bit, or are decimals of minimal byte width."""
    if pa.types.is_decimal(type):
        is_fixed = leaf.kind.physical == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY
        return is_fixed and type == leaf.kind.arrow and leaf.kind.width == BYTES_OF_DIGITS[type.precision]
    if leaf.kind.physical not in STORED or type != leaf.kind.arrow:
        is_zoned = pa.types.is_timestamp(type) and leaf.kind.physical == wire.PHYSICAL_INT64
        return is_zoned and pa.types.is_timestamp(leaf.kind.arrow) and type.unit == leaf.kind.arrow.unit
    return pa.types.is_primitive(type) or pa.types.is_string(type) or pa.types.is_binary(type)
