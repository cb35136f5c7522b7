"""Measure sidecars: one column's metadata without the Parquet file's footer, and the cost of building one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from parquetext import kernels, sidecar
from parquetext.sidecar.building import footer_bytes, sidecar_bytes
from parquetext.storage import open_source

from . import peers
from .cases import OURS, STRIDE, Row, rows_of
from .timing import Contender, compare
from .workspace import Subject

__all__ = ["UNVERIFIED", "builds", "opened"]

UNVERIFIED = f"{OURS}, verify=False"


def _look_up(path: str, names: list[str], verify: bool) -> Callable[[int], object]:
    """Read as many values as `peers.bounds_by_pyarrow` does."""
    count = len(names)

    def look_up(call: int) -> object:
        with sidecar.open(path, verify=verify) as plan:
            column = plan.column(names[call * STRIDE % count])
            return column.byte_range_start, column.total_compressed_size, column.null_count, column.min_bytes.to_list()

    return look_up


def opened(subject: Subject, rounds: int, targets: dict[str, float]) -> list[Row]:
    """Measure opening the sidecar and one look-up, with and without its checksum, against pyarrow by the footer.

    `targets` has one entry for each of ours, by its name.
    """
    sidecar.build(subject.plain)
    names = subject.leaf_names
    timings = compare(
        [
            Contender(OURS, _look_up(subject.plain, names, True), calls=20),
            Contender(UNVERIFIED, _look_up(subject.plain, names, False), calls=200),
            Contender("pyarrow", lambda call: peers.one_column_of_pyarrow(subject.plain, call * STRIDE % len(names))),
        ],
        rounds,
    )
    rows = []
    for ours, how in ((OURS, "verified"), (UNVERIFIED, "verify=False")):
        pair = {ours: timings[ours], "pyarrow": timings["pyarrow"]}
        target = {"pyarrow": targets[ours]} if ours in targets else {}
        rows += rows_of(f"sidecar, open + one column's facts, {how}", subject.name, pair, target, ours)
    return rows


def builds(subject: Subject, rounds: int, target: float | None) -> list[Row]:
    """Compare building a sidecar from a file with a plain scan of its footer; both read the footer."""

    def read(use: Callable[[object], object]) -> Callable[[int], object]:
        def run(_: int) -> object:
            with open_source(subject.plain) as source:
                return use(source)

        return run

    contenders = [
        Contender("plain scan", read(lambda source: kernels.scan.scan_plainly(footer_bytes(source)[2]))),
        Contender("sidecar built", read(sidecar_bytes)),
    ]
    targets = {"sidecar built": target} if target else {}
    rows = rows_of("build", subject.name, compare(contenders, rounds), targets, ours="plain scan")
    return [replace(row, at_most=True) for row in rows]
