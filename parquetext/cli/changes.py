"""`parquetext upgrade`, `encode`, `strip`, `finalize`, `restore`, `recover`: change many files, one by one, safely."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from typing import Annotated

import typer

from .. import wire
from ..errors import ParquetextError, outcome_of
from ..storage import resolve
from .advice import show_advice
from .arguments import Force, Quiet
from .choices import Codec, Dialect, Form, Marker, Placement, Stats
from .completion import columns_of_path, encodings
from .output import (
    CANNOT_RUN,
    counted,
    exit_code,
    failure,
    files_progress,
    human_bytes,
    is_absent,
    nothing_there,
    print_json,
    problem,
    stoppable,
    targets_of,
    tell,
)

REFUSED = "refused"

Paths = Annotated[list[str], typer.Argument(help="Files, directories, globs, URLs.", show_default=False)]
InPlace = Annotated[
    bool, typer.Option("--in-place", help="Change only the tail, under a journal, instead of replacing the file.")
]
Wrap = Annotated[
    bool, typer.Option("--wrap", help="Make a block of somebody else's free-form bytes; strip gives them back.")
]
KeepTimes = Annotated[bool, typer.Option("--keep-mtime", help="Leave the modification time as it was.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and change nothing.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON document per file.")]


def register(app: typer.Typer) -> None:
    for command in (upgrade, encode, strip, finalize, restore, recover):
        app.command()(command)


def upgrade(
    paths: Paths,
    form: Annotated[
        Form, typer.Option(help="The footer form to add; auto: flat, index or none, by size and shape.")
    ] = Form.auto,
    stats: Annotated[
        Stats, typer.Option(help="compact: bounds of text above 16 bytes are shortened, and stay bounds.")
    ] = Stats.full,
    dialect: Annotated[
        Dialect | None,
        typer.Option(
            show_default=False,
            help="arrow: as the public proposals in C++ and Rust have it. No released reader reads it, and parquet-go "
            "cannot open such a file any more. Lists what is not carried.",
        ),
    ] = None,
    placement: Annotated[
        Placement | None,
        typer.Option(
            show_default=False,
            help="aside (the default): every reader of today reads the file. in-struct: within the Thrift footer, as "
            "the specification draws it. after-stop: behind its struct, as the arrow dialect stands.",
        ),
    ] = None,
    marker: Annotated[Marker, typer.Option(help="thrift: for IDL-generated readers.")] = Marker.spec,
    wrap: Wrap = False,
    in_place: InPlace = False,
    keep_mtime: KeepTimes = False,
    dry_run: DryRun = False,
    force: Force = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Give Parquet files a fast footer beside the one that they have; every reader goes on reading them."""
    from .. import edits

    options = {
        "form": form.value,
        "stats": stats.value,
        "dialect": None if dialect is None else dialect.value,
        "placement": None if placement is None else placement.value,
        "marker": marker.value,
        "wrap": wrap,
        "in_place": in_place,
        "keep_mtime": keep_mtime,
        "dry_run": dry_run,
        "force": force or (),
    }
    _run(paths, "upgrading", lambda path: edits.upgrade(path, **options), json)


def encode(
    paths: Paths,
    column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A column to encode; all leaves of a group. May be repeated.",
            autocompletion=columns_of_path,
        ),
    ] = None,
    encoding: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Such as alp or byte_stream_split: one for all columns, or one for each, in their order; "
            "best: what --advise finds, without --column for all columns.",
            autocompletion=encodings,
        ),
    ] = None,
    codec: Annotated[
        Codec | None, typer.Option(help="What compresses the copies; none without.", show_default=False)
    ] = None,
    max_growth: Annotated[
        str | None, typer.Option(metavar="SHARE", help="best: what the copies may add to the file; 20% without.")
    ] = None,
    advise: Annotated[
        bool,
        typer.Option(
            "--advise", help="Write nothing: sample the columns, and say what copies would take and how fast they are."
        ),
    ] = False,
    out: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the new file here instead of replacing the old one.")
    ] = None,
    drop_old: Annotated[
        bool,
        typer.Option(
            "--drop-old", help="Keep of columns that have a copy in ALP the copy alone: readers without ALP lose them."
        ),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="--drop-old: do not ask, every reader knows ALP.")] = False,
    wrap: Wrap = False,
    keep_mtime: KeepTimes = False,
    dry_run: DryRun = False,
    force: Force = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Give columns a copy in another encoding; every reader goes on reading the old bytes, strip takes it out again."""
    from .. import edits

    if advise:
        show_advice(paths, column, max_growth, json)
    if drop_old:
        if encoding or codec or max_growth or out:
            problem("--drop-old takes columns that have copies already: no --encoding, --codec, --max-growth or --out")
            raise typer.Exit(CANNOT_RUN)
        if not (yes or dry_run):
            _confirm(edits.WITHOUT_ALP)
        kept = {"wrap": wrap, "keep_mtime": keep_mtime, "dry_run": dry_run, "force": force or ()}
        _run(paths, "dropping", lambda path: edits.drop_old(path, column or None, confirm=True, **kept), json)
    try:
        columns = edits.paired(column or (), encoding or ())
    except ParquetextError as error:
        problem(error)
        raise typer.Exit(CANNOT_RUN) from None
    if out is not None and len(targets_of(paths)) != 1:
        problem("--out takes one file")
        raise typer.Exit(CANNOT_RUN)
    options = {
        "codec": None if codec is None else codec.value,
        "max_growth": max_growth,
        "out": out,
        "wrap": wrap,
        "keep_mtime": keep_mtime,
        "dry_run": dry_run,
        "force": force or (),
    }
    _run(paths, "encoding", lambda path: edits.encode(path, columns, **options), json)


def strip(
    paths: Paths,
    kind: Annotated[
        list[str] | None,
        typer.Option(metavar="UUID", help="Remove the blocks of this kind instead of ours. May be repeated."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Remove the whole extension, whoever wrote it.")] = False,
    in_place: InPlace = False,
    keep_mtime: KeepTimes = False,
    dry_run: DryRun = False,
    force: Force = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Take our footers out again: the original file, byte for byte. Blocks of others stay unless named."""
    from .. import edits

    kinds = "all" if everything else kind or None
    options = {"kinds": kinds, "in_place": in_place, "keep_mtime": keep_mtime, "dry_run": dry_run, "force": force or ()}
    _run(paths, "stripping", lambda path: edits.strip(path, **options), json)


