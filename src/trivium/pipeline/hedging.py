"""A second attempt beside one that is slow to begin: the first with anything of an answer wins.

The other is hung up on in the same turn of the loop. The caller is answered and charged once. Off
unless a model sets ``hedge_s``; only the first attempt of a request is hedged, with one other
channel of its plan, out of the same budget.

Never hedged, because two upstreams would do what is to be done once, or only one can do it:

* a responses request: it may be stored, or run in the background;
* a chat that the vendor is to store, a message with a container or with tools of remote servers
  (``mcp_servers``): what those do is done twice;
* a conversation whose state only its maker can read;
* a whole answer that is to be waited for after its caller has left (``ledger.abandoned``);
* whatever is no conversation: media, moderations, counts.
"""

import asyncio
from typing import Final

import structlog

from trivium.pipeline.attempt import Attempt
from trivium.pipeline.story import Story
from trivium.routing.condition import Key
from trivium.wire.operation import HEDGED
from trivium.wire.passage import Facts
from trivium.wire.peek import Members

_LEAVE_SOMETHING: Final = ("store", "mcp_servers", "container", "background")
"""Members by which a vendor keeps or does something."""

_NOTHING: Final = (None, b"null", b"false", b"[]")
OUTRUN: Final = "outrun"
"""What is said of the other channel in the place of a fault."""

log = structlog.get_logger()


class Race:
    """The attempts of one request that run at once."""

    __slots__ = ("_attempts", "_keys", "after_s", "winner")

    def __init__(self, after_s: float) -> None:
        self.after_s = after_s
        """Seconds without anything of an answer after which the second begins."""
        self.winner: Attempt | None = None
        self._keys: dict[asyncio.Task[object], Key] = {}
        self._attempts: dict[asyncio.Task[object], Attempt] = {}

    def enter(self, key: Key) -> None:
        """The running task is about to call this."""
        self._keys[_task()] = key

    def call(self, attempt: Attempt) -> None:
        """The running task calls it by this attempt."""
        self._attempts[_task()] = attempt

    def win(self, attempt: Attempt) -> None:
        """It has something of an answer: the story is its own from here on."""
        if self.winner is not None:
            return
        self.winner = attempt
        story = attempt.story
        story.step, story.report = attempt.step, attempt.lane.report
        story.exchange.flow = attempt
        for task, key in self._keys.items():
            other = self._attempts.get(task)
            if other is attempt:
                story.key = key
                continue
            if other is not None:
                other.release()
            if not task.done():
                task.cancel()
                story.failures.append((key.channel, OUTRUN))
                log.info(
                    "attempt_outrun",
                    request_id=story.exchange.request_id,
                    channel=key.channel,
                    by=attempt.step.binding.channel.name,
                )


def race(story: Story, members: Members, facts: Facts) -> Race | None:
    """The race that may become of a request; ``None`` where there must be none."""
    model = story.model
    assert model is not None
    if story.operation not in HEDGED or (story.services.finishes and not facts.stream):
        return None
    if any(members.raw(name) not in _NOTHING for name in _LEAVE_SOMETHING):
        return None
    return Race(model.hedge_s)


def _task() -> "asyncio.Task[object]":
    task = asyncio.current_task()
    assert task is not None
    return task
