"""The Arrow fields of a Parquet schema by our rules equal those of pyarrow for every file that it reads."""

from __future__ import annotations

import pyarrow as pa
from support.corpus_files import readable

import parquetext
from parquetext.reading.fields.assemble_plan import LeafPlan, plan_fields

MARKED = {"ARROW-17100.parquet"}  # ARROW:schema says dictionary


def storage(kind: pa.DataType) -> pa.DataType:
    """A type whose extension types are their storage, in any depth."""
    if isinstance(kind, pa.BaseExtensionType):
        return storage(kind.storage_type)
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(storage(field.type)).remove_metadata() for field in kind])
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(storage(kind.value_type)).remove_metadata())
    return kind


def test_every_readable_file_has_the_fields_that_pyarrow_gives_it(corpus, expected):
    compared = 0
    for path in readable(corpus, expected):
        with parquetext.open(str(path)) as file:
            plans, theirs = file._on_form(plan_fields), file.schema
            assert [(plan.name, plan.nullable) for plan in plans] == [(field.name, field.nullable) for field in theirs]
            for plan, field in zip(plans, theirs, strict=True):
                if path.name not in MARKED:
                    assert storage(plan.type) == storage(field.type), f"{path}: {plan.name}"
                compared += 1
    assert compared > 1000


def test_leaves_have_the_levels_of_the_schema(corpus, expected):
    for path in readable(corpus, expected):
        with parquetext.open(str(path)) as file:
            for plan in file._on_form(plan_fields):
                for leaf in plan.leaves:
                    assert isinstance(leaf, LeafPlan)
                    node = file._form.node(leaf.leaf)
                    own = leaf.levels.definition, leaf.levels.repetition
                    assert (node.max_definition, node.max_repetition) == own, path
