"""Change many files, one by one, safely: `upgrade`, `add-page-index`, `encode`, `strip`, `finalize` and others."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import asdict
from enum import Enum
from typing import Annotated, Any

import typer

from ..errors import ParquetextError
from ..footer.forms import AUTO, THRIFT, Form
from .advice_table import show_advice
from .arguments import ChangeArguments, Files, Json, Quiet, RewriteArguments, columns_option, with_shared
from .choices import Codec, Marker, Placement, Stats
from .completion import encodings
from .each_file import change_each
from .outcomes import CANNOT_RUN, problem, targets_of
from .output import human_bytes, print_json, tell

Wrap = Annotated[bool, typer.Option("--wrap", help="Keep foreign extension bytes as a block; `strip` restores them.")]
Bare = Annotated[
    bool, typer.Option("--bare", help="Also remove all extension blocks, including those of other programs.")
]
Kind = Annotated[
    list[str] | None,
    typer.Option(
        metavar="UUID", help="Remove blocks with this UUID instead of parquetext's blocks. Repeat for several."
    ),
]
Everything = Annotated[
    bool, typer.Option("--all", help="Remove all extension blocks, including those of other programs.")
]


@with_shared(ChangeArguments)
def upgrade(
    paths: Files,
    form: Annotated[
        Form,
        typer.Option(
            help="Footer to add. auto: choose packed, flat, index or none by the size and shape of the file. arrow: "
            "the FlatBuffers footer that Arrow C++ and Rust propose, beside other footers; no released reader reads "
            "it, parquet-go cannot open the file, and the command prints what this footer does not store. jump-table: "
            "the index that is proposed for field 10 of FileMetaData; the message names readers that fail on it. "
            "modular: experimental, beside other footers; the command prints what it does not store. thrift, par3: see "
            "restore and finalize. parx: only new files can have it."
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
            "file. in-struct: inside the Thrift footer, as the specification shows. after-stop: after the Thrift "
            "struct, the default of arrow.",
        ),
    ] = None,
    marker: Annotated[
        Marker,
        typer.Option(help="Start of the extension. spec: as specified. thrift: for readers generated from the IDL."),
    ] = Marker.spec,
    wrap: Wrap = False,
    quiet: Quiet = False,
    json: Json = False,
    **shared,
) -> None:
    """Add a fast footer to Parquet files. Other readers still read them."""
    from .. import edits

    options: dict[str, Any] = {"form": form, "stats": stats, "placement": placement, "marker": marker, "wrap": wrap}
    _run(paths, "upgrading", edits.upgrade, json, **options, **shared)


@with_shared(ChangeArguments)
def add_page_index(
    paths: Files,
    bloom: Annotated[
        list[str] | None,
        columns_option(
            "Column that gets Bloom filters; the name of a group selects all its columns. Repeat for several."
        ),
    ] = None,
    wrap: Wrap = False,
    quiet: Quiet = False,
    json: Json = False,
    **shared,
) -> None:
    """Add page indexes and Bloom filters without moving data. Other readers use them; `strip` removes them."""
    from .. import edits

    _run(paths, "indexing", edits.add_page_index, json, bloom=bloom, wrap=wrap, **shared)


@with_shared(RewriteArguments)
def encode(
    paths: Files,
    column: Annotated[
        list[str] | None,
        columns_option("Column to encode; the name of a group selects all its columns. Repeat for several."),
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
    drop_original: Annotated[
        bool,
        typer.Option(
            "--drop-original",
            help="Remove the original of columns with an ALP copy. Readers without ALP cannot read them.",
        ),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="With --drop-original: do not ask for confirmation.")] = False,
    wrap: Wrap = False,
    quiet: Quiet = False,
    json: Json = False,
    **shared,
) -> None:
    """Add a copy of columns in another encoding. Other readers read the original; `strip` removes the copy."""
    from .. import edits

    if advise:
        show_advice(paths, column, max_growth, json)
    if drop_original:
        if encoding or codec or max_growth or out:
            problem(
                "--drop-original takes columns that have copies already: no --encoding, --codec, --max-growth or --out"
            )
            raise typer.Exit(CANNOT_RUN)
        if not (yes or shared["dry_run"]):
            _confirm(edits.WITHOUT_ALP)
        options: dict[str, Any] = {"columns": column or None, "confirm": True, "wrap": wrap}
        _run(paths, "dropping", edits.drop_original_encoding, json, **options, **shared)
    try:
        columns = edits.paired(column or (), encoding or ())
    except ParquetextError as error:
        problem(error)
        raise typer.Exit(CANNOT_RUN) from None
    if out is not None and len(targets_of(paths)) != 1:
        problem("--out takes one file")
        raise typer.Exit(CANNOT_RUN)
    options = {"columns": columns, "codec": codec, "max_growth": max_growth, "out": out, "wrap": wrap}
    _run(paths, "encoding", edits.encode, json, **options, **shared)


@with_shared(ChangeArguments)
def strip(
    paths: Files, kind: Kind = None, everything: Everything = False, quiet: Quiet = False, json: Json = False, **shared
) -> None:
    """Remove parquetext's footers and copies, and restore the original file byte for byte. Keep foreign blocks."""
    from .. import edits

    kinds = "all" if everything else kind or None
    _run(paths, "stripping", edits.strip, json, kinds=kinds, **shared)


