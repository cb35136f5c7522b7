#!/usr/bin/env python
"""Fuzz the readers of footers that are written in Python, led by the lines that an input reaches; fail on any finding.

    tests/fuzz/run.py [--seconds SECONDS | --long SECONDS] [--folder FOLDER] [TARGET...]
    tests/fuzz/run.py --input FILE TARGET        check one input, such as the one of a finding; needs no atheris

Each target runs in a process of its own for 20 seconds, or those of --seconds; with --long, all targets share the time.
FOLDER keeps the inputs that lead further, from run to run, and the findings: one file for each, and the log of each
target. Inputs that failed once, in found/TARGET, are tried first. Without the library atheris, nothing is fuzzed.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import importlib.util
import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PACKAGE = "parquetext"
# The modules whose lines count as progress; more of them make each input slower.
TARGETS = {
    "parx": (
        "parquetext.footer.forms.parx",
        "parquetext.footer.locate",
        "parquetext.footer.best_form",
        "parquetext.footer.thrift_form",
        "parquetext._pure.local",
    ),
    "jump_table": (
        "parquetext.footer.forms.jump_table",
        "parquetext.footer.jump_table.jump_table_form",
        "parquetext.footer.jump_table.index_struct",
        "parquetext.footer.jump_table.pointer",
        "parquetext.footer.skeleton",
        "parquetext.footer.column_footer",
        "parquetext.footer.file_range",
        "parquetext._pure.thrift",
        "parquetext._pure.varint",
    ),
}
LONGEST, TIMEOUT, MOST_MEGABYTES = 8192, 20, 2048
MOST_GROWTH = 128 << 10  # kilobytes that a single input may add to the peak of the process


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=20, help="for each target")
    parser.add_argument("--long", type=int, metavar="SECONDS", help="for all targets together")
    parser.add_argument("--folder", type=Path, help="of inputs and findings; by default a temporary one")
    parser.add_argument("--input", type=Path, help="check this input only")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(TARGETS)}; by default all")
    options = parser.parse_args()
    targets = options.targets or list(TARGETS)
    if unknown := {*targets} - {*TARGETS}:
        parser.error(f"no such target: {', '.join(sorted(unknown))}")
    others = [folder for folder in sys.path if folder != str(HERE)]
    sys.path[:] = [str(HERE.parent), *others, str(ROOT)]  # the checkout's package comes behind an installed one
    if options.input:
        for target in targets:
            importlib.import_module(f"fuzz.{target}").check(options.input.read_bytes())
        return 0
    if importlib.util.find_spec("atheris") is None:
        print("SKIPPED: no atheris, the readers in Python were not fuzzed")
        return 0
    seconds = options.seconds if options.long is None else max(1, options.long // len(targets))
    folder = options.folder or Path(tempfile.mkdtemp(prefix="parquetext-fuzz-"))
    if options.here:
        fuzz(targets[0], folder, seconds)
    failed = [target for target in targets if not is_sound(target, folder, seconds)]
    if failed:
        print(f"FINDINGS in {', '.join(failed)}: inputs in {folder / 'findings'}")
    return 1 if failed else 0


def is_sound(target: str, folder: Path, seconds: int) -> bool:
    """Fuzz a target in another process, and print its result."""
    findings = folder / "findings"
    findings.mkdir(parents=True, exist_ok=True)
    log = findings / f"{target}.log"
    command = [sys.executable, __file__, "--here", "--folder", str(folder), "--seconds", str(seconds), target]
    with log.open("wb") as output:
        code = subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, check=False).returncode
    text = log.read_text(errors="replace")
    done = re.search(r"^Done \d+ runs.*", text, re.MULTILINE)
    if code == 0 and done:
        print(f"fuzz {target}: {done[0]}", flush=True)
        return True
    print("\n".join([line for line in text.splitlines() if not re.match(r"#\d+\s|INFO: ", line)][-60:]))
    return False


def fuzz(target: str, folder: Path, seconds: int) -> None:
    """Fuzz a target in this process, and end it."""
    import atheris

    others = {name for name in modules() if name not in TARGETS[target]}
    with atheris.instrument_imports(include=[PACKAGE], exclude=sorted(others)):
        for name in TARGETS[target]:
            importlib.import_module(name)
    module = importlib.import_module(f"fuzz.{target}")
    inputs, seeds, found = folder / "inputs" / target, folder / "seeds" / target, HERE / "found" / target
    for each in (inputs, seeds):
        each.mkdir(parents=True, exist_ok=True)
    for seed in module.seeds():
        (seeds / hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed)

    def check(data: bytes) -> None:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        module.check(data)
        growth = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        assert growth <= MOST_GROWTH, f"{len(data)} bytes took {growth} kilobytes of memory"

    arguments = [f"-max_total_time={seconds}", f"-max_len={LONGEST}", f"-timeout={TIMEOUT}"]
    arguments += [f"-rss_limit_mb={MOST_MEGABYTES}", f"-artifact_prefix={folder / 'findings' / target}-"]
    folders = [inputs, seeds, *([found] if found.is_dir() else [])]
    atheris.Setup([sys.argv[0], *arguments, *map(str, folders)], check)
    atheris.Fuzz()


def modules() -> list[str]:
    """Return the names of all modules of the package."""
    found = [path.relative_to(ROOT).with_suffix("") for path in sorted((ROOT / PACKAGE).rglob("*.py"))]
    return [".".join(path.parts).removesuffix(".__init__") for path in found]


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(main())
