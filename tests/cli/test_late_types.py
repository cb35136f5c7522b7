"""Commands show VARIANT, GEOMETRY and GEOGRAPHY: schemas in each notation, bounding boxes, and lost annotations."""

from __future__ import annotations

import json

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.changed_metadata import with_footer
from support.cli_runs import run
from support.geometries import geometry_file, point

import parquetext
from parquetext import wire
from parquetext.thrift.values import Unknown

GEOSPATIAL, SHREDDED = "parquet-testing/data/geospatial", "parquet-testing/shredded_variant"
BOX = {"xmin": 1.0, "xmax": 2.5, "ymin": -3.0, "ymax": 4.0}


def geometries(path, annotation: dict, statistics: tuple = ({"bbox": BOX, "geospatial_types": [1, 1003]},)) -> None:
    geometry_file(path, [[point(1.0, 2.0)]] * len(statistics), statistics, annotation)


def line_of(name: str, *arguments: object) -> str:
    return next(line.strip() for line in run(*arguments).stdout.splitlines() if name in line)


@pytest.mark.parametrize(
    ("annotation", "parquet", "spark", "duckdb"),
    [
        ({"GEOMETRY": {}}, "GEOMETRY", "GEOMETRY(4326)", "GEOMETRY"),
        ({"GEOMETRY": {"crs": "OGC:CRS84"}}, "GEOMETRY(OGC:CRS84)", "GEOMETRY(4326)", "GEOMETRY"),
        ({"GEOMETRY": {"crs": "srid:5070"}}, "GEOMETRY(srid:5070)", "BINARY", "GEOMETRY"),
        ({"GEOMETRY": {"crs": "a\nb\udcff"}}, "GEOMETRY(a\\nb\\udcff)", "BINARY", "GEOMETRY"),
        ({"GEOGRAPHY": {}}, "GEOGRAPHY", "GEOGRAPHY(4326)", "GEOMETRY"),
        ({"GEOGRAPHY": {"algorithm": 1}}, "GEOGRAPHY(OGC:CRS84,VINCENTY)", "GEOGRAPHY(4326)", "GEOMETRY"),
        ({"GEOGRAPHY": {"crs": "x"}}, "GEOGRAPHY(x,SPHERICAL)", "BINARY", "GEOMETRY"),
        ({"GEOGRAPHY": {"algorithm": 9}}, "GEOGRAPHY(OGC:CRS84,UNKNOWN_9)", "GEOGRAPHY(4326)", "GEOMETRY"),
    ],
    ids=str,
)
def test_schemas_show_the_annotation_of_geometries(tmp_path, annotation, parquet, spark, duckdb):
    path = tmp_path / "x.parquet"
    geometries(path, annotation)
    assert line_of(" g ", "schema", path) == f"optional binary g ({parquet});"
    assert line_of("g: ", "schema", path, "--format", "arrow") == "g: binary"
    assert line_of("`g`", "schema", path, "--format", "spark") == f"`g` {spark}"
    assert line_of('"g"', "schema", path, "--format", "duckdb") == f'"g" {duckdb}'
    for form in ("flat", "index", "packed"):
        parquetext.upgrade(path, form=form)
        assert line_of(" g ", "schema", path) == f"optional binary g ({parquet});"
        parquetext.strip(path)


def test_the_schema_as_json_has_the_parameters(tmp_path):
    path = tmp_path / "x.parquet"
    geometries(path, {"GEOGRAPHY": {"crs": "EPSG:4269", "algorithm": 4}})
    (_, child) = json.loads(run("schema", path, "--json").stdout)["schema"]["children"]
    assert child["logical_type"] == {"name": "GEOGRAPHY", "crs": "EPSG:4269", "algorithm": "KARNEY"}


def test_geometries_on_another_physical_type_are_no_geometries(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"g": [1]}), path)
    with_footer(path, lambda footer: footer["schema"][1].update(logicalType={"GEOMETRY": {}}))
    assert line_of("`g`", "schema", path, "--format", "spark") == "`g` BIGINT"
    assert json.loads(run("inspect", path, "--json").stdout)["geospatial"] == []


def test_inspect_and_columns_show_bounding_boxes_and_types(tmp_path):
    path = tmp_path / "x.parquet"
    geometries(path, {"GEOMETRY": {"crs": "EPSG:4326"}})
    assert line_of("geometries", "inspect", path).split(maxsplit=1)[1] == (
        "g: GEOMETRY(EPSG:4326); x 1 to 2.5, y -3 to 4; point, polygon_z"
    )
    (found,) = json.loads(run("inspect", path, "--json").stdout)["geospatial"]
    whole = BOX | dict.fromkeys(("zmin", "zmax", "mmin", "mmax"))
    assert found == {
        "column": "g",
        "logical_type": "GEOMETRY(EPSG:4326)",
        "bbox": whole,
        "types": ["point", "polygon_z"],
    }
    for options in ((), ("--per-row-group",)):
        document = json.loads(run("columns", path, "g", "--json", *options).stdout)
        assert (document["geo_bbox"], document["geo_types"]) == (whole, ["point", "polygon_z"])
        assert "x 1 y -3  x 2.5 y 4" in line_of(" g" if options else "g ", "columns", path, "g", *options)
    assert "geo_bbox" not in json.loads(run("columns", path, "id", "--json").stdout)


