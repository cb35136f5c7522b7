"""Small files that represent very much, in every verb: little memory, or an error without a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import typer
from support.every_verb import COMMANDS, VERBS
from support.vast_files import vast_files

from parquetext.cli.app import app
from parquetext.errors import ParquetextError

pytestmark = pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="peaks are measured on Linux alone")
ROOM = 64 << 20


STEP = 16  # without --long each file is given to a sixteenth of the verbs


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_every_verb_takes_little_memory_for_small_files(tmp_path, request):
    step = 1 if request.config.getoption("--long") else STEP
    good = tmp_path / "good.parquet"
    pq.write_table(pa.table({"n": [1, 2], "s": ["a", "b"], "l": [[1], [2]]}), good, compression="zstd")
    paths = {}
    for number, (name, data) in enumerate(vast_files()):
        path = tmp_path / f"{number}.parquet"
        path.write_bytes(data)
        paths[str(path)] = name
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-P", "-m", "support.every_verb_peaks", str(step), str(good), *paths]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=environment)
    assert done.returncode == 0, done.stderr[-2000:]
    lines = [line.split("\t") for line in done.stdout.splitlines() if line.count("\t") == 4]
    pairs = [(number, verb) for number in range(len(paths)) for verb in range(len(VERBS)) if not (number + verb) % step]
    assert len(lines) == len(pairs)
    bad = [
        (paths[path], verb, f"{int(taken) >> 20} MiB", outcome)
        for taken, _, outcome, verb, path in lines
        if int(taken) >= ROOM or outcome not in ("done", "refused")
    ]
    assert not bad, "\n".join(map(str, bad))


@pytest.mark.slow
def test_every_verb_takes_a_sound_file(tmp_path):
    """Verbs that refuse each file would pass the test above."""
    path = tmp_path / "good.parquet"
    pq.write_table(pa.table({"n": [1, 2], "s": ["a", "b"], "l": [[1], [2]]}), path, compression="zstd")
    for number, (name, verb) in enumerate(VERBS.items()):
        own = tmp_path / str(number)
        own.mkdir()
        try:
            verb(str(path), own)
        except ParquetextError as error:
            assert name == "drop_original_encoding" and "copy" in str(error)


def test_every_command_that_takes_a_file_is_among_the_verbs():
    command = typer.main.get_command(app)
    names = {name for name, one in command.commands.items() if not one.hidden}
    names |= {f"sidecar {name}" for name in command.commands["sidecar"].commands}
    covered = {" ".join(line.split()[:words]) for line in COMMANDS.values() for words in (1, 2)}
    assert names - covered == {"demo"}  # which takes no file
