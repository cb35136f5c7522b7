"""The form that a file is worth."""

from __future__ import annotations

import pytest

from parquetext.edits.choice import choose_form

MEGABYTE = 1 << 20


@pytest.mark.parametrize(("footer", "file", "columns", "row_groups", "form"), [
    (900, 4000, 3, 1, "thrift"),
    (16 << 10, MEGABYTE, 100, 1, "thrift"),
    (3 * MEGABYTE, 900 * MEGABYTE, 2, 20_000, "thrift"),
    (12 * MEGABYTE, 4000 * MEGABYTE, 10_000, 10, "flat"),
    (12 * MEGABYTE, 50 * MEGABYTE, 10_000, 10, "index"),
    (60 * MEGABYTE, 90_000 * MEGABYTE, 50_000, 10, "index"),
])
def test_the_form_follows_from_size_and_shape(footer, file, columns, row_groups, form):
    choice = choose_form(footer, file, columns, row_groups)
    assert choice.form == form
    assert choice.reason


def test_an_empty_file_has_a_choice_too():
    assert choose_form(0, 0, 0, 0).form == "thrift"
