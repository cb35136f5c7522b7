"""The schema of a scanned footer: the tree that its elements make, and names looked up in it."""

from __future__ import annotations

from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.one_column import LEAF, ROOT, footer
from support.samples import examples
from support.twins import both

from parquetext import kernels, wire
from parquetext.errors import Malformed

# ---- the schema's tree


@pytest.mark.parametrize(
    "schema, found, expected",
    [
        ([], 0, 1),
        ([{"name": "r", "num_children": 2}, LEAF], 2, 3),
        ([ROOT, LEAF, LEAF], 3, 2),
        ([{"name": "r", "num_children": 2**31 - 1}], 1, 2**31),
    ],
)
def test_elements_that_are_no_tree(implementation, schema, found, expected):
    with pytest.raises(Malformed) as caught:
        kernels.scan.scan(footer(schema=schema))
    assert (caught.value.code, caught.value.found, caught.value.expected) == (wire.SCHEMA, found, expected)
    scan = kernels.scan.scan(footer(schema=schema), strict=False)
    assert scan.leaf_count == max(min(found - 1, 1), 0) and str(scan.problem) == str(caught.value)


def test_a_root_alone_is_a_table_without_columns(implementation):
    scan = kernels.scan.scan(
        footer(schema=[{"name": "r"}], column_orders=[], row_groups=[{"columns": [], "num_rows": 5}])
    )
    assert (scan.leaf_count, scan.regular, scan.row_group_count, list(scan.leaves)) == (0, True, 1, [])


def test_levels_and_leaves_of_nested_groups(implementation):
    schema = [
        {"name": "r", "num_children": 2},
        {"name": "l", "repetition_type": 1, "num_children": 1},
        {"name": "i", "repetition_type": 2, "num_children": 2},
        {"type": 1, "name": "x", "repetition_type": 0},
        {"type": 1, "name": "y", "repetition_type": 1},
        {"type": 6, "name": "z", "repetition_type": 2},
    ]
    scan = kernels.scan.scan(footer(schema=schema, row_groups=[]))
    assert list(scan.leaves) == [3, 4, 5]
    assert list(scan.elements("parent")) == [-1, 0, 1, 2, 2, 0]
    assert list(scan.elements("max_definition")) == [0, 1, 2, 2, 3, 1]
    assert list(scan.elements("max_repetition")) == [0, 0, 1, 1, 1, 1]
    assert list(scan.elements("first_leaf")) == [0, 0, 0, 0, 1, 2]
    assert list(scan.elements("leaf_count")) == [3, 2, 2, 1, 1, 1]


# ---- names


def element_tree(depth: int = 3) -> st.SearchStrategy[list[dict]]:
    """Return a schema element and its descendants in preorder. Few different names make paths similar."""
    names = st.sampled_from(["", "a", "b", "a.b", "a\0b", "b.a", "."])
    leaf = names.map(lambda name: [{"type": 2, "name": name}])
    if not depth:
        return leaf
    group = st.tuples(names, st.lists(element_tree(depth - 1), min_size=1, max_size=3)).map(
        lambda parts: [{"name": parts[0], "num_children": len(parts[1])}, *chain.from_iterable(parts[1])]
    )
    return st.one_of(leaf, group)


def ids_by_path(schema: list[dict]) -> dict[bytes, list[int]]:
    """Return the dotted paths that a look-up must find: leaves, then groups."""
    found: dict[bytes, list[int]] = {}
    above: list[list] = []  # paths of the open groups, and children they wait for
    leaves = groups = 0
    for position, element in enumerate(schema):
        name = element["name"].encode().replace(b"\0", b".")
        path = above[-1][0] + b"." + name if len(above) > 1 else name
        if above:
            above[-1][1] -= 1
        if "type" in element:
            identity, leaves = leaves, leaves + 1
        else:
            identity, groups = 1 << 31 | groups, groups + 1
            above.append([path, element["num_children"]])
        if position:
            found.setdefault(path, []).append(identity)
        while above and not above[-1][1]:
            above.pop()
    return {path: sorted(ids) for path, ids in found.items()}


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(element_tree(), min_size=1, max_size=4))
def test_both_implementations_find_equal_dotted_names(children):
    schema = [{"name": "r", "num_children": len(children)}, *chain.from_iterable(children)]
    data, expected = footer(schema=schema, row_groups=[]), ids_by_path(schema)
    for kernel in both("scan"):
        scan = kernel.scan(data)
        for path in [*expected, b"r", b"c", b"a.a.a.a.a", b"a.b.", b"..", b""]:
            assert scan.find_name(path) == scan.find_name(path.replace(b".", b"\0")) == expected.get(path, [])


def test_a_name_of_many_columns_finds_all_of_them(implementation):
    schema = [{"name": "r", "num_children": 300}] + [LEAF] * 300
    assert kernels.scan.scan(footer(schema=schema, row_groups=[])).find_name(b"a") == list(range(300))


def test_thousands_of_nested_groups_do_no_harm(implementation):
    depth = 5000
    schema = [{"name": "g", "num_children": 1, "repetition_type": 1}] * depth + [LEAF]
    scan = kernels.scan.scan(footer(schema=schema))
    assert scan.leaf_count == 1 and scan.elements("parent")[depth] == depth - 1
    assert list(scan.elements("max_definition")[253:258]) == [253, 254, 255, 255, 255]
