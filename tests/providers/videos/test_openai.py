"""Videos are asked for as the official SDKs do it."""

import msgspec

from trivium.providers.videos.openai import PROTOCOL
from trivium.providers.videos.protocol import UpstreamVideo
from trivium.wire.multipart import Part
from trivium.wire.videos.request import Reference, VideoRequest

ASKED = VideoRequest(model="m", prompt="a cat", seconds=8, size="1280x720")
FILM = UpstreamVideo(served="/videos", id="video/1", file="")


def asked(**changes):
    vendor_call = PROTOCOL.create("/videos", msgspec.structs.replace(ASKED, **changes), "own", None)
    return vendor_call, [(part.name, part.value) for part in vendor_call.body.parts]


def test_a_video_is_asked_for_with_a_form():
    """The channel's own model, the length as text."""
    vendor_call, fields = asked()
    assert ("POST", "/videos") == (vendor_call.method, vendor_call.path)
    assert [
        ("model", b"own"), ("prompt", b"a cat"), ("seconds", b"8"), ("size", b"1280x720"),
    ] == fields  # fmt: skip


def test_a_reference_travels_by_its_address():
    """As Node's SDK nests it."""
    _, fields = asked(reference=Reference(url="https://example.com/a.png"))
    assert ("input_reference[image_url]", b"https://example.com/a.png") == fields[-1]


def test_a_reference_travels_as_a_file():
    """Its name, type and place in the upload."""
    part = Part(name="input_reference[]", filename="a.png", content_type="image/png", size=3)
    vendor_call, _ = asked(reference=Reference(part=part))
    assert msgspec.structs.replace(part, name="input_reference") == vendor_call.body.parts[-1]


def test_what_is_asked_later_goes_to_the_videos_own_path():
    """Ids are encoded: they are the upstream's words."""
    told = [
        PROTOCOL.look(FILM),
        PROTOCOL.content(FILM, "video"),
        PROTOCOL.content(FILM, "thumbnail"),
        PROTOCOL.delete(FILM),
        PROTOCOL.remix(FILM, "more"),
    ]
    assert [
        ("GET", "/videos/video%2F1", {}),
        ("GET", "/videos/video%2F1/content", {}),
        ("GET", "/videos/video%2F1/content", {"variant": "thumbnail"}),
        ("DELETE", "/videos/video%2F1", {}),
        ("POST", "/videos/video%2F1/remix", {}),
    ] == [(vendor_call.method, vendor_call.path, vendor_call.query) for vendor_call in told]
    assert {"prompt": "more"} == msgspec.json.decode(told[-1].body)
