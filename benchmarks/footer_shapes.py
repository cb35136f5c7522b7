"""Files of the shapes by which footers are compared: wide, long, large bounds, nested, and usual ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import pyarrow as pa

from .row_shapes import WORDS

__all__ = ["SHAPES", "FooterShape"]

SEED = 7
SYMBOLS = np.frombuffer(b"0123456789abcdefghijklmnopqrstuvwxyz-_.~", np.uint8)
TEXT_BYTES = 240
URL = "https://static.example.com/resources/assets/"


@dataclass(frozen=True, slots=True)
class FooterShape:
    """A file by its name and the size of a row group; `make` returns its table."""

    name: str
    rows_per_group: int
    make: Callable[[], pa.Table]


def _numbers(random: np.random.Generator, rows: int, kind: int) -> pa.Array:
    """Return a column of one of seven types."""
    if kind == 0:
        return pa.array(random.integers(-(1 << 31), 1 << 31, rows).astype(np.int32))
    if kind == 1:
        return pa.array(random.integers(0, 10**12, rows))
    if kind == 2:
        return pa.array(random.normal(100, 50, rows))
    if kind == 3:
        return pa.array([f"value {number:08d}" for number in random.integers(0, 10**8, rows)])
    if kind == 4:
        return pa.array(1_700_000_000_000_000 + random.integers(0, 10**13, rows), pa.timestamp("us"))
    if kind == 5:
        cents = random.integers(0, 10**10, rows)
        return pa.array([Decimal(int(number)).scaleb(-2) for number in cents], pa.decimal128(12, 2))
    return pa.array(random.random(rows) < 0.5)


def _mixed(columns: int, rows: int, name: str, *, has_key: bool = False) -> Callable[[], pa.Table]:
    """Return a maker of tables with seven types in turn; a tenth of every third column is null."""

    def make() -> pa.Table:
        random = np.random.default_rng(SEED)
        found = {}
        for number in range(columns):
            column = _numbers(random, rows, number % 7)
            if number % 3 == 2:
                column = pa.array(column.to_pylist(), column.type, mask=random.random(rows) < 0.1)
            found[name.format(number, random.integers(10**6))] = column
        if has_key:
            found = {"key": pa.array(np.arange(rows)), **dict(list(found.items())[1:])}
        return pa.table(found)

    return make


def _texts() -> pa.Table:
    """Return 100 columns of texts: URLs, random symbols, and words."""
    random, rows = np.random.default_rng(SEED), 800

    def symbols(count: int) -> str:
        return random.choice(SYMBOLS, count).tobytes().decode()

    makers = (
        lambda: (URL + symbols(TEXT_BYTES))[:TEXT_BYTES],
        lambda: symbols(TEXT_BYTES),
        lambda: " ".join(random.choice(WORDS, TEXT_BYTES // 4))[:TEXT_BYTES],
    )
    return pa.table({f"text_column_{n:03d}": [makers[n % 3]() for _ in range(rows)] for n in range(100)})


def _nested() -> pa.Table:
    """Return 500 structs of five levels with four leaves each; every fourth has them in a list."""
    random, rows = np.random.default_rng(SEED), 160
    found = {}
    for number in range(500):
        leaves = [_numbers(random, rows, (number + leaf) % 7) for leaf in range(4)]
        level: pa.Array = pa.StructArray.from_arrays(leaves, [f"innermost_measure_value_{leaf}" for leaf in range(4)])
        if number % 4 == 0:
            level = pa.ListArray.from_arrays(pa.array(range(rows + 1), pa.int32()), level)
        for name in ("fourth_level_structure", "third_level_structure", "second_level_structure"):
            level = pa.StructArray.from_arrays([level], [name])
        found[f"top_level_structure_{number:04d}"] = level
    return pa.table(found)


SHAPES = (
    FooterShape("wide, 10,000 × 10", 16, _mixed(10_000, 160, "column_{:06d}_{:06d}")),
    FooterShape("hits, 105 × 226", 64, _mixed(105, 226 * 64, "column_{:06d}_{:06d}")),
    FooterShape("many, 20 × 5,000", 20, _mixed(20, 100_000, "c{:06d}", has_key=True)),
    FooterShape("strs, 100 × 100", 8, _texts),
    FooterShape("nested, 2,000 × 10", 16, _nested),
    FooterShape("mid, 70 × 30", 4_000, _mixed(70, 120_000, "column_{:06d}_{:06d}")),
)
