"""Choose the comparisons of a run, and their targets."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from . import (
    alp,
    cases,
    commits,
    copies,
    encoders,
    encodings,
    engines,
    experimental,
    footer_forms,
    layouts,
    loaders,
    lookups,
    plans,
    rows,
    sidecars,
    tables,
)
from .shapes import Shape
from .workspace import Subject, Workspace

__all__ = [
    "run_on_copies",
    "run_on_encodings",
    "run_on_file",
    "run_on_footers",
    "run_on_layouts",
    "run_on_rows",
    "run_on_shapes",
    "run_on_tables",
    "run_on_torch",
]

MIB = 1 << 20
# Targets for a footer of 10,000 × 10; see docs/benchmarks.md.
FOOTER_TARGETS = {"pyarrow": 25.0, "polars": 12.0}
WIDE_FOOTER_TARGETS = {"pyarrow": 60.0}  # of 100,000 columns × 1 row group
LOOKUP_TARGETS = {
    cases.OURS: {"pyarrow": 9000.0},
    lookups.THROUGH_FILESYSTEM: {"pyarrow": 3000.0},
    lookups.BY_INDEX: {"pyarrow": 4000.0},
    lookups.BY_THRIFT: {"pyarrow": 20.0},
    lookups.TYPED: {"pyarrow": 5000.0},
}
REMOTE_LIMITS = {"facts": (3, 24 << 10), "values": (4, 48 << 10)}  # requests, bytes
ENGINE_TARGET = 20.0  # one column through Polars, DuckDB and pandas, against their own readers
KEPT_TARGETS = {"pyarrow, metadata kept": 8.0}
VALUES_TARGETS = {"pyarrow": 500.0, cases.PALLETJACK: 12.0}
FLAT_BYTES_TARGET, ONE_ROW_GROUP_BYTES_TARGET = 1.0, 1.15  # of the Thrift footer, nothing lost
BYTES_TARGETS, NO_TARGETS = (FLAT_BYTES_TARGET, 0.08), (None, None)  # of the flat block and the index
BUILD_TARGET = 2.0  # times the plain scan
COMMIT_TARGET = 1.25  # times as long after 1,000 row groups as after 10
STANDARD = (10_000, 10)
SIDECAR_TARGETS = {cases.OURS: 100.0, sidecars.UNVERIFIED: 3000.0}  # of 1,000 columns × 100 row groups, against pyarrow


def run_on_file(
    workspace: Workspace, path: str, rounds: int, palletjack: str | None = None
) -> Iterator[list[cases.Row]]:
    """Compare everything that can be compared on a file of the user, without targets."""
    yield from _on_subject(workspace, workspace.of_file(path), rounds, demanded=False, palletjack=palletjack)
    yield cases.checksums(rounds)


def run_on_encodings(workspace: Workspace, rounds: int) -> Iterator[list[cases.Row]]:
    """Compare our decoder and encoder, and features that need them."""
    yield from encodings.decoding(workspace, rounds)
    workspace.progress("encoding")
    yield from encoders.measure(rounds=rounds)
    yield from alp.measure(workspace, rounds)
    workspace.progress("PFOR and FSST")
    yield from experimental.measure(rounds)
    yield encodings.many_columns(workspace, rounds)
    for rows_of_group in (1 << 20, 10_000_000):
        yield encodings.one_row(workspace, rounds, rows_of_group)
    yield encodings.layouts(workspace, rounds)


def run_on_footers(workspace: Workspace, rounds: int) -> Iterator[list[cases.Row]]:
    """Compare all footer forms."""
    yield from footer_forms.measure(workspace, rounds)


def run_on_tables(workspace: Workspace, rounds: int, *, long: bool = False) -> Iterator[list[cases.Row]]:
    """Compare `read_table` on whole tables, each reader in a separate process."""
    yield from tables.measure(workspace, rounds, tables.LONG_ROWS if long else tables.ROWS)


def run_on_rows(workspace: Workspace, rounds: int) -> Iterator[list[cases.Row]]:
    """Compare reads of single rows and selective filters."""
    yield from rows.measure(workspace, rounds)


def run_on_torch(workspace: Workspace, rounds: int) -> Iterator[list[cases.Row]]:
    """Compare loaders of PyTorch."""
    yield from loaders.measure(workspace, rounds)


def run_on_copies(workspace: Workspace, rounds: int) -> Iterator[list[cases.Row]]:
    """Compare columns with copies in other encodings."""
    yield from copies.measure(workspace, rounds)


def run_on_layouts(workspace: Workspace, rounds: int) -> Iterator[list[cases.Row]]:
    """Compare files by the use that they are written for."""
    yield from layouts.measure(workspace, rounds)


def run_on_shapes(
    workspace: Workspace,
    columns: int,
    row_groups: int,
    rounds: int,
    *,
    other_shapes: bool = True,
    palletjack: str | None = None,
) -> Iterator[list[cases.Row]]:
    """Compare the standard shape, then the other ones."""
    demanded = (columns, row_groups) == STANDARD
    standard = workspace.of_shape(Shape(columns, row_groups))
    yield from _on_subject(workspace, standard, rounds, demanded=demanded, palletjack=palletjack)
    plain = workspace.of_shape(Shape(columns, row_groups, arrow_schema=False))
    yield cases.values(plain, rounds, VALUES_TARGETS if demanded else {}, palletjack=palletjack)
    yield cases.bytes_of_footers(plain, *(BYTES_TARGETS if demanded else NO_TARGETS))
    yield cases.checksums(rounds)
    workspace.progress("writing with a flat footer")
    written = Shape(max(columns // 10, 7), row_groups, rows_per_group=1_000)
    yield cases.writes(workspace, written, rounds, 1.1 if demanded else None)
    if other_shapes:
        wide, narrow = (
            workspace.of_shape(Shape(100_000, 4, arrow_schema=False)),
            workspace.of_shape(Shape(1_000, 4, arrow_schema=False)),
        )
        yield lookups.width(wide, narrow, rounds, 1.5)
        yield cases.footers(workspace.of_shape(Shape(100_000, 1)), rounds, WIDE_FOOTER_TARGETS)
        yield cases.bytes_of_footers(workspace.of_shape(Shape(10_000, 1)), ONE_ROW_GROUP_BYTES_TARGET)
        for shape in (Shape(3, 10_000), Shape(1_000, 10, nested=True)):
            subject = workspace.of_shape(shape)
            yield cases.footers(subject, rounds, {})
            yield lookups.opened(subject, rounds, {})
            yield cases.values(subject, rounds, {})
            yield cases.bytes_of_footers(subject, None)
        workspace.progress("sidecars")
        long = workspace.of_shape(Shape(1_000, 100))
        yield sidecars.opened(long, rounds, SIDECAR_TARGETS)
        for subject in (long, standard, workspace.of_shape(Shape(10_000, 1))):
            yield sidecars.builds(subject, rounds, BUILD_TARGET)
        workspace.progress("commits to a sidecar")
        yield commits.commits(workspace, rounds, COMMIT_TARGET)
        workspace.progress("plans over 1,000 files")
        yield plans.plans(workspace, 1_000, rounds)


def _on_subject(
    workspace: Workspace, subject: Subject, rounds: int, *, demanded: bool, palletjack: str | None
) -> Iterator[list[cases.Row]]:
    def tick(what: str) -> Callable[[], None]:
        workspace.progress(f"{what}, {subject.name}")
        return lambda: None

    yield cases.footers(subject, rounds, FOOTER_TARGETS if demanded else {}, tick("whole footers"))
    yield lookups.opened(subject, rounds, LOOKUP_TARGETS if demanded else {}, tick("look-ups"))
    yield lookups.remote(subject, REMOTE_LIMITS if demanded else {})
    yield lookups.kept_open(subject, rounds, KEPT_TARGETS if demanded else {})
    yield lookups.many_at_once(subject, rounds, KEPT_TARGETS if demanded else {})
    yield cases.values(subject, rounds, VALUES_TARGETS if demanded else {}, palletjack=palletjack, tick=tick("values"))
    workspace.progress(f"Polars, DuckDB, pandas, {subject.name}")
    yield from engines.measure(subject, rounds, ENGINE_TARGET if demanded else None)
    yield cases.held_memory(subject, 5 * MIB)
    yield cases.bytes_of_footers(subject, *(BYTES_TARGETS if demanded else NO_TARGETS))
    yield cases.builds(subject, rounds, BUILD_TARGET if demanded else None)
    workspace.progress(f"upgrades, {subject.name}")
    yield cases.upgrades(subject, rounds, 1.0 if demanded else None)
