"""The command line: `parquetext COMMAND …`."""

from __future__ import annotations

import codecs
import errno
import gc
import io
import os
import sys

from .interrupts import STOPPED, report_stopped, watch

__all__ = ["main"]

FEW_COLLECTIONS = 10_000  # objects; imports alone make hundreds of thousands, none of which is garbage
REQUIRED = {"pyarrow": "pyarrow", "rich": "rich", "typer": "typer", "zlib_ng": "zlib-ng"}  # the packages of modules
INCOMPLETE = 2  # the exit code of commands that cannot run
UNREAD = 141  # the exit code that shells report for a command that SIGPIPE has ended


class OutputLost(BrokenPipeError):
    """Standard output cannot be written, although it is not a closed pipe; commands end as for one."""


def main() -> None:
    """Run the command line; its packages are imported only here."""
    try:
        watch()
        _open_closed_streams()
        _escape_missing_characters()
        _tell_output_from_files()
        gc.set_threshold(FEW_COLLECTIONS)
        from .app import build

        build(next((word for word in sys.argv[1:] if not word.startswith("-")), None))()
    except KeyboardInterrupt:  # while packages are imported: a running command reports its progress
        report_stopped()
        raise SystemExit(STOPPED) from None
    except ImportError as error:
        remedy = f": pip install {' '.join(REQUIRED.values())}" if error.name in REQUIRED else ""
        print(f"parquetext: {error}{remedy}", file=sys.stderr)
        raise SystemExit(INCOMPLETE) from None
    except OSError as error:
        if error.filename is None:
            raise
        print(f"parquetext: {error.filename}: {error.strerror}", file=sys.stderr)  # such as of --install-completion
        raise SystemExit(INCOMPLETE) from None
    except SystemExit as ended:
        if ended.code == STOPPED:
            report_stopped()
        # Typer and rich end a command with 1 where nobody reads its output: the code of findings and failures.
        if isinstance(ended.__context__, BrokenPipeError):
            _end_unread(ended.__context__)
        _flush()
        raise


def _open_closed_streams() -> None:
    """Replace standard streams that the caller has closed (`>&-`): Python sets them to None."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115


def _escape_missing_characters() -> None:
    r"""Write characters that the encoding of standard output lacks as JSON does (`\u00e9`), instead of failing."""
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        codecs.register_error("parquetext", _as_in_json)
        sys.stdout.reconfigure(errors="parquetext")


def _as_in_json(error: UnicodeError) -> tuple[str, int]:
    import json

    if not isinstance(error, UnicodeEncodeError):
        raise error
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


def _tell_output_from_files() -> None:
    """Let errors of standard output, such as a full disk, be `OutputLost`: they are not errors of a Parquet file."""
    buffer = getattr(sys.stdout, "buffer", None)
    file = getattr(buffer, "raw", buffer)  # without a buffer, if PYTHONUNBUFFERED is set
    if file is None:
        return
    write = file.write

    def written(data: bytes) -> int | None:
        try:
            return write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputLost(errno.EPIPE, error.strerror) from None

    file.write = written


def _flush() -> None:
    """Flush the buffer into a closed pipe here; at the interpreter's end, Python would print an error."""
    try:
        sys.stdout.flush()
    except BrokenPipeError as error:
        _end_unread(error)


def _end_unread(error: BrokenPipeError) -> None:
    """Exit silently if the reader of a pipe has ended, as `cat` and `grep` do; otherwise print the error."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())  # Python flushes once more at its end
    if isinstance(error, OutputLost):
        print(f"parquetext: standard output: {error.strerror}", file=sys.stderr)
    raise SystemExit(INCOMPLETE if isinstance(error, OutputLost) else UNREAD) from None
