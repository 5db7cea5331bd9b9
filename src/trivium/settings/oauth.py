"""``[oauth]``: other applications, which users let in."""

from trivium.settings.section import Section


class OAuth(Section, frozen=True):
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
