"""The compiler for Windows that setup.py uses, on this system."""

from __future__ import annotations

import importlib.util
import runpy
import sysconfig
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

pytest.importorskip("setuptools")  # has distutils, which the compiler is made for

from distutils.ccompiler import new_compiler

ROOT = Path(__file__).parents[1]
SCRIPT = str(ROOT / "csrc/cross/windows.py")
MODULE = """
#include <Python.h>
static getiterfunc const functions[] = {PyObject_SelfIter};
static PyMethodDef methods[] = {{NULL, NULL, 0, NULL}};
static PyModuleDef_Slot slots[] = {{0, NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "small", NULL, 0, methods, slots, NULL, NULL, NULL};
PyMODINIT_FUNC PyInit_small(void)
{
    definition.m_base.ob_base.ob_type = &PyModuleDef_Type;
    return functions[0] ? PyModuleDef_Init(&definition) : NULL;
}
"""


def compiler(monkeypatch, platform: str = "win-amd64"):
    monkeypatch.setenv("_PYTHON_HOST_PLATFORM", platform)
    return runpy.run_path(SCRIPT)["Zig"](new_compiler(compiler="unix"))


@pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="needs ziglang")
@pytest.mark.usefixtures("long")
def test_a_module_is_linked_to_the_stable_abi_without_a_python_for_windows(monkeypatch, tmp_path):
    zig = compiler(monkeypatch)
    source = tmp_path / "small.c"
    source.write_text(MODULE)
    options = {"include_dirs": [sysconfig.get_path("include")], "macros": [("Py_LIMITED_API", "0x030B0000")]}
    objects = zig.compile([str(source)], output_dir=str(tmp_path / "objects"), extra_postargs=["-Werror"], **options)
    assert b"zig/tmp" not in Path(objects[0]).read_bytes()
    (tmp_path / "built").mkdir()
    zig.link_shared_object(objects, str(tmp_path / "built/small.pyd"), build_temp=str(tmp_path))
    (module,) = (tmp_path / "built").iterdir()
    content = module.read_bytes()
    assert content.startswith(b"MZ") and b"python3.dll" in content and b"PyInit_small" in content


def test_functions_and_variables_of_python_are_found_in_objects(tmp_path):
    file = tmp_path / "one.o"
    file.write_bytes(b"\0__imp_PyList_New\0PyLong_Type\0_Py_Dealloc\0__pyx_f\0__imp_malloc\0xPyNo\0PyList_New\0")
    functions = runpy.run_path(SCRIPT)["python_functions"]
    assert functions([str(file)]) == ["PyList_New", "PyLong_Type", "_Py_Dealloc"]


def test_a_missing_zig_is_named(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match="pip install ziglang"):
        compiler(monkeypatch)


def test_other_machines_are_refused(monkeypatch):
    with pytest.raises(NotImplementedError, match="not compiled for win-arm64"):
        compiler(monkeypatch, "win-arm64")


@pytest.mark.parametrize(
    ("system", "machine", "installed"),
    [("Windows", "AMD64", True), ("Windows", "ARM64", False), ("Linux", "x86_64", False), ("Darwin", "arm64", False)],
)
def test_a_build_installs_zig_only_on_windows(system, machine, installed):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    (zig,) = [each for each in map(Requirement, project["build-system"]["requires"]) if each.name == "ziglang"]
    assert zig.marker.evaluate({"platform_system": system, "platform_machine": machine}) is installed
