"""Workloads whose provider signs who they are, as of a CI job: what they may administer."""

import re
from collections.abc import Iterator
from enum import Enum, unique
from typing import Final
from urllib.parse import urlsplit

import msgspec

from trivium.settings.errors import Problem
from trivium.settings.section import Section
from trivium.settings.syntax import is_loopback


@unique
class AdminScope(Enum):
    """What a token for machines may do in the admin API."""

    READ = "read"
    """Look at everything there."""
    CATALOGUE = "catalogue"
    """Change channels, models and prices."""
    MONEY = "money"
    """Book credit, set budgets, and say who spends without a balance."""
    USERS = "users"
    """Make and change users, keys, teams and service accounts; never an administrator."""

    __hash__ = object.__hash__


SCOPES_ALL: Final = frozenset(AdminScope)
SCOPE_WORDS: Final = tuple(scope.value for scope in AdminScope)
CONDITION_CHARS_MAX: Final = 1_000

_PATTERN: Final = re.compile(r"[\x20-\x7e]+")
_PREFIX_END: Final = ("/", ":")
_EVERYBODYS: Final = {
    "https://token.actions.githubusercontent.com": (
        *("sub", "repository", "repository_id", "repository_owner", "repository_owner_id"),
    ),
    "https://gitlab.com": (
        *("sub", "project_id", "project_path", "namespace_id", "namespace_path"),
    ),
}
"""Issuers that sign for whoever has an account there, and the claims of theirs that name whose job
it is. A `job_workflow_ref` of GitHub's does not: whoever calls a public workflow has it. As of
2026-11: docs.github.com, "OpenID Connect reference"; docs.gitlab.com, "OpenID Connect (OIDC)
Authentication Using ID Tokens"."""


class WorkloadEntry(Section, frozen=True):
    """Programs that call the admin API with tokens of an OpenID Connect issuer, as jobs of a CI."""

    name: str
    """Unique; the audit log has it. Lower-case letters, digits, ``-``."""
    issuer: str
    """The issuer's address, exactly as in its tokens and in its discovery document. Several entries
    may have the same: the first that a token fits counts."""
    audience: str
    """Whom the tokens are for: a text of your own that no other service of yours takes."""
    scopes: tuple[str, ...] = ()
    """What they may do: ``read``, ``catalogue``, ``money``, ``users``."""
    claims: dict[str, str] = msgspec.field(default_factory=dict)
    """What the token must say, all of it: a value, or its beginning with ``*`` behind a ``/`` or a
    ``:``. A list in the token must hold such a value. At least one, and of an issuer that signs for
    everybody one that names you."""


def claim_value(value: str) -> str | None:
    """What is wrong with the wanted value of a claim; ``None``: nothing."""
    if not _PATTERN.fullmatch(value) or len(value) > CONDITION_CHARS_MAX:
        return f"must be 1 to {CONDITION_CHARS_MAX} printable ASCII characters"
    if "*" in value.removesuffix("*"):
        return "has a * that is not at its end"
    if value.endswith("*") and not value[:-1].endswith(_PREFIX_END):
        return "has a * that is not behind a / or a :, so that a longer name would do as well"
    return None


def _names_somebody(name: str, value: str) -> bool:
    """Whether a wanted value, which may end in ``*``, is more than what all values begin with: a
    `sub` says first what it names somebody by (``repo:acme/*``, ``project_path:acme/*``).
    """
    if not value.endswith("*"):
        return True
    said = [part for part in re.split("[/:]", value[:-1]) if part]
    return len(said) > (name == "sub")


def relations(workloads: tuple[WorkloadEntry, ...]) -> Iterator[Problem]:
    """What is wrong between settings of workloads."""
    names: dict[str, int] = {}
    for i, entry in enumerate(workloads):
        at = ("workloads", i)
        if entry.name and names.setdefault(entry.name, i) != i:
            yield Problem((*at, "name"), "is taken: another workload above has it")
        address = urlsplit(entry.issuer)
        if address.scheme == "http" and not is_loopback(address.hostname or ""):
            yield Problem(
                (*at, "issuer"),
                "must begin with https://: whoever is on the way could sign as anybody",
                'issuer = "https://token.actions.githubusercontent.com"',
            )
        if not entry.scopes:
            yield Problem((*at, "scopes"), "must name a scope", 'scopes = ["read"]')
        own = _EVERYBODYS.get(entry.issuer.rstrip("/"))
        if not entry.claims:
            yield Problem(
                (*at, "claims"),
                "must name a claim: without one every token of the issuer would do",
                'claims = { repository = "acme/infra" }',
            )
        elif own is not None and not any(
            name in own and _names_somebody(name, value) for name, value in entry.claims.items()
        ):
            yield Problem(
                (*at, "claims"),
                f"must have one of {', '.join(own)} that names you: the issuer signs for everybody",
                'claims = { sub = "repo:acme/infra:ref:refs/heads/main" }',
            )
