"""Tests of channels that administrators ask for, bounded: each costs a dozen tokens a key."""

from typing import Final

import structlog

from trivium.console.context import Console
from trivium.console.gateway import ChannelTestError, ChannelTrial

TEST_EVERY_S: Final = 10.0
"""Between two tests of one channel by one worker."""
AT_ONCE: Final = 4
"""Tests that run in one worker: a vendor that does not answer may take minutes."""

_tested_at: Final[dict[str, float]] = {}
"""When this worker tested a channel last; only of channels that there are."""
_running: Final[set[str]] = set()

log = structlog.get_logger()


class ChannelTestEarly(Exception):  # noqa: N818 - it is no error of anybody's
    """It was tested a moment ago, or too many are being tested; ``wait_s``: until when."""

    def __init__(self, message: str, wait_s: int) -> None:
        super().__init__(message)
        self.wait_s = wait_s


async def try_channel(
    console: Console, name: str, by: str, model: str | None = None
) -> tuple[ChannelTrial, ...]:
    """What came of one short request with each key of a channel. ``model``: by its public name;
    ``None``: the first that will do. ``by``: who asks, for the log.

    Raises ChannelTestError where it cannot be asked, and ChannelTestEarly.
    """
    names = {channel.name for channel in console.gateway.channels()}
    if name not in names:
        raise ChannelTestError(f"there is no channel {name} that is switched on")
    now = console.clock.monotonic()
    left = TEST_EVERY_S - (now - _tested_at.get(name, float("-inf")))
    if name in _running or left > 0:
        raise ChannelTestEarly(f"channel {name} was tested a moment ago", max(1, round(left)))
    if len(_running) >= AT_ONCE:
        raise ChannelTestEarly(f"{AT_ONCE} channels are being tested already", int(TEST_EVERY_S))
    for gone in _tested_at.keys() - names:
        del _tested_at[gone]
    _tested_at[name] = now
    _running.add(name)
    log.info("channel_tested", channel=name, by=by)
    try:
        return await console.gateway.tried(name, model)
    finally:
        _running.discard(name)
