"""Compile Python modules for Windows by zig (from PyPI: ziglang), on Windows or on another system.

Microsoft's compiler does not compile the C library, which uses vectors and attributes of GNU C.
"""

from __future__ import annotations

import os
import re
import runpy
import shlex
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from distutils.unixccompiler import UnixCCompiler
from importlib.util import find_spec
from pathlib import Path

TARGETS = {"win-amd64": ("x86_64-windows-gnu", "i386:x86-64")}  # the target of `zig cc`, the machine of `zig dlltool`
COPY_HEADERS = Path(__file__).with_name("python_headers.py")
PYTHON_NAME = re.compile(rb"(?<!\w)(?:__imp_)?(_?Py\w+)")


class Zig(UnixCCompiler):
    """A compiler for Windows with the options of GCC, which takes over the settings of setuptools' own."""

    compiler_type = "zig"

    def __init__(self, own):
        super().__init__(force=own.force)
        self.include_dirs, self.macros = own.include_dirs, own.macros
        self.libraries, self.library_dirs = own.libraries, own.library_dirs
        target, self._machine = target_of(sysconfig.get_platform())
        self._zig = zig()
        # Without -s, objects contain the name of a temporary file, also with -g0.
        command = [self._zig, "cc", "-target", target, "-s"]
        compile = [*command, *shlex.split(os.environ.get("CFLAGS", ""))]
        if os.name != "nt":
            headers = Path("build/python-headers").resolve()
            runpy.run_path(str(COPY_HEADERS))["copy_headers"](headers)
            compile += ["-I", str(headers)]
        self.set_executables(
            compiler=compile,
            compiler_so=compile,
            linker_so=[*command, "-shared"],
            archiver=[self._zig, "ar", "rcsD"],  # D: the same archive from the same objects
        )

    def link_shared_object(self, objects, output_filename, *arguments, build_temp, extra_postargs=None, **options):
        """Link a module to the DLL of Python's stable ABI, or to that of a free-threaded Python."""
        library = Path(build_temp, "libpython.a")
        self._import_functions(python_functions(objects), library)
        own = f"-Wl,--out-implib={Path(build_temp, 'module.lib')}"  # which nobody needs, not next to the module
        options["extra_postargs"] = [*(extra_postargs or ()), own]
        super().link_shared_object([*objects, str(library)], output_filename, *arguments, **options)

    def _import_functions(self, names: Iterable[str], library: Path) -> None:
        """Write an import library, so that a build needs no Python for Windows."""
        definition = library.with_suffix(".def")
        definition.write_text("\n".join([f"LIBRARY {python_dll()}", "EXPORTS", *names, ""]), encoding="ascii")
        command = [self._zig, "dlltool", "-m", self._machine, "-d", str(definition), "-l", str(library)]
        subprocess.run(command, check=True)


def target_of(platform: str) -> tuple[str, str]:
    if platform not in TARGETS:
        raise NotImplementedError(f"the kernels are not compiled for {platform}, only for {', '.join(TARGETS)}")
    return TARGETS[platform]


def zig() -> str:
    """Return the path of zig."""
    package = find_spec("ziglang")
    if package is None:
        raise ModuleNotFoundError("the compiler for Windows is zig: pip install ziglang")
    return str(Path(package.origin).with_name("zig.exe" if os.name == "nt" else "zig"))


def python_dll() -> str:
    version = f"{sys.version_info.major}{sys.version_info.minor}t"
    return f"python{version}.dll" if sysconfig.get_config_var("Py_GIL_DISABLED") else "python3.dll"


def python_functions(objects: Iterable[str]) -> list[str]:
    """Return at least the names of Python that object files import; the linker ignores further ones."""
    found = (PYTHON_NAME.findall(Path(file).read_bytes()) for file in objects)
    return sorted({name.decode("ascii") for names in found for name in names})
