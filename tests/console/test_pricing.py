"""What is earned is told of the group that is asked for, within some days."""

import pytest

from console.visiting import console_over
from trivium.clock import FixedClock
from trivium.console.pricing import priced

pytestmark = pytest.mark.asyncio


async def test_a_group_that_there_is_not(sqlite_database):
    console = console_over(sqlite_database, FixedClock())
    with pytest.raises(KeyError):
        await priced(console, "students")
    found = await priced(console, "")
    assert ((), {}, []) == (found.groups, dict(found.earned), found.found("", differing=False))
