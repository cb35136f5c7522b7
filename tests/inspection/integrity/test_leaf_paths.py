"""Paths of leaves in findings and layouts, which are cut if names of groups make them very long."""

from __future__ import annotations

import tracemalloc

from support.blown_up import nested
from support.vast_files import long_group_name

from parquetext import footer
from parquetext.inspection.structure.structure import leaf_paths


def scanned(tmp_path, data: bytes):
    path = tmp_path / "x.parquet"
    path.write_bytes(data)
    return footer.scan(path)


def test_paths_of_usual_length_are_whole(tmp_path):
    assert leaf_paths(scanned(tmp_path, long_group_name(3, 900))) == [f"{'g' * 900}.c{leaf}" for leaf in range(3)]
    deep = nested(400, leaves=2)
    data = b"PAR1" + deep + len(deep).to_bytes(4, "little") + b"PAR1"
    assert leaf_paths(scanned(tmp_path, data)) == ["g." * 400 + "0", "g." * 400 + "1"]


def test_the_end_of_a_long_path_is_shown(tmp_path):
    assert leaf_paths(scanned(tmp_path, long_group_name(2, 5000))) == [f"…{'g' * 997}.c{leaf}" for leaf in range(2)]


def test_a_name_that_is_cut_within_a_character_is_shown_from_the_next_one(tmp_path):
    data = long_group_name(1, 8000).replace(b"g" * 8000, "é".encode() * 4000)
    assert leaf_paths(scanned(tmp_path, data)) == [f"…{'é' * 997}.c0"]
    data = long_group_name(1, 8000).replace(b"g" * 8000, b"g" + "€".encode() * 2666 + b"g")
    assert leaf_paths(scanned(tmp_path, data)) == [f"…{'€' * 996}g.c0"]


def test_paths_that_are_far_longer_than_the_footer_are_cut_further(tmp_path):
    scan = scanned(tmp_path, long_group_name(2000, 500_000))
    tracemalloc.start()
    paths = leaf_paths(scan)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [path[-6:] for path in paths] == [f"ggggg.c{leaf}"[-6:] for leaf in range(2000)]
    assert {path[0] for path in paths} == {"…"} and 80 < max(map(len, paths)) < 1000
    assert peak < 8 << 20


def test_many_levels_are_shown_from_the_innermost(tmp_path):
    deep = nested(20_000)
    data = b"PAR1" + deep + len(deep).to_bytes(4, "little") + b"PAR1"
    (path,) = leaf_paths(scanned(tmp_path, data))
    assert path[0] == "…" and path.endswith(".g.g.g.0") and 80 <= len(path) <= 1001
