"""Videos as a long-running operation: what is asked, what its answers mean."""

import msgspec
import pytest

from trivium.faults import Fault, Kind
from trivium.providers.videos.google import PROTOCOL
from trivium.providers.videos.protocol import ReferencePicture, UpstreamVideo
from trivium.wire.long_strings import LongStrings
from trivium.wire.videos.answer import SeenVideo, VideoStatus
from trivium.wire.videos.request import VideoRequest

SERVED = "/v1beta/models/{model}:predictLongRunning"
NAME = "models/veo-3/operations/abc123"
ASKED = VideoRequest(model="m", prompt="a cat", seconds=8, size="1280x720")
URI = "https://generativelanguage.googleapis.com/v1beta/files/xyz:download?alt=media"
FILM = UpstreamVideo(served=SERVED, id=NAME, file="files/xyz")


def created(picture=None, **changes):
    asked = msgspec.structs.replace(ASKED, **changes)
    return PROTOCOL.create(SERVED, asked, "models/veo-3", picture)


@pytest.mark.parametrize(
    ("size", "seconds", "expected"),
    [
        ("1280x720", 8, ("16:9", "720p", 8)),
        ("720x1280", 4, ("9:16", "720p", 4)),
        ("1920x1080", 8, ("16:9", "1080p", 8)),
    ],
)
def test_size_and_length_are_translated(size, seconds, expected):
    """Into an aspect ratio, a resolution and a number."""
    vendor_call = created(size=size, seconds=seconds)
    assert ("POST", "/v1beta/models/veo-3:predictLongRunning") == (
        vendor_call.method,
        vendor_call.path,
    )
    body = msgspec.json.decode(vendor_call.body)
    wanted = body["parameters"]
    assert [{"prompt": "a cat"}] == body["instances"]
    assert expected == (wanted["aspectRatio"], wanted["resolution"], wanted["durationSeconds"])
    assert 1 == wanted["sampleCount"]


def test_a_picture_travels_inside():
    """In base64, with its type."""
    body = msgspec.json.decode(created(ReferencePicture("image/png", b"abc")).body)
    assert {"bytesBase64Encoded": "YWJj", "mimeType": "image/png"} == body["instances"][0]["image"]


@pytest.mark.parametrize(
    ("changes", "param"),
    [
        ({"size": "1024x1792"}, "size"),
        ({"size": "1792x1024"}, "size"),
        ({"seconds": 12}, "seconds"),
        ({"picture": ReferencePicture("video/mp4", b"x")}, "input_reference"),
    ],
)
def test_what_cannot_be_carried_is_refused_by_name(changes, param):
    """Not rounded, not left out."""
    with pytest.raises(Fault) as caught:
        created(**changes)
    assert (Kind.UNREPRESENTABLE, param) == (caught.value.kind, caught.value.param)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({}, SeenVideo(id=NAME, status=VideoStatus.IN_PROGRESS)),
        ({"done": False, "metadata": {}}, SeenVideo(id=NAME, status=VideoStatus.IN_PROGRESS)),
        (
            {"done": True, "response": {"generateVideoResponse": {"generatedSamples": [{"video": {"uri": URI}}]}}},
            SeenVideo(id=NAME, status=VideoStatus.COMPLETED, progress=100, file="files/xyz"),
        ),
        (
            {"done": True, "error": {"code": 13, "status": "INTERNAL", "message": "why"}},
            SeenVideo(id=NAME, status=VideoStatus.FAILED, error_code="internal", error_message="why"),
        ),
        (
            {"done": True, "error": {"code": 13, "message": "why"}},
            SeenVideo(id=NAME, status=VideoStatus.FAILED, error_message="why"),
        ),
        (
            {"done": True, "response": {"generateVideoResponse": {"raiMediaFilteredCount": 1, "raiMediaFilteredReasons": ["no"]}}},
            SeenVideo(id=NAME, status=VideoStatus.FAILED, error_code="content_policy_violation", error_message="no"),
        ),
        ({"done": True, "response": {}},
         SeenVideo(id=NAME, status=VideoStatus.FAILED, error_message="The upstream made no video.")),
    ],
)  # fmt: skip
def test_an_operation_is_read(said, expected):
    """Done with a file, done with an error, done with a filter's reasons, or not done."""
    assert expected == PROTOCOL.read(msgspec.json.encode({"name": NAME, **said}))


@pytest.mark.parametrize(
    "said",
    [
        b"", b"[]", b"{}", b'{"name": "../../v1/keys"}', b'{"name": "operations/a/../b"}',
        *(
            msgspec.json.encode({
                "name": NAME, "done": True,
                "response": {"generateVideoResponse": {"generatedSamples": [{"video": {"uri": uri}}]}},
            })
            for uri in ("", "https://evil.example/x.mp4", "https://[", "https://g/v1beta/files/../keys")
        ),
    ],
)  # fmt: skip
def test_a_name_that_is_none_never_becomes_a_path(said):
    """What an upstream calls things is put into requests that carry the operator's key."""
    with pytest.raises(Fault) as caught:
        PROTOCOL.read(said)
    assert Kind.UPSTREAM_BROKE is caught.value.kind


