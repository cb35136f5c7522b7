"""`parquetext rewrite`: a file decoded and written anew, in another codec, order, encoding, or size of row groups."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from .. import wire
from ..errors import ParquetextError
from .arguments import File, Force, Quiet
from .choices import Codec, Encoding, NewForm
from .output import (
    CANNOT_RUN,
    counted,
    exit_code,
    failure,
    human_bytes,
    is_absent,
    print_json,
    problem,
    refuse_folder,
    stoppable,
    tell,
)

DESCENDING = ":desc"


def register(app: typer.Typer) -> None:
    app.command()(rewrite)


def rewrite(
    path: File,
    out: Annotated[
        str,
        typer.Option("--out", "-o", metavar="FILE", help="The new file; it may be the old one.", show_default=False),
    ],
    codec: Annotated[
        Codec | None, typer.Option(help="What compresses all columns; without, each keeps its own.", show_default=False)
    ] = None,
    level: Annotated[int | None, typer.Option(help="Of the codec.", show_default=False)] = None,
    row_group_size: Annotated[
        int | None, typer.Option(min=1, metavar="ROWS", help="Rows of a row group; without, as they are.")
    ] = None,
    sort: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Sort by this column, or descending by NAME:desc. May be repeated."),
    ] = None,
    encoding: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=ENCODING",
            help="A column's encoding. May be repeated.",
        ),
    ] = None,
    form: Annotated[
        NewForm, typer.Option(help="The form of the footer; auto: the one that is worth its bytes.")
    ] = NewForm.auto,
    force: Force = None,
    quiet: Quiet = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """Decode a file and write it anew: codec, row groups, order, encodings. Key-values stay.

    Encodings: dictionary, plain, rle, delta_binary_packed, delta_length_byte_array, delta_byte_array,
    byte_stream_split.
    """
    import pyarrow as pa

    from ..arrow.writing.rewriting import rewrite_file

    refuse_folder(path)
    options = {
        "codec": None if codec is None else codec.value,
        "level": level,
        "row_group_size": row_group_size,
        "sort": [_sort_key(each) for each in sort or ()],
        "encodings": dict(_named_encoding(each) for each in encoding or ()),
        "form": form.value,
        "force": force or (),
    }
    with stoppable(lambda: "nothing is written; the same command begins again"):
        try:
            made = rewrite_file(path, out, **options)
        except (OSError, ParquetextError, pa.ArrowException, UnicodeError, MemoryError) as error:
            is_of_command = getattr(error, "code", None) == wire.BAD_ARGUMENT
            print_json(failure(path, error)) if json and not is_of_command else problem(error, path)
            raise typer.Exit(CANNOT_RUN if is_of_command else exit_code(1, is_absent(path, error), 1)) from None
    if json:
        print_json(asdict(made))
        return
    facts = counted(made.row_groups, "row group"), counted(made.rows, "row"), f"{made.form} footer"
    sizes = f"{human_bytes(made.bytes_after)}, was {human_bytes(made.bytes_before)}"
    tell(f"{made.path}: {sizes} ({', '.join(facts)})")
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
