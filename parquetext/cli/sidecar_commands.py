"""`parquetext sidecar build`, `show`, `verify`, `update`, `compact` and `prune`: metadata sidecars of many files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from ..errors import ParquetextError
from .arguments import Files, Json, Quiet, ignore_option
from .choices import IgnorableSidecar
from .each_file import FINDINGS, change_each
from .fact_tables import print_fields
from .outcomes import CANNOT_RUN, complain, problem, stoppable
from .output import all_counted, counted, human_bytes, print_json, tell

Ignore = Annotated[
    list[IgnorableSidecar] | None,
    ignore_option(
        "Go on although the command would refuse. foreign-sidecar: replace sidecars of other programs, such as "
        "QuestDB. table-format: also write into tables of Delta Lake, Hudi, Iceberg, Paimon and DuckLake."
    ),
]
ParquetSize = Annotated[
    int | None, typer.Option(help="Use the snapshot of the Parquet file when it had this size in bytes.")
]
Always = Annotated[bool, typer.Option("--always", help="Compact all sidecars, however few of their bytes are dead.")]
External = Annotated[
    bool,
    typer.Option("--external-blooms", help="Store the offsets of Bloom filters instead of copying the filters."),
]

sidecar = typer.Typer(
    no_args_is_help=True, help="Manage sidecars: files _NAME.pm with the metadata of the Parquet file NAME beside them."
)


def build(
    paths: Files, external_blooms: External = False, ignore: Ignore = None, quiet: Quiet = False, json: Json = False
) -> None:
    """Write a sidecar for each Parquet file. Replaces existing sidecars of parquetext."""
    from .. import sidecar

    def show(_, built) -> str:
        if json:
            print_json(built)
        else:
            numbers = {"column": built.columns, "row group": built.row_groups, "Bloom filter": built.filters}
            tell(f"{built.outcome:>10}  {built.sidecar}  {human_bytes(built.bytes)} ({all_counted(numbers)})")
        return "built"

    options: dict[str, Any] = {"external_blooms": external_blooms, "ignore": ignore or ()}
    change_each(paths, "building", lambda path: sidecar.build(path, **options), show, json=json, failures_last=True)


def show(paths: Files, parquet_size: ParquetSize = None, quiet: Quiet = False, json: Json = False) -> None:
    """Print the contents of sidecars: columns, commits with their live and dead bytes, and row groups."""
    from ..sidecar.describing import description

    def show(_, described) -> str:
        if json:
            print_json(described)
        else:
            _draw(described)
        return FINDINGS if described["findings"] else "shown"

    change_each(
        paths, "reading", lambda path: description(path, parquet_size=parquet_size), show, json=json, failures_last=True
    )


def verify(paths: Files, parquet_size: ParquetSize = None, quiet: Quiet = False, json: Json = False) -> None:
    """Compare every field of sidecars with the Parquet footers. The exit code is 1 if they differ."""
    from .. import sidecar

    def show(path, findings) -> str:
        if json:
            found = [
                {"kind": each.kind, "message": each.message, "offset": each.offset, "place": each.place}
                for each in findings
            ]
            print_json({"path": str(path), "ok": not findings, "findings": found})
        elif quiet:
            complain(findings, path)
        else:
            tell(("findings", "red") if findings else ("ok", "green"), f"  {path}")
            for finding in findings:
                tell("    ", finding)
        return FINDINGS if findings else "fine"

    def compare(path: object) -> list:
        return sidecar.compare(path, parquet_size=parquet_size)

    change_each(paths, "verifying", compare, show, json=json, failures_last=True)


def update(paths: Files, ignore: Ignore = None, quiet: Quiet = False, json: Json = False) -> None:
    """Append what is new in Parquet files to their sidecars. Writes missing sidecars.

    For files of a store, commit the row groups that were appended to them.
    """
    from .. import sidecar

    show = _show_updated(json, "up to date")
    change_each(
        paths, "updating", lambda path: sidecar.update(path, ignore=ignore or ()), show, json=json, failures_last=True
    )


def compact(
    paths: Files, always: Always = False, ignore: Ignore = None, quiet: Quiet = False, json: Json = False
) -> None:
    """Rewrite sidecars if old commits take more than half of them. For stores, also rewrite the Parquet files."""
    from .. import sidecar

    options: dict[str, Any] = {"always": always, "ignore": ignore or ()}
    show = _show_updated(json, "compact")
    change_each(paths, "compacting", lambda path: sidecar.compact(path, **options), show, json=json, failures_last=True)


def prune(
    directories: Annotated[
        list[str], typer.Argument(help="Directories to search, with all directories below them.", show_default=False)
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would be removed, without removing it.")
    ] = False,
    quiet: Quiet = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document per sidecar.")] = False,
) -> None:
    """Remove sidecars that parquetext wrote and whose Parquet file no longer exists."""
    from .. import sidecar

    counts = {"removed": 0, "orphan": 0, "kept": 0}
    directory = directories[0]
    message = "removed; the same command goes on with the rest"
    with stoppable(lambda: f"{counted(counts['removed'], 'sidecar')} {message}"):
        try:
            for directory in directories:
                for found in sidecar.prune(directory, dry_run=dry_run):
                    counts[found.outcome] += 1
                    if json:
                        print_json(found)
                    else:
                        tell(f"{found.outcome:>10}  {found.path}  {found.message or human_bytes(found.bytes)}")
        except (OSError, ParquetextError) as error:
            problem(error, directory)
            raise typer.Exit(CANNOT_RUN) from None
    if not json:
        message = ", ".join(f"{count:,} {outcome}" for outcome, count in counts.items() if count)
        tell(f"{counted(sum(counts.values()), 'sidecar')} without a Parquet file" + (f": {message}" if message else ""))


def _show_updated(json: bool, outcome: str) -> Callable[[object, object], str]:
    def show(path: object, updated) -> str:
        if json:
            print_json(updated)
        else:
            counts = f"{counted(updated.row_groups, 'row group')}, {human_bytes(updated.bytes)} written"
            tell(f"{updated.outcome:>10}  {updated.sidecar}  {human_bytes(updated.size)} ({counts})")
        return outcome

    return show


def _draw(fields: dict) -> None:
    columns, groups = fields["columns"], fields["row_groups"]
    lines = [
        ("of", fields["path"]),
        ("belongs", fields["belongs"]),
        ("sidecar", human_bytes(fields["bytes"])),
        ("table", all_counted({"row": fields["rows"], "row group": len(groups), "column": len(columns)})),
        ("timestamp", fields["designated_timestamp"] or "none designated"),
        ("sorted by", ", ".join(fields["sorting_columns"]) or "nothing"),
    ]
    lines += [("commit", _commit(commit)) for commit in fields["commits"]]
    lines += [("column", f"{column['name']}: {column['type']}, {column['physical_type']}") for column in columns]
    for number, group in enumerate(groups):
        size = f"{counted(group['rows'], 'row')}, {human_bytes(group['compressed_bytes'])}"
        lines.append(("row group", f"{number}: {size}, block at offset {group['block_offset']:,}"))
    lines += [("finding", finding) for finding in fields["findings"]]
    tell((fields["sidecar"], "bold"))
    print_fields(lines)


def _commit(commit: dict) -> str:
    return (
        f"{commit['size']:,} B: Parquet file of {human_bytes(commit['parquet_size'])}, "
        f"{counted(commit['row_groups'], 'row group')}, {human_bytes(commit['live_bytes'])} live, "
        f"{human_bytes(commit['dead_bytes'])} dead"
    )


for command in (build, show, verify, update, compact, prune):
    sidecar.command()(command)
