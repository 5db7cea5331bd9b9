"""The checks of an authorization request, in their order. Pure.

Until the application and its address are known to be right nothing may be redirected: we would be
an open redirector (RFC 6749 section 4.1.2.1). From then on every error goes back by a redirect.
"""

import re
from collections.abc import Sequence
from typing import Final
from urllib.parse import parse_qsl

from trivium.oauth import redirect, scope
from trivium.oauth.apps.model import App, GrantType
from trivium.oauth.consent.model import AuthorizationRequest
from trivium.oauth.errors import AuthorizationRefused, OAuthError, Reason, SentBack

STATE_BYTES_MAX: Final = 4096
PARAMETERS_MAX: Final = 100

_CHALLENGE: Final = re.compile(rb"[A-Za-z0-9\-._~]{43,128}")
"""RFC 7636 section 4.2."""

Parameters = Sequence[tuple[str, bytes]]
"""Names and values, percent-decoded, in their order. A parameter without a value counts as left
out (RFC 6749 section 3.1), but it counts as a repetition."""


def parameters(query: bytes) -> Parameters:
    """The parameters of a query or of a form. Raises Refused when there are far too many."""
    try:
        pairs = parse_qsl(
            query.decode("latin-1"),
            keep_blank_values=True,
            encoding="latin-1",
            max_num_fields=PARAMETERS_MAX,
        )
    except ValueError:
        raise AuthorizationRefused(Reason.REPEATED) from None
    return [(name, value.encode("latin-1")) for name, value in pairs]


def client_id(given: Parameters) -> str:
    """Which application asks. Raises Refused."""
    values = _values(given, "client_id")
    if len(values) > 1:
        raise AuthorizationRefused(Reason.REPEATED)
    if not values or not values[0]:
        raise AuthorizationRefused(Reason.APP_MISSING)
    return values[0].decode("latin-1")


def check(
    given: Parameters, app: App | None, *, strict_state: bool, issuer: str, spend: bool = False
) -> AuthorizationRequest:
    """The request, if everything about it is right.

    ``app``: of :func:`client_id`. ``strict_state``: PKCE does not stand in for ``state``.
    ``spend``: applications may ask to spend.
    Raises Refused for what must not be redirected, SentBack for what must.
    """
    if app is None:
        raise AuthorizationRefused(Reason.APP_UNKNOWN)
    if not app.works:
        raise AuthorizationRefused(Reason.APP_SUSPENDED)
    _check_redirect(given, app)
    states = _values(given, "state")
    # a repeated state is nobody's: none goes back
    state = states[0] if len(states) == 1 and states[0] else None
    try:
        return _asked(given, app, state, strict_state=strict_state, spend=spend)
    except OAuthError as wrong:
        said = error(wrong.code, wrong.description)
        back = answer(app, app.redirect_uri, state, issuer, said)
        raise SentBack(back, wrong.code) from None


def _asked(
    given: Parameters, app: App, state: bytes | None, *, strict_state: bool, spend: bool
) -> AuthorizationRequest:
    """The checks whose errors go back. Raises OAuthError."""
    names = [name for name, _ in given]
    if len(set(names)) < len(names):
        raise _invalid("a parameter is repeated")
    values = {name: value for name, value in given if value}
    if "response_type" not in values:
        raise _invalid("response_type is missing: it must be code")
    if values["response_type"] != b"code":
        raise OAuthError("unsupported_response_type", "response_type must be code")
    scopes = _scopes(values.get("scope"), app, spend=spend)
    challenge = values.get("code_challenge")
    wrong = _challenge_problem(challenge, values.get("code_challenge_method"))
    _check_state(state, is_spared=not strict_state and challenge is not None and not wrong)
    if wrong:
        raise _invalid(wrong)
    if GrantType.CODE not in app.grants:
        raise OAuthError("unauthorized_client", "the application may not ask for authorization")
    return AuthorizationRequest(
        app=app,
        redirect_uri=app.redirect_uri,
        scopes=scopes,
        state=state,
        code_challenge=None if challenge is None else challenge.decode("ascii"),
        auto_authorize=values.get("auto_authorize") == b"true",
    )


def error(code: str, description: str) -> list[tuple[str, str | bytes]]:
    """Parameters of an error that goes back."""
    return [("error", code), ("error_description", redirect.description(description))]


def answer(
    app: App,
    redirect_uri: str,
    state: bytes | None,
    issuer: str,
    said: list[tuple[str, str | bytes]],
) -> str:
    """Where the browser is sent with an answer: ``state`` as it came, ``iss`` where wanted."""
    parameters = list(said)
    if state is not None:
        parameters.append(("state", state))
    if app.send_iss:
        parameters.append(("iss", issuer))
    return redirect.location(redirect_uri, parameters)


def _check_redirect(given: Parameters, app: App) -> None:
    values = _values(given, "redirect_uri")
    if len(values) > 1:
        raise AuthorizationRefused(Reason.REPEATED)
    if not values or not values[0]:
        raise AuthorizationRefused(Reason.REDIRECT_MISSING)
    if values[0] != app.redirect_uri.encode("ascii"):
        raise AuthorizationRefused(Reason.REDIRECT_UNKNOWN)


def _scopes(given: bytes | None, app: App, *, spend: bool) -> frozenset[str]:
    scopes = scope.DEFAULT
    if given is not None:
        try:
            offered = scope.EVERY if spend else scope.SCOPES
            scopes = scope.parse(given.decode("latin-1"), offered)
        except ValueError as wrong:
            raise OAuthError("invalid_scope", str(wrong)) from None
    if not scopes <= app.scopes | {scope.SPEND}:
        allowed = scope.written(app.scopes)
        raise OAuthError("invalid_scope", f"the application may ask for {allowed}")
    return scopes


def _check_state(state: bytes | None, *, is_spared: bool) -> None:
    """Refuse a missing ``state``. ``is_spared``: PKCE does as well (RFC 9700 section 4.7)."""
    if state is None and not is_spared:
        raise _invalid("state is missing")
    if state is not None and len(state) > STATE_BYTES_MAX:
        raise _invalid(f"state has more than {STATE_BYTES_MAX} bytes")


def _challenge_problem(challenge: bytes | None, method: bytes | None) -> str | None:
    if challenge is None:
        return None if method is None else "code_challenge_method is given without code_challenge"
    if not _CHALLENGE.fullmatch(challenge):
        return "code_challenge must be 43 to 128 letters, digits, '-', '.', '_' or '~'"
    if method != b"S256":
        return "transform algorithm not supported: code_challenge_method must be S256"
    return None


def _invalid(description: str) -> OAuthError:
    return OAuthError("invalid_request", description)


def _values(given: Parameters, name: str) -> list[bytes]:
    return [value for other, value in given if other == name]
