"""Each type of Arrow becomes the documented tensor, without a copy if the values are stored alike."""

from __future__ import annotations

import pickle
from datetime import date, datetime, timedelta
from decimal import Decimal

import pyarrow as pa
import pytest

torch = pytest.importorskip("torch", reason="needs torch")

from parquetext.errors import ColumnError, ParquetextError, Unsupported  # noqa: E402
from parquetext.torch.sending import SHARED, SentTogether  # noqa: E402
from parquetext.torch.tensors import check_columns, tensors_of  # noqa: E402

NUMBERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"]
INTS = pa.list_(pa.int32(), 2)


def converted(values: object, kind: pa.DataType | None = None, fill: object = None) -> object:
    return tensors_of(pa.table({"x": pa.array(values, kind)}), fill)["x"]


@pytest.mark.parametrize("kind", NUMBERS)
def test_numbers_are_not_copied(kind):
    array = pa.array([1, 2, 3, 4], getattr(pa, kind)()).slice(1)
    found = tensors_of(pa.table({"x": array}))["x"]
    assert found.dtype == getattr(torch, kind)
    assert found.tolist() == [2, 3, 4]
    assert found.data_ptr() == array.buffers()[1].address + array.type.bit_width // 8


@pytest.mark.parametrize(
    ("values", "kind", "dtype", "expected"),
    [
        ([True, False, True], None, "bool", [True, False, True]),
        ([date(1970, 1, 3)], pa.date32(), "int32", [2]),
        ([datetime(1970, 1, 1, 0, 0, 1)], pa.timestamp("ms"), "int64", [1000]),
        ([datetime(1970, 1, 1, 0, 0, 1)], pa.timestamp("us", "UTC"), "int64", [10**6]),
        ([timedelta(seconds=2)], pa.duration("s"), "int64", [2]),
        ([7], pa.time32("s"), "int32", [7]),
        ([7], pa.time64("ns"), "int64", [7]),
        ([Decimal("1.25")], pa.decimal128(9, 2), "float64", [1.25]),
        ([Decimal("1.25")], pa.decimal32(9, 2), "float64", [1.25]),
        ([[1, 2], [3, 4]], INTS, "int32", [[1, 2], [3, 4]]),
        ([[[1, 2]], [[3, 4]]], pa.list_(INTS, 1), "int32", [[[1, 2]], [[3, 4]]]),
    ],
    ids=str,
)
def test_other_values_are_numbers(values, kind, dtype, expected):
    found = converted(values, kind)
    assert (found.dtype, found.tolist()) == (getattr(torch, dtype), expected)


def test_lists_of_one_size_are_cut_like_their_rows():
    array = pa.array([[1, 2], [3, 4], [5, 6]], INTS).slice(1, 1)
    assert tensors_of(pa.table({"x": array}))["x"].tolist() == [[3, 4]]


def test_tensors_have_their_shape():
    kind = pa.fixed_shape_tensor(pa.float32(), (2, 3))
    array = pa.ExtensionArray.from_storage(kind, pa.array([[*range(6)]] * 4, pa.list_(pa.float32(), 6)))
    assert tensors_of(pa.table({"x": array}))["x"].shape == (4, 2, 3)


def test_texts_and_bytes_are_lists():
    assert converted(["a", None]) == ["a", None]
    assert converted(["a", "b"], pa.large_string()) == ["a", "b"]
    assert converted([b"a", b"b"], pa.binary(1)) == [b"a", b"b"]
    assert tensors_of(pa.table({"x": pa.array(["a", "b", "a"]).dictionary_encode()}))["x"] == ["a", "b", "a"]


def test_lists_of_any_length_are_one_tensor_for_each_row():
    assert [row.tolist() for row in converted([[1], [], [2, 3]])] == [[1], [], [2, 3]]
    assert converted([], pa.list_(pa.int8())) == []


def test_structs_are_dictionaries():
    found = converted([{"a": 1, "b": "x"}, {"a": 2, "b": "y"}])
    assert (found["a"].tolist(), found["b"]) == ([1, 2], ["x", "y"])


