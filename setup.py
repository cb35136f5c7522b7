"""Build the compiled kernels (a static C library, an abi3 extension module per concern) and the jar of Spark's scan."""

from __future__ import annotations

import os
import runpy
import shutil
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_clib import build_clib
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

# Free-threaded builds have no limited API yet: they get modules of their own version.
LIMITED_API = None if sysconfig.get_config_var("Py_GIL_DISABLED") else 0x030B0000
REQUIRE_NATIVE = os.environ.get("PARQUETEXT_REQUIRE_NATIVE", "") not in ("", "0")
REQUIRE_JAR = os.environ.get("PARQUETEXT_REQUIRE_JAR", "") not in ("", "0")
NO_NATIVE = os.environ.get("PARQUETEXT_PURE", "") not in ("", "0")
C_FLAGS = ["-std=c11", "-O3", "-fvisibility=hidden", "-Wall", "-Wextra", "-D_GNU_SOURCE"]
# What is hot is the C library: the wrappers' generated code compiles twice as fast so, and runs no slower.
WRAPPER_FLAGS = ["-fvisibility=hidden", "-O1", "-g0"]
INCLUDES = ["csrc/include", "csrc/src"]
SOURCES = sorted(map(str, Path("csrc/src").glob("*/*.c")))
HEADERS = sorted(str(header) for folder in INCLUDES for header in Path(folder).rglob("*.h"))


class Kernels:
    """Whether the compiled kernels can be built here, for the commands below."""

    missing = False

    @classmethod
    def give_up(cls, error: Exception) -> None:
        """Go on without them, or stop where they are required."""
        if REQUIRE_NATIVE:
            raise error
        cls.missing = True
        print(
            f"parquetext: the compiled kernels were not built ({error}); the slower pure-Python ones will be used.",
            file=sys.stderr,
        )


class BuildLibrary(build_clib):
    def run(self) -> None:
        try:
            super().run()
        except Exception as error:
            Kernels.give_up(error)


class BuildExtensions(build_ext):
    def finalize_options(self) -> None:
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def run(self) -> None:
        self.run_command("build_clib")
        if not Kernels.missing:
            try:
                return super().run()
            except Exception as error:
                Kernels.give_up(error)
        # All or none: a package with some of its kernels would be neither implementation.
        for extension in self.extensions:
            Path(self.build_lib, self.get_ext_filename(self.get_ext_fullname(extension.name))).unlink(missing_ok=True)
        self.extensions = []

    def get_outputs(self) -> list[str]:
        return [] if Kernels.missing else super().get_outputs()


def build_jar() -> None:
    """Build the jar of Spark's scan, or go on without it where it is not required."""
    jar = runpy.run_path("parquetext/spark/jar.py")
    try:
        jar["build"]()
    except jar["CannotBuild"] as error:
        if REQUIRE_JAR:
            raise
        if stale := jar["installed"]():
            stale.unlink()
        print(f"parquetext: built without its jar for Spark's own scans ({error}).", file=sys.stderr)


class BuildPython(build_py):
    def run(self) -> None:
        build_jar()
        super().run()


class SourceDistribution(sdist):
    def run(self) -> None:
        build_jar()  # a build from it may see neither javac nor Spark
        super().run()


class BuildWheel(bdist_wheel):
    def run(self) -> None:
        # What an earlier build left there would end up in the wheel.
        shutil.rmtree(self.get_finalized_command("build").build_lib, ignore_errors=True)
        super().run()

    def get_tag(self) -> tuple[str, str, str]:
        return ("py3", "none", "any") if Kernels.missing else super().get_tag()


def kernels() -> list[Extension]:
    from Cython.Build import cythonize

    extensions = [
        Extension(
            f"parquetext._native.{source.stem}",
            [str(source)],
            include_dirs=INCLUDES,
            define_macros=[("Py_LIMITED_API", hex(LIMITED_API))] if LIMITED_API else [],
            py_limited_api=LIMITED_API is not None,
            depends=SOURCES + HEADERS,
            extra_compile_args=WRAPPER_FLAGS,
        )
        for source in sorted(Path("parquetext/_native").glob("*.pyx"))
    ]
    directives = {"language_level": 3, "embedsignature": True, "show_performance_hints": False}
    jobs = os.cpu_count()
    return cythonize(extensions, build_dir="build/cython", compiler_directives=directives, nthreads=jobs, quiet=True)


library = {"sources": SOURCES, "include_dirs": INCLUDES, "cflags": C_FLAGS, "obj_deps": {"": HEADERS}}
native = (
    {}
    if NO_NATIVE
    else {
        "libraries": [("pqx", library)],
        "ext_modules": kernels(),
        "options": {"bdist_wheel": {"py_limited_api": "cp311"}} if LIMITED_API else {},
    }
)
commands = {
    "build_clib": BuildLibrary,
    "build_ext": BuildExtensions,
    "build_py": BuildPython,
    "bdist_wheel": BuildWheel,
    "sdist": SourceDistribution,
}
setup(cmdclass=commands, **native)
