"""A table of usual columns for row access: ids, timestamps, measurements, categories and texts."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["ROWS", "table"]

ROWS = 2_000_000
START = 1_700_000_000_000_000  # microseconds
CATEGORIES = (10, 100, 5_000)
DOMAINS = tuple(f"https://www.{name}.example/" for name in ("news", "weather", "library", "market", "research"))
WORDS = (
    *("river", "stone", "garden", "winter", "letter", "window", "market", "summer", "forest", "bridge", "paper"),
    *("silver", "morning", "harbor", "village", "engine", "mirror", "kitchen", "valley", "record", "corner"),
    *("basket", "island", "circle", "planet", "number", "member", "season", "doctor", "ticket"),
)
HEX_DIGITS = 3  # of a part of a key


def table(rows: int = ROWS, seed: int = 31) -> pa.Table:
    """Return a table of 20 columns; equal arguments give equal tables.

    Parameters
    ----------
    rows : int
    seed : int
        Of the random generator.
    """
    random = np.random.default_rng(seed)
    columns: dict[str, pa.Array] = {"id": pa.array(np.arange(rows, dtype=np.int64))}
    steps = np.arange(rows, dtype=np.int64) * 1_000_000 + random.integers(0, 500_000, rows)
    columns["time"] = pa.array(START + steps, pa.timestamp("us"))
    columns |= _measurements(random, rows)
    columns["small32"] = pa.array(random.integers(0, 100, rows).astype(np.int32))
    columns["random32"] = pa.array(random.integers(-(1 << 31), 1 << 31, rows).astype(np.int32))
    columns["small64"] = pa.array(random.integers(0, 10_000, rows))
    columns["random64"] = pa.array(random.integers(-(1 << 62), 1 << 62, rows))
    for count in CATEGORIES:
        names = pa.array([f"category-{number:05d}" for number in range(count)])
        columns[f"category{count}"] = names.take(pa.array(random.integers(0, count, rows)))
    for number in range(3):
        columns[f"url{number}"] = _urls(random, rows)
    columns["flag"] = pa.array(random.random(rows) < 0.5, mask=random.random(rows) < 0.1)
    columns["tiny"] = pa.array(random.integers(-128, 128, rows).astype(np.int8))
    return pa.table(columns)


def _measurements(random: np.random.Generator, rows: int) -> dict[str, pa.Array]:
    """Return six columns of floats: three rounded to two decimals, three with random digits."""
    found = {f"rounded{number}": np.round(random.normal(100, 20, rows), 2) for number in range(3)}
    found |= {f"random{number}": random.random(rows) for number in range(3)}
    return {name: pa.array(values) for name, values in found.items()}


def _urls(random: np.random.Generator, rows: int) -> pa.Array:
    """Return texts of 60 to 100 characters: a domain, four words and a random key."""

    def some(values: Iterable[str]) -> pa.Array:
        known = pa.array(values)
        return known.take(pa.array(random.integers(0, len(known), rows)))

    path = pc.binary_join_element_wise(*(some(WORDS) for _ in range(4)), "/")
    parts = [f"{number:0{HEX_DIGITS}x}" for number in range(16**HEX_DIGITS)]
    key = pc.binary_join_element_wise(*(some(parts) for _ in range(4)), "")
    return pc.binary_join_element_wise(some(DOMAINS), path, "?key=", key, "")
