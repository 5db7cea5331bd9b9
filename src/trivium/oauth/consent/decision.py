"""Whether a person is asked. Pure.

``auto_authorize=true`` read literally would let any application read the e-mail address of whoever
is logged in, by sending the browser through our address. So without a question go only requests
whose user has answered it before, whose user has just logged in on a page that said what for, and
those of applications that the operator trusts. Whoever took consent back is asked again, always.
"""

from enum import Enum, unique

import msgspec

from trivium.oauth.consent.model import Asked, Grant, Pending
from trivium.oauth.scope import SPEND


@unique
class Decision(Enum):
    """What happens to an authorization request once its user is known."""

    ASK = "ask"
    KNOWN = "known"
    """Granted before."""
    AUTOMATIC = "automatic"
    """Granted now, without a question."""


class History(msgspec.Struct, frozen=True, kw_only=True):
    """A user's earlier answers to an application."""

    grant: Grant | None
    """Consent that holds; ``None``: there is none."""
    was_revoked: bool
    """There is none because it was taken back."""


def holds(grant: Grant, asked: Asked) -> bool:
    """Whether consent covers a request. Consent to an application that has changed since does
    not.
    """
    return asked.scopes <= grant.scopes and grant.consented_at > asked.app.changed_at


def outlived(grant: Grant, asked: Asked) -> bool:
    """Whether consent to a request must not go on in an earlier one: that was given before the
    application changed, and to more, which would come to life again with it.
    """
    return grant.consented_at <= asked.app.changed_at and not grant.scopes <= asked.scopes


def decide(pending: Pending, history: History, *, is_framed: bool) -> Decision:
    """Decide what happens to a request. ``is_framed``: the browser loads it into another page."""
    asked, grant = pending.asked, history.grant
    if is_framed:
        return Decision.ASK
    if grant is not None and holds(grant, asked):
        return Decision.KNOWN
    if not asked.auto_authorize or history.was_revoked:
        return Decision.ASK
    # nobody's money is given away without an amount that they wrote themselves
    if SPEND in asked.scopes:
        return Decision.ASK
    has_just_logged_in = pending.login_at is not None and pending.login_at >= pending.created_at
    return Decision.AUTOMATIC if asked.app.trusted or has_just_logged_in else Decision.ASK