def test_a_box_of_a_file_encloses_those_of_its_row_groups(tmp_path):
    path = tmp_path / "x.parquet"
    across = BOX | {"xmin": 170.0, "xmax": -170.0, "zmin": 1.0, "zmax": 2.0}
    geometries(path, {"GEOMETRY": {}}, ({"bbox": BOX, "geospatial_types": [1]}, {"bbox": across}))
    (found,) = json.loads(run("inspect", path, "--json").stdout)["geospatial"]
    assert found["bbox"] == dict.fromkeys(found["bbox"]) | {"ymin": -3.0, "ymax": 4.0}
    assert found["types"] == []
    geometries(path, {"GEOMETRY": {}}, ({"bbox": BOX}, None))
    (found,) = json.loads(run("inspect", path, "--json").stdout)["geospatial"]
    assert found["bbox"] is None
    assert "g: GEOMETRY; no bounding box" in run("inspect", path).stdout


def test_unknown_geometries_are_numbered(tmp_path):
    path = tmp_path / "x.parquet"
    geometries(path, {"GEOMETRY": {}}, ({"geospatial_types": [8, 4001, -1, 7]},))
    document = json.loads(run("columns", path, "g", "--json").stdout)
    assert document["geo_types"] == ["unknown_-1", "geometrycollection", "unknown_8", "unknown_4001"]


def test_duckdb_has_the_same_types_boxes_and_names(corpus):
    path = corpus / GEOSPATIAL / "geospatial.parquet"
    theirs = duckdb.sql(
        f"SELECT row_group_id, geo_bbox, geo_types FROM parquet_metadata('{path}') WHERE path_in_schema = 'geometry' "
        "ORDER BY row_group_id"
    ).fetchall()
    lines = run("columns", path, "geometry", "--per-row-group", "--json").stdout.splitlines()
    ours = [json.loads(line) for line in lines]
    assert [(each["row_group_id"], each["geo_bbox"], each["geo_types"]) for each in ours] == theirs
    for name in ("crs-geography", "crs-srid", "crs-projjson"):
        path = corpus / GEOSPATIAL / f"{name}.parquet"
        kinds = duckdb.sql(f"DESCRIBE SELECT * FROM '{path}'").fetchall()
        text = run("schema", path, "--format", "duckdb").stdout
        assert all(f'"{kind[0]}" {kind[1]}' in text for kind in kinds)


def test_variants_are_named_in_each_notation(corpus):
    path = corpus / SHREDDED / "case-001.parquet"
    assert "  optional group var (VARIANT(1)) = 2 {" in run("schema", path).stdout
    assert "`var` VARIANT" in run("schema", path, "--format", "spark").stdout
    assert '"var" VARIANT' in run("schema", path, "--format", "duckdb").stdout
    assert "var: struct<metadata: binary not null, value: binary" in run("schema", path, "--format", "arrow").stdout
    assert duckdb.sql(f"DESCRIBE SELECT var FROM '{path}'").fetchall()[0][1] == "VARIANT"


@pytest.mark.parametrize("wrap", ["list", "struct", "map"])
def test_variants_in_other_columns_are_named(tmp_path, wrap):
    variant = pa.struct([pa.field("metadata", pa.binary(), False), pa.field("value", pa.binary(), False)])
    kinds = {"list": pa.list_(variant), "struct": pa.struct([("v", variant)]), "map": pa.map_(pa.string(), variant)}
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"c": pa.array([], kinds[wrap])}), path)

    def annotated(footer: dict) -> None:
        group = next(element for element in footer["schema"] if element["name"] in ("element", "v", "value"))
        group["logicalType"] = {"VARIANT": {}}

    with_footer(path, annotated)
    expected = {"list": "VARIANT[]", "struct": 'STRUCT("v" VARIANT)', "map": "MAP(VARCHAR, VARIANT)"}
    assert line_of('"c"', "schema", path, "--format", "duckdb") == f'"c" {expected[wrap]}'
    assert "(VARIANT) {" in run("schema", path).stdout


@pytest.mark.parametrize(
    ("file", "lost"),
    [
        (f"{GEOSPATIAL}/crs-srid.parquet", "geometry (GEOMETRY)"),
        (f"{GEOSPATIAL}/crs-geography.parquet", "geography (GEOGRAPHY)"),
        (f"{SHREDDED}/case-001.parquet", "var (VARIANT)"),
    ],
)
def test_rewrite_names_the_annotations_that_it_loses(corpus, tmp_path, file, lost):
    done = run("rewrite", corpus / file, "--out", tmp_path / "x.parquet")
    assert done.exit_code == 0 and f"columns become plain ones: {lost}" in done.stdout


def test_a_variant_with_another_parameter_has_no_version(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"v": [{"metadata": b"\1\0\0", "value": b"\0"}]}), path)
    with_footer(
        path,
        lambda footer: footer["schema"][1].update(logicalType={"VARIANT": {1: Unknown(wire.TYPE_BINARY, b"\1x")}}),
    )
    assert "optional group v (VARIANT) {" in run("schema", path).stdout
