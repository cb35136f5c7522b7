"""Does one change per child and lets strace kill it at its k-th system call of a kind, for every k.

strace counts calls per process, from when it attaches, and knows one k for all of them (LIMIT). A child that is to
die at its k-th call therefore makes LIMIT - k idle calls of that kind first. Whoever ends alive was past its last one.
Run as a program: folder, cases as JSON; prints {case: {call: number of kills}}.
"""

from __future__ import annotations

import ctypes
import io
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

LIMIT = 40
PR_SET_PTRACER = 0x59616D61


def _fails(call, *arguments, **options) -> None:
    try:
        call(*arguments, **options)
    except OSError:
        return
    raise AssertionError(f"{call} did not fail")


def idle_calls(folder: str) -> dict:
    """For each kind of call one that changes nothing; a file of its own for those that need one."""
    scratch, absent = os.open(f"{folder}/scratch", os.O_RDWR | os.O_CREAT), f"{folder}/absent"
    return {
        "openat": lambda: os.close(os.open("/dev/null", os.O_RDONLY)),
        "write": lambda: os.write(scratch, b""),
        "pwrite64": lambda: os.pwrite(scratch, b"", 0),
        "copy_file_range": lambda: os.copy_file_range(scratch, scratch, 0),
        "ftruncate": lambda: os.ftruncate(scratch, 0),
        "renameat": lambda: _fails(os.rename, absent, absent, src_dir_fd=scratch, dst_dir_fd=scratch),
        "unlinkat": lambda: _fails(os.unlink, absent, dir_fd=scratch),
        "fsync": lambda: _fails(os.fsync, 1 << 20),
        "fchmod": lambda: os.fchmod(scratch, 0o600),
        "utimensat": lambda: os.utime(scratch, ns=(0, 0)),
    }


def attach_strace(calls: list[str]) -> subprocess.Popen:
    """Let strace trace this process and its children to come."""
    ctypes.CDLL(None).prctl(PR_SET_PTRACER, ctypes.c_ulong(-1), 0, 0, 0)
    names = ",".join(calls)
    strace = subprocess.Popen(
        [
            "strace",
            "-f",
            "-qqq",
            "-o",
            "/dev/null",
            "-p",
            str(os.getpid()),
            "-e",
            f"trace={names}",
            "-e",
            f"inject={names}:signal=KILL:when={LIMIT}",
        ]
    )
    while "TracerPid:\t0" in Path("/proc/self/status").read_text():
        if strace.poll() is not None:
            raise SystemExit("strace may not trace")
        time.sleep(0.2)
    return strace


def in_child(work) -> int:
    """The exit status of a child that does `work`; negative for the signal that killed it."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def kill_at_every_call(folder: str, name: str, call: str, idle, file: str, change) -> int:
    """Kill `change` at each of its calls of one kind, each time on a new copy of `file`; how many there are."""
    for k in range(1, LIMIT):
        case = f"{folder}/{name}-{call}-{k}"

        def prepare(case=case):
            os.mkdir(case)
            shutil.copyfile(file, f"{case}/x.parquet")
            if os.path.exists(f"{file}.crc"):
                shutil.copyfile(f"{file}.crc", f"{case}/.x.parquet.crc")

        def act(case=case, k=k):
            for _ in range(LIMIT - k):
                idle()
            change(f"{case}/x.parquet")

        if in_child(prepare) != 0:
            raise SystemExit(f"could not prepare {case}")
        status = in_child(act)
        if status not in (0, -9):
            raise SystemExit(f"{case}: status {status}")
        if status == 0:
            return k - 1
    raise SystemExit(f"{name}: {LIMIT} calls of {call} are not enough")


def change_of(case: dict):
    """Return a function that runs a case on a path. A dry run first imports the modules that the children need."""
    from parquetext import edits, write_table

    if case["verb"] == "write":
        import pyarrow as pa

        table = pa.table(case["table"])
        write_table(table, io.BytesIO(), **case["options"])
        return lambda path: write_table(table, path, **case["options"])
    verb = getattr(edits, case["verb"])
    verb(case["file"], **case["options"], dry_run=True)
    return lambda path: verb(path, **case["options"])


def main(folder: str, cases: list[dict]) -> None:
    changes = {case["name"]: change_of(case) for case in cases}
    idle = idle_calls(folder)
    strace = attach_strace(list(idle))
    kills = {
        case["name"]: {
            call: kill_at_every_call(folder, case["name"], call, idle[call], case["file"], changes[case["name"]])
            for call in idle
        }
        for case in cases
    }
    print(json.dumps(kills), flush=True)
    strace.terminate()


if __name__ == "__main__":
    main(sys.argv[1], json.loads(sys.argv[2]))
