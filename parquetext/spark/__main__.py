"""`python -m parquetext.spark JOB PATH…`: jobs from a shell; spark-submit runs it too."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Annotated, TypeVar

try:
    import typer
    from pyarrow import ArrowException
except ModuleNotFoundError as error:  # --py-files brings this package without those that it requires
    print(f"parquetext: {error}: pip install pyarrow 'pandas<3' rich typer, for this Python", file=sys.stderr)
    raise SystemExit(2) from None

from ..catalog import names_of
from ..edits import ONLY_PARQUETEXT, paired
from ..errors import ParquetextError, Unsupported, kind_of
from ..escaping import escaped, json_line
from ..footer.forms import THRIFT, Form, check_writable
from .actions import ACTIONS, FAILED
from .filesystems import normal
from .java import JavaNotFound
from .versions import check_version

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FINDINGS, CANNOT_RUN, INTERRUPTED = 1, 2, 130
REFUSED = "refused"
CATALOG = "build_catalog"
FAILURES_TOLD = 20
LOOK_SECONDS = 0.2  # until an interrupt is noticed, and jobs that have begun since are cancelled, too

T = TypeVar("T")

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def job(
    name: Annotated[str, typer.Argument(metavar="JOB", help=f"{', '.join(ACTIONS)}.", show_default=False)],
    paths: Annotated[list[str], typer.Argument(help="Directories, files, globs, URLs.", show_default=False)],
    form: Annotated[
        Form | None, typer.Option(help="upgrade: the footer to add (default: auto). restore: thrift.")
    ] = None,
    placement: Annotated[str | None, typer.Option(help="upgrade: aside (default), in-struct, after-stop.")] = None,
    stats: Annotated[str | None, typer.Option(help="upgrade: full, or compact.")] = None,
    column: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="encode: a column to encode. May be repeated.")
    ] = None,
    encoding: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="encode: one for all columns, or one for each, in their order."),
    ] = None,
    bloom: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="add_page_index: a column with filters. May be repeated.")
    ] = None,
    max_growth: Annotated[
        str | None, typer.Option(metavar="SHARE", help="encode, best: what copies may add to a file; 20% without.")
    ] = None,
    codec: Annotated[str | None, typer.Option(help="encode: what compresses the copies: none (default), zstd…")] = None,
    pages: Annotated[bool, typer.Option("--pages", help="verify: walk every page too.")] = False,
    deep: Annotated[bool, typer.Option("--deep", help="verify: decode every value too.")] = False,
    yes: Annotated[
        bool,
        typer.Option(
            "--yes", help="finalize: no other reader has to read the files, for only parquetext reads them then."
        ),
    ] = False,
    in_place: Annotated[bool, typer.Option("--in-place", help="Change only the tail, under a journal.")] = False,
    keep_mtime: Annotated[bool, typer.Option("--keep-mtime", help="Leave the modification time as it was.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and change nothing.")] = False,
    ignore: Annotated[list[str] | None, typer.Option(metavar="WHAT", help="A check to ignore.")] = None,
    state: Annotated[str | None, typer.Option(help="A folder that records what is done, for reruns.")] = None,
    save: Annotated[str | None, typer.Option(help="Write the rows there, as Parquet, over what is there.")] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Go on with what arrives, until it is stopped.")] = False,
    checkpoint: Annotated[str | None, typer.Option(help="--watch: where to remember what has arrived.")] = None,
    conf: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="A setting of Spark.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document per file.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
) -> None:
    """Run JOB on Spark for every Parquet file below PATHS.

    Exit code 1: files failed, or files named one by one were refused; 2: the job could not run, or there are no files;
    130: interrupted.
    """
    given = {
        "form": form,
        "placement": placement,
        "stats": stats,
        "columns": column,
        "bloom": bloom,
        "codec": codec,
        "max_growth": max_growth,
        "pages": pages,
        "deep": deep,
        "confirm": yes,
        "in_place": in_place,
        "keep_mtime": keep_mtime,
        "dry_run": dry_run,
        "ignore": ignore,
    }
    options: dict[str, object] = {option: value for option, value in given.items() if value}
    try:
        if name == "encode":
            options["columns"] = paired(column or (), encoding or ())
        _check(name, options, paths, state, save, watch, checkpoint, as_json)
        spark = _session(conf or ())
        if watch:
            _interruptibly(spark, lambda: _watch(spark, name, paths, checkpoint, options))
        else:
            raise typer.Exit(
                _interruptibly(spark, lambda: _run(spark, name, paths, options, state, save, as_json, quiet))
            )
    except (ParquetextError, JavaNotFound, OSError, TypeError, NotImplementedError, ArrowException) as error:
        print(escaped(f"{kind_of(error)}: {error}"), file=sys.stderr)
        raise typer.Exit(CANNOT_RUN) from None
    except KeyboardInterrupt:
        print(f"{name}: interrupted; every file is whole, and run again the job does the rest", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None


def _check(
    name: str,
    options: dict,
    paths: list[str],
    state: str | None,
    save: str | None,
    watch: bool,
    checkpoint: str | None,
    as_json: bool,
) -> None:
    """Raise an error for wrong arguments, before a session is started."""
    if name not in ACTIONS:
        raise ParquetextError(f"no such job: {name!r} (known: {', '.join(ACTIONS)})")
    if form := options.get("form"):
        check_writable(form, THRIFT.name)
    if name == "finalize" and not (options.get("confirm") or options.get("dry_run")):
        raise ParquetextError(f"{ONLY_PARQUETEXT}; give --yes to go on")
    if watch and len(paths) > 1:
        raise ParquetextError("only one path can be watched")
    if watch and (state or save or as_json):
        raise ParquetextError("--watch has its record and its rows in --checkpoint: no --state, --save or --json")
    if checkpoint and not watch:
        raise ParquetextError("--checkpoint is for --watch")
    if name == CATALOG and not (save or state or watch):
        raise ParquetextError("a catalog needs --save PATH, or --state PATH")
    for path in paths if save else ():
        if f"{normal(path)}/".startswith(f"{normal(save)}/"):
            raise ParquetextError(f"--save {save} would replace {path}")


def _session(conf: Sequence[str]) -> SparkSession:
    try:
        check_version()
    except ImportError as error:
        raise Unsupported(str(error)) from None
    from .starting import session

    settings = [each.partition("=") for each in conf]
    if wrong := next((name for name, equals, _ in settings if not equals), None):
        raise ParquetextError(f"--conf {wrong}: NAME=VALUE expected")
    return session(**{name: value for name, _, value in settings})


def _interruptibly(spark: SparkSession, action: Callable[[], T]) -> T:
    """Return the result of `action`, called in a thread: Ctrl-C during a call to Java breaks py4j's connection."""
    with ThreadPoolExecutor(1) as pool:
        try:
            doing = pool.submit(action)
            while not doing.done():
                wait(
                    [doing], LOOK_SECONDS
                )  # with a timeout: without one, no signal ends it if another library handles signals
            return doing.result()
        except KeyboardInterrupt:
            behind = pool.submit(lambda: None)  # done when the action is, which may have begun without a future for it
            while not behind.done():
                spark.sparkContext.cancelAllJobs()
                for query in spark.streams.active:
                    query.stop()
                wait([behind], LOOK_SECONDS)
            raise


