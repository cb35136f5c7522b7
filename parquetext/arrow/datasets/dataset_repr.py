"""Render a dataset for a prompt or a notebook: its first and last columns and files. No file is opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...masking import without_secrets
from ...tabular import Listing, Shown, chosen

if TYPE_CHECKING:
    from .dataset import Dataset

MOST_LETTERS = 120  # of a path


def show_dataset(lake: Dataset) -> Shown:
    """Render the columns with their Arrow types, and the files."""
    files, schema = lake.files, lake.schema
    fields = [schema.field(number) for number in chosen(len(schema))]
    columns = Listing(("column", "type"), [(field.name, field.type) for field in fields], len(schema), "columns")
    paths = [(without_secrets(files[number]),) for number in chosen(len(files))]
    listings = [columns, Listing(("file",), paths, len(files), "files", MOST_LETTERS)]
    return Shown("parquetext.Dataset", [("files", len(files)), ("columns", len(schema))], listings)