@with_shared(ChangeArguments)
def finalize(
    paths: Files,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    quiet: Quiet = False,
    json: Json = False,
    **shared,
) -> None:
    """Make files that ONLY PARQUETEXT READS: keep the flat footer alone (PAR3). `restore` undoes it."""
    from .. import edits

    if not (yes or shared["dry_run"]):
        _confirm(edits.ONLY_PARQUETEXT)
    _run(paths, "finalizing", edits.finalize, json, confirm=True, **shared)


@with_shared(ChangeArguments)
def restore(paths: Files, bare: Bare = False, quiet: Quiet = False, json: Json = False, **shared) -> None:
    """Restore the Thrift footer of finalized files (PAR3), byte for byte."""
    from .. import edits

    _run(paths, "restoring", edits.restore, json, form=THRIFT.name if bare else None, **shared)


def recover(paths: Files, quiet: Quiet = False, json: Json = False) -> None:
    """Finish or undo changes that were interrupted, and remove their temporary files.

    For a directory, also remove temporary files of interrupted new files.
    """
    from .. import edits

    _run(paths, "recovering", edits.recover, json, unfinished=True)


def _confirm(consequence: str) -> None:
    """Ask at a terminal, and stop on a no; without a terminal, stop and name the option that confirms."""
    if not sys.stdin.isatty():
        problem(f"{consequence}; give --yes to go on")
        raise typer.Exit(CANNOT_RUN)
    try:
        agreed = typer.confirm(f"{consequence[0].upper()}{consequence[1:]}. Go on?", err=True)
    except typer.Abort:  # Ctrl-D, Ctrl-C
        agreed = False
    if not agreed:
        raise typer.Exit(CANNOT_RUN)


def _run(paths: list[str], description: str, verb: Callable, json: bool, unfinished: bool = False, **options) -> None:
    """Apply an operation to each file with the given options."""
    given = {
        name: value.value if isinstance(value, Enum) else value for name, value in options.items() if value is not None
    }

    def show(path: object, result) -> str:
        if json:
            print_json({**asdict(result), "path": str(path)})
            return result.outcome
        added = result.bytes_after - result.bytes_before
        why = f": {result.message}" if result.message else ""
        tell(f"{result.outcome:>10}  {path}  {human_bytes(result.bytes_after)} ({added:+,} B){why}")
        for field in result.omitted:
            tell("            ", field)
        return result.outcome

    change_each(paths, description, lambda path: verb(path, **given), show, json=json, unfinished=unfinished)
