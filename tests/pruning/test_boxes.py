"""Bounding boxes: the extents of geometries, the rule for statistics, and filters of files against brute force."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.geometries import collection, geometry_file, line, multi, point, polygon
from support.samples import examples

import parquetext
from parquetext import bbox_intersects
from parquetext.pruning import BoundingBox
from parquetext.pruning.boxes import box_may_intersect
from parquetext.pruning.wkb import extent

NAN, INF = math.nan, math.inf
SQUARE = [(0.0, 0.0), (4.0, 0.0), (4.0, 3.0), (0.0, 0.0)]
GEOSPATIAL = "parquet-testing/data/geospatial"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (point(1.0, 2.0), (1.0, 1.0, 2.0, 2.0)),
        (point(1.0, 2.0, order=">"), (1.0, 1.0, 2.0, 2.0)),
        (point(1.0, 2.0, 9.0), (1.0, 1.0, 2.0, 2.0)),
        (point(1.0, 2.0, 9.0, -9.0, order=">"), (1.0, 1.0, 2.0, 2.0)),
        (line([(5.0, 1.0), (-5.0, 7.0)]), (-5.0, 5.0, 1.0, 7.0)),
        (line([(5.0, NAN), (NAN, 7.0)]), (5.0, 5.0, 7.0, 7.0)),
        (polygon(SQUARE, [(9.0, -9.0)]), (0.0, 9.0, -9.0, 3.0)),
        (polygon(SQUARE, order=">"), (0.0, 4.0, 0.0, 3.0)),
        (multi(4, [point(1.0, 1.0), point(-1.0, 5.0, order=">")]), (-1.0, 1.0, 1.0, 5.0)),
        (collection(collection(collection()), line(SQUARE), point(NAN, NAN)), (0.0, 4.0, 0.0, 3.0)),
        (b"\1\1\0\0\x20\xe6\x10\0\0" + point(1.0, 2.0)[5:], (1.0, 1.0, 2.0, 2.0)),  # with an SRID, as in PostGIS
        (b"\1\1\0\0\x80" + point(1.0, 2.0, 3.0)[5:], (1.0, 1.0, 2.0, 2.0)),  # with z, as in PostGIS
        (point(1.0, 2.0) + b"behind", (1.0, 1.0, 2.0, 2.0)),
        (point(NAN, NAN), None),
        (point(NAN, NAN, NAN), None),
        (point(1.0, NAN), None),
        (collection(), None),
        (polygon(), None),
        (b"", None),
        (b"\1", None),
        (b"\2" + point(1.0, 2.0)[1:], None),
        (b"\1\x08\0\0\0\0\0\0\0", None),  # a curve
        (b"\1\xa1\x0f\0\0" + bytes(32), None),  # 4001
        (line(SQUARE)[:-1], None),
        (b"\1\2\0\0\0\xff\xff\xff\xff", None),
        (b"\1\3\0\0\0\xff\xff\xff\xff", None),
        (b"\1\7\0\0\0\xff\xff\xff\xff", None),
        (b"\1\3\0\0\0\1\0\0\0\xff\xff\xff\xff", None),
    ],
    ids=lambda value: value.hex()[:24] if isinstance(value, bytes) else "",
)
def test_the_extent_of_a_geometry(value, expected):
    assert extent(value) == expected


def test_collections_in_collections_need_no_stack():
    value = point(1.0, 2.0)
    for _ in range(20_000):
        value = b"\1\7\0\0\0\1\0\0\0" + value
    assert extent(value) == (1.0, 1.0, 2.0, 2.0)


@settings(max_examples=examples(300), deadline=None)
@given(st.binary(max_size=60) | st.binary(max_size=60).map(lambda data: b"\1\7\0\0\0" + data))
def test_no_bytes_make_the_extent_fail(data):
    found = extent(data)
    assert found is None or (found[0] <= found[1] and found[2] <= found[3])


@pytest.mark.parametrize(
    ("box", "query", "expected"),
    [
        (BoundingBox(0, 5, 0, 5), (5, 5, 9, 9), True),
        (BoundingBox(0, 5, 0, 5), (6, 0, 9, 5), False),
        (BoundingBox(0, 5, 0, 5), (0, 6, 5, 9), False),
        (BoundingBox(0, 5, 0, 5), (-INF, -INF, INF, INF), True),
        # statistics across the antimeridian
        (BoundingBox(170, -170, 0, 5), (175, 0, 180, 5), True),
        (BoundingBox(170, -170, 0, 5), (-180, 0, -175, 5), True),
        (BoundingBox(170, -170, 0, 5), (-160, 0, 160, 5), False),
        (BoundingBox(170, -170, 0, 5), (175, 6, 180, 9), False),
        # a box across it
        (BoundingBox(0, 5, 0, 5), (170, 0, -170, 5), False),
        (BoundingBox(0, 171, 0, 5), (170, 0, -170, 5), True),
        (BoundingBox(-171, 0, 0, 5), (170, 0, -170, 5), True),
        (BoundingBox(170, -170, 0, 5), (175, 0, -175, 5), True),
        (BoundingBox(170, -170, 0, 5), (175, 6, -175, 9), False),
        # limits that say nothing
        (None, (0, 0, 1, 1), True),
        (BoundingBox(), (0, 0, 1, 1), True),
        (BoundingBox(NAN, 5, 0, 5), (6, 0, 9, 5), True),
        (BoundingBox(0, NAN, 0, 5), (6, 0, 9, 5), True),
        (BoundingBox(NAN, NAN, 0, 5), (6, 6, 9, 9), False),
        (BoundingBox(0, 5, NAN, NAN), (0, 6, 5, 9), True),
        (BoundingBox(0, 5, 5, 0), (0, 6, 5, 9), True),
        (BoundingBox(0, None, 0, 5), (6, 0, 9, 5), True),
        (BoundingBox(0, 5, None, 5), (0, 6, 5, 9), True),
    ],
)
def test_statistics_exclude_only_boxes_that_they_do_not_meet(box, query, expected):
    assert box_may_intersect(box, *map(float, query)) is expected


@pytest.mark.parametrize("bbox", [(0, 0, 1), (0, 0, 1, 1, 1), (0, 2, 1, 1), (0, NAN, 1, 1), (NAN, 0, 1, 1)])
def test_other_boxes_are_refused(bbox):
    with pytest.raises(ValueError, match="xmin, ymin, xmax, ymax"):
        bbox_intersects("g", bbox)


def statistics(xmin: float, xmax: float, ymin: float, ymax: float, *types: int) -> dict:
    return {"bbox": {"xmin": xmin, "xmax": xmax, "ymin": ymin, "ymax": ymax}, "geospatial_types": list(types)}


GROUPS = [
    [point(0.0, 0.0), point(5.0, 5.0), None],
    [point(20.0, 20.0), line([(22.0, 22.0), (30.0, 25.0)])],
    [point(175.0, 1.0), point(-175.0, 1.0)],
    [None, None],
    [point(1.0, 1.0), b"no geometry", collection()],
]
STATISTICS = [
    statistics(0.0, 5.0, 0.0, 5.0, 1),
    statistics(20.0, 30.0, 20.0, 25.0, 1, 2),
    statistics(175.0, -175.0, 1.0, 1.0, 1),
    None,
    None,
]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "g.parquet"
    geometry_file(path, GROUPS, STATISTICS)
    return path


def read_groups(path, filters) -> list[int]:
    with parquetext.open(path) as file:
        return [number for number, group in enumerate(file.explain(filters=filters).row_groups) if group.is_read]


@pytest.mark.parametrize("form", ["thrift", "flat", "index", "packed"])
@pytest.mark.parametrize(
    ("bbox", "groups", "ids"),
    [
        ((4, 4, 6, 6), [0, 4], [1]),
        ((24, 22, 25, 22), [1, 4], [4]),
        ((170, 0, -170, 2), [2, 4], [5, 6]),
        ((179, 0, 180, 2), [2, 4], []),
        ((-170, -5, 170, 5), [0, 4], [0, 1, 9]),
        ((40, 40, 50, 50), [4], []),
        ((-INF, -INF, INF, INF), [0, 1, 2, 4], [0, 1, 3, 4, 5, 6, 9]),
    ],
)
def test_a_box_excludes_row_groups_and_then_rows(path, form, bbox, groups, ids):
    if form != "thrift":
        parquetext.upgrade(path, form=form)
    condition = bbox_intersects("g", bbox)
    assert read_groups(path, condition) == groups
    for engine in (None, "auto", "parquetext", "pyarrow"):
        assert parquetext.read_table(path, filters=condition, engine=engine)["id"].to_pylist() == ids
    assert pq.read_table(path).filter(condition)["id"].to_pylist() == ids


def test_boxes_join_other_conditions(path):
    near, field = bbox_intersects("g", (4, 4, 6, 6)), pc.field("id")
    assert read_groups(path, near & (field > 7)) == [4]
    assert read_groups(path, near | (field == 3)) == [0, 1, 4]
    assert read_groups(path, ~near) == [0, 1, 2, 4]
    for condition in (near & (field > 0), near | (field == 3), ~near, near == pc.scalar(True)):
        expected = pq.read_table(path).filter(condition)["id"].to_pylist()
        assert parquetext.read_table(path, filters=condition)["id"].to_pylist() == expected
        assert parquetext.dataset(path).to_table(filter=condition)["id"].to_pylist() == expected
        assert ds.dataset(path).to_table(filter=condition)["id"].to_pylist() == expected


def test_a_dataset_skips_row_groups_by_boxes_and_files_without_any(tmp_path, path):
    geometry_file(tmp_path / "h.parquet", GROUPS[:2], [None, STATISTICS[1]])
    near = bbox_intersects("g", (4, 4, 6, 6))
    data = parquetext.dataset(tmp_path)
    plans = [file.explanation for file in data.explain(filter=near).files]
    assert [[group.is_read for group in plan.row_groups] for plan in plans] == [
        [True, False, False, False, True],
        [True, False],
    ]
    assert data.to_table(filter=near)["id"].to_pylist() == [1, 1]
    assert parquetext.read_table(tmp_path, filters=near & (pc.field("id") == 1)).num_rows == 2


@pytest.mark.parametrize("annotation", [{"GEOGRAPHY": {"algorithm": 1}}, {"GEOMETRY": {"crs": "EPSG:3857"}}])
def test_both_annotations_have_boxes(tmp_path, annotation):
    path = tmp_path / "g.parquet"
    geometry_file(path, GROUPS, STATISTICS, annotation)
    assert read_groups(path, bbox_intersects("g", (4, 4, 6, 6))) == [0, 4]


@pytest.mark.parametrize("annotation", [{"STRING": {}}, {"BSON": {}}])
def test_statistics_of_columns_that_are_no_geometries_exclude_nothing(tmp_path, annotation):
    path = tmp_path / "g.parquet"
    geometry_file(path, [[b"abc"], [b"def"]], [statistics(0.0, 1.0, 0.0, 1.0)] * 2, annotation)
    with parquetext.open(path) as file:
        assert file.column("g").geospatial_statistics == [None, None]
    assert read_groups(path, bbox_intersects("g", (4, 4, 6, 6))) == [0, 1]


def test_well_known_binary_without_an_annotation_is_filtered(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"g": [point(0.0, 0.0), point(9.0, 9.0)]}), path)
    assert parquetext.read_table(path, filters=bbox_intersects("g", (8, 8, 9, 9))).num_rows == 1


def test_a_condition_that_was_pickled_is_known_in_another_process(path):
    condition = pickle.dumps(bbox_intersects("g", (4, 4, 6, 6)))
    read = f"parquetext.read_table({str(path)!r}, filters=pickle.loads({condition!r}))"
    code = f"import pickle, parquetext; print({read}.num_rows)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "1", done.stderr


class Geometry(pa.ExtensionType):
    """The type with which programs read geometries; pyarrow has none of its own."""

    def __init__(self, storage: pa.DataType, metadata: bytes = b""):
        self._metadata = metadata
        super().__init__(storage, "geoarrow.wkb")

    def __arrow_ext_serialize__(self) -> bytes:
        return self._metadata

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type, serialized):
        return cls(storage_type, serialized)


def test_columns_of_an_extension_type_are_filtered(tmp_path):
    path = tmp_path / "g.parquet"
    geometry_file(path, GROUPS, STATISTICS, {"GEOMETRY": {"crs": "srid:2056"}})  # a schema that was not read before
    near = bbox_intersects("g", (4, 4, 6, 6))
    pa.register_extension_type(Geometry(pa.binary()))
    try:
        assert isinstance(parquetext.read_schema(path).field("g").type, Geometry)
        assert read_groups(path, near) == [0, 4]
        assert parquetext.read_table(path, filters=near).equals(pq.read_table(path).filter(near))
    finally:
        pa.unregister_extension_type("geoarrow.wkb")


NUMBERS = st.integers(-3, 3).map(float) | st.just(NAN)
PAIRS = st.tuples(NUMBERS, NUMBERS)
SHAPES = st.one_of(
    st.none(),
    PAIRS.map(lambda pair: point(*pair)),
    st.lists(PAIRS, min_size=1, max_size=3).map(line),
    st.lists(PAIRS, min_size=1, max_size=3).map(lambda pairs: polygon(pairs, order=">")),
    st.lists(PAIRS.map(lambda pair: point(*pair)), max_size=2).map(lambda points: collection(*points)),
    st.binary(max_size=4),
)


def written_statistics(values: list[bytes | None]) -> dict | None:
    extents = [found for found in map(extent, filter(None, values)) if found is not None]
    if not extents:
        return None
    low, high, bottom, top = zip(*extents, strict=True)
    return statistics(min(low), max(high), min(bottom), max(top))


@settings(max_examples=examples(80), deadline=None)
@given(
    st.lists(st.lists(SHAPES, min_size=1, max_size=4), min_size=1, max_size=3),
    st.lists(st.integers(-4, 4), min_size=4, max_size=4),
    st.booleans(),
)
def test_no_geometry_in_the_box_is_skipped(tmp_path_factory, groups, limits, is_negated):
    path = tmp_path_factory.mktemp("boxes") / "g.parquet"
    geometry_file(path, groups, [written_statistics(values) for values in groups])
    xmin, first, xmax, second = limits
    condition = bbox_intersects("g", (xmin, min(first, second), xmax, max(first, second)))
    condition = ~condition if is_negated else condition
    expected = pq.read_table(path).filter(condition)["id"].to_pylist()
    assert parquetext.read_table(path, filters=condition)["id"].to_pylist() == expected


def test_the_box_of_every_row_group_of_a_real_file_encloses_its_geometries(corpus):
    path = corpus / GEOSPATIAL / "geospatial.parquet"
    table = pq.read_table(path)
    condition = bbox_intersects("geometry", (35, 35, 45, 45))
    assert len(read_groups(path, condition)) < 31
    assert parquetext.read_table(path, filters=condition).equals(table.filter(condition))
    with parquetext.open(path) as file:
        ours = file.column("geometry").geospatial_statistics
        theirs = [file.metadata.row_group(number).column(2).geo_statistics for number in range(len(ours))]
    for our, their in zip(ours, theirs, strict=True):
        assert (our is None) == (their is None)
        if our is not None:
            assert list(our.types) == (their.geospatial_types or [])
            box = our.bbox or BoundingBox()
            assert (box.xmin, box.ymax, box.zmin, box.mmax) == (their.xmin, their.ymax, their.zmin, their.mmax)
