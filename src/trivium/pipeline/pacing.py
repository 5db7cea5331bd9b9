"""Large requests that are translated, step by step: whoever else there is has a turn in between."""

import asyncio

from trivium.pipeline.story import Story
from trivium.routing.model import Step
from trivium.wire import bulk
from trivium.wire.operation import AUDIO_OPERATIONS, EMBEDDING_OPERATIONS, IMAGE_OPERATIONS
from trivium.wire.passage import Facts
from trivium.wire.peek import Members


async def breath() -> None:
    """Let everybody else have a turn of the loop."""
    # what is resumed in the very next turn comes before all that has arrived during this one
    await asyncio.sleep(0)
    await asyncio.sleep(0)


async def exceeds(body: bytes, objects_max: int) -> bool:
    """As ``bulk.exceeds``, in turns."""
    census = bulk.Census(body, objects_max)
    for _ in census.steps():
        await breath()
    return census.found


async def prepare(story: Story, step: Step, members: Members, facts: Facts) -> None:
    """Do what a large request's translation for one channel needs before its body is written.

    Raises ``Fault`` as the translation does, which goes on from here.
    """
    if (
        story.operation in AUDIO_OPERATIONS
        or story.operation in IMAGE_OPERATIONS
        or story.operation in EMBEDDING_OPERATIONS
    ):
        return
    translator = story.services.translator
    if story.conversation is None:
        if await exceeds(story.body, translator.objects_max):
            raise translator.crowded()
        await breath()
        translator.read(story, members, facts)
        story.slim()
        await breath()
    translator.fit(story, step)
    await breath()
