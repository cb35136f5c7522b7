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
from ..footer.forms import AUTO, THRIFT, Form
from ..storage import resolve
from .advice_table import show_advice
from .arguments import Files, Force, Json, Quiet
from .choices import Codec, Marker, Placement, Stats
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

InPlace = Annotated[
    bool,
    typer.Option(
        "--in-place", help="Overwrite the end of the file, protected by a journal, instead of replacing the whole file."
    ),
]
Wrap = Annotated[bool, typer.Option("--wrap", help="Keep foreign extension bytes as a block; `strip` restores them.")]
KeepTimes = Annotated[bool, typer.Option("--keep-mtime", help="Keep the modification time.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print what would change, without changing it.")]


def register(app: typer.Typer) -> None:
    for command in (upgrade, encode, strip, finalize, restore, recover):
        app.command()(command)


def upgrade(
    paths: Files,
    form: Annotated[
        Form,
        typer.Option(
            help="Footer to add. auto: choose flat, index or none by the size and shape of the file. arrow: the "
            "FlatBuffers footer that Arrow C++ and Rust propose, beside other footers; no released reader reads it, "
            "parquet-go cannot open the file, and the command prints what this footer does not store. thrift, par3: "
            "see restore and finalize."
        ),
    ] = AUTO,
    stats: Annotated[
        Stats,
        typer.Option(help="Statistics in the flat footer. compact: shorten text bounds to 16 bytes; they stay valid."),
    ] = Stats.full,
    placement: Annotated[
        Placement | None,
        typer.Option(
            show_default=False,
            help="Where to put the footer. aside (the default): before the Thrift footer; all readers can read the "
            "file. in-struct: inside the Thrift footer, as the specification shows. after-stop: behind the Thrift "
            "struct, the default of arrow.",
        ),
    ] = None,
    marker: Annotated[
        Marker,
        typer.Option(help="Start of the extension. spec: as specified. thrift: for readers generated from the IDL."),
    ] = Marker.spec,
    wrap: Wrap = False,
    in_place: InPlace = False,
    keep_mtime: KeepTimes = False,
    dry_run: DryRun = False,
    force: Force = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Add a fast footer to Parquet files. Other readers still read them."""
    from .. import edits

    options = {
        "form": form.value,
        "stats": stats.value,
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
    paths: Files,
    column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Column to encode; the name of a group selects all its columns. Repeat for several.",
            autocompletion=columns_of_path,
        ),
    ] = None,
    encoding: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Encoding of the copies, such as alp or byte_stream_split. Give one for all columns, or one for each "
            "--column, in order. best: choose as --advise does; without --column, for all columns.",
            autocompletion=encodings,
        ),
    ] = None,
    codec: Annotated[
        Codec | None, typer.Option(help="Compression of the copies. Default: none.", show_default=False)
    ] = None,
    max_growth: Annotated[
        str | None,
        typer.Option(
            metavar="SHARE", help="With --encoding best: limit the growth of the file, such as 10%. Default: 20%."
        ),
    ] = None,
    advise: Annotated[
        bool,
        typer.Option(
            "--advise", help="Write nothing; sample the columns, and print the size and speed of possible copies."
        ),
    ] = False,
    out: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write to this file instead of replacing the input.")
    ] = None,
    drop_old: Annotated[
        bool,
        typer.Option(
            "--drop-old",
            help="Remove the original of columns with an ALP copy. Readers without ALP cannot read them.",
        ),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="With --drop-old: do not ask for confirmation.")] = False,
    wrap: Wrap = False,
    keep_mtime: KeepTimes = False,
    dry_run: DryRun = False,
    force: Force = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Add a copy of columns in another encoding. Other readers read the original; `strip` removes the copy."""
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
    paths: Files,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            metavar="UUID", help="Remove blocks with this UUID instead of parquetext's blocks. Repeat for several."
        ),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Remove all extension blocks, including those of other programs.")
    ] = False,
    in_place: InPlace = False,
    keep_mtime: KeepTimes = False,
    dry_run: DryRun = False,
    force: Force = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Remove parquetext's footers and copies, and restore the original file byte for byte. Keep foreign blocks."""
    from .. import edits

    kinds = "all" if everything else kind or None
    options = {"kinds": kinds, "in_place": in_place, "keep_mtime": keep_mtime, "dry_run": dry_run, "force": force or ()}
    _run(paths, "stripping", lambda path: edits.strip(path, **options), json)


def finalize(
    paths: Files,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    in_place: InPlace = False,
    keep_mtime: KeepTimes = False,
    dry_run: DryRun = False,
    force: Force = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Make files that ONLY PARQUETEXT READS: keep the flat footer alone (PAR3). `restore` undoes it."""
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
    paths: Files,
    bare: Annotated[
        bool, typer.Option("--bare", help="Also remove all extension blocks, including those of other programs.")
    ] = False,
    in_place: InPlace = False,
    keep_mtime: KeepTimes = False,
    dry_run: DryRun = False,
    force: Force = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Restore the Thrift footer of finalized files (PAR3), byte for byte."""
    from .. import edits

    form = THRIFT.name if bare else None
    options = {"form": form, "in_place": in_place, "keep_mtime": keep_mtime, "dry_run": dry_run, "force": force or ()}
    _run(paths, "restoring", lambda path: edits.restore(path, **options), json)


def recover(paths: Files, quiet: Quiet = False, json: Json = False) -> None:
    """Finish or undo changes that were interrupted, and remove their temporary files.

    For a directory, also remove temporary files of interrupted new files.
    """
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
