"""Charts as shapes in a grid of ``WIDTH`` by ``HEIGHT``, which a template draws. Pure.

The grid is narrow, so that on a telephone letters are not much smaller than on a screen, where two
charts stand side by side.
"""

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

WIDTH: Final = 460
HEIGHT: Final = 200
LEFT: Final = 52
"""Where the plot begins: beside it are the numbers of the axis."""
RIGHT: Final = 452
TOP: Final = 12
BOTTOM: Final = 172
LABELS_MAX: Final = 4
_LEAST: Final = 1.5
"""What is there at all is seen."""


class ChartRule(msgspec.Struct, frozen=True):
    """A line across with its number."""

    y: float
    text: str


class ChartLabel(msgspec.Struct, frozen=True):
    """A word under the plot."""

    x: float
    text: str
    anchor: str


class ChartBar(msgspec.Struct, frozen=True):
    """A part of a bar; ``series``: its place among what is stacked, from 0."""

    x: float
    y: float
    width: float
    height: float
    series: int


class ChartStep(msgspec.Struct, frozen=True):
    """The whole height of one step, which says what it holds to whoever points at it."""

    x: float
    width: float
    text: str


class ChartDot(msgspec.Struct, frozen=True):
    """A value of a line that has no neighbour to be joined to."""

    x: float
    y: float
    series: int


class Chart(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is drawn."""

    rules: tuple[ChartRule, ...]
    labels: tuple[ChartLabel, ...]
    steps: tuple[ChartStep, ...]
    bars: tuple[ChartBar, ...] = ()
    lines: tuple[tuple[int, str], ...] = ()
    """Of each series its pieces, as points of a polyline."""
    dots: tuple[ChartDot, ...] = ()


def bars(
    values: Sequence[Sequence[float]],
    names: Sequence[str],
    hints: Sequence[str],
    shown: Callable[[float], str],
) -> Chart:
    """A bar a step, of parts that stand on each other. ``names``: of the steps, under the plot;
    ``hints``: what each holds, in words; ``shown``: a number of the axis.
    """
    top = ceiling(max((sum(parts) for parts in values), default=0))
    width = (RIGHT - LEFT) / max(1, len(values))
    gap = min(6.0, width * 0.25)
    found = []
    for number, parts in enumerate(values):
        y = float(BOTTOM)
        for series, value in enumerate(parts):
            if value > 0:
                height = max(_LEAST, _height(value, top))
                y -= height
                x = LEFT + number * width + gap / 2
                found.append(
                    ChartBar(
                        round(x, 1), round(y, 1), round(width - gap, 1), round(height, 1), series
                    )
                )
    return Chart(
        rules=_rules(top, shown), labels=_labels(names), steps=_steps(hints), bars=tuple(found)
    )


def lines(
    series: Sequence[Sequence[float | None]],
    names: Sequence[str],
    hints: Sequence[str],
    shown: Callable[[float], str],
) -> Chart:
    """A line a series, which breaks off where there is no value."""
    known = [value for values in series for value in values if value is not None]
    top = ceiling(max(known, default=0))
    width = (RIGHT - LEFT) / max(1, len(names))
    found: list[tuple[int, str]] = []
    dots: list[ChartDot] = []
    for number, values in enumerate(series):
        piece: list[tuple[float, float]] = []
        for at, value in enumerate((*values, None)):
            if value is not None:
                x = LEFT + (at + 0.5) * width
                piece.append((round(x, 1), round(BOTTOM - _height(value, top), 1)))
                continue
            if len(piece) == 1:
                dots.append(ChartDot(*piece[0], number))
            elif piece:
                found.append((number, " ".join(f"{x},{y}" for x, y in piece)))
            piece = []
    return Chart(
        rules=_rules(top, shown),
        labels=_labels(names),
        steps=_steps(hints),
        lines=tuple(found),
        dots=tuple(dots),
    )


def ceiling(most: float) -> float:
    """The round number that an axis ends with, so that four rules have round numbers as well."""
    if most <= 0:
        return 4.0
    power = 1.0
    while power * 10 <= most:
        power *= 10
    while power > most:
        power /= 10
    return next(power * each for each in (1, 2, 4, 6, 8, 10) if power * each >= most * 0.999_999)


def _height(value: float, top: float) -> float:
    return (BOTTOM - TOP) * value / top


def _rules(top: float, shown: Callable[[float], str]) -> tuple[ChartRule, ...]:
    return tuple(
        ChartRule(round(BOTTOM - (BOTTOM - TOP) * part / 2, 1), shown(top * part / 2))
        for part in range(3)
    )


def _labels(names: Sequence[str]) -> tuple[ChartLabel, ...]:
    count = len(names)
    if not count:
        return ()
    width = (RIGHT - LEFT) / count
    places = min(LABELS_MAX, count)
    found = []
    for number in range(places):
        at = round(number * (count - 1) / max(1, places - 1))
        anchor = "start" if at == 0 and count > 1 else "end" if at == count - 1 and at else "middle"
        x = {"start": LEFT, "end": RIGHT}.get(anchor, LEFT + (at + 0.5) * width)
        found.append(ChartLabel(round(float(x), 1), names[at], anchor))
    return tuple(found)


def _steps(hints: Sequence[str]) -> tuple[ChartStep, ...]:
    width = (RIGHT - LEFT) / max(1, len(hints))
    return tuple(
        ChartStep(round(LEFT + number * width, 1), round(width, 1), hint)
        for number, hint in enumerate(hints)
    )
