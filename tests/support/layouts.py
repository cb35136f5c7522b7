"""Properties that hold for every layout, and sums of a layout."""

from __future__ import annotations

from parquetext.inspection.layout import Layout

__all__ = ["bytes_of", "check_tiling"]


def check_tiling(layout: Layout) -> None:
    """The parts follow each other from the file's first byte to its last."""
    at = 0
    for offset, length in zip(layout.parts["offset"].to_pylist(), layout.parts["length"].to_pylist(), strict=True):
        assert offset == at
        assert length > 0
        at += length
    assert at == layout.size
    assert sum(layout.kinds["bytes"].to_pylist()) == layout.size


def bytes_of(layout: Layout) -> dict[str, int]:
    return dict(zip(layout.kinds["kind"].to_pylist(), layout.kinds["bytes"].to_pylist(), strict=True))
