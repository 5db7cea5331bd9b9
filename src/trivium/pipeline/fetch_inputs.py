"""Brings the files that a channel takes as bytes only, before its request is written.

Off unless the operator allows it (``[fetch]``): without it such a request is refused by name. What
was brought stands in the request for every further attempt, so no file is fetched twice.
"""

import asyncio
import binascii

from trivium.conversation.inline_files import inlined, kinds_of, mime_of, wanted
from trivium.conversation.member_table import Concept, member
from trivium.conversation.parts import Inline
from trivium.conversation.request import Conversation
from trivium.faults import Fault, Kind
from trivium.pipeline.request_context import RequestContext
from trivium.routing.model import Step
from trivium.wire.operation import EMBEDDING_OPERATIONS, IMAGE_OPERATIONS, SHAPE
from trivium.wire.passage import RequestFacts
from trivium.wire.peek import Members


def needed(
    context: RequestContext, step: Step, members: Members, facts: RequestFacts
) -> tuple[str, ...]:
    """URLs whose bytes this channel needs. Raises ``Fault`` for a request that cannot be read."""
    if (
        context.operation in EMBEDDING_OPERATIONS | IMAGE_OPERATIONS
        or SHAPE[step.operation] is SHAPE[context.operation]
    ):
        return ()
    spoken = context.services.translator.spoken(context, members, facts)
    return wanted(spoken, step.binding.targets[SHAPE[step.operation]])


async def bring(context: RequestContext, step: Step, members: Members, facts: RequestFacts) -> None:
    """Put bytes in place of URLs. Raises ``Fault`` (INVALID_VALUE): why a file is not to be had."""
    urls = needed(context, step, members, facts)
    if not urls:
        return
    spoken, foreign, caller = (
        context.conversation,
        context.services.url_fetcher,
        context.exchange.caller,
    )
    assert spoken is not None
    assert foreign is not None
    assert caller is not None
    if len(urls) > foreign.files_max:
        raise _fault(
            spoken, f"{len(urls)} files are named by URL; {foreign.files_max} are fetched at most."
        )
    missing = ""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = {url: group.create_task(foreign.fetch(caller.user_id, url)) for url in urls}
    except* Fault as several:
        first = several.exceptions[0]
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
        missing = str(first)
    if missing:  # raised in there it would be one of a group (Debian's Python 3.11.2)
        raise _fault(spoken, missing)
    files, kinds = {}, kinds_of(spoken)
    for url, task in tasks.items():
        file = task.result()
        files[url] = _inline(spoken, url, kinds[url], file.mime, file.body)
    context.conversation = inlined(spoken, files)


def pretend(
    context: RequestContext, step: Step, members: Members, facts: RequestFacts
) -> tuple[str, ...]:
    """As ``bring`` for a rehearsal, which calls nobody: empty files. The URLs they stand for."""
    urls = needed(context, step, members, facts)
    if urls and context.conversation is not None:
        spoken = context.conversation
        kinds = kinds_of(spoken)
        context.conversation = inlined(spoken, {url: _assumed(url, kinds[url]) for url in urls})
    return urls


def _assumed(url: str, kind: str) -> Inline:
    return Inline(mime_of(url, "", b"") or f"{kind or 'application/'}*", "")


def _inline(spoken: Conversation, url: str, kind: str, said: str, body: bytes) -> Inline:
    mime = mime_of(url, said, body)
    if not mime or not mime.startswith(kind):
        wanted_kind = kind.rstrip("/") or "document"
        raise _fault(
            spoken,
            f"The file at {url[:200]} is {mime or 'of no known type'}, and no {wanted_kind}.",
        )
    return Inline(mime, binascii.b2a_base64(body, newline=False).decode("ascii"))


def _fault(spoken: Conversation, message: str) -> Fault:
    return Fault(Kind.INVALID_VALUE, message, param=member(Concept.HISTORY, spoken.shape))
