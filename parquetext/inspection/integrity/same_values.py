"""Compare two Arrow arrays bit for bit, regardless of the types around their values."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

__all__ = ["first_difference"]

BITS = {2: pa.uint16(), 4: pa.uint32(), 8: pa.uint64()}
Same = Callable[[pa.Array, pa.Array], bool]


def first_difference(one: pa.Array, other: pa.Array) -> int | None:
    """Return the first row in which two arrays of the same length differ; None if they are equal.

    Floating-point numbers are compared by their bits, NaN and -0.0 too; dictionaries are compared by their values,
    extension types by their storage. Bytes under a null are ignored.
    """
    if _same(one, other):
        return None
    begin, end = 0, len(one)
    while end - begin > 1:
        middle = (begin + end) // 2
        if _same(one.slice(begin, middle - begin), other.slice(begin, middle - begin)):
            begin = middle
        else:
            end = middle
    return begin


def _same(one: pa.Array, other: pa.Array) -> bool:
    one, other = _stored(one), _stored(other)
    if len(one) != len(other):
        return False
    for is_kind, same in _NESTED:
        if is_kind(one.type):
            return is_kind(other.type) and one.is_valid().equals(other.is_valid()) and same(one, other)
    if pa.types.is_floating(one.type) and one.type == other.type:
        bits = BITS[one.type.bit_width // 8]
        one, other = one.view(bits), other.view(bits)
    return one.equals(other)


def _stored(array: pa.Array) -> pa.Array:
    while isinstance(array, pa.ExtensionArray):
        array = array.storage
    if pa.types.is_map(array.type):  # which Arrow does not flatten
        return array.cast(pa.list_(pa.struct([array.type.key_field, array.type.item_field])))
    return _stored(array.dictionary_decode()) if pa.types.is_dictionary(array.type) else array


def _same_structs(one: pa.StructArray, other: pa.StructArray) -> bool:
    if one.type.num_fields != other.type.num_fields:
        return False
    return all(_same(*pair) for pair in zip(one.flatten(), other.flatten(), strict=True))


def _same_lists(one: pa.Array, other: pa.Array) -> bool:
    """The same lengths of lists that are not null, and the same items of these."""
    return one.value_lengths().equals(other.value_lengths()) and _same(one.flatten(), other.flatten())


def _same_fixed_lists(one: pa.FixedSizeListArray, other: pa.FixedSizeListArray) -> bool:
    return one.type.list_size == other.type.list_size and _same(one.flatten(), other.flatten())


_NESTED: list[tuple[Callable[[pa.DataType], bool], Same]] = [
    (pa.types.is_struct, _same_structs),
    (pa.types.is_list, _same_lists),
    (pa.types.is_large_list, _same_lists),
    (pa.types.is_fixed_size_list, _same_fixed_lists),
]
