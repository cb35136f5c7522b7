"""Schemas: pyarrow's, and Parquet's own."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.corpus_files import readable
from support.flat_files import write_with_flat_footer

import parquetext

KINDS = pa.schema(
    [
        pa.field("id", pa.int64(), nullable=False, metadata={"why": "key"}),
        pa.field("when", pa.timestamp("us", tz="Europe/Berlin")),
        pa.field("took", pa.duration("ns")),
        pa.field("word", pa.dictionary(pa.int8(), pa.string())),
        pa.field("text", pa.large_string()),
        pa.field("pairs", pa.map_(pa.string(), pa.int32())),
        pa.field("points", pa.list_(pa.struct([("x", pa.float32()), ("y", pa.decimal128(9, 3))]))),
    ],
    metadata={"owner": "somebody"},
)


@pytest.fixture(params=["thrift", "flat"])
def path(request, tmp_path, implementation):
    path = tmp_path / "kinds.parquet"
    pq.write_table(KINDS.empty_table(), path)
    if request.param == "flat":
        return write_with_flat_footer(path, tmp_path / "flat.parquet")
    return str(path)


def test_it_is_the_one_that_pyarrow_reads_with_all_its_metadata(path):
    expected = pq.ParquetFile(path).schema_arrow
    with parquetext.open(path) as file:
        assert file.schema.equals(expected, check_metadata=True)
        assert file.schema is file.schema
    assert parquetext.read_schema(path).equals(pq.read_schema(path), check_metadata=True)


def test_the_schema_is_built_on_first_access(path):
    with parquetext.open(path) as file:
        file.column("id")
        requests = file.io_stats.requests
        file.schema  # noqa: B018
        assert file.form == "thrift" or file.io_stats.requests > requests


def test_parquets_view_has_paths_levels_and_annotations(path):
    with parquetext.open(path) as file:
        schema = file.parquet_schema
        assert schema.num_leaves == 9
        assert schema.paths[:5] == [("id",), ("when",), ("took",), ("word",), ("text",)]
        nodes = {node.path: node for node in schema}
        theirs = pq.ParquetFile(path).schema
        for leaf in range(schema.num_leaves):
            node, expected = schema.leaf(leaf), theirs.column(leaf)
            assert ".".join(node.path) == expected.path
            levels = expected.max_definition_level, expected.max_repetition_level
            assert (node.max_definition, node.max_repetition) == levels
            assert node.physical_type == expected.physical_type
            assert nodes[node.path] == node
        assert nodes[()].leaves == range(9)
        assert nodes["pairs",].logical_type.name == "MAP"
        assert nodes["id",].repetition == "REQUIRED"
        assert nodes["points", "list"].repetition == "REPEATED"
        when = nodes["when",].logical_type
        assert (when.name, when.unit, when.utc) == ("TIMESTAMP", "us", True)
        decimal = schema.find(("points", "list", "element", "y"))
        assert (decimal.logical_type.precision, decimal.logical_type.scale, decimal.type_length) == (9, 3, 4)
        with pytest.raises(IndexError):
            schema.leaf(9)


def test_every_readable_file_has_pyarrows_schema_with_and_without_a_flat_footer(corpus, expected, tmp_path):
    for source in readable(corpus, expected):
        theirs = pq.ParquetFile(source).schema_arrow
        for path in (str(source), write_with_flat_footer(source, tmp_path / "flat.parquet")):
            with parquetext.open(path) as file:
                assert file.schema.equals(theirs, check_metadata=True), path
