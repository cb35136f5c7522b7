"""The modules of Cython are compiled as one, in which several of them may define the same name."""

from __future__ import annotations

import importlib
import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MERGE = runpy.run_path(str(ROOT / "csrc/merge.py"))
MODULES = MERGE["modules"]()

pytest.importorskip("parquetext._native.core", exc_type=ImportError)


@pytest.mark.parametrize("name", MODULES)
def test_each_module_has_its_exports_and_no_others(name):
    module = importlib.import_module(f"parquetext._native.{name}")
    assert module.__all__ == MODULES[name].exported()
    assert {each for each in vars(module) if not each.startswith("__")} == set(module.__all__)


def test_modules_that_define_the_same_name_keep_their_own():
    from parquetext._native import flat, index, packed

    assert len({flat.write, index.write, packed.write}) == 3
    assert len({flat.Reader, index.Reader, packed.Reader}) == 3


def test_the_merged_text_keeps_the_lines_of_its_sources(tmp_path):
    MERGE["main"]([str(tmp_path)])
    for name, module in MODULES.items():
        text = (tmp_path / f"{name}.pyx").read_text("utf-8")
        assert text.count("\n") == module.code.count("\n")
        assert not re.search(rf"^from \.({'|'.join(MODULES)}) c?import", text, re.MULTILINE)


def test_names_in_strings_and_attributes_are_not_changed():
    text = 'x = find(y.find, "find")  # find\nfind_more()\n'
    assert MERGE["merged"](text, {"find": "thrift_find"}, set()) == text.replace("= find", "= thrift_find")


def test_there_is_no_module_of_another_name():
    with pytest.raises(ModuleNotFoundError) as raised:
        importlib.import_module("parquetext._native.scam")
    assert raised.value.name == "parquetext._native.scam"
