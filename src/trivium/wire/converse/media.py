"""Formats of media in the Converse shape and their types, both ways.

Source: the enumerations of ``bedrock-runtime`` in botocore 1.44, read on 2026-11-28.
"""

from collections.abc import Mapping
from typing import Final

IMAGES: Final = {
    "png": "image/png",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
}
VIDEOS: Final = {
    "mkv": "video/x-matroska",
    "mov": "video/quicktime",
    "mp4": "video/mp4",
    "webm": "video/webm",
    "flv": "video/x-flv",
    "mpeg": "video/mpeg",
    "mpg": "video/mpg",
    "wmv": "video/x-ms-wmv",
    "three_gp": "video/3gpp",
}
AUDIOS: Final = {
    "mp3": "audio/mpeg",
    "opus": "audio/opus",
    "wav": "audio/wav",
    "aac": "audio/aac",
    "flac": "audio/flac",
    "mp4": "audio/mp4",
    "ogg": "audio/ogg",
    "mkv": "audio/matroska",
    "mka": "audio/x-matroska",
    "x-aac": "audio/x-aac",
    "m4a": "audio/m4a",
    "mpeg": "audio/mpga",
    "mpga": "audio/mpga",
    "pcm": "audio/pcm",
    "webm": "audio/webm",
}
DOCUMENTS: Final = {
    "pdf": "application/pdf",
    "csv": "text/csv",
    "doc": "application/msword",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xls": "application/vnd.ms-excel",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "html": "text/html",
    "txt": "text/plain",
    "md": "text/markdown",
}
_ALIASES: Final = {
    "image/jpg": "jpeg",
    "audio/mp3": "mp3",
    "audio/x-wav": "wav",
    "audio/wave": "wav",
    "audio/x-m4a": "m4a",
    "audio/l16": "pcm",
}


def format_of(mime: str, formats: Mapping[str, str]) -> str | None:
    """What the shape calls a type; ``None`` where it has no word for it."""
    bare = mime.partition(";")[0].strip().lower()
    for format_, known in formats.items():
        if known == bare:
            return format_
    alias = _ALIASES.get(bare)
    return alias if alias in formats else None


_OWNER: Final = "#owner="


def stored_id(uri: str, owner: str | None) -> str:
    """A place in S3 as the id of a stored file; the account that owns the bucket goes with it."""
    return uri if owner is None else f"{uri}{_OWNER}{owner}"


def stored_place(id_: str) -> dict[str, str]:
    """The same as an ``s3Location``."""
    uri, mark, owner = id_.rpartition(_OWNER)
    return {"uri": uri, "bucketOwner": owner} if mark else {"uri": id_}
