"""The errors of the OAuth service."""

from enum import Enum, unique

from trivium.oauth import redirect


class OAuthError(Exception):
    """An error of RFC 6749 section 5.2 or RFC 6750 section 3.1.

    ``code``: of the RFC. ``description``: for developers; no secret, and nothing that tells an
    unknown code or token from a used one. ``status``: of HTTP. ``retry_after``: seconds, ``None``
    where waiting is not the point.
    """

    def __init__(
        self, code: str, description: str, status: int = 400, *, retry_after: int | None = None
    ) -> None:
        super().__init__(f"{code}: {description}")
        self.code = code
        self.description = redirect.description(description)
        self.status = status
        self.retry_after = retry_after


class RegistrationError(Exception):
    """An application or a developer token that cannot be made, changed or found.

    ``field`` is the argument at fault: ``name``, ``description``, ``redirect_uri``, ``grants``,
    ``days``, ``permission``, ``app``, ``status``, ``token``, ``user``, ``limit`` or ``rate``; of a
    token for machines also ``scopes``, ``overlap_s``, ``state`` (it has ended) and ``reach`` (the
    token that asks may not). The
    message is for whoever typed it.
    """

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message


@unique
class Reason(Enum):
    """Why an authorization request is answered with a page and never with a redirect."""

    REPEATED = "repeated"
    APP_MISSING = "app_missing"
    APP_UNKNOWN = "app_unknown"
    APP_SUSPENDED = "app_suspended"
    REDIRECT_MISSING = "redirect_missing"
    REDIRECT_UNKNOWN = "redirect_unknown"
    REQUEST_UNKNOWN = "request_unknown"
    """Expired, answered already, or of another account."""


class AuthorizationRefused(Exception):  # noqa: N818 - an answer, not a failure of ours
    """An authorization request that must not be redirected (RFC 6749 section 4.1.2.1)."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.value)
        self.reason = reason


class SentBack(Exception):  # noqa: N818 - an answer, not a failure of ours
    """An authorization request that is answered by a redirect with ``error``."""

    def __init__(self, location: str, code: str) -> None:
        super().__init__(code)
        self.location = location
        self.code = code
