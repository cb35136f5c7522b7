"""Convert the decoded values of one leaf to an Arrow array of the requested type."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pyarrow as pa

from ... import compute as pc
from ... import kernels, wire
from ...encoding.chunk_reader import Dictionary
from ...encoding.stored_arrays import STORED, array_over, stored_type, viewed
from ...errors import Malformed, Unsupported
from ...footer.arrow_errors import ArrowMalformed
from ...footer.leaf_types import LeafType

NANOSECONDS = {"s": 1_000_000_000, "ms": 1_000_000, "us": 1_000, "ns": 1}
DIGITS = {wire.PHYSICAL_INT32: 10, wire.PHYSICAL_INT64: 19}  # decimal digits of the largest number


class BeyondArrow(ArrowMalformed):
    """A valid value of the file does not fit in Arrow's type; pyarrow raises ArrowInvalid for it, too."""


def leaf_array(decoded, kind: LeafType, wanted: pa.DataType, dictionary: Dictionary | None = None) -> pa.Array:
    """Return an array of the values that a `kernels.column.Column` decoded; reuse its buffers if they fit.

    Parameters
    ----------
    decoded : Decoded
    kind : LeafType
        The physical type of the leaf and its annotation.
    wanted : pyarrow.DataType
        The type of the result.
    dictionary : Dictionary, optional
        The chunk's dictionary page. As in pyarrow, an Arrow dictionary begins with its values.

    Raises
    ------
    Malformed
        If a decimal does not fit into its type.
    BeyondArrow
        If a timestamp of 12 bytes does not fit in 64 bits.
    Unsupported
        If the stored values cannot be converted to that type.
    """
    if STORED.get(kind.physical) == wanted:
        return viewed(decoded, wanted)
    if pa.types.is_null(wanted):
        return pa.nulls(decoded.slots)
    if isinstance(wanted, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(wanted, leaf_array(decoded, kind, wanted.storage_type, dictionary))
    if pa.types.is_dictionary(wanted):
        values = leaf_array(decoded, kind, wanted.value_type)
        return as_type(_encoded(values, kind, dictionary), wanted)
    if pa.types.is_decimal(wanted):
        return _decimals(decoded, kind, wanted)
    if kind.physical == wire.PHYSICAL_INT96:
        return _instants(decoded, wanted)
    if kind.is_long_timestamp:
        return as_type(_long_timestamps(decoded, kind), wanted)
    stored = stored_type(kind)
    if _is_laid_out_alike(stored, wanted):
        return viewed(decoded, wanted)
    if pa.types.is_integer(wanted) and pa.types.is_integer(stored):  # truncate large values, as other readers do
        return viewed(decoded, stored).cast(wanted, safe=False)
    natural = kind.arrow if _is_laid_out_alike(stored, kind.arrow) else stored
    return as_type(viewed(decoded, natural), wanted)


def always_fits(kind: LeafType, wanted: pa.DataType) -> bool:
    """Return True if the type can represent every value that can be stored, so that no value needs a check."""
    if isinstance(wanted, pa.BaseExtensionType):
        return always_fits(kind, wanted.storage_type)
    if pa.types.is_null(wanted):
        return True
    if pa.types.is_decimal(wanted):
        return 0 < kind.width <= wanted.bit_width // 8
    if kind.physical == wire.PHYSICAL_INT96:
        return pa.types.is_timestamp(wanted)
    if kind.is_long_timestamp:
        return False
    stored = stored_type(kind)
    return _is_laid_out_alike(stored, wanted) or (pa.types.is_integer(wanted) and pa.types.is_integer(stored))


def _encoded(values: pa.Array, kind: LeafType, dictionary: Dictionary | None) -> pa.DictionaryArray:
    encoded = values.dictionary_encode()
    if dictionary is None:
        return encoded
    stored, _ = kernels.encoding.decode(
        wire.ENCODING_PLAIN, kind.physical, kind.width, dictionary.data, dictionary.count
    )
    offsets, stored = stored if kind.physical == wire.PHYSICAL_BYTE_ARRAY else (None, stored)
    page = SimpleNamespace(values=stored, offsets=offsets, valid=None, nulls=0, slots=dictionary.count)
    whole = pa.concat_arrays([leaf_array(page, kind, values.type), encoded.dictionary]).unique()
    numbers = pc.index_in(encoded.dictionary, value_set=whole)
    return pa.DictionaryArray.from_arrays(numbers.take(encoded.indices), whole)


def as_type(array: pa.Array, wanted: pa.DataType) -> pa.Array:
    """Return the array, cast if it has another type.

    Raises
    ------
    Malformed
        If the type cannot represent a value.
    Unsupported
        If Arrow has no cast to the type.
    """
    if array.type == wanted:
        return array
    try:
        return array.cast(wanted)
    except pa.ArrowNotImplementedError:
        raise Unsupported(f"values of type {array.type} are not read as {wanted}") from None
    except pa.ArrowInvalid as error:
        raise Malformed(f"a value of type {array.type} that is none of {wanted}: {error}") from None


def _is_laid_out_alike(stored: pa.DataType, wanted: pa.DataType) -> bool:
    """Return True if an array of the stored values has the same buffers as an array of the wanted type."""
    if pa.types.is_binary(stored):
        return pa.types.is_binary(wanted) or pa.types.is_string(wanted)
    if pa.types.is_boolean(stored) or pa.types.is_floating(stored):
        return stored == wanted
    if pa.types.is_integer(stored):
        plain = pa.types.is_integer(wanted) or pa.types.is_temporal(wanted)
        return plain and wanted.bit_width == stored.bit_width
    return stored == wanted or (pa.types.is_float16(wanted) and stored.byte_width == 2)


def _instants(decoded, wanted: pa.DataType) -> pa.Array:
    unit = wanted.unit if pa.types.is_timestamp(wanted) else "ns"
    counts = kernels.wide.instants(decoded.values, decoded.slots, NANOSECONDS[unit])
    made = array_over(decoded, wanted if pa.types.is_timestamp(wanted) else pa.timestamp(unit), counts)
    return as_type(made, wanted)


def _long_timestamps(decoded, kind: LeafType) -> pa.Array:
    try:
        return array_over(decoded, kind.arrow, kernels.wide.timestamps(decoded.values, decoded.slots))
    except Malformed:
        raise BeyondArrow(f"a timestamp of 12 bytes that does not fit in the 64 bits of {kind.arrow}") from None


def _decimals(decoded, kind: LeafType, wanted: pa.DataType) -> pa.Array:
    width = wanted.bit_width // 8
    if kind.physical in (wire.PHYSICAL_BYTE_ARRAY, wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY):
        numbers = kernels.wide.integers(
            decoded.values, decoded.slots, kind.width, width, offsets=decoded.offsets, valid=decoded.valid
        )
        return array_over(decoded, wanted, numbers)
    if kind.physical not in DIGITS:
        raise Unsupported(f"values of type {STORED.get(kind.physical)} are not read as {wanted}")
    stored = STORED[kind.physical]
    if stored.byte_width == width:
        return viewed(decoded, wanted)
    if width < stored.byte_width:
        return array_over(decoded, wanted, _values_of(as_type(viewed(decoded, stored), pa.int32())))
    if width == 8:
        return array_over(decoded, wanted, _values_of(viewed(decoded, stored).cast(pa.int64())))
    make: Callable[[int], pa.DataType] = pa.decimal128 if width == 16 else pa.decimal256
    whole = pc.cast(viewed(decoded, stored), make(DIGITS[kind.physical]))
    return array_over(decoded, wanted, _values_of(whole))


def _values_of(array: pa.Array) -> pa.Buffer:
    return array.buffers()[1]
