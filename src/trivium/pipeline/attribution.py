"""Takes out of a request whom and what it is for, and hashes what the operator wants hashed."""

from typing import Final

from trivium.pipeline.request_context import RequestContext
from trivium.settings.budget import Budget
from trivium.wire import attribution, peek
from trivium.wire.peek import Members

LEFT_OUT: Final = b"trivium-tags-left-out"
"""A header of answers: how many tags were not kept."""
_METADATA: Final = "metadata"


def budgets(context: RequestContext) -> tuple[Budget, ...]:
    """All that the request counts against: its key's and those above, those of whom it is for, and
    those of its tags. The key's own come first, and nothing that a caller says takes one away.
    """
    caller, services, of = context.exchange.caller, context.services, context.attribution
    assert caller is not None
    combined = services.admission.combined
    parts = [caller.budgets]
    if caller.end_user_budgets:
        now, hashed = services.clock.now(), services.pseudonyms.hashed(of.end_user)
        name = services.admission.end_users.name(caller.key_id, hashed, now)
        parts.append(combined.end_user(caller.end_user_budgets, caller.key_id, name))
    for tagged in (caller.tagged, caller.tagged_everywhere):
        if tagged:
            parts += [tagged[tag] for tag in of.tags if tag in tagged]
    return combined.whole(parts)


def limited_end_user(context: RequestContext) -> str:
    """The hash of whom the request is for, where the key limits each; empty where it does not.
    Nobody is an end user like any other: leaving the name out escapes nothing.
    """
    caller = context.exchange.caller
    assert caller is not None
    if caller.end_user_limits is None:
        return ""
    return context.services.pseudonyms.hashed(context.attribution.end_user)


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
