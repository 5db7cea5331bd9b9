"""FLAC: the first block says how many samples there are. Source: RFC 9639, section 8.2."""

from trivium.wire.audio.length.window import Asking, Window


def seconds(window: Window) -> Asking[float | None]:
    """``None`` where the encoder did not know: it streamed."""
    head = yield from window.at(0, 42)
    if len(head) < 42 or head[4] & 127 != 0:
        return None
    rate = int.from_bytes(head[18:21], "big") >> 4
    samples = int.from_bytes(head[21:26], "big") & (1 << 36) - 1
    return samples / rate if rate and samples else None
