"""Complete the names of columns, from the file in the command line, and of encodings."""

from __future__ import annotations

import typer

from ..errors import ParquetextError

MOST = 1000  # names that a shell is given


def columns_of_path(ctx: typer.Context, incomplete: str) -> list[str]:
    """Leaves of the file, by their dotted paths; nothing for one that cannot be read."""
    # while an option lacks its value, arguments are not yet parsed
    paths = ctx.params.get("path") or ctx.params.get("paths") or ctx.args
    path = paths if isinstance(paths, str) else next(iter(paths), None)
    if path is None:
        return []
    import parquetext

    try:
        with parquetext.open(path) as file:
            names = map(".".join, file.parquet_schema.paths)
            return [name for name in names if name.startswith(incomplete)][:MOST]
    except (OSError, ParquetextError):
        return []


def encodings(incomplete: str) -> list[str]:
    """Return the encodings that `encode` takes."""
    from ..encoding import registered

    names = ["best", *(encoding.name.lower() for encoding in registered())]
    return [name for name in names if name.startswith(incomplete.lower())]
