"""What many requests have done for them in a row."""

import asyncio

import pytest

from trivium.pipeline.phase import Phase


class Doing(Phase):
    """Gives all that wait to a function."""

    __slots__ = ("do",)

    def __init__(self, loop, do):
        super().__init__(loop)
        self.do = do

    def run(self):
        waiting, self._waiting = self._waiting, []
        self.do(waiting)


@pytest.mark.asyncio
async def test_what_one_turn_brings_is_done_together_in_the_next():
    """In order, once, however many there are."""
    done = []
    phase = Doing(asyncio.get_running_loop(), done.append)
    for number in range(5):
        phase.add(number)
    assert [] == done
    await asyncio.sleep(0)
    assert [[0, 1, 2, 3, 4]] == done
    await asyncio.sleep(0)
    assert [[0, 1, 2, 3, 4]] == done


@pytest.mark.asyncio
async def test_what_is_added_meanwhile_is_done_a_turn_later():
    """A phase that feeds itself leaves the loop its turns."""
    done = []

    def do(numbers):
        done.extend(numbers)
        for number in numbers:
            if number < 3:
                phase.add(number + 1)

    phase = Doing(asyncio.get_running_loop(), do)
    phase.add(1)
    for expected in ([1], [1, 2], [1, 2, 3], [1, 2, 3]):
        await asyncio.sleep(0)
        assert expected == done
