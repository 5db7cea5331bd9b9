"""Pages without workers behind them ask nobody."""

import pytest

from trivium.console.gateway import ALONE, ChannelTestError, InFlight


@pytest.mark.asyncio
async def test_alone_nothing_runs_and_nothing_can_be_tested():
    """There are no channels, and a test says so."""
    assert InFlight(requests=0, workers=1) == ALONE.in_flight()
    assert ((), ()) == (tuple(ALONE.channels()), tuple(ALONE.identities()))
    with pytest.raises(ChannelTestError, match="there is no channel main"):
        await ALONE.tried("main", None)
