"""A page that grows while something is done that takes long: it is sent in pieces, without script,
and leaving it ends what is done.
"""

import secrets
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from trivium.console import render
from trivium.console.language import LazyText


def growing(
    request: Request,
    pieces: AsyncIterator[str],
    *,
    title: LazyText,
    lead: LazyText,
    at: str,
    back: LazyText,
) -> Response:
    """The page, with what comes in the middle of it. ``at``, ``back``: where it came from."""
    mark = secrets.token_urlsafe(24)
    whole = render.page(
        request, "admin/growing.html", mark=mark, title=title, lead=lead, at=at, back=back
    )
    head, _, end = bytes(whole.body).decode().partition(mark)
    answer = StreamingResponse(_whole(head, pieces, end), media_type="text/html")
    answer.raw_headers = [each for each in whole.raw_headers if each[0] != b"content-length"]
    return answer


async def _whole(head: str, pieces: AsyncIterator[str], end: str) -> AsyncIterator[str]:
    yield head
    async for piece in pieces:
        yield piece
    yield end


def piece(request: Request, template: str, **values: object) -> str:
    """A part of such a page, in its language. It has no form."""
    found = render.environment(render.speech_of(request).language.tag).get_template(template)
    return found.render({"csrf": "", "now": 0} | values)