def test_what_is_asked_later():
    """The operation by its name, the file by its own."""
    told = [PROTOCOL.look(FILM), PROTOCOL.content(FILM, "video"), PROTOCOL.delete(FILM)]
    assert [
        ("GET", f"/v1beta/{NAME}", {}),
        ("GET", "/v1beta/files/xyz:download", {"alt": "media"}),
        ("DELETE", "/v1beta/files/xyz", {}),
    ] == [(vendor_call.method, vendor_call.path, vendor_call.query) for vendor_call in told]
    assert None is PROTOCOL.delete(msgspec.structs.replace(FILM, file=""))


@pytest.mark.parametrize(
    ("ask", "param"),
    [
        (lambda: PROTOCOL.content(FILM, "thumbnail"), "variant"),
        (lambda: PROTOCOL.content(FILM, "spritesheet"), "variant"),
        (lambda: PROTOCOL.remix(FILM, "more"), "video_id"),
    ],
)
def test_what_there_is_not_is_refused_by_name(ask, param):
    """No thumbnail, no remix."""
    with pytest.raises(Fault) as caught:
        ask()
    assert (Kind.UNREPRESENTABLE, param) == (caught.value.kind, caught.value.param)


THEIRS = (
    "projects/acme-prod/locations/us-central1/publishers/google/models/veo-3.0-generate-001"
    "/operations/0c5b-1"
)
ON_VERTEX = "/publishers/google/models/{model}:predictLongRunning"


def said(**response):
    return PROTOCOL.read(msgspec.json.encode({"name": THEIRS, "done": True, "response": response}))


def test_vertex_is_asked_of_an_operation_by_its_name():
    """By a POST below the model that the name says."""
    found = PROTOCOL.look(UpstreamVideo(served=ON_VERTEX, id=THEIRS, file=""))
    path = "/publishers/google/models/veo-3.0-generate-001:fetchPredictOperation"
    assert ("POST", path) == (found.method, found.path)
    assert {"operationName": THEIRS} == msgspec.json.decode(found.body)


def test_a_film_of_vertex_is_in_the_answer():
    """It is asked for once more, and cannot be deleted."""
    body = {"bytesBase64Encoded": "AAEC", "mimeType": "video/mp4"}
    seen = said(videos=[body])
    assert (VideoStatus.COMPLETED, "inline") == (seen.status, seen.file)
    video = UpstreamVideo(served=ON_VERTEX, id=THEIRS, file=seen.file)
    errand = PROTOCOL.content(video, "video")
    assert errand.path.endswith(":fetchPredictOperation")
    found = errand.read_file(kept(msgspec.json.encode({"response": {"videos": [body]}})))
    assert ("video/mp4", [b"AAEC"]) == (found.mime, found.pieces)
    assert PROTOCOL.delete(video) is None


def kept(body):
    """An answer as it is kept while it comes."""
    found = LongStrings()
    for at in range(0, len(body), 7):
        found.add(body[at : at + 7])
    return found


def test_a_long_film_is_not_read_twice():
    """Its pieces are handed over, and what is asked of the operation never sees them."""
    text = "AAEC" * 5_000
    body = msgspec.json.encode(
        {"name": THEIRS, "done": True, "response": {"videos": [{"bytesBase64Encoded": text}]}}
    )
    assert (VideoStatus.COMPLETED, "inline") == (
        (seen := PROTOCOL.read(kept(body).small())).status, seen.file,
    )  # fmt: skip
    video = UpstreamVideo(served=ON_VERTEX, id=THEIRS, file="inline")
    found = PROTOCOL.content(video, "video").read_file(kept(body))
    assert text.encode() == b"".join(found.pieces)


def test_a_film_in_a_bucket_is_a_failure_with_a_name():
    """Nobody here asks for a bucket."""
    seen = said(videos=[{"gcsUri": "gs://acme/a.mp4", "mimeType": "video/mp4"}])
    assert (VideoStatus.FAILED, "stored_elsewhere") == (seen.status, seen.error_code)
    assert "acme" not in seen.error_message


def test_why_vertex_made_none():
    """The reasons stand in the response itself."""
    seen = said(raiMediaFilteredCount=1, raiMediaFilteredReasons=["Not that."])
    assert ("content_policy_violation", "Not that.") == (seen.error_code, seen.error_message)


@pytest.mark.parametrize(
    "name",
    [
        THEIRS.replace("acme-prod", "a/../b"), THEIRS.replace("google", "other"),
        THEIRS.replace("veo-3.0", "veo:x?"), THEIRS + "/more", "/" + THEIRS,
    ],
)  # fmt: skip
def test_a_name_that_leads_elsewhere_is_none(name):
    """It becomes a path that the account's token goes to."""
    with pytest.raises(Fault) as caught:
        PROTOCOL.read(msgspec.json.encode({"name": name}))
    assert Kind.UPSTREAM_BROKE is caught.value.kind


@pytest.mark.parametrize(
    "body",
    [b"{}", b"[]", b"[" * 100_000, b'{"response":{"videos":[{}]}}', b'{"response":{"videos":[{"bytesBase64Encoded":7}]}}'],
)  # fmt: skip
def test_an_answer_without_the_film_is_broken(body):
    """Also when it had one a moment ago."""
    video = UpstreamVideo(served=ON_VERTEX, id=THEIRS, file="inline")
    with pytest.raises(Fault) as caught:
        PROTOCOL.content(video, "video").read_file(kept(body))
    assert Kind.UPSTREAM_BROKE is caught.value.kind
