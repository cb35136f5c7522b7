"""Draw the comparison of footer forms."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from . import footer_forms
from .cases import Row

__all__ = ["draw"]

WIDTH, HEIGHT = 13, 10  # inches
SALT = "parquetext"  # makes equal figures equal files


def draw(rows: Iterable[Row], path: Path) -> None:
    """Draw bytes and times of each form as bars, a panel for each measurement; the file's ending chooses the format.

    Raises
    ------
    ValueError
        If matplotlib is not installed.
    """
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        raise ValueError("a plot needs matplotlib: pip install matplotlib") from None
    mpl.rcParams |= {"svg.hashsalt": SALT, "svg.fonttype": "none"}
    figure = Figure(figsize=(WIDTH, HEIGHT), layout="constrained")
    panels = {footer_forms.BYTES: "× Thrift footer", **dict.fromkeys(footer_forms.TIMES, "seconds")}
    rows = [row for row in rows if row.case in panels]
    subjects = list(dict.fromkeys(row.subject for row in rows))
    contenders = list(dict.fromkeys(row.contender for row in rows))
    for axes, (case, label) in zip(figure.subplots(len(panels), 1), panels.items(), strict=True):
        _bars(axes, [row for row in rows if row.case == case], subjects, contenders)
        axes.set_title(case, fontsize=10)
        axes.set_ylabel(label)
        axes.set_yscale("log")
    figure.legend(*figure.axes[-1].get_legend_handles_labels(), loc="outside lower center", ncols=5)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def _bars(axes, rows: list[Row], subjects: list[str], contenders: list[str]) -> None:
    """Draw one bar for each form in each group of a shape."""
    width = 0.8 / len(contenders)
    for number, contender in enumerate(contenders):
        values = {
            row.subject: row.ratio if row.unit == "B" else row.value for row in rows if row.contender == contender
        }
        places = [at + number * width - 0.4 for at, subject in enumerate(subjects) if values.get(subject)]
        axes.bar(places, [values[subject] for subject in subjects if values.get(subject)], width, label=contender)
    axes.set_xticks(range(len(subjects)), subjects, fontsize=8)
