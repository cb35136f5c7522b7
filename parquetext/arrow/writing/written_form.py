"""The edit that gives a file just written by pyarrow a footer of the chosen form."""

from __future__ import annotations

from ... import storage
from ...edits.footer import SMALLEST_READ, read_footer
from ...edits.options import Options
from ...edits.upgrade import FORMS, choice_of
from ...errors import ParquetextError

__all__ = ["AUTO", "DEFAULTS", "THRIFT", "edit_of_written"]

AUTO, THRIFT = "auto", "thrift"
DEFAULTS = {"write_page_index": True}  # as in parquet-java, and unlike pyarrow


def edit_of_written(written, form: str, options: Options, ignored: frozenset[str]) -> storage.TailEdit | None:
    """Return the edit that converts the end of a file to the form, or None if it stays unchanged.

    Parameters
    ----------
    written : storage.NewFile, NewObject, NewS3Object, NewStream or Scratch
        The file, completely written.
    form : str
        ``"thrift"``, a form, or ``"auto"``: the form that pays off for the footer, if it can represent the footer.
    """
    if form == THRIFT:
        return None
    with written.written() as source:
        footer = read_footer(source, SMALLEST_READ)
        chosen = choice_of(footer, options.placement).form if form == AUTO else form
        if chosen not in FORMS:
            return None
        try:
            return FORMS[chosen](footer, options, ignored)
        except ParquetextError as error:
            if form == AUTO:
                return None
            raise error.at(source.name, footer.offset) from None
