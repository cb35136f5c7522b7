"""Classes of records: compared by value, without other attributes, and unchanged."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, field

import pytest

from parquetext.records import frozen


@frozen
class Example:
    number: int
    names: list = field(default_factory=list)


def test_records_are_equal_by_their_values():
    assert Example(1) == Example(1, []) != Example(2)


def test_fields_of_a_record_cannot_be_set():
    with pytest.raises(FrozenInstanceError):
        Example(1).number = 2


def test_a_record_has_no_other_attributes():
    assert not hasattr(Example(1), "__dict__")
