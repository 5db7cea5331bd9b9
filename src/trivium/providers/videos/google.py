"""Videos as Google makes them: a long-running operation, then a file to download.

``POST …/models/{model}:predictLongRunning`` answers with the name of an operation, ``GET`` of that
name with ``done`` and, at last, the address of a file, which takes the same key and is not kept for
long. There is no progress, no thumbnail and no remix.

Vertex AI is asked for the same, and of an operation by ``POST …:fetchPredictOperation``. What it
answers at last holds the video itself, in base64, unless a bucket was named, which nobody does
here; an answer that names one all the same is a failure that says so. It is asked once more for the
file, which so comes as a whole whichever part of it was wanted.

Source: google-genai 3.4.0 (``models.py``: names of the body's members, which it sends to Vertex AI;
``_operations_converters.py``: the operation's answer; ``files.py``: the download), read 2026-11-21.
That SDK no longer makes such requests to the Gemini API itself, and none was made to Google here:
servers that speak this shape take them. Lengths and sizes are those that doubles of ours take.
Of Vertex AI: google-genai 3.3.0 (``operations.py``, ``_GenerateVideosResponse_from_vertex``), read
2026-11-28.
"""

import base64
import re
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from trivium.providers.videos.protocol import (
    InlineVideo,
    ReferencePicture,
    UpstreamVideo,
    VendorCall,
    VideoProtocol,
    lacking,
)
from trivium.wire.long_strings import LongStrings
from trivium.wire.videos.answer import SeenVideo, VideoStatus, broken
from trivium.wire.videos.request import VideoRequest
from trivium.wire.videos.resource import VIDEO

_SIZES: Final = {
    "720x1280": ("9:16", "720p"),
    "1280x720": ("16:9", "720p"),
    "1080x1920": ("9:16", "1080p"),
    "1920x1080": ("16:9", "1080p"),
}
"""Aspect ratio and resolution."""
_SECONDS: Final = (4, 6, 8)
_KEEPS_S: Final = 2 * 86_400
_NAME: Final = re.compile(r"(?:models/[\w.-]{1,100}/)?operations/[\w.-]{1,200}")
_THEIRS: Final = re.compile(
    r"projects/[\w.:-]{1,100}/locations/[\w-]{1,40}"
    r"(?P<model>/publishers/google/models/[\w.@-]{1,100})/operations/[\w.-]{1,200}"
)
"""The name of an operation on Vertex AI."""
_INLINE: Final = "inline"
"""Of a video whose file is in the answer itself."""
_ABSENT: Final = msgspec.Raw()
_FILE: Final = re.compile(r"files/[\w.-]{1,200}(?::download)?")
_BAD_CODE: Final = re.compile(r"[^a-z0-9_]+")


class _Address(msgspec.Struct, frozen=True):
    uri: str = ""


class _Sample(msgspec.Struct, frozen=True):
    video: _Address = _Address()


class _Made(msgspec.Struct, frozen=True, rename="camel"):
    generated_samples: list[_Sample] = []
    rai_media_filtered_reasons: list[Any] = []


class _Video(msgspec.Struct, frozen=True, rename="camel"):
    """A video in an answer of Vertex AI; its bytes are left as they are written."""

    bytes_base64_encoded: msgspec.Raw = _ABSENT
    gcs_uri: Any = None


class _Response(msgspec.Struct, frozen=True, rename="camel"):
    generate_video_response: _Made = _Made()
    videos: list[_Video] = []
    rai_media_filtered_reasons: list[Any] = []


class _Error(msgspec.Struct, frozen=True):
    status: Any = None
    message: Any = None


class _Operation(msgspec.Struct, frozen=True):
    name: str
    done: bool = False
    error: _Error | None = None
    response: _Response | None = None


class _WholeVideo(msgspec.Struct, frozen=True, rename="camel"):
    bytes_base64_encoded: str = ""
    mime_type: str = ""


class _WholeResponse(msgspec.Struct, frozen=True):
    videos: list[_WholeVideo] = []


class _WholeOperation(msgspec.Struct, frozen=True):
    response: _WholeResponse = _WholeResponse()


_decode: Final = msgspec.json.Decoder(_Operation).decode
_decode_whole: Final = msgspec.json.Decoder(_WholeOperation).decode
_encode: Final = msgspec.json.Encoder().encode


def _create(
    served: str, asked: VideoRequest, model: str, picture: ReferencePicture | None
) -> VendorCall:
    if asked.size not in _SIZES:
        raise lacking("size", f"This model makes no videos of {asked.size}: {', '.join(_SIZES)}.")
    if asked.seconds not in _SECONDS:
        raise lacking("seconds", f"This model makes no videos of {asked.seconds} seconds: 4, 8.")
    ratio, resolution = _SIZES[asked.size]
    instance: dict[str, Any] = {"prompt": asked.prompt}
    if picture is not None:
        if not picture.mime.startswith("image/"):
            raise lacking("input_reference", "This model takes a picture as reference only.")
        instance["image"] = {
            "bytesBase64Encoded": base64.b64encode(picture.body).decode(),
            "mimeType": picture.mime,
        }
    body = {
        "instances": [instance],
        "parameters": {
            "aspectRatio": ratio,
            "durationSeconds": asked.seconds,
            "resolution": resolution,
            "sampleCount": 1,
        },
    }
    path = served.replace("{model}", model.removeprefix("models/"))
    return VendorCall(method="POST", path=path, body=_encode(body))


