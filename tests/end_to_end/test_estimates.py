"""A vendor that does not count: what is billed is what was delivered, in every pair of shapes."""

import re
from pathlib import Path

import pytest

from end_to_end.estimating import ALL, ENDS, PACKETS, PAIRS, PIECES, case, cells, counted

BILLING = Path(__file__).parents[2] / "docs" / "billing.md"
ROW = re.compile(r"^\| (\w+) \| (\w+) \| ([a-z ]+) \| ([0-9.| ]+) \|$", re.MULTILINE)


def is_fair(ratio):
    return 0.8 <= ratio <= 1.2


@pytest.mark.asyncio
async def test_the_bill_follows_what_was_delivered():
    """However the vendor's bytes are cut and however the answer ends; one packeting a pair."""
    some = [
        (pair, PACKETS[(PAIRS.index(pair) + number) % len(PACKETS)], end)
        for pair in PAIRS
        for number, end in enumerate(ENDS)
    ]
    found = await cells(some)
    assert {} == {name: ratio for name, ratio in found.items() if not is_fair(ratio)}


@pytest.mark.slow
@pytest.mark.asyncio
async def test_the_whole_table():
    """Every pair in every packeting."""
    found = await cells()
    assert {} == {name: ratio for name, ratio in found.items() if not is_fair(ratio)}


def test_the_table_in_the_documents_is_whole_and_fair():
    """`python tests/end_to_end/estimating.py` prints it anew."""
    cells = {
        ((row[1], row[2]), row[3], end): float(ratio)
        for row in ROW.finditer(BILLING.read_text())
        for end, ratio in zip(ENDS, row[4].split("|"), strict=True)
    }
    assert set(ALL) == set(cells)
    assert all(map(is_fair, cells.values()))


@pytest.mark.asyncio
@pytest.mark.parametrize("caller", ["chat", "messages"])
@pytest.mark.parametrize("vendor", ["chat", "generate"])
async def test_a_count_that_comes_right_after_the_caller_left_is_the_bill(caller, vendor):
    """The model had ended its answer; nothing but its count was to come."""
    last = counted(vendor, 777)
    text, usage, end = await case(caller, vendor, PACKETS[0], "finish", last)
    assert "".join(PIECES) == text
    assert (10, 777, False, "caller_left") == (
        usage.fresh, usage.output, usage.estimated, end,
    )  # fmt: skip


@pytest.mark.asyncio
async def test_a_long_answer_is_sampled_and_its_estimate_holds():
    """Half a megabyte of events of unequal length."""
    pieces = [f" {n}" * (n % 7 + 1) for n in range(2500)]
    text, usage, _ = await case("chat", "chat", "all in one", "no count", pieces=pieces)
    assert "".join(pieces) == text
    assert 0.9 <= usage.output / (len(text) / 4) <= 1.1
