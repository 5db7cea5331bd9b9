"""Cache marks: which of them are sent, and for how long."""

import pytest

from trivium.conversation.honesty import Report
from trivium.conversation.items import Role, Turn
from trivium.conversation.parts import CacheMark, Text
from trivium.wire.messages.marks import Marks


def marks(wires, count, most=4):
    """Marks of a request that has so many, and the report."""
    report = Report("this model")
    parts = tuple(Text("x", cache=CacheMark()) for _ in range(count))
    return Marks(wires.request(turns=(Turn(Role.USER, parts),)), most, report), report


@pytest.mark.parametrize(
    ("wish", "life", "told"),
    [
        (None, None, False),
        ("5m", "5m", False),
        ("1h", "1h", False),
        ("30m", "1h", False),
        ("12h", "1h", True),
        ("9d", None, True),
    ],
)
def test_lives_are_the_nearest_there_are(wires, wish, life, told):
    """One that is not close enough is reported."""
    found, report = marks(wires, 1)
    row = found.of(CacheMark(wish))["cache_control"]
    assert ("ephemeral", life) == (row["type"], row.get("ttl"))
    assert told is bool(report.drops)


@pytest.mark.parametrize(("count", "most", "sent"), [(3, 4, 3), (6, 4, 4), (2, 0, 0)])
def test_of_too_many_the_last_ones_stay(wires, count, most, sent):
    """They cover the most; none is there that nobody asked for."""
    found, report = marks(wires, count, most)
    rows = [bool(found.of(CacheMark())) for _ in range(count)]
    assert [False] * (count - sent) + [True] * sent == rows
    assert {} == found.of(None)
    assert bool(report.drops) is (sent < count)
