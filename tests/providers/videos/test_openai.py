"""Videos are asked for as the official SDKs do it."""

import msgspec

from trivium.providers.videos.dialect import Film
from trivium.providers.videos.openai import DIALECT
from trivium.wire.multipart import Part
from trivium.wire.videos.request import Asked, Reference

ASKED = Asked(model="m", prompt="a cat", seconds=8, size="1280x720")
FILM = Film(served="/videos", id="video/1", file="")


def asked(**changes):
    errand = DIALECT.create("/videos", msgspec.structs.replace(ASKED, **changes), "own", None)
    return errand, [(part.name, part.value) for part in errand.body.parts]


def test_a_video_is_asked_for_with_a_form():
    """The channel's own model, the length as text."""
    errand, fields = asked()
    assert ("POST", "/videos") == (errand.method, errand.path)
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
    errand, _ = asked(reference=Reference(part=part))
    assert msgspec.structs.replace(part, name="input_reference") == errand.body.parts[-1]


def test_what_is_asked_later_goes_to_the_videos_own_path():
    """Ids are encoded: they are the upstream's words."""
    told = [
        DIALECT.look(FILM),
        DIALECT.content(FILM, "video"),
        DIALECT.content(FILM, "thumbnail"),
        DIALECT.delete(FILM),
        DIALECT.remix(FILM, "more"),
    ]
    assert [
        ("GET", "/videos/video%2F1", {}),
        ("GET", "/videos/video%2F1/content", {}),
        ("GET", "/videos/video%2F1/content", {"variant": "thumbnail"}),
        ("DELETE", "/videos/video%2F1", {}),
        ("POST", "/videos/video%2F1/remix", {}),
    ] == [(errand.method, errand.path, errand.query) for errand in told]
    assert {"prompt": "more"} == msgspec.json.decode(told[-1].body)
