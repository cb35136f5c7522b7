#!/usr/bin/env python3
"""Build the source distribution and the wheels of Linux and Windows, without a container engine, and check them.

    wheels/build.py [--output FOLDER] [--machine x86_64] [--machine aarch64] [--machine win_amd64] [--same-as FOLDER]

Runs on Linux. Zig compiles, for Linux against glibc 2.17. All wheels are built from the source distribution, so that a
file that is missing in it is detected. The same sources give the same bytes, in any folder and at any time: `--same-as`
compares the result with that of another run. Needs Python 3.11 or newer with pip, and javac or the jar that an earlier
build has made.
"""

from __future__ import annotations

import argparse
import gzip
import io
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
LINUX = "x86_64", "aarch64"
WINDOWS = "win_amd64"
MACHINES = *LINUX, WINDOWS
GLIBC = "2.17"
NO_GIT = 315532800  # 1980, the first year of zip


class Tools:
    """A virtual environment with the pinned tools, and the environment variables of a reproducible build."""

    def __init__(self, folder: Path):
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        self.bin = folder / "bin"
        self.variables = os.environ | {
            "PATH": f"{self.bin}:{os.environ['PATH']}",
            "SOURCE_DATE_EPOCH": str(epoch()),
            "PYTHONHASHSEED": "0",
            "PARQUETEXT_REQUIRE_JAR": "1",
        }
        self.run("pip", "install", "--quiet", "--disable-pip-version-check", "-r", HERE / "requirements.txt")

    def run(self, program: str, *arguments: object, cwd: Path = ROOT, **variables: str) -> None:
        """Run a program of the environment; its output is shown only if it fails."""
        command = [str(self.bin / program), *map(str, arguments)]
        done = subprocess.run(command, cwd=cwd, env=self.variables | variables, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{done.stdout}{done.stderr}{' '.join(command)}: exit code {done.returncode}")


def epoch() -> int:
    """Return the time of all files in the archives: SOURCE_DATE_EPOCH, or the time of the last commit."""
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(given)
    command = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    done = subprocess.run(command, capture_output=True, text=True) if shutil.which("git") else None
    return int(done.stdout) if done and not done.returncode else NO_GIT


def normalize(sdist: Path, time: int) -> None:
    """Rewrite a source distribution with sorted members that have neither owners nor times of their own."""

    def members() -> Iterator[tuple[tarfile.TarInfo, bytes | None]]:
        with tarfile.open(sdist) as archive:
            for member in sorted(archive.getmembers(), key=lambda each: each.name):
                file = archive.extractfile(member)
                yield member, None if file is None else file.read()

    plain = sdist.with_suffix("")
    with tarfile.open(plain, "w", format=tarfile.PAX_FORMAT) as archive:
        for member, data in members():
            clean = tarfile.TarInfo(member.name)
            clean.type, clean.size, clean.mtime = member.type, member.size, time
            clean.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            archive.addfile(clean, None if data is None else io.BytesIO(data))
    with plain.open("rb") as source, sdist.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
        shutil.copyfileobj(source, packed)
    plain.unlink()


def compiler(tools: Tools, machine: str, tree: Path) -> dict[str, str]:
    """Return the variables by which setuptools compiles for a machine, without paths of this one in the result."""
    common = {"CFLAGS": f"-ffile-prefix-map={tree}=.", "PARQUETEXT_REQUIRE_NATIVE": "1"}
    if machine == WINDOWS:  # for which setup.py itself uses zig
        return common | {"_PYTHON_HOST_PLATFORM": machine.replace("_", "-")}
    zig = str(HERE / "zig-cc")
    headers = tree.parent / "python-headers"
    tools.run("python", tree / "csrc/cross/python_headers.py", headers)
    return common | {
        "CFLAGS": f"{common['CFLAGS']} -I{headers}",
        "ZIG_PYTHON": str(tools.bin / "python"),
        "ZIG_TARGET": f"{machine}-linux-gnu.{GLIBC}",
        "_PYTHON_HOST_PLATFORM": f"linux-{machine}",
        "CC": zig,
        "LDSHARED": f"{zig} -shared -s -Wl,--build-id=none",
        "LDFLAGS": "",
        "AR": f"{tools.bin / 'python'} -m ziglang ar",
    }


def build(tools: Tools, work: Path, machines: list[str], output: Path) -> None:
    """Write the source distribution, one wheel for each machine, and the wheel without kernels."""
    tools.run("pyproject-build", "--no-isolation", "--sdist", "--outdir", output, ROOT)
    (sdist,) = output.glob("*.tar.gz")
    normalize(sdist, int(tools.variables["SOURCE_DATE_EPOCH"]))
    for machine in (*machines, "any"):
        tree = work / machine
        tree.mkdir()
        subprocess.run(["tar", "-xzf", sdist, "-C", tree], check=True)
        (project,) = tree.iterdir()
        variables = {"PARQUETEXT_PURE": "1"} if machine == "any" else compiler(tools, machine, project)
        folder = work / "raw" / machine if machine in LINUX else output
        tools.run("pyproject-build", "--no-isolation", "--wheel", "--outdir", folder, project, cwd=work, **variables)
        for wheel in folder.glob(f"*linux_{machine}.whl"):
            # auditwheel names only platforms of this machine; of another one, it takes the oldest that there is.
            name = f"manylinux_{GLIBC.replace('.', '_')}_{machine}" if machine == platform.machine() else "auto"
            tools.run("auditwheel", "repair", "--only-plat", "--plat", name, "--wheel-dir", output, wheel)


def check(tools: Tools, output: Path) -> None:
    """Check the wheels: their files, the Python ABI and the system libraries that they need, and their metadata."""
    wheels = sorted(output.glob("*.whl"))
    tools.run("python", HERE / "check.py", *wheels)
    tools.run("check-wheel-contents", "--toplevel", "parquetext,pyspark_parquetext", *wheels)
    for wheel in wheels:
        if "-none-any" not in wheel.name:
            tools.run("abi3audit", "--strict", "--assume-minimum-abi3", "3.11", wheel)
        if WINDOWS in wheel.name:
            tools.run("python", HERE / "dlls.py", wheel)
        elif "linux" in wheel.name:
            tools.run("python", HERE / "glibc.py", "--newest", GLIBC, wheel)


def differing(output: Path, other: Path) -> list[str]:
    """Return the names of files in a folder that another folder lacks, or has with other bytes."""
    pairs = [(file, other / file.name) for file in sorted(output.iterdir())]
    return [one.name for one, two in pairs if not two.exists() or one.read_bytes() != two.read_bytes()]


def main() -> str | None:
    parser = argparse.ArgumentParser(description="Build and check the wheels of Linux and Windows.")
    parser.add_argument("--output", type=Path, default=HERE / "built", help="a folder, which is emptied first")
    parser.add_argument("--machine", action="append", choices=MACHINES, help="by default all")
    parser.add_argument("--same-as", type=Path, metavar="FOLDER", help="the output of another run to compare with")
    options = parser.parse_args()
    os.umask(0o022)
    output = options.output.resolve()
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as work:
        tools = Tools(Path(work, "tools"))
        build(tools, Path(work), options.machine or list(MACHINES), output)
        check(tools, output)
    for file in sorted(output.iterdir()):
        print(f"{file.stat().st_size:>10,} {file.name}")
    if options.same_as and (names := differing(output, options.same_as)):
        return f"not the same as in {options.same_as}: {', '.join(names)}"
    return None


if __name__ == "__main__":
    sys.exit(main())
