"""Compare Spark's scan with and without our footers: one session, one switch that differs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

from .cases import OURS, STRIDE, Row, rows_of
from .footers_in_tasks import footer_readers
from .shapes import Shape
from .timing import Contender, Timing, compare
from .workspace import Workspace

__all__ = ["SWITCH", "drain", "measure"]

SWITCH = "spark.parquetext.scan.enabled"
STOCK = "Spark as it is"
WIDE, NARROW = Shape(10_000, 10), Shape(50, 10, rows_per_group=10_000)
FILES, NARROW_FILES = 20, 10
WARM_UP = 3  # rounds: the JVM compiles what it has interpreted so far
MANY = 100  # columns
TYPES, FIRST_DOUBLE = 7, 2  # the columns' types take turns
FOOTERS = 10  # footers for each round of queries: they are short
NARROW_ROUNDS = 16  # for each of the others: the difference is smaller than the variation of single rounds
QUERY_TARGETS = {"flat": 8.0, "index": 5.0}
FOOTER_TARGET, MANY_TARGET, NARROW_TARGET, INFERENCE_TARGET = 50.0, 4.0, 1 / 1.02, 2.0


def measure(
    workspace: Workspace,
    spark,
    rounds: int,
    wide: Shape = WIDE,
    narrow: Shape = NARROW,
    files: int = FILES,
    warm_up: int = WARM_UP,
    narrow_rounds: int = NARROW_ROUNDS,
) -> Iterator[list[Row]]:
    """Measure queries, tasks and schema inference with the switch on and off."""

    def compared(case: str, subject: str, target: float, run: Callable[[int], object], longer: int = 1):
        workspace.progress(case)
        contenders = [Contender(OURS, _switched(spark, True, run)), Contender(STOCK, _switched(spark, False, run))]
        timings = compare(contenders, longer * rounds, warm_up=longer * warm_up, alternating=longer > 1)
        over = Timing.over_by_rounds if longer > 1 else Timing.over
        return list(rows_of(case, subject, timings, {STOCK: target}, over=over))

    subject = workspace.of_shape(wide)
    doubles = subject.top_level_names[FIRST_DOUBLE::TYPES]
    named = f"{files} files of {wide.name}"
    lakes = {form: _lake(workspace, getattr(subject, form), files) for form in QUERY_TARGETS}
    for form, lake in lakes.items():
        spark.read.parquet(str(lake)).createOrReplaceTempView(form)
        yield compared(
            f"SQL, one column, {form}",
            named,
            QUERY_TARGETS[form],
            lambda call, form=form: _sum(spark, form, [_far(doubles, call)]),
        )
    lake = str(lakes["flat"])
    yield compared(
        "spark.read.parquet, one column, flat",
        named,
        QUERY_TARGETS["flat"],
        lambda call: drain(spark.read.parquet(lake).select(_far(doubles, call))),
    )
    step = len(doubles) // MANY or 1
    yield compared(
        f"SQL, {MANY} columns, flat",
        named,
        MANY_TARGET,
        lambda call: _sum(spark, "flat", doubles[call % step :: step][:MANY]),
    )
    workspace.progress("footers in tasks")
    yield _footers(spark, wide.name, subject.flat, doubles, rounds, warm_up)
    few = workspace.of_shape(narrow)
    spark.read.parquet(str(_lake(workspace, few.flat, NARROW_FILES))).createOrReplaceTempView("narrow")
    yield compared(
        "SQL, narrow files",
        f"{NARROW_FILES} files of {narrow.name}",
        NARROW_TARGET,
        lambda call: _count(spark, "narrow", few.top_level_names[call % TYPES :: TYPES]),
        narrow_rounds,
    )
    yield compared(
        "schema inference", f"1 file of {wide.name}", INFERENCE_TARGET, lambda _: spark.read.parquet(subject.flat)
    )


def _switched(spark, on: bool, run: Callable[[int], object]) -> Callable[[int], None]:
    def call(number: int) -> None:
        spark.conf.set(SWITCH, str(on).lower())
        run(number)

    return call


def _far(names: list[str], call: int) -> str:
    """Return another column each time, far from the last one."""
    return names[call * STRIDE % len(names)]


def _sum(spark, view: str, names: list[str]) -> None:
    spark.sql(f"SELECT {', '.join(f'sum(`{name}`)' for name in names)} FROM {view}").collect()


def drain(frame) -> None:
    frame.write.format("noop").mode("overwrite").save()


def _footers(spark, subject: str, path: str, names: list[str], rounds: int, warm_up: int) -> list[Row]:
    """Measure the CPU time of the thread that opens a file and reads its footer, as a task does."""
    ours, theirs = footer_readers(spark, path)
    seconds: dict[str, list[float]] = {OURS: [], STOCK: []}
    for number in range(FOOTERS * (warm_up + rounds)):
        for contender, read in ((OURS, ours), (STOCK, theirs)):
            taken = read(_far(names, number))
            if number >= FOOTERS * warm_up:
                seconds[contender].append(taken)
    timings = {name: Timing(min(taken), median(taken), len(taken)) for name, taken in seconds.items()}
    return list(rows_of("footer in a task, CPU", subject, timings, {STOCK: FOOTER_TARGET}))


def _count(spark, view: str, names: list[str]) -> None:
    spark.sql(f"SELECT {', '.join(f'count(`{name}`)' for name in names)} FROM {view}").collect()


def _lake(workspace: Workspace, path: str, files: int) -> Path:
    """Make a lake of one file under many names, each of which is opened separately."""
    lake = workspace.folder / f"{Path(path).stem}-{files}"
    shutil.rmtree(lake, ignore_errors=True)
    lake.mkdir()
    for number in range(files):
        os.link(path, lake / f"{number:03}.parquet")
    return lake
