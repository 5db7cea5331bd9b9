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

from typing import Final

import structlog

from trivium.conversation.losses import Report
from trivium.pipeline.race import Contender, Race
from trivium.pipeline.request_context import RequestContext
from trivium.wire.operation import HEDGED
from trivium.wire.passage import RequestFacts
from trivium.wire.peek import Members

_LEAVE_SOMETHING: Final = ("store", "mcp_servers", "container", "background")
"""Members by which a vendor keeps or does something."""

_NOTHING: Final = (None, b"null", b"false", b"[]")
OUTRUN: Final = "outrun"
"""What is said of the other channel in the place of a fault."""

log = structlog.get_logger()


def win(context: RequestContext, attempt: Contender, report: Report | None) -> None:
    """Note that an attempt has something of an answer: the context is its own from here on.

    ``report``: of its translation. Does nothing where another has won.
    """
    race = context.race
    if race is None or race.winner is not None:
        return
    context.step, context.report = attempt.step, report
    context.exchange.flow = attempt
    key, outrun = race.win(attempt)
    if key is not None:
        context.key = key
    for other in outrun:
        context.failures.append((other.channel, OUTRUN))
        log.info(
            "attempt_outrun",
            request_id=context.exchange.request_id,
            channel=other.channel,
            by=attempt.step.binding.channel.name,
        )


def race(context: RequestContext, members: Members, facts: RequestFacts) -> Race | None:
    """The race that may become of a request; ``None`` where there must be none."""
    model = context.model
    assert model is not None
    if context.operation not in HEDGED or (context.services.finishes and not facts.stream):
        return None
    if any(members.raw(name) not in _NOTHING for name in _LEAVE_SOMETHING):
        return None
    return Race(model.hedge_s)
