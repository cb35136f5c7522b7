"""`python -m dogma FILE …`: match files with docs/parquet.dogma, and print the kind of each byte."""

from __future__ import annotations

import sys
from pathlib import Path

from .document import Mismatch
from .parquet import parquet


def main(paths: list[str]) -> int:
    if not paths:
        print("python -m dogma FILE …", file=sys.stderr)
        return 2
    failed = False
    for path in paths:
        try:
            claims = parquet().claims(Path(path).read_bytes())
        except OSError as error:
            failed = True
            print(error, file=sys.stderr)
            continue
        except Mismatch as error:
            failed = True
            print(f"{path}: {error}")
            continue
        print(path)
        for begin, end, (kind, *position) in claims:
            names = zip(("row group", "column", "page"), position, strict=True)
            print(f"{begin:12} {end - begin:10}  {kind:20}", *(f"{name} {at}" for name, at in names if at >= 0))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
