"""Build the compiled kernels (one abi3 library that contains all modules) and the jar of Spark's scan."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_clib import build_clib
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist
from setuptools.modified import newer_group

# Free-threaded builds have no limited API yet: they get modules of their own version.
LIMITED_API = None if sysconfig.get_config_var("Py_GIL_DISABLED") else 0x030B0000
REQUIRE_NATIVE = os.environ.get("PARQUETEXT_REQUIRE_NATIVE", "") not in ("", "0")
REQUIRE_JAR = os.environ.get("PARQUETEXT_REQUIRE_JAR", "") not in ("", "0")
# An older Python is refused by pip, once it has the metadata; the sources of the kernels cannot be translated there.
NO_NATIVE = os.environ.get("PARQUETEXT_PURE", "") not in ("", "0") or sys.version_info < (3, 11)
PLATFORM = sysconfig.get_platform()  # for which it is compiled
# For this warning, GCC takes a third of its time with Cython's C. csrc/check.sh enables it.
NO_WARNING = ["-Wno-misleading-indentation"]
C_FLAGS = ["-std=c11", "-O3", "-g0", "-fvisibility=hidden", "-Wall", "-Wextra", *NO_WARNING, "-D_GNU_SOURCE"]
# No exception passes through the Python module. They pass through the library for C++ programs, which keeps its tables.
NO_TABLES = ["-fno-asynchronous-unwind-tables", "-fno-unwind-tables"] if PLATFORM.startswith("linux") else []
# All hot code is in the C library. At this level, the wrappers are smaller and execute no more instructions.
# Passes of GCC that make the wrappers no smaller. Clang has others, and would warn of the options.
NO_PASSES = ["-fno-schedule-insns2", "-fno-gcse", "-fno-tree-vrp", "-Wno-ignored-optimization-argument"]
WRAPPER_FLAGS = ["-fvisibility=hidden", "-Os", "-g0", *NO_PASSES, *NO_WARNING, *NO_TABLES]
LINK_FLAGS = ["-Wl,-s", "-Wl,--gc-sections"] if PLATFORM.startswith("linux") else []  # pip does not strip
# The module and the library for programs that embed it have the same objects, if there are the tools to divide them.
# Wheels have the same bytes from each machine: they do not use those of this one.
SHARES = PLATFORM.startswith("linux") and "CC" not in os.environ and shutil.which("objcopy") is not None
# The module's C sources are compiled as two units, in three quarters of the CPU time that they take one by one: the
# layers whose speed depends on GCC's last level, and all others, which are smaller without it.
HOT = "base", "thrift", "encoding", "page", "arrow", "flat", "packed"
SECTIONS = ["-ffunction-sections", "-fdata-sections"] if PLATFORM.startswith("linux") else []
WINDOWS = runpy.run_path("csrc/cross/windows.py") if PLATFORM.startswith("win") else None
DIRECTIVES = {
    "language_level": 3,
    "show_performance_hints": False,
    "freethreading_compatible": True,
    "binding": False,  # functions without Python attributes, which take a quarter of the library otherwise
    "emit_code_comments": False,  # which are a quarter of the C source
    "auto_pickle": False,  # Python refuses objects of C structures by itself
}
BUNDLE = "csrc/bundle.py"
HEADER = "csrc/include/parquetext.h"
LAYOUT = "csrc/package/sections.ld"
MERGE = "csrc/merge.py"
PLAIN_ARCHIVE = "csrc/package/plain_archive.py"
CORE = "parquetext._native.core"
JARS = "parquetext.spark.jars"
INCLUDES = ["csrc/include", "csrc/src"]
SOURCES = sorted(map(str, Path("csrc/src").glob("*/*.c")))
HEADERS = sorted(str(header) for folder in INCLUDES for header in Path(folder).rglob("*.h"))


def in_words(error: Exception) -> str:
    """Return a message of one line; a failed command is named without its arguments."""
    cause = error.args[0] if error.args and isinstance(error.args[0], Exception) else error
    if isinstance(cause, subprocess.CalledProcessError):
        return f"{cause.cmd[0]} failed with exit code {cause.returncode}"
    return " ".join(str(error).split())


class Kernels:
    """The state of the compiled kernels, for the commands below: they are missing if they cannot be built here."""

    missing = NO_NATIVE
    reason = "PARQUETEXT_PURE was set during the build"

    @classmethod
    def give_up(cls, error: Exception) -> None:
        """Continue without them, or raise the error if they are required."""
        if REQUIRE_NATIVE:
            raise error
        cls.missing, cls.reason = True, in_words(error)
        effect = "the slower pure-Python ones will be used"
        print(f"parquetext: the compiled kernels were not built ({cls.reason}); {effect}.", file=sys.stderr)

    @classmethod
    def record(cls, package: Path) -> None:
        """Write the reason why they are missing into the package, which reports it when it is imported."""
        file = package / "not_built.txt"
        if cls.missing:
            package.mkdir(parents=True, exist_ok=True)
            file.write_text(f"{cls.reason}\n", encoding="utf-8")
        else:
            file.unlink(missing_ok=True)


class BuildLibrary(build_clib):
    def run(self) -> None:
        try:
            super().run()
        except Exception as error:
            Kernels.give_up(error)

    def build_libraries(self, libraries: list) -> None:
        if WINDOWS:
            self.compiler = WINDOWS["Zig"](self.compiler)
        elif PLATFORM.startswith("linux"):
            self.compiler.archiver[-1] += "D"  # the same archive from the same objects
        whole = Path(self.build_clib, self.compiler.library_filename("parquetext"))
        self.archive = Path(self.build_temp, "bundle", whole.name)
        if self.is_stale(whole):
            self.build_whole(whole)
        if self.is_stale(self.archive):
            self.build_embedded(whole)
        if SHARES:
            subprocess.run(["objcopy", "-D", "--remove-section=.eh_frame", str(whole)], check=True)

    def is_stale(self, library: Path) -> bool:
        return self.force or newer_group([*SOURCES, *HEADERS, BUNDLE, LAYOUT], str(library), "newer")

    def build_whole(self, library: Path) -> None:
        """Build the library of the module, which has all functions."""
        folder, bundle = Path(self.build_temp, "units"), runpy.run_path(BUNDLE)
        folder.mkdir(parents=True, exist_ok=True)
        others = [layer for layer in bundle["LAYERS"] if layer not in HOT]
        units = {"hot": ("-O3", HOT), "others": ("-O2", others)}
        common = [*C_FLAGS, *SECTIONS, *([] if SHARES else NO_TABLES), "-DPQX_PRIVATE="]

        def compiled(name: str) -> list[str]:
            level, layers = units[name]
            source = folder / f"{name}.c"
            source.write_text(bundle["unit"](layers), "utf-8", newline="\n")
            return self.compiler.compile([str(source)], include_dirs=INCLUDES, extra_postargs=[*common, level])

        with ThreadPoolExecutor(len(units)) as pool:
            objects = [made for each in pool.map(compiled, units) for made in each]
        library.unlink(missing_ok=True)
        self.compiler.create_static_lib(objects, "parquetext", output_dir=self.build_clib)

    def build_embedded(self, whole: Path) -> None:
        """Build the library for programs that embed it: from the objects of the module, or from the bundle."""
        folder = self.archive.parent
        folder.mkdir(parents=True, exist_ok=True)
        bundle = runpy.run_path(BUNDLE)
        objects = self.divide(whole, folder, bundle["public_functions"]())
        if not objects:  # all sources at once, which leaves out functions that only the module calls
            bundle["main"]([str(folder)])
            objects = self.compiler.compile([str(folder / "parquetext.c")], extra_postargs=C_FLAGS)
        self.archive.unlink(missing_ok=True)
        self.compiler.create_static_lib(objects, "parquetext", output_dir=str(folder))
        if PLATFORM.startswith("macosx"):
            runpy.run_path(PLAIN_ARCHIVE)["main"]([str(self.archive)])

    def divide(self, whole: Path, folder: Path, public: list[str]) -> list[str]:
        """Link the objects of the module to one that exports only public functions, without those that they never call.

        It returns no object if this machine has not the tools for it.
        """
        if not SHARES:
            return []
        made = str(folder / "parquetext.o")
        roots = [f"-Wl,-u,{name}" for name in public]
        kept = [f"--keep-global-symbol={name}" for name in public]
        link = [*self.compiler.compiler_so, "-r", "-nostdlib", "-Wl,--gc-sections", f"-Wl,-T,{LAYOUT}", *roots]
        try:
            subprocess.run([*link, str(whole), "-o", made], check=True)
            subprocess.run(["objcopy", "--strip-unneeded", "--remove-section=.comment", *kept, made], check=True)
        except (OSError, subprocess.CalledProcessError):
            return []
        return [made]

    def add_to(self, package: Path) -> None:
        """Copy the library for programs that embed it, and its header, into the package."""
        for file, folder in ((self.archive, "lib"), (Path(HEADER), "include")):
            (package / folder).mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, package / folder / file.name)


class BuildExtensions(build_ext):
    def run(self) -> None:
        self.run_command("build_clib")
        package = Path("." if self.inplace else self.build_lib, "parquetext/_native")
        if not Kernels.missing:
            try:
                super().run()
                self.get_finalized_command("build_clib").add_to(package)
            except Exception as error:
                Kernels.give_up(error)
        if Kernels.missing:
            self.extensions = []
        Kernels.record(package)

    def build_extensions(self) -> None:
        if WINDOWS:
            self.compiler = WINDOWS["Zig"](self.compiler)
        for extension in self.extensions:
            extension.sources = translated()
        super().build_extensions()

    def get_libraries(self, extension: Extension) -> list[str]:
        return extension.libraries if WINDOWS else super().get_libraries(extension)

    def get_ext_filename(self, name: str) -> str:
        """Return the file of a module; on Windows, the suffix of modules of the stable ABI is .pyd alone."""
        if WINDOWS and LIMITED_API:
            return f"{os.path.join(*name.split('.'))}.pyd"
        return super().get_ext_filename(name)

    def get_outputs(self) -> list[str]:
        return [] if Kernels.missing else super().get_outputs()


def build_jar() -> None:
    """Build the jar of Spark's scan, or package its sources if it is not required."""
    jar_build = runpy.run_path("parquetext/spark/jar_build.py")
    try:
        jar_build["build_or_package"]()
    except jar_build["CannotBuild"] as error:
        if REQUIRE_JAR:
            raise
        print(
            f"parquetext: the jar of Spark's own scan was not built ({error}); the first session will compile it.",
            file=sys.stderr,
        )


