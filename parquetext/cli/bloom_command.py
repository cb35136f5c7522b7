"""`parquetext bloom`: whether a value may be in a column, by its Bloom filters."""

from __future__ import annotations

from typing import Annotated

import typer

from .arguments import File, Json, Quiet
from .completion import columns_of_path
from .each_file import ask_one
from .fact_tables import print_listing
from .outcomes import FINDINGS, FINE
from .output import counted, print_json, tell


def bloom(
    path: File,
    column: Annotated[
        str, typer.Argument(help="Name of a column.", show_default=False, autocompletion=columns_of_path)
    ],
    value: Annotated[
        str,
        typer.Argument(
            help="Value to look for, of the column's type; write bytes as hexadecimal digits.", show_default=False
        ),
    ],
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Look a value up in the Bloom filters of a column. The exit code is 1 if no row group contains it."""
    from ..inspection.content.bloom_answers import ABSENT, MAYBE, NO_FILTER, bloom_answers

    answers: list[dict] = []

    def ask(_, file) -> None:
        answers.extend(bloom_answers(file, column, value))
        counts = {what: sum(each["answer"] == what for each in answers) for what in (MAYBE, ABSENT, NO_FILTER)}
        if json:
            print_json({"path": str(path), "column": column, "value": value, "row_groups": answers})
            return
        print_listing(("group", "value is"), [(each["row_group_id"], each["answer"]) for each in answers])
        message = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)
        tell(f"{counted(len(answers), 'row group')}: {message}")

    try:
        ask_one(path, ask, json=json)
    except typer.Exit as ended:
        is_absent = bool(answers) and all(each["answer"] == ABSENT for each in answers)
        raise typer.Exit(FINDINGS if ended.exit_code == FINE and is_absent else ended.exit_code) from None
