"""Large requests that are translated, step by step: whoever else there is has a turn in between."""

import asyncio

from trivium.pipeline import response_state
from trivium.pipeline.request_context import RequestContext
from trivium.routing.model import Step
from trivium.wire import json_size
from trivium.wire.operation import AUDIO_OPERATIONS, EMBEDDING_OPERATIONS, IMAGE_OPERATIONS
from trivium.wire.passage import RequestFacts
from trivium.wire.peek import Members


async def yield_turn() -> None:
    """Let everybody else have a turn of the loop."""
    # what is resumed in the very next turn comes before all that has arrived during this one
    await asyncio.sleep(0)
    await asyncio.sleep(0)


async def exceeds(body: bytes, objects_max: int) -> bool:
    """As ``bulk.exceeds``, in turns."""
    census = json_size.Census(body, objects_max)
    for _ in census.steps():
        await yield_turn()
    return census.found


async def prepare(
    context: RequestContext, step: Step, members: Members, facts: RequestFacts
) -> None:
    """Do what a large request's translation for one channel needs before its body is written.

    Raises ``Fault`` as the translation does, which goes on from here.
    """
    if (
        context.operation in AUDIO_OPERATIONS
        or context.operation in IMAGE_OPERATIONS
        or context.operation in EMBEDDING_OPERATIONS
    ):
        return
    translator = context.services.translator
    if context.conversation is None:
        if await exceeds(context.body, translator.objects_max):
            raise translator.crowded()
        await yield_turn()
        translator.read(context, members, facts)
        if context.spare and await response_state.set_aside(context):
            context.slim()
        await yield_turn()
    translator.fit(context, step)
    await yield_turn()
