"""Conditions as people type them, ``price >= 3``, as filters of pyarrow."""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Collection, Sequence

import pyarrow as pa

from ... import compute as pc
from ... import wire
from ...errors import ColumnError, Malformed, ParquetextError

OPERATORS = {"=": "==", "==": "==", "!=": "!=", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_OPERATOR = re.compile(r"\s*(==|!=|<>|<=|>=|=|<|>|\s(?:not\s+in|in|is\s+not|is)\s)\s*", re.IGNORECASE)
_SIGNS = re.compile(r"[=<>!]+")
MEANT = {"=>": ">=", "=<": "<=", "===": "==", "!==": "!=", "=!": "!=", "><": "!="}
_COMBINED = re.compile(r"\s(and|or|&&|\|\|)\s+(?=\S)", re.IGNORECASE)
_ITEM = re.compile(r"""\s*(?:'((?:[^']|'')*)'|"((?:[^"]|"")*)"|([^,'"]*[^,'"\s]))\s*(?:,|\Z)""")
_QUOTED = re.compile(r"""'((?:[^']|'')*)'\Z|"((?:[^"]|"")*)"\Z""")
TRUTH = {"true": True, "false": False}


def filters_of(file, conditions: Sequence[str]):
    """Return filters for `parquetext.File.read` that require all conditions; None without conditions.

    Parameters
    ----------
    file : parquetext.File
        Whose columns they are about.
    conditions : sequence of str
        Column, operator and value: ``price >= 3``, ``name = 'x y'``, ``id in (1, 2)``, ``name is null``.

    Raises
    ------
    ParquetextError
        A condition that is none, or a value that is none of the column's type.
    ColumnError
        No such column.
    """
    if not conditions:
        return None
    parts = [_parsed(file, condition) for condition in conditions]
    if not any(sign in ("is", "is not") for _, sign, _ in parts):
        return parts
    return functools.reduce(operator.and_, (_expression(*part) for part in parts))


def is_about(condition: str, names: Collection[str]) -> bool:
    """Return True if a condition is about one of these columns."""
    return any(condition[: found.start()].strip() in names for found in _OPERATOR.finditer(condition))


def _expression(name: str, operator: str, value: object) -> pc.Expression:
    if operator == "is":
        return pc.field(name).is_null()
    if operator == "is not":
        return pc.field(name).is_valid()
    import pyarrow.parquet as pq

    return pq.filters_to_expression([(name, operator, value)])


def _parsed(file, condition: str) -> tuple[str, str, object]:
    """Return column, operator and value; the first operator that follows a column's name counts."""
    missing = None
    for found in _OPERATOR.finditer(condition):
        name = condition[: found.start()].strip()
        try:
            kind = _type_of(file, name)
        except ColumnError as error:
            missing = missing or _nested(file, name) or error
            continue
        operator, text = " ".join(found[1].lower().split()), condition[found.end() :].strip()
        signs = _SIGNS.match(condition, found.start(1))
        if signs is not None and signs[0] not in OPERATORS:
            raise _no_operator(condition, signs[0])
        _check_single(condition, text)
        if operator in ("is", "is not"):
            if text.lower() != "null":
                raise _no_condition(condition)
            return name, operator, None
        if operator in ("in", "not in"):
            return name, operator, [_value(text, kind) for text in _items(condition, text)]
        return name, OPERATORS[operator], _value(text, kind)
    raise missing or _no_condition(condition)


def _no_operator(condition: str, signs: str) -> ParquetextError:
    meant = f"did you mean {MEANT[signs]!r}?" if signs in MEANT else f"there are {', '.join(OPERATORS)}"
    return ParquetextError(f"no operator {signs!r} in {condition!r}; {meant}", code=wire.BAD_ARGUMENT)


def _check_single(condition: str, text: str) -> None:
    """Refuse two conditions in one: the text after the first operator would be taken for a value."""
    if _QUOTED.match(text):
        return
    for found in _COMBINED.finditer(text):
        if text[: found.start()].count("'") % 2 or text[: found.start()].count('"') % 2:
            continue  # within a value
        second = text[found.end() :]
        if _OPERATOR.search(second) is None:
            continue
        first = condition[: len(condition) - len(text)] + text[: found.start()]
        how = (
            f"give each one its own --filter, as rows must meet all of them: --filter {first.strip()!r} "
            f"--filter {second.strip()!r}"
            if found[1].lower() in ("and", "&&")
            else "rows must meet all conditions, and there is no 'or'; for several values of a column, use in (…)"
        )
        message = f"{condition!r} is more than one condition; {how}. A value that is meant so wants quotation marks"
        raise ParquetextError(message, code=wire.BAD_ARGUMENT)


def _nested(file, name: str) -> ParquetextError | None:
    """Return an error for the path of a nested column, which a condition cannot be about."""
    try:
        column = file.column(name)
    except ColumnError:
        return None
    return ParquetextError(
        f"{column.name!r} is a part of column {column.path[0]!r}, and conditions are about whole columns",
        code=wire.BAD_ARGUMENT,
    )


def _no_condition(condition: str) -> ParquetextError:
    return ParquetextError(
        f"not a condition: {condition!r}; write a column, then =, !=, <, <=, >, >=, in or not in and a value, or is "
        "null or is not null",
        code=wire.BAD_ARGUMENT,
    )


def _type_of(file, name: str) -> pa.DataType:
    """Return the type that a top-level column's rows have.

    Raises
    ------
    Malformed
        If the column is a group without leaves, so that its rows have no values.
    """
    schema = file.read([(name,)], row_groups=[], engine="auto").schema
    if not schema.names:
        raise Malformed(f"column {name!r} is a group without leaves, which has no values", file=str(file.path))
    kind = schema.field(0).type
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _items(condition: str, text: str) -> list[str]:
    text = text[1:-1] if text.startswith("(") and text.endswith(")") else text
    found, at = [], 0
    while at < len(text):
        item = _ITEM.match(text, at)
        if item is None:
            raise _no_condition(condition)
        found.append(item[0].strip().removesuffix(",").strip())
        at = item.end()
    if not found:
        raise _no_condition(condition)
    return found


def _value(text: str, kind: pa.DataType) -> object:
    value = parsed_value(text, kind)
    return value if pa.types.is_temporal(kind) or pa.types.is_decimal(kind) else value.as_py()


def parsed_value(text: str, kind: pa.DataType) -> pa.Scalar:
    """Return a value of a type, as text; quotation marks around it are left out.

    Raises
    ------
    ParquetextError
        It is none.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from parquetext.inspection.content.conditions import parsed_value
    >>> parsed_value("2024-01-31", pa.date32())
    <pyarrow.Date32Scalar: datetime.date(2024, 1, 31)>
    """
    quoted = _QUOTED.match(text)
    if quoted is not None:
        text = quoted[1].replace("''", "'") if quoted[1] is not None else quoted[2].replace('""', '"')
    try:
        return _cast(text, kind)
    except (pa.ArrowException, NotImplementedError, ValueError, KeyError):
        raise ParquetextError(f"{text!r} is not a value of type {kind}", code=wire.BAD_ARGUMENT) from None


def _cast(text: str, kind: pa.DataType) -> pa.Scalar:
    if pa.types.is_boolean(kind):
        return pa.scalar(TRUTH[text.lower()])
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return pa.scalar(bytes.fromhex(text.removeprefix("0x")), kind)
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        try:
            return pa.scalar(text).cast(kind)
        except pa.ArrowInvalid:  # without a zone: UTC
            return pa.scalar(text).cast(pa.timestamp(kind.unit)).cast(pa.timestamp(kind.unit, "UTC")).cast(kind)
    if pa.types.is_float16(kind):
        return pa.scalar(float(text), kind)
    return pa.scalar(text).cast(kind)
