"""What every table of the settings file has in common."""

from collections.abc import Iterator
from typing import Final

import msgspec

from trivium.settings.errors import Problem
from trivium.settings.syntax import between


class Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of the file; a misspelt setting is an error, not silence."""

    def __repr__(self) -> str:
        """Show the type alone, because any section may hold keys and passwords."""
        return f"{type(self).__name__}(...)"


class AssetsSettings(Section, frozen=True):
    """Where generated images and videos lie until they expire."""

    url: str = ""
    """``file:///FOLDER`` or ``s3://BUCKET/PREFIX``; empty: the folder ``assets`` beside that of
    ``storage.journal``, which several nodes do not share."""
    endpoint: str | None = None
    """Of an S3-compatible store; ``None``: Amazon's own."""
    region: str = "us-east-1"
    """Of the bucket; most S3-compatible stores take any."""
    access_key: str | None = None
    """``env:NAME``, ``file:PATH`` or the key id itself; ``None``: the machine's own role."""
    secret_key: str | None = None
    """The same for the key's secret half."""


RETENTION_DAYS_MIN: Final = 30
"""The database refuses to delete what is younger, whoever asks."""


class AuditSettings(Section, frozen=True):
    """The log of security-relevant acts."""

    retention_days: int = 400
    """Older acts are swept: a year, and time to notice. At least 30; 0 keeps them for ever."""


def retention(value: int) -> str | None:
    """A retention in days: long enough for the database, or for ever."""
    if 0 < value < RETENTION_DAYS_MIN:
        return f"must be 0 or at least {RETENTION_DAYS_MIN}: the database keeps acts that long"
    return between(0, 100_000)(value)


class FetchSettings(Section, frozen=True):
    """Files named by URL, for upstreams that take bytes only. Public addresses only."""

    enabled: bool = False
    """Whether they are fetched. Off: such a request is refused by name, as an operator may not want
    the gateway to call strangers' servers."""
    timeout_s: float = 15.0
    """For one file, redirects included; the caller waits meanwhile."""
    bytes_max: int = 20_971_520
    """Of one file: what the vendors take in one request."""
    files_max: int = 16
    """Of one request."""
    redirects_max: int = 3
    """Followed for one file; each target is looked at like the first."""
    kept_s: float = 3600.0
    """How long a worker keeps a file: every turn of a conversation sends its pictures again, and
    they should be the same bytes."""
    kept_bytes_max: int = 67_108_864
    """For all kept files of a worker; the oldest go first."""
    networks: tuple[str, ...] = ()
    """Ranges such as "10.20.0.0/16" that may be fetched from although they are not public."""


class SecretsSettings(Section, frozen=True):
    """Secrets that the settings name in stores: Vault, AWS or Google Secret Manager."""

    refresh_s: float = 300.0
    """How often each worker looks them up again, so that a secret that is replaced there is in
    force minutes later; 0: only when the file is read again."""
    references: tuple[str, ...] = ("env:*_API_KEY",)
    """What channels of the database may refer to: ``env:NAME``, a store's reference, or
    ``identity:PROVIDER`` for what the gateway itself is known by in a cloud; ``*`` for any
    characters. Files never. Whoever may change channels has them sent, if only to the providers'
    own addresses."""
    reference_hosts: tuple[str, ...] = ()
    """Hosts such as ``*.openai.azure.com`` that references of channels in the database may be sent
    to, over HTTPS, beside the provider's own address."""


class ImagesSettings(Section, frozen=True):
    """The models of image requests that name none."""

    legacy_model: str | None = None
    """Meant unless the request uses what GPT image models alone have; ``None``: ``dall-e-2``."""
    gpt_model: str | None = None
    """Meant when it does: a format, a stream, a background and so on; ``None``:
    ``gpt-image-2``."""


class JobsSettings(Section, frozen=True):
    """Videos: how often jobs are looked at until they are made, and for how long files are kept."""

    look_s: float = 5.0
    """First pause between two looks at an upstream for a video nobody asks about; a tenth of the
    video's age later on."""
    look_max_s: float = 60.0
    """The longest."""
    age_max_s: float = 86_400.0
    """A video that is not made a day after it was asked for has failed, and costs nothing."""
    retention_days: int = 90
    """A video that was asked for so long ago and has ended is forgotten, with its prompt; 0 keeps
    all until their owners delete them."""
    at_once: int = 8
    """Videos that one worker looks after at the same time."""
    keep_days: int = 0
    """How long finished videos and their pictures are kept in the store of ``[assets]``, so that
    they outlive what the upstream keeps; 0: they are fetched from the upstream each time."""
    keep_bytes_max: int = 2_147_483_648
    """A larger video is not kept."""


class MetricsSettings(Section, frozen=True):
    """``GET /metrics``, on the port of the pages."""

    enabled: bool = False
    """Whether requests are counted and the numbers served. They name models and channels and say
    how much is used, so somebody has to want it."""
    token: str = ""
    """What a scraper presents as ``Authorization: Bearer``. Empty: whoever reaches the port may
    read them, which needs ``server.admin_listen``."""


def relations(metrics: MetricsSettings, admin_listen: str | None) -> Iterator[Problem]:
    """What is wrong between settings whose own values are right."""
    if metrics.enabled and not metrics.token and not admin_listen:
        yield Problem(
            ("metrics", "enabled"),
            "needs metrics.token or server.admin_listen: callers must not read the numbers",
            'token = "env:METRICS_TOKEN"',
        )


class OAuthSettings(Section, frozen=True):
    """The OAuth 2.0 service. Access tokens last two hours, refresh tokens 30 days."""

    code_s: int = 60
    """Lifetime of an authorization code. At most 600 (RFC 6749)."""
    family_days: int = 365
    """After so long a user agrees anew, however often an application refreshed its tokens."""
    strict_state: bool = False
    """Whether every authorization request needs ``state``; else PKCE does as well, which protects
    the answer in the same way and is what Auth.js sends."""
    allow_insecure_redirect: bool = False
    """Whether applications may be registered with ``http://localhost``, ``http://127.0.0.1`` or
    ``http://[::1]``, for development."""
    userinfo_sub: bool = True
    """Whether ``userinfo`` has ``sub`` (the id as a text) and ``email_verified`` as well, which
    OpenID libraries look for."""
    balance_decimals: int = 2
    """Decimals of ``balance_formatted``, 2 to 6."""
    spend: bool = False
    """Whether applications may ask to spend (scope ``spend``): their users set a cap a month, and
    an access token becomes a short-lived key at ``/api/oauth2/spend_key``."""
    apps_max: int = 20
    """Applications of one user."""
    apps_per_hour: int = 10
    """Applications one user registers an hour."""
    authorize_per_minute: int = 600
    """Authorization requests from one address a minute, and of one user who is logged in once that
    is used up: an office or a mobile network is one address. With ``shared.url`` all workers count
    together."""
    token_per_minute: int = 60
    """Token and revocation requests of one application a minute, counted likewise."""
    failures_per_minute: int = 20
    """Token and revocation requests from one address a minute that name no client or a wrong
    secret, and requests to the admin API with a token that is none; beyond it that address waits.
    Counted likewise."""


class PluginsSettings(Section, frozen=True):
    """Packages that bring providers or hooks, see docs/plugins.md."""

    enabled: tuple[str, ...] = ()
    """Names of installed packages, as ``pip`` has them. One that is not listed is not loaded, so
    that installing it alone changes nothing."""