def test_values_in_several_chunks_are_joined():
    table = pa.table({"x": pa.chunked_array([[1, 2], [3]])})
    assert tensors_of(table)["x"].tolist() == [1, 2, 3]


@pytest.mark.parametrize("fill", [7, {"x": 7}])
def test_a_value_replaces_nulls(fill):
    assert converted([1, None], fill=fill).tolist() == [1, 7]


def test_a_value_for_all_columns_leaves_texts_as_they_are():
    assert converted(["a", None], fill=0) == ["a", None]
    assert converted([True, None], fill=0).tolist() == [True, False]


@pytest.mark.parametrize(
    ("values", "kind", "message"),
    [
        ([1, None], None, r"column 'x': 1 of 2 nulls are null; give a value, such as fill=\{'x': 0\}"),
        ([None], INTS, "column 'x': 1 of 1 lists are null"),
        ([[1], None], pa.list_(pa.int8()), "column 'x': 1 of 2 lists are null"),
        ([{"a": None}], pa.struct({"a": pa.int8()}), "column 'x.a': 1 of 1"),
        ([None], pa.struct({"a": pa.int8()}), "column 'x.a': 1 of 1"),
    ],
    ids=str,
)
def test_a_null_is_refused(values, kind, message):
    with pytest.raises(ParquetextError, match=message):
        converted(values, kind)


@pytest.mark.parametrize("fill", [float("nan"), 1.5, "a", 1 << 70])
def test_a_value_of_another_type_is_refused_before_anything_is_read(fill):
    with pytest.raises(ParquetextError, match=r"column 'x': .* does not fill nulls of int64"):
        check_columns(pa.schema({"x": pa.int64()}), fill)


def test_a_value_for_a_column_that_is_not_read_is_refused():
    with pytest.raises(ColumnError, match="'y'"):
        check_columns(pa.schema({"x": pa.int64()}), {"y": 0})


@pytest.mark.parametrize(
    "kind", [pa.map_(pa.string(), pa.int8()), pa.null(), pa.list_(pa.string()), pa.list_(pa.string(), 2)], ids=str
)
def test_a_type_without_a_tensor_is_refused_before_anything_is_read(kind):
    with pytest.raises(Unsupported, match=r"column 'x': .* has no tensor"):
        check_columns(pa.schema({"x": kind}), None)


@pytest.mark.parametrize("rows", [0, 3, SHARED // 8])
def test_a_batch_is_the_same_after_it_was_sent(rows):
    table = pa.table(
        {
            "flag": pa.array([True] * rows, pa.bool_()),
            "x": pa.array([1.5] * rows, pa.float16()),
            "n": pa.array(range(rows), pa.int64()),
            "pair": pa.array([[1, 2]] * rows, INTS),
            "ragged": pa.array([[1]] * rows if rows < 10 else [[]] * rows, pa.list_(pa.int64())),
            "s": pa.array([{"a": 1, "b": "x"}] * rows, pa.struct({"a": pa.int16(), "b": pa.string()})),
        }
    )
    batch = tensors_of(table)
    if rows > 10:
        del batch["ragged"]
    found = pickle.loads(pickle.dumps(SentTogether(batch)))
    assert type(found) is dict and list(found) == list(batch)
    for name in ("flag", "x", "n", "pair"):
        assert found[name].dtype == batch[name].dtype and torch.equal(found[name], batch[name])
    assert torch.equal(found["s"]["a"], batch["s"]["a"]) and found["s"]["b"] == batch["s"]["b"]
    if rows == 3:
        assert [row.tolist() for row in found["ragged"]] == [[1]] * 3


def test_the_tensors_of_a_batch_are_sent_as_one():
    batch = SentTogether({name: torch.zeros(3) for name in "abcdef"})
    _, (buffer, _) = batch.__reduce__()
    assert isinstance(buffer, bytearray) and len(buffer) == 5 * 16 + 12
    assert pickle.dumps(batch).count(b"_rebuild_tensor") == 0
