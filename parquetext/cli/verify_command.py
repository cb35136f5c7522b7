"""`parquetext verify`: check files, at three depths."""

from __future__ import annotations

from typing import Annotated

import typer

from .arguments import Files, Json, Quiet
from .each_file import look_at_each
from .outcomes import complain, exit_code
from .output import counted, human_bytes, print_json, tell

CHECKED_BY = {"pages": "pages, page indexes, Bloom filters", "deep": "values, statistics"}


def verify(
    paths: Files,
    pages: Annotated[
        bool,
        typer.Option(
            "--pages",
            help="Also page headers, page indexes, Bloom filters' headers, chunk tiling, and the body of each page: "
            "its checksum, or that it decompresses, and its rows and deltas.",
        ),
    ] = False,
    deep: Annotated[
        bool,
        typer.Option(
            "--deep",
            help="Also decode every value by two decoders, compare statistics, page indexes and Bloom filters with "
            "the values, and the footer's forms with each other.",
        ),
    ] = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Check files at three depths. The exit code is 1 if a fault is found.

    Without an option: tails, footers and their checksums alone.
    """
    from ..inspection.integrity import deeper_than
    from ..inspection.integrity import verify as verify_file

    found = 0

    def show(path: object, report) -> None:
        nonlocal found
        found += not report.ok
        if json:
            print_json(report.as_dict())
        elif quiet:
            complain(report.findings, path)
        else:
            checked = [_checked(report)] + [counted(report.pages, "page")] * (pages or deep)
            if report.chunks_elsewhere:
                checked.append(f"{counted(report.chunks_elsewhere, 'column chunk')} in other files, not checked")
            tell(("ok", "green") if report.ok else ("findings", "red"), f"  {path}  ({', '.join(checked)})")
            for line in (*report.findings, *report.omitted):
                tell("    ", line)

    def look(path: object):
        return verify_file(path, pages=pages, deep=deep)

    files, unreadable = look_at_each(paths, "verified", look, show, json=json, progress="verifying")
    if files and not json:
        not_run = () if quiet else deeper_than("deep" if deep else "pages" if pages else "tail")
        if not_run:
            tell(f"not run: {', '.join(f'--{tier} ({CHECKED_BY[tier]})' for tier in not_run)}")
        fine = files - found - unreadable
        tell(f"{counted(files, 'file')}: {fine:,} fine, {found:,} with findings, {unreadable:,} unreadable")
    raise typer.Exit(exit_code(files, unreadable, found + unreadable))


def _checked(report) -> str:
    """Return the footers that were read, and how much of each is covered by checksums."""
    if not report.forms:
        return "no readable footer"
    covered = f"{human_bytes(report.checked_bytes)} under checksums" if report.checked_bytes else "no checksums"
    return f"{' + '.join(report.forms)} footer, {covered}"
