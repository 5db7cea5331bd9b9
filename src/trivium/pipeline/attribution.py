"""Takes out of a request whom and what it is for, and hashes what the operator wants hashed."""

from typing import Final

from trivium.pipeline.request_context import RequestContext
from trivium.wire import attribution, peek
from trivium.wire.peek import Members

LEFT_OUT: Final = b"trivium-tags-left-out"
"""A header of answers: how many tags were not kept."""
_METADATA: Final = "metadata"


def attribute(context: RequestContext, members: Members) -> Members:
    """Have the context know whom and what its request is for; the members without what is ours."""
    exchange = context.exchange
    said = attribution.read(exchange.headers.get, members.table)
    context.attribution = context.services.pseudonyms.kept(said.attribution)
    if said.left_out:
        exchange.extra += [(LEFT_OUT, b"%d" % said.left_out)]
    if _METADATA not in members.table or exchange.upload is not None:
        return members
    has_tags, rest = attribution.without_tags(members.table[_METADATA])
    if not has_tags:
        return members
    exchange.body = members.splice({_METADATA: rest})
    context.replace_body(exchange.body)
    context.members = found = peek.members(exchange.body)
    return found
