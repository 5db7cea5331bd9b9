"""Recordings of known length in every container, made of nothing but their headers."""

import struct

from trivium.wire.audio.length.wav import header


def driven(asking, data):
    """Run a measure over bytes that are all there."""
    try:
        start, size = next(asking)
        while True:
            start, size = asking.send(data[start : start + size])
    except StopIteration as done:
        return done.value


def wav(seconds, *, said=None):
    data = bytes(int(48_000 * seconds))
    whole = header(len(data), 24_000) + data
    return whole if said is None else whole[:40] + struct.pack("<I", said) + whole[44:]


def mp3(frames, *, head=b"\xff\xfb\x90\x00", size=417, first=b""):
    """MPEG-1 layer III at 128 kbit/s and 44.1 kHz: 417 bytes and 1152 samples a frame."""
    frame = head + bytes(size - 4)
    start = (head + first).ljust(size, b"\0") if first else b""
    return start + frame * frames


def tagged(data, size=100, footer=False):
    sizes = bytes([size >> 21 & 127, size >> 14 & 127, size >> 7 & 127, size & 127])
    flags = b"\x10" if footer else b"\x00"
    return b"ID3\x04\x00" + flags + sizes + bytes(size) + (bytes(10) if footer else b"") + data


def adts(frames):
    """AAC at 24 kHz: 1024 samples a frame, 100 bytes each."""
    head = bytes([0xFF, 0xF1, 6 << 2, 0x40 | 0, 100 >> 3, (100 & 7) << 5, 0])
    return (head + bytes(93)) * frames


def page(packet, granule, serial=7):
    head = struct.pack("<4sBBqIIIB", b"OggS", 0, 0, granule, serial, 0, 0, 1)
    return head + bytes([len(packet)]) + packet


def opus(samples):
    head = b"OpusHead\x01\x01" + struct.pack("<H", 312) + bytes(7)
    return (
        page(head, 0)
        + page(b"x" * 50, 960)
        + page(b"other", 9_999_999, 8)
        + page(b"y" * 60, samples + 312)
    )


def vorbis(samples, rate):
    return page(b"\x01vorbis" + bytes(5) + struct.pack("<I", rate) + bytes(14), 0) + page(
        b"x", samples
    )


def flac(samples, rate=24_000):
    packed = rate << 44 | 0 << 41 | 15 << 36 | samples
    info = bytes(10) + packed.to_bytes(8, "big") + bytes(16)
    return b"fLaC\x00\x00\x00\x22" + info


def box(name, *content, wide=False):
    body = b"".join(content)
    if wide:
        return struct.pack(">I4sQ", 1, name, 16 + len(body)) + body
    return struct.pack(">I4s", 8 + len(body), name) + body


def mvhd(scale, length, wide=False):
    if wide:
        return box(b"mvhd", b"\x01\0\0\0", bytes(16), struct.pack(">IQ", scale, length), bytes(80))
    return box(b"mvhd", bytes(4), bytes(8), struct.pack(">II", scale, length), bytes(80))


def mp4(*moov, last=False, wide=False):
    parts = [box(b"moov", *moov), box(b"mdat", bytes(200_000), wide=wide)]
    return b"".join([box(b"ftyp", b"M4A \0\0\0\0"), *(reversed(parts) if last else parts)])


def element(name, *content, unknown=False):
    body = b"".join(content)
    size = b"\x01" + b"\xff" * 7 if unknown else b"\x08" + len(body).to_bytes(4, "big")
    return bytes.fromhex(name) + size + body


def webm(*info, clusters=(), unknown=False):
    """``clusters``: (time, times of its blocks)."""
    made = [
        element(
            "1f43b675",
            element("e7", time.to_bytes(4, "big")),
            *(
                element("a3", b"\x81" + at.to_bytes(2, "big", signed=True) + b"\x80" + bytes(90))
                for at in blocks
            ),
            unknown=unknown,
        )
        for time, blocks in clusters
    ]
    return element("1a45dfa3", b"webm") + element(
        "18538067", element("1549a966", *info), *made, unknown=unknown
    )
