"""The size of a form is in proportion to its footer for any claims; others are refused early."""

from __future__ import annotations

import struct
import subprocess
import sys

import pytest
from support.blown_up import nested, paths_of, write_footer
from support.flat_payloads import outcome
from support.form_readers import module

import parquetext
from parquetext import kernels, wire
from parquetext.errors import ParquetextError, Unsupported

MIB = 1 << 20
DEEP = (40_000, 1)  # levels, leaves
WIDE = (2_000, 12_000)  # leaves that share a deep path
FORMS = {
    "flat": lambda scan, package="": module(package, "flat").write(scan),
    "compact": lambda scan, package="": module(package, "flat").write(scan, "compact"),
    "index": lambda scan, package="": module(package, "index").write(scan),
}


def limit_for(footer: bytes) -> int:
    return 16 * len(footer) + 4 * MIB


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape", [DEEP, WIDE], ids=["deep", "wide"])
def test_paths_out_of_proportion_are_refused(implementation, form, shape):
    footer = nested(*shape)
    with pytest.raises(Unsupported, match="for a footer of this size the limit is") as caught:
        FORMS[form](kernels.scan.scan(footer), implementation)
    error = caught.value
    assert (error.code, error.expected, error.found) == (wire.OUT_OF_PROPORTION, limit_for(footer), paths_of(*shape))


def told_by(package: str, form: str, footer: bytes):
    return outcome(FORMS[form], module(package, "scan").scan(footer), package)


@pytest.mark.parametrize("form", ["flat", "index"])
def test_both_implementations_draw_the_line_at_the_same_level(form):
    carried, refused = 1900, 2200
    while refused - carried > 1:
        levels = (carried + refused) // 2
        if isinstance(told_by("native", form, nested(levels)), bytes):
            carried = levels
        else:
            refused = levels
    largest = told_by("native", form, nested(carried))
    assert len(largest) <= limit_for(nested(carried)) >= paths_of(carried)
    assert largest == told_by("pure", form, nested(carried))
    limit = limit_for(nested(refused))
    found = limit + 1 if form == "flat" else paths_of(refused)  # the flat form has more than paths
    assert told_by("native", form, nested(refused)) == ("Unsupported", wire.OUT_OF_PROPORTION, 0, limit, found)
    assert told_by("pure", form, nested(refused)) == ("Unsupported", wire.OUT_OF_PROPORTION, 0, limit, found)


def test_extensions_count_with_the_footer(implementation):
    scan = kernels.scan.scan(nested(3))
    data = bytes(8 * MIB)
    assert len(kernels.flat.write(scan, extensions=[(bytes(16), data)])) > len(data) > limit_for(scan.data)


def test_every_file_of_the_corpus_is_far_from_the_limit(corpus):
    for path in sorted(corpus.rglob("*.parq*")):
        try:
            scan = parquetext.footer.scan(path)
            payload = kernels.flat.write(scan)
        except (OSError, ParquetextError) as error:
            assert getattr(error, "code", None) != wire.OUT_OF_PROPORTION
            continue
        assert len(payload) < limit_for(scan.data) / 16


UPGRADE = """
import resource, sys
import parquetext
from parquetext import kernels
from parquetext.errors import Unsupported

kernels.use(sys.argv[2])
for form in ("flat", "index"):
    parquetext.upgrade(sys.argv[1], form=form, dry_run=True)    # once with a small file, so that imports do not count
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for path in sys.argv[3:]:
    for form, dry_run in (("flat", True), ("index", False)):
        try:
            parquetext.upgrade(path, form=form, dry_run=dry_run)
        except Unsupported as error:
            assert error.file == path and error.found > error.expected
        else:
            raise SystemExit(f"{path} was upgraded")
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) << 10)
"""


def test_an_upgrade_is_refused_in_little_memory(implementation, tmp_path):
    small = write_footer(tmp_path / "small.parquet", nested(3))
    shapes = (DEEP, WIDE) if implementation == "native" else (DEEP,)
    hostile = [write_footer(tmp_path / f"{shape[0]}.parquet", nested(*shape)) for shape in shapes]
    command = [sys.executable, "-c", UPGRADE, small, implementation, *hostile]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 64 * MIB


@pytest.mark.parametrize("sparse", [False, True], ids=["the index is chosen first", "the packed form is chosen first"])
def test_no_form_is_chosen_if_all_are_out_of_proportion(implementation, tmp_path, sparse):
    footer = nested(*WIDE)
    path = tmp_path / "wide.parquet"
    with open(path, "wb") as file:
        file.write(b"PAR1")
        file.seek(100 * len(footer) if sparse else 4)
        file.write(footer + struct.pack("<I", len(footer)) + b"PAR1")
    size = path.stat().st_size
    result = parquetext.upgrade(path, form="auto")
    assert (result.outcome, result.form_after, path.stat().st_size) == ("unchanged", "thrift", size)
    assert result.message.startswith("nothing is added: the index form is not used: its names and tables would")
