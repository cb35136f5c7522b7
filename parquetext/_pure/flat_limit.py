"""How large a footer of ours may become beside its Thrift footer: known before anything of it is built."""

from __future__ import annotations

from .. import wire
from ..errors import wire_error

__all__ = ["check_paths", "limit_of"]


def limit_of(size: int) -> int:
    """How large a payload may be for a footer of `size` bytes (and extensions), whatever the footer claims."""
    return wire.FLAT_MOST_TIMES * size + wire.FLAT_MOST_BESIDE


def check_paths(scan, limit: int) -> None:
    """OUT_OF_PROPORTION for a schema whose paths alone are longer: a nested one of n elements has paths of n × n."""
    sizes = list(scan.elements("name_length"))
    for index, parent in enumerate(scan.elements("parent")):
        if parent > 0:
            sizes[index] += sizes[parent] + 1
    found = sum(sizes[1:])
    if found > limit:
        raise wire_error(wire.OUT_OF_PROPORTION, 0, limit, found)
