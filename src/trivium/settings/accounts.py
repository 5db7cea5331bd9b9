"""People's accounts: who may make one, how long a login lasts, letters, outside logins."""

from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

from trivium.settings.errors import Problem
from trivium.settings.section import Section

_HERE: Final = frozenset({"127.0.0.1", "::1", "localhost"})
"""Hosts that no network lies before."""


class AccountsSettings(Section, frozen=True):
    """People who log in, rather than keys."""

    signup: str = "closed"
    """Who may make an account: ``open`` (anybody with a mailbox; needs ``[mail]``), ``invitation``
    (whoever has a link of `trivium user invite`) or ``closed``."""
    idle_hours: float = 12.0
    """A session that is not used for so long is over."""
    session_days: float = 14.0
    """A session is over after so long in any case."""
    invitation_days: float = 7.0
    """How long an invitation is good for."""


class MailSettings(Section, frozen=True):
    """Letters to people, by an SMTP server. Without ``host`` none are sent."""

    host: str = ""
    """Name of the server that takes our letters; empty: no letters, and nothing that needs them
    (sign-up by anybody, forgotten passwords, changes of address) is offered."""
    port: int = 587
    """587 for ``starttls``, 465 for ``tls``, 25 for ``none``."""
    security: str = "starttls"
    """``starttls`` (refused when the server has none), ``tls`` from the first byte, or ``none``,
    for a server on the same machine."""
    user: str = ""
    """Name at the server; empty: it asks for none."""
    password: str = ""
    """Password at the server."""
    sender: str = ""
    """Whom letters are from: ``Trivium <trivium@example.com>``."""
    timeout_s: float = 20.0
    """Longest wait for one answer of the server."""
    queue_max: int = 1000
    """Letters that may wait while the server is slow or away; more are dropped and logged."""


class ClaimedTeam(Section, frozen=True):
    """Whom a group at the provider makes a member of which team."""

    value: str
    """One value of the claim, exactly as the provider writes it: of Entra the group's object id."""
    team: str
    """The team's whole name: ``acme/research``."""
    role: str = "member"
    """``owner``, ``manager``, ``member`` or ``billing``."""


class LoginEntry(Section, frozen=True):
    """A provider of OpenID Connect that people may log in with."""

    name: str
    """Unique; part of the callback's address. Lower-case letters, digits, ``-``."""
    issuer: str
    """The provider's issuer address, exactly as its discovery document has it."""
    client_id: str
    """What the provider calls us."""
    client_secret: str
    """Our secret at the provider: ``env:NAME`` or ``file:PATH``."""
    title: str = ""
    """What the button says; empty: the name."""
    scopes: tuple[str, ...] = ("openid", "email", "profile")
    """What is asked for; ``openid`` is a must."""
    trust_email: bool = False
    """Whether an address that the provider calls verified is believed: an account with that same
    address, verified here as well, is then linked at the first login. Only for a provider that
    lets nobody claim an address that is not theirs. Without it people link accounts by hand."""
    signup: bool = False
    """Whether a first login makes an account, though sign-up is closed. Needs ``trust_email``."""
    teams_claim: str = ""
    """Claim of the ID token that lists somebody's groups, such as ``groups``: each login makes them
    a member of the teams that these name, here or by `trivium team edit --claim`, and of no others
    that came by this provider. Empty: logins change no teams."""
    teams_without_claim: str = "keep"
    """What a token without that claim means: ``keep`` (teams stay as they are, and the log says
    so) or ``remove`` (somebody without groups: some providers leave an empty list out)."""
    teams: tuple[ClaimedTeam, ...] = ()
    """Which group makes whom a member of which team, and as what."""


def relations(
    accounts: AccountsSettings, mail: MailSettings, logins: tuple[LoginEntry, ...]
) -> Iterator[Problem]:
    """What is wrong between settings of people's accounts."""
    if accounts.signup == "open" and not mail.host:
        yield Problem(
            ("accounts", "signup"),
            'is "open", which needs mail.host: an address is shown to be somebody\'s by a letter',
            'signup = "invitation"',
        )
    if mail.host and not mail.sender:
        yield Problem(
            ("mail", "sender"),
            "is missing: letters are from somebody",
            'sender = "Trivium <trivium@example.com>"',
        )
    if mail.user and mail.security == "none" and mail.host not in _HERE:
        yield Problem(
            ("mail", "security"),
            'is "none": the password would cross the network in the clear',
            'security = "starttls"',
        )
    names: dict[str, int] = {}
    for i, login in enumerate(logins):
        if login.name and names.setdefault(login.name, i) != i:
            yield Problem(("logins", i, "name"), "is taken: another login above has it")
        if login.signup and not login.trust_email:
            yield Problem(
                ("logins", i, "signup"),
                "needs trust_email: an account is made for an address that somebody vouches for",
                "trust_email = true",
            )
        if login.teams and not login.teams_claim:
            yield Problem(
                ("logins", i, "teams_claim"),
                "is missing: logins.teams says what its values mean",
                'teams_claim = "groups"',
            )
        if "openid" not in login.scopes:
            yield Problem(
                ("logins", i, "scopes"),
                "must have openid: without it the provider says nothing about who logged in",
                'scopes = ["openid", "email", "profile"]',
            )
        if login.issuer.startswith("http:") and urlsplit(login.issuer).hostname not in _HERE:
            yield Problem(
                ("logins", i, "issuer"),
                "must begin with https://: whoever is on the way could log in as anybody",
                'issuer = "https://login.example.com"',
            )
