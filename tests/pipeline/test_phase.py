"""What many requests have done for them in a row."""

import asyncio

import pytest
from structlog.testing import capture_logs

from trivium.pipeline.phase import Phase


@pytest.mark.asyncio
async def test_what_one_turn_brings_is_done_in_order_in_the_next():
    """Once each, however many there are."""
    done = []
    phase = Phase(asyncio.get_running_loop(), done.append)
    for number in range(5):
        phase.add(number)
    assert [] == done
    await asyncio.sleep(0)
    assert [0, 1, 2, 3, 4] == done
    await asyncio.sleep(0)
    assert [0, 1, 2, 3, 4] == done


@pytest.mark.asyncio
async def test_what_is_added_meanwhile_is_done_a_turn_later():
    """A phase that feeds itself leaves the loop its turns."""
    done = []

    def do(number):
        done.append(number)
        if number < 3:
            phase.add(number + 1)

    phase = Phase(asyncio.get_running_loop(), do)
    phase.add(1)
    await asyncio.sleep(0)
    assert [1] == done
    await asyncio.sleep(0)
    assert [1, 2] == done
    await asyncio.sleep(0)
    assert [1, 2, 3] == done


@pytest.mark.asyncio
async def test_one_that_cannot_be_done_keeps_no_other_from_it():
    """And the operator reads of it."""
    done = []

    def do(number):
        if number == 1:
            raise ValueError("not this one")
        done.append(number)

    phase = Phase(asyncio.get_running_loop(), do)
    for number in range(3):
        phase.add(number)
    with capture_logs() as logs:
        await asyncio.sleep(0)
    assert [0, 2] == done
    assert ["phase_failed"] == [line["event"] for line in logs]
