"""The command that docs/dogma.md describes."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq

from dogma.__main__ import main


def test_files_are_printed_one_after_the_other(tmp_path, capsys):
    sound, cut, none = (str(tmp_path / name) for name in ("sound.parquet", "cut.parquet", "none.parquet"))
    pq.write_table(pa.table({"number": [1, 2, 3]}), sound)
    (tmp_path / "cut.parquet").write_bytes((tmp_path / "sound.parquet").read_bytes()[:-1])
    assert main([sound]) == 0
    assert main([none, cut, sound]) == 1
    message = capsys.readouterr()
    assert message.err.count("\n") == 1 and none in message.err
    assert message.out.count(f"{cut}: byte ") == 1 and message.out.count(f"{sound}\n") == 2


def test_without_files_the_command_prints_its_usage(capsys):
    assert main([]) == 2
    assert "FILE" in capsys.readouterr().err
