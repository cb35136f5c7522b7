"""The targets hold for their seeds, for what they found once, and for mutations of both, also without atheris."""

from __future__ import annotations

import importlib
import importlib.util
import subprocess
import sys
import tracemalloc
from functools import cache
from pathlib import Path
from random import Random

import pytest
from fuzz.run import TARGETS
from support.footers import damaged

from parquetext.footer.forms import parx as parx_form
from parquetext.footer.jump_table import jump_table_form, pointer
from parquetext.footer.thrift_form import ThriftForm

HERE = Path(__file__).parent
MODULES = {target: importlib.import_module(f"fuzz.{target}") for target in TARGETS}
PARTS, MUTATIONS = 4, 750
MEASURED, LEAST_PEAK, TIMES = 40, 2 << 20, 100  # the peak of memory is that of some arrays beside the input


@cache
def inputs_of(target: str) -> list[bytes]:
    """The seeds of a target, and the inputs that failed once."""
    found = sorted((HERE / "found" / target).iterdir())
    return [*MODULES[target].seeds(), *(path.read_bytes() for path in found)]


def mutation(target: str, number: int) -> bytes:
    """One mutation of an input: of its body, and now and then of the steering behind it."""
    inputs, size = inputs_of(target), MODULES[target].STEERING.size
    random, data = Random(number), inputs[number % len(inputs)]
    steering = bytearray(data[-size:])
    if not number % 3:
        steering[random.randrange(size)] = random.choice((0, 1, 2, 3, 4, 8, 9, random.randrange(256)))
    return damaged(data[:-size], number) + bytes(steering)


def failures(target: str) -> list[str]:
    """The first findings of the inputs of a target."""
    found = []
    for data in inputs_of(target):
        try:
            MODULES[target].check(data)
        except AssertionError as error:
            found.append(str(error))
    return found


@pytest.mark.parametrize("target", TARGETS)
def test_no_input_is_a_finding(target):
    assert failures(target) == []
    assert {MODULES[target].file_of(data) is None for data in inputs_of(target)} == {False}


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("target", TARGETS)
def test_no_mutation_is_a_finding(target, part):
    for number in range(part * MUTATIONS, (part + 1) * MUTATIONS):
        try:
            MODULES[target].check(mutation(target, number))
        except Exception as error:
            error.add_note(f"mutation {number} of {target}")
            raise


@pytest.mark.parametrize("target", TARGETS)
def test_memory_is_limited_by_the_size_of_the_input(target):
    failures(target)  # which imports modules and fills caches
    for number, data in enumerate([*inputs_of(target)[-MEASURED:], *(mutation(target, n) for n in range(MEASURED))]):
        tracemalloc.start()
        MODULES[target].check(data)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak <= LEAST_PEAK + TIMES * len(data), number


# ---- planted faults


def test_a_reader_of_parx_without_its_check_of_flags_is_found(monkeypatch):
    monkeypatch.setattr(parx_form, "check_flags", lambda flags, offset: None)
    found = failures("parx")
    assert len(found) > 4 and all("Unsupported is due" in message for message in found)


def test_a_reader_of_parx_without_its_check_of_the_checksum_is_found(monkeypatch):
    behind = parx_form.AFTER_METADATA
    without = lambda payload, io, offset: ThriftForm(bytes(payload)[:-behind], io, offset)  # noqa: E731
    monkeypatch.setattr(parx_form, "_opened", without)
    assert "Damaged is due" in str(failures("parx"))


def test_a_reader_that_takes_any_struct_for_the_chunk_of_a_column_is_found(monkeypatch):
    monkeypatch.setattr(jump_table_form.JumpTableForm, "_check_structs", lambda *arguments: None)
    assert "and Thrift" in str(failures("jump_table"))


def test_an_error_of_a_jump_table_without_its_numbers_is_found(monkeypatch):
    without = lambda message, offset, *numbers: DAMAGED(message, offset)  # noqa: E731
    monkeypatch.setattr(pointer, "damaged", without)
    assert "without its two numbers" in str(failures("jump_table"))


DAMAGED = pointer.damaged


def test_a_pointer_that_a_removed_one_leaves_is_found(monkeypatch):
    monkeypatch.setattr(pointer, "FIELD", 11)  # the check compares the next field with it
    assert "begins with a pointer" in str(failures("jump_table"))


# ---- the program


def run(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False, timeout=300)


def test_without_atheris_nothing_is_fuzzed():
    program = (
        "import runpy, sys; sys.modules['atheris'] = None; path = sys.argv.pop(1); "
        "runpy.run_path(path, run_name='__main__')"
    )
    done = run("-c", program, str(HERE / "run.py"))
    assert (done.returncode, done.stdout) == (0, "SKIPPED: no atheris, the readers in Python were not fuzzed\n")


@pytest.mark.parametrize("target", TARGETS)
def test_instrumented_modules_exist(target):
    assert all(importlib.util.find_spec(name) for name in TARGETS[target])


def test_a_single_input_is_checked_without_atheris():
    path = min((HERE / "found" / "parx").iterdir())
    done = run(str(HERE / "run.py"), "--input", str(path), "parx")
    assert (done.returncode, done.stderr) == (0, "")


def test_targets_are_fuzzed_for_as_long_as_is_said(tmp_path):
    pytest.importorskip("atheris")
    done = run(str(HERE / "run.py"), "--seconds", "2", "--folder", str(tmp_path), "jump_table")
    assert done.returncode == 0 and done.stdout.startswith("fuzz jump_table: Done "), done.stdout
    assert any((tmp_path / "inputs" / "jump_table").iterdir())
