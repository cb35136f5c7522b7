"""`parquetext rewrite`: a file decoded and written anew, in another codec, order, encoding, or size of row groups."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from .. import wire
from ..errors import ParquetextError
from .arguments import File, Ignore, Quiet
from .choices import Codec, Encoding, OptimizeFor
from .new_form import AUTO, NewForm
from .outcomes import CANNOT_RUN, exit_code, is_absent, print_failure, refuse_folder, stoppable
from .output import counted, human_bytes, print_json, tell

DESCENDING = ":desc"


def rewrite(
    path: File,
    out: Annotated[
        str,
        typer.Option("--out", "-o", metavar="FILE", help="New file. May be the input file itself.", show_default=False),
    ],
    codec: Annotated[
        Codec | None,
        typer.Option(help="Compression of all columns. Default: keep that of each column.", show_default=False),
    ] = None,
    level: Annotated[
        int | None,
        typer.Option(
            help="Compression level; needs --codec. Range: gzip 1-9, brotli 0-11, lz4 1-12, zstd up to 22.",
            show_default=False,
        ),
    ] = None,
    row_group_size: Annotated[
        int | None, typer.Option(min=1, metavar="ROWS", help="Rows per row group. Default: keep the row groups.")
    ] = None,
    sort: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Sort by this column; NAME:desc sorts in descending order. Repeat for several."
        ),
    ] = None,
    encoding: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=ENCODING", help="Encoding of a column. Repeat for several columns."),
    ] = None,
    optimize_for: Annotated[
        OptimizeFor,
        typer.Option(
            help="Use of the new file. random_access: small pages. size: fewest bytes. They choose codec and encodings."
        ),
    ] = OptimizeFor.scan,
    form: NewForm = AUTO,
    ignore: Ignore = None,
    quiet: Quiet = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Decode a file and write it with another codec, row group size, order or encoding. Keeps key-values.

    Encodings: dictionary, plain, rle, delta_binary_packed, delta_length_byte_array, delta_byte_array,
    byte_stream_split.
    """
    import pyarrow as pa

    from ..arrow.writing.rewriting import rewrite_file

    refuse_folder(path)
    options: dict[str, Any] = {
        "codec": None if codec is None else codec.value,
        "level": level,
        "row_group_size": row_group_size,
        "sort": [_sort_key(each) for each in sort or ()],
        "encodings": dict(_named_encoding(each) for each in encoding or ()),
        "optimize_for": optimize_for.value,
        "form": form.value,
        "ignore": ignore or (),
    }
    with stoppable(lambda: "nothing is written; the same command begins again"):
        try:
            made = rewrite_file(path, out, **options)
        except (OSError, ParquetextError, pa.ArrowException, UnicodeError, MemoryError) as error:
            is_of_command = getattr(error, "code", None) == wire.BAD_ARGUMENT
            print_failure(path, error, json=json and not is_of_command)
            raise typer.Exit(CANNOT_RUN if is_of_command else exit_code(1, is_absent(path, error), 1)) from None
    if json:
        print_json(made)
        return
    fields = counted(made.row_groups, "row group"), counted(made.rows, "row"), f"{made.form} footer"
    sizes = f"{human_bytes(made.bytes_after)}, was {human_bytes(made.bytes_before)}"
    tell(f"{made.path}: {sizes} ({', '.join(fields)})")
    for note in made.notes:
        tell("    ", note)


def _sort_key(text: str) -> tuple[str, str]:
    if text.endswith(DESCENDING):
        return text.removesuffix(DESCENDING), "descending"
    return text, "ascending"


def _named_encoding(text: str) -> tuple[str, str]:
    name, equals, encoding = text.rpartition("=")
    if not equals or encoding.lower() not in list(Encoding):
        raise typer.BadParameter(f"{text!r}: a column, =, and one of {', '.join(Encoding)}", param_hint="--encoding")
    return name, encoding