def _run(
    spark, name: str, paths: list[str], options: dict, state: str | None, save: str | None, as_json: bool, quiet: bool
) -> int:
    from . import jobs
    from .writing import write

    rows = getattr(jobs, name)(spark, paths, state=state, progress=not quiet, **options)
    results = rows.files if name == CATALOG else rows
    if results.isEmpty():
        raise ParquetextError(f"no Parquet files in {', '.join(paths)}")
    if save:
        write(rows.sort(*jobs.CATALOG_ORDER) if name == CATALOG else rows, save, "overwrite")
    if as_json:
        for row in results.toLocalIterator():
            print(json_line(row.asDict()))
    # A refused file that a caller has named itself is one that was wanted changed.
    named = list(names_of(sorted(set(map(normal, paths)))))
    is_refused, is_named = results.outcome == REFUSED, results.path.isin(named)
    failed = results.filter(results.outcome.isin(*FAILED) | (is_refused & is_named)).limit(FAILURES_TOLD).collect()
    for row in failed:
        print(escaped(f"{row.path}: {row.message}"), file=sys.stderr)
    for row in results.filter(is_refused & ~is_named).groupBy("message").count().limit(FAILURES_TOLD).collect():
        print(escaped(f"{REFUSED}: {row['count']:,} files: {row.message}"), file=sys.stderr)
    return FINDINGS if failed else 0


def _watch(spark, name: str, paths: list[str], checkpoint: str | None, options: dict) -> None:
    from .watching import watch

    watch(spark, paths[0], name, checkpoint=checkpoint, **options).awaitTermination()


def main() -> None:
    app(prog_name="python -m parquetext.spark")


if __name__ == "__main__":
    main()
