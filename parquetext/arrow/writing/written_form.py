"""The edit that gives a file just written by pyarrow a footer of the chosen form."""

from __future__ import annotations

from ... import storage
from ...edits.footer import SMALLEST_READ, read_footer
from ...edits.form_options import Options
from ...edits.upgrade import choice_of, with_form
from ...errors import ParquetextError
from ...footer.forms import AUTO, THRIFT, WRITABLE

__all__ = ["DEFAULTS", "edit_of_written"]

DEFAULTS = {"write_page_index": True}  # as in parquet-java, and unlike pyarrow


def edit_of_written(written, form: str, options: Options, forced: frozenset[str]) -> storage.TailEdit | None:
    """Return the edit that converts the end of a file to the form, or None if it stays unchanged.

    Parameters
    ----------
    written : storage.NewFile, NewObject, NewS3Object, NewStream or Scratch
        The file, completely written.
    form : str
        A form, or ``"auto"``: the form that pays off for the footer, if it can represent the footer.
    """
    if form == THRIFT.name:
        return None
    with written.written() as source:
        footer = read_footer(source, SMALLEST_READ)
        chosen = choice_of(footer, options.placement).form if form == AUTO else form
        if chosen not in WRITABLE:
            return None
        try:
            return with_form(footer, WRITABLE[chosen], options, forced).edit
        except ParquetextError as error:
            if form == AUTO:
                return None
            raise error.at(source.name, footer.offset) from None
