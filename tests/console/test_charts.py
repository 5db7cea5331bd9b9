"""Charts: round axes, bars that stand on each other, lines that break off."""

import pytest

from trivium.console import charts


def number(value):
    return f"{value:g}"


@pytest.mark.parametrize(
    ("most", "top"),
    [(0, 4), (-1, 4), (0.003, 0.004), (1, 1), (3, 4), (7, 8), (11, 20), (100, 100), (999, 1000)],
)
def test_an_axis_ends_with_a_round_number(most, top):
    """Which is not below the greatest value."""
    assert pytest.approx(top) == charts.ceiling(most)


def test_parts_stand_on_each_other():
    """And whatever is there at all is seen."""
    made = charts.bars([(3, 1), (0, 0), (0.001, 0)], ["a", "b", "c"], ["A", "B", "C"], number)
    good, bad, least = made.bars
    assert good.y + good.height == charts.BOTTOM
    assert pytest.approx(good.y) == bad.y + bad.height
    assert charts.TOP == bad.y
    assert (0, 1, 0) == (good.series, bad.series, least.series)
    assert 1 <= least.height
    assert ["0", "2", "4"] == [rule.text for rule in made.rules]
    assert ["A", "B", "C"] == [step.text for step in made.steps]


def test_a_line_breaks_off_where_there_is_nothing():
    """A value without neighbours is a dot."""
    made = charts.lines([[1, 2, None, 4, None]], list("abcde"), list("ABCDE"), number)
    [(series, points)] = made.lines
    assert (0, 2) == (series, len(points.split()))
    assert 1 == len(made.dots)
    assert charts.TOP == made.dots[0].y


@pytest.mark.parametrize(("count", "labels"), [(0, 0), (1, 1), (2, 2), (3, 3), (24, 4), (400, 4)])
def test_few_words_stand_under_a_chart(count, labels):
    """Inside of it, and the first and the last among them."""
    names = [str(n) for n in range(count)]
    made = charts.bars([(1,)] * count, names, names, number).labels
    assert labels == len(made)
    if count > 1:
        assert ("start", "end") == (made[0].anchor, made[-1].anchor)
        assert ("0", str(count - 1)) == (made[0].text, made[-1].text)
        assert all(charts.LEFT <= label.x <= charts.RIGHT for label in made)