class BuildPython(build_py):
    def run(self) -> None:
        build_jar()
        if JARS not in self.packages:  # a clone has no such folder when its packages are found
            self.packages.append(JARS)
        super().run()
        if NO_NATIVE and not self.editable_mode:
            Kernels.record(Path(self.build_lib, "parquetext/_native"))


class SourceDistribution(sdist):
    def run(self) -> None:
        build_jar()  # a build from it may find no javac
        super().run()


class BuildWheel(bdist_wheel):
    def run(self) -> None:
        # What an earlier build left there would end up in the wheel.
        shutil.rmtree(self.get_finalized_command("build").build_lib, ignore_errors=True)
        super().run()

    def get_tag(self) -> tuple[str, str, str]:
        return ("py3", "none", "any") if Kernels.missing else super().get_tag()


def translated() -> list[str]:
    """Translate the Cython sources, merged to one, and return the C source; only a build needs Cython."""
    from Cython.Build import cythonize

    folder = Path("build/cython/parquetext/_native")
    runpy.run_path(MERGE)["main"]([str(folder)])
    core = Extension(CORE, [str(folder / "core.pyx")])
    (made,) = cythonize([core], include_path=["build/cython", "."], compiler_directives=DIRECTIVES, quiet=True)
    return made.sources


def kernels() -> list[Extension]:
    """Return the extension that contains the modules of all Cython sources; `parquetext._native` finds them in it."""
    core = Extension(
        CORE,
        [],
        include_dirs=INCLUDES,
        define_macros=[("Py_LIMITED_API", hex(LIMITED_API))] if LIMITED_API else [],
        py_limited_api=LIMITED_API is not None,
        depends=SOURCES + HEADERS,
        extra_compile_args=WRAPPER_FLAGS,
        extra_link_args=LINK_FLAGS,
    )
    return [core]


library = {"sources": SOURCES, "obj_deps": {"": HEADERS}}
native = (
    {}
    if NO_NATIVE
    else {
        "libraries": [("parquetext", library)],
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
