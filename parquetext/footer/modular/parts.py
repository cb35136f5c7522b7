"""List the parts of the payload of a modular footer."""

from __future__ import annotations

from collections.abc import Iterator

from ...errors import ParquetextError
from .framing import NAMES
from .modular_form import ModularForm, opened

Part = tuple[int, int, str, int]  # begin and end in the payload, name, number of the leaf, or -1


def parts_of(payload: bytes) -> Iterator[Part]:
    """Yield the modules, the statistics of columns and the root, front to back; nothing if the root is damaged."""
    try:
        form = opened(payload)
        found = sorted([*_modules(form), *_statistics(form)])
    except ParquetextError:
        return
    last = 0
    for begin, end, name, leaf in found:
        if last <= begin < end:
            yield begin, end, name, leaf
            last = end
    yield form.frame.root, form.frame.end, "root", -1
    yield form.frame.end, len(payload), "trailer", -1


def _modules(form: ModularForm) -> Iterator[Part]:
    for kind, (begin, length) in form.modules.items():
        yield begin, begin + length, NAMES.get(kind, f"module {kind}"), -1


def _statistics(form: ModularForm) -> Iterator[Part]:
    for leaf in range(form.leaf_count):
        begin, data = form.statistics_of(leaf)
        if len(data):
            yield begin, begin + len(data), "statistics", leaf