def finalize(
    paths: Paths,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask: no other reader has to read the files.")] = False,
    in_place: InPlace = False,
    keep_mtime: KeepTimes = False,
    dry_run: DryRun = False,
    force: Force = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Make files that ONLY PARQUETEXT READS: the flat footer alone (PAR3), until restore brings the files back."""
    from .. import edits

    if not (yes or dry_run):
        _confirm(edits.ONLY_PARQUETEXT)
    options = {
        "confirm": True,
        "in_place": in_place,
        "keep_mtime": keep_mtime,
        "dry_run": dry_run,
        "force": force or (),
    }
    _run(paths, "finalizing", lambda path: edits.finalize(path, **options), json)


def restore(
    paths: Paths,
    bare: Annotated[
        bool, typer.Option("--bare", help="Thrift alone, without any extension, whoever wrote it.")
    ] = False,
    in_place: InPlace = False,
    keep_mtime: KeepTimes = False,
    dry_run: DryRun = False,
    force: Force = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Give PAR3 files their Thrift footer again: the files from before finalize, byte for byte."""
    from .. import edits

    form = "thrift" if bare else None
    options = {"form": form, "in_place": in_place, "keep_mtime": keep_mtime, "dry_run": dry_run, "force": force or ()}
    _run(paths, "restoring", lambda path: edits.restore(path, **options), json)


def recover(paths: Paths, quiet: Quiet = False, json: Json = False) -> None:
    """Finish or undo what a killed change in place has left, and remove hidden files of killed changes, of folders
    also those that were to become new files."""
    from .. import edits

    _run(paths, "recovering", edits.recover, json, unfinished=True)


def _confirm(consequence: str) -> None:
    """Ask at a terminal, and stop on a no; elsewhere stop and name the option that says yes."""
    if not sys.stdin.isatty():
        problem(f"{consequence}; give --yes to go on")
        raise typer.Exit(CANNOT_RUN)
    try:
        agreed = typer.confirm(f"{consequence[0].upper()}{consequence[1:]}. Go on?", err=True)
    except typer.Abort:  # Ctrl-D, Ctrl-C
        agreed = False
    if not agreed:
        raise typer.Exit(CANNOT_RUN)


def _run(paths: list[str], description: str, change: Callable, json: bool, **which) -> None:
    from .. import edits

    outcomes: Counter[str] = Counter()
    asked_in_vain = 0  # files that a caller has named one by one, and that must not be touched
    targets, named, absent = targets_of(paths, **which), {resolve(path).key for path in paths}, 0
    told = "of {} done; the same command goes on with the rest"
    with (
        stoppable(lambda: f"{sum(outcomes.values()):,} {told.format(counted(len(targets), 'file'))}"),
        files_progress(len(targets), description, quiet=json) as advance,
    ):
        for path, result, error in edits.each(targets, change):
            advance()
            if getattr(error, "code", None) == wire.BAD_ARGUMENT:
                problem(error)
                raise typer.Exit(CANNOT_RUN)
            outcome = outcome_of(error) if error else result.outcome
            outcomes[outcome] += 1
            absent += is_absent(path, error)
            asked_in_vain += outcome == REFUSED and resolve(path).key in named
            if json:
                print_json({**asdict(result), "path": str(path)} if result else failure(path, error))
            elif error:
                problem(f"{REFUSED}: {error}" if outcome == REFUSED else error, path)
            else:
                added = result.bytes_after - result.bytes_before
                why = f": {result.message}" if result.message else ""
                tell(f"{result.outcome:>10}  {path}  {human_bytes(result.bytes_after)} ({added:+,} B){why}")
                for loss in result.losses:
                    tell("            ", loss)
    if not targets:
        nothing_there(paths)
        raise typer.Exit(CANNOT_RUN)
    if not json:
        counts = ", ".join(f"{count:,} {outcome}" for outcome, count in outcomes.most_common())
        tell(f"{counted(len(targets), 'file')}: {counts}")
    raise typer.Exit(exit_code(len(targets), absent, outcomes["failed"] + asked_in_vain))
