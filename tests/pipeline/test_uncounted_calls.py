"""A call in a translated stream is paid for, whether or not the vendor said what it came to."""

import msgspec
import pytest

from gateway import Gateway
from pipeline.test_translation import ASKED, OTHERS, PROVIDER, SSE, speaks, streamed
from scripted_upstream import Double, Send, chunked
from trivium.wire import sse


def uncounted(wire):
    """The stream without a word of what it came to."""

    def bare(value):
        if isinstance(value, dict):
            counts = ("usage", "usageMetadata")
            return {name: bare(one) for name, one in value.items() if name not in counts}
        return [bare(one) for one in value] if isinstance(value, list) else value

    out = []
    for found in sse.frames(wire):
        data = found.data
        if data != b"[DONE]":
            data = msgspec.json.encode(bare(msgspec.json.decode(data)))
        out.append(sse.frame(data, found.event))
    return b"".join(out)


@pytest.mark.asyncio
@pytest.mark.parametrize("broken", [False, True])
@pytest.mark.parametrize("packets", [1, 2])
@pytest.mark.parametrize(("caller", "upstream"), OTHERS)
async def test_a_call_that_no_vendor_counted_is_billed(caller, upstream, packets, broken):
    """However a shape says it: piece by piece, at its end, or with the end of the answer."""
    wire = uncounted(streamed(upstream)).replace(b"Rome", b"R" * 8000)
    if broken:
        wire = wire.replace(b'\\"}', b'\\"')
    cut = len(wire) if packets == 1 else wire.index(b"RRR")
    script = [Send(chunked(wire, headers=SSE), cut=cut)]
    async with Double([script]) as vendor, Gateway.to((PROVIDER[upstream], vendor)) as gateway:
        speaks(gateway, upstream)
        path, body = ASKED[caller](True)
        status, _, got = await gateway.post(path, body)
        assert (200, True) == (status, b"R" * 8000 in got)
        (record,) = gateway.records
        assert record.usage.estimated
        assert 1600 < record.usage.output < 2600
