"""`parquetext explain`: the plan of a read, without reading."""

from __future__ import annotations

from typing import Annotated

import typer

from .arguments import File, Json, columns_option
from .each_file import ask_one
from .fact_tables import print_listing
from .output import counted, human_bytes, print_json, tell


def explain(
    path: File,
    column: Annotated[
        list[str] | None, columns_option("Column or group to read. Repeat for several. Default: all.", "--column", "-c")
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where",
            "-w",
            metavar="CONDITION",
            help="Read only matching rows: 'price >= 3', \"name in ('a', 'b')\", 'id is not null'. Repeat for AND.",
        ),
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option("--engine", metavar="NAME", help="Decoder: pyarrow, parquetext or auto. Default: the fastest."),
    ] = None,
    json: Json = False,
) -> None:
    """Explain how a read of columns and rows is planned: row groups, pages, bytes and decoders."""
    from ..inspection.content.conditions import filters_of

    def ask(_, file) -> None:
        plan = file.explain(column, filters=filters_of(file, where or ()), engine=engine)
        if json:
            print_json(plan.as_dict())
            return
        groups = [each.cells for each in plan.row_groups]
        print_listing(("group", "rows", "plan", "pages", "bytes", "reason"), groups)
        print_listing(
            ("column", "decoder", "bytes", "reason"),
            [(each.column, each.decoder, each.bytes, each.reason) for each in plan.columns],
        )
        read = sum(each.is_read for each in plan.row_groups)
        size = human_bytes(plan.bytes_to_fetch)
        tell(f"reads {read:,} of {counted(len(plan.row_groups), 'row group')}, at most {size}")

    ask_one(path, ask, json=json, values=True)
