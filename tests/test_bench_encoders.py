"""The measurement of encoders: what it compares, and that both sides write the same values."""

from __future__ import annotations

import pytest

from parquetext.bench import encoders


def test_every_type_and_encoding_is_compared_with_pyarrow():
    groups = list(encoders.measure(values=300, rounds=1))
    subjects = [group[0].subject for group in groups]
    assert len(subjects) == len(set(subjects)) == 17
    assert all([row.contender for row in group] == ["parquetext", "pyarrow"] for group in groups)
    assert all(group[1].ratio and group[1].target == 0.8 for group in groups)
    assert [group[0].subject for group in encoders.measure(300, 1, only="bool RLE")] == ["bool RLE, 300 values"]


@pytest.mark.parametrize("kind", encoders.ENCODINGS)
def test_columns_have_as_many_values_as_are_asked_for(kind):
    for distinct in (0, 10):
        column = encoders._column(kind, 1000, distinct)
        assert len(column) == 1000 and not column.null_count
        column.validate(full=True)
