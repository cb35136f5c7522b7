"""Build the compiled kernels: one static C library, one small extension module per concern, all abi3."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_clib import build_clib
from setuptools.command.build_ext import build_ext

LIMITED_API = 0x030B0000
REQUIRE_NATIVE = os.environ.get("PARQUETEXT_REQUIRE_NATIVE", "") not in ("", "0")
NO_NATIVE = os.environ.get("PARQUETEXT_PURE", "") not in ("", "0")
C_FLAGS = ["-std=c11", "-O3", "-fvisibility=hidden", "-Wall", "-Wextra", "-D_GNU_SOURCE"]
INCLUDES = ["csrc/include", "csrc/src"]
SOURCES = sorted(map(str, Path("csrc/src").glob("*.c")))
HEADERS = sorted(map(str, Path("csrc").glob("*/*.h")))


def without_compiler(error: Exception) -> None:
    """Go on without the compiled kernels, or stop where they are required."""
    if REQUIRE_NATIVE:
        raise error
    print(
        f"parquetext: the compiled kernels were not built ({error}); the slower pure-Python ones will be used.",
        file=sys.stderr,
    )


class BuildLibrary(build_clib):
    def run(self) -> None:
        try:
            super().run()
        except Exception as error:
            without_compiler(error)


class BuildExtensions(build_ext):
    def run(self) -> None:
        try:
            self.run_command("build_clib")
            super().run()
        except Exception as error:
            without_compiler(error)
            self.extensions = []

    def copy_extensions_to_source(self) -> None:
        self.extensions = [
            extension
            for extension in self.extensions
            if Path(self.get_ext_fullpath(extension.name)).exists()
            or Path(self.build_lib, self.get_ext_filename(extension.name)).exists()
        ]
        super().copy_extensions_to_source()


def kernels() -> list[Extension]:
    from Cython.Build import cythonize

    extensions = [
        Extension(
            f"parquetext._native.{source.stem}",
            [str(source)],
            include_dirs=INCLUDES,
            define_macros=[("Py_LIMITED_API", hex(LIMITED_API))],
            py_limited_api=True,
            depends=SOURCES + HEADERS,
            extra_compile_args=["-O2", "-fvisibility=hidden"],
        )
        for source in sorted(Path("parquetext/_native").glob("*.pyx"))
    ]
    return cythonize(
        extensions,
        compiler_directives={"language_level": 3, "embedsignature": True, "show_performance_hints": False},
        quiet=True,
    )


native = (
    {}
    if NO_NATIVE
    else {
        "libraries": [
            ("pqx", {"sources": SOURCES, "include_dirs": INCLUDES, "cflags": C_FLAGS, "obj_deps": {"": HEADERS}})
        ],
        "ext_modules": kernels(),
        "options": {"bdist_wheel": {"py_limited_api": "cp311"}},
    }
)
setup(cmdclass={"build_clib": BuildLibrary, "build_ext": BuildExtensions}, **native)
