"""Predicates over bounds: the only code that skips data."""

from __future__ import annotations

from .bloom import Absent, Probe, find_bitset, may_hold
from .bounds import ColumnBounds, is_plain, known_nans, known_nulls, may_match
from .boxes import BoundingBox, bbox_intersects
from .comparing import is_text, never_fails
from .predicate import Comparison, Predicate, check_types, predicate_of, text_of
from .surviving_groups import surviving_row_groups