def _look(video: UpstreamVideo) -> VendorCall:
    found = _THEIRS.fullmatch(video.id)
    if found is not None:
        body = _encode({"operationName": video.id})
        return VendorCall(method="POST", path=f"{found['model']}:fetchPredictOperation", body=body)
    return VendorCall(method="GET", path=f"{_version(video)}/{video.id}")


def _read(body: bytes) -> SeenVideo:
    try:
        found = _decode(body)
    except (ValueError, RecursionError):
        raise broken() from None
    if not _NAME.fullmatch(found.name) and not _THEIRS.fullmatch(found.name):
        raise broken()
    if not found.done:
        return SeenVideo(id=found.name, status=VideoStatus.IN_PROGRESS)
    if found.error is not None:
        return _failed(found.name, found.error.status, found.error.message)
    response = found.response or _Response()
    if response.videos:
        return _theirs(found.name, response.videos[0])
    made = response.generate_video_response
    if not made.generated_samples:
        told = [*made.rai_media_filtered_reasons, *response.rai_media_filtered_reasons]
        reasons = [reason for reason in told if isinstance(reason, str)]
        if reasons:
            return _failed(found.name, "content_policy_violation", " ".join(reasons))
        return _failed(found.name, None, "The upstream made no video.")
    file = _file(made.generated_samples[0].video.uri)
    return SeenVideo(id=found.name, status=VideoStatus.COMPLETED, progress=100, file=file)


def _theirs(name: str, made: _Video) -> SeenVideo:
    """A video of Vertex AI's. Raises ``Fault`` (UPSTREAM_BROKE)."""
    if made.bytes_base64_encoded is not _ABSENT:
        return SeenVideo(id=name, status=VideoStatus.COMPLETED, progress=100, file=_INLINE)
    if made.gcs_uri is not None:
        return _failed(
            name, "stored_elsewhere",
            "The upstream put the video into a bucket, where this gateway does not fetch it.",
        )  # fmt: skip
    raise broken()


def _inline(answer: LongStrings) -> InlineVideo:
    """The file in an answer of Vertex AI. Raises ``Fault`` (UPSTREAM_BROKE)."""
    try:
        found = _decode_whole(answer.small())
    except (ValueError, RecursionError):
        raise broken() from None
    videos = found.response.videos
    if not videos or not videos[0].bytes_base64_encoded:
        raise broken()
    pieces = answer.pieces(videos[0].bytes_base64_encoded)
    return InlineVideo(mime=videos[0].mime_type or "video/mp4", pieces=pieces)


def _failed(name: str, code: object, message: object) -> SeenVideo:
    text = _BAD_CODE.sub("_", code.lower()) if isinstance(code, str) else ""
    return SeenVideo(
        id=name,
        status=VideoStatus.FAILED,
        error_code=text,
        error_message=message if isinstance(message, str) else "",
    )


def _file(uri: str) -> str:
    """The file's own name, ``files/…``: it is fetched from the channel's address, never another's,
    because the key travels along. Raises ``Fault`` (UPSTREAM_BROKE).
    """
    try:
        path = urlsplit(uri).path
    except ValueError:
        raise broken() from None
    name = path[path.find("files/") :]
    if not _FILE.fullmatch(name):
        raise broken()
    return name.removesuffix(":download")


def _content(video: UpstreamVideo, variant: str) -> VendorCall:
    if variant != VIDEO:
        raise lacking("variant", f"The upstream of this video makes no {variant}.")
    if video.file == _INLINE:
        return msgspec.structs.replace(_look(video), read_file=_inline)
    path = f"{_version(video)}/{video.file}:download"
    return VendorCall(method="GET", path=path, query={"alt": "media"})


def _delete(video: UpstreamVideo) -> VendorCall | None:
    """A failed one left no file behind, and an operation of Vertex AI's cannot be deleted."""
    if not video.file or video.file == _INLINE:
        return None
    return VendorCall(method="DELETE", path=f"{_version(video)}/{video.file}")


def _remix(video: UpstreamVideo, prompt: str) -> VendorCall:
    del video, prompt
    raise lacking("video_id", "The upstream of this video makes no remixes.")


def _version(video: UpstreamVideo) -> str:
    """What stands before ``/models/``: ``/v1beta``."""
    return video.served.partition("/models/")[0]


PROTOCOL: Final = VideoProtocol(
    inline=True,
    keeps_s=_KEEPS_S,
    create=_create,
    look=_look,
    read=_read,
    content=_content,
    delete=_delete,
    remix=_remix,
)
