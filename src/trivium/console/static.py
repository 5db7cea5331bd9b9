"""Styles, scripts and pictures of the pages, under names that change with what is in them.

So they may be kept for ever. The files are read once, at the first page.
"""

import functools
import gzip
import hashlib
import mimetypes
from pathlib import Path
from typing import Final

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

FOLDER: Final = Path(__file__).parent / "static"
KEPT: Final = "public, max-age=31536000, immutable"
_HASH_CHARS: Final = 10


class StaticFile(msgspec.Struct, frozen=True):
    """One file as it is served."""

    body: bytes
    packed: bytes
    media: str


@functools.cache
def _names() -> dict[str, str]:
    return {path.name: _name(path) for path in sorted(FOLDER.iterdir()) if path.is_file()}


@functools.cache
def _files() -> dict[str, StaticFile]:
    found = {}
    for plain, name in _names().items():
        body = (FOLDER / plain).read_bytes()
        media = mimetypes.guess_type(plain)[0] or "application/octet-stream"
        if media.startswith("text/"):
            media += "; charset=utf-8"
        found[name] = StaticFile(body, gzip.compress(body, mtime=0), media)
    return found


def address(name: str) -> str:
    """Where the pages find a file. Raises ``KeyError`` for one that there is not."""
    return f"/static/{_names()[name]}"


async def serve(request: Request) -> Response:
    """One file, by its present name only."""
    file = _files().get(request.path_params["name"])
    if file is None:
        raise HTTPException(404)
    headers = {
        "cache-control": KEPT,
        "vary": "accept-encoding",
        "cross-origin-resource-policy": "same-origin",
    }
    body = file.body
    if "gzip" in request.headers.get("accept-encoding", "") and len(file.packed) < len(body):
        headers["content-encoding"] = "gzip"
        body = file.packed
    return Response(body, headers=headers, media_type=file.media)


async def favicon(_: Request) -> Response:
    """Where browsers look by themselves."""
    return RedirectResponse(address("mark.svg"), 301)


def _name(path: Path) -> str:
    stamp = hashlib.sha256(path.read_bytes()).hexdigest()[:_HASH_CHARS]
    return f"{path.stem}.{stamp}{path.suffix}"
