"""Operations and schemas of the OAuth 2.0 service, for other applications.

Its errors are those of the RFCs, not ``GatewayError``: clients of every language read them.
"""

from typing import Any, Final

from trivium.edge.openapi.row import OperationRow, described, operations
from trivium.edge.openapi.schema import Schema, media, one_of, parameters, ref, schemas

TAG: Final = "oauth"
ABOUT: Final = "Other applications: their registration, authorization, tokens, the user's record."

SECURITY: Final[dict[str, Schema]] = {
    "developerBearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "`Authorization: Bearer gwdev_…`: a token of the user centre.",
    },
    "oauthBearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "`Authorization: Bearer gwat_…`: an access token, in the header alone.",
    },
    "oauthClient": {
        "type": "http",
        "scheme": "basic",
        "description": "Client id and client secret; both may stand in the form instead.",
    },
}

SCHEMAS: Final = schemas("""
OAuthAppRegistration = {
  name!: text(minLength 1, maxLength 64) "Shown to users.",
  description: text(maxLength 500) "Shown to users.",
  redirect_uri!: text(maxLength 2000) "An HTTPS address of the application's server."
}
OAuthApp = {
  success!: bool, message!: text "Empty.",
  data!: {
    id!: int, name!: text, client_id!: text "Public.",
    client_secret!: text "Shown once; for the application's server only.", redirect_uri!: text,
    created_time!: int "Unix seconds."
  }
}
OAuthAppFailure = {
  success!: bool, message!: text "Names the field that is wrong.", data!: text | null
}
OAuthTokenRequest = {
  grant_type!: 'authorization_code' | 'refresh_token', code: text "With `authorization_code`.",
  redirect_uri: text "With `authorization_code`: as in the authorization request.",
  code_verifier: text "If the authorization request had a `code_challenge`.",
  refresh_token: text "With `refresh_token`.",
  scope: text "With `refresh_token`: fewer scopes for the access token.",
  client_id: text "Unless in a Basic header.", client_secret: text "Unless in a Basic header."
}
OAuthTokens = {
  access_token!: text, token_type!: 'Bearer', expires_in!: int "Seconds; 7200.",
  refresh_token!: text "Good for 30 days; each refresh gives a new one.",
  scope!: text "What was granted, separated by spaces."
}
OAuthRevocation = {
  token!: text "An access token, or a refresh token with everything that came of it.",
  token_type_hint: text "Ignored.", client_id: text "Unless in a Basic header.",
  client_secret: text "Unless in a Basic header."
}
OAuthUserinfo = {
  id!: int, username: text "Scope `profile`.", email: text "Scope `profile`.",
  quota: int "Scope `balance`: what is left; 500,000 units are one US dollar.",
  used_quota: int "Scope `balance`: what was spent, in the same units.",
  balance_formatted: text "Scope `balance`: what is left in US dollars.",
  created_time: int "Scope `profile`: Unix seconds.", status: int "Scope `profile`: 1, active.",
  sub: text "The id as a text, for OpenID libraries; an operator may switch it off.",
  email_verified: bool "Scope `profile`: whether the address is proven to be the user's; comes
    with `sub`."
}
OAuthTopup = {topup_url!: text "For the user's browser."}
OAuthSpendRequest = {
  access_token!: text "With the scope `spend`.", client_id: text "Unless in a Basic header.",
  client_secret: text "Unless in a Basic header."
}
OAuthSpendKey = {
  key!: text "A key of the gateway, shown once.",
  expires_in!: int "Seconds: as long as the access token.", base_url!: text "Where calls go.",
  monthly_cap!: text "What the user allows a month, in US dollars."
}
OAuthFailure = {
  error!: text "As RFC 6749 and RFC 6750 name it.", error_description: text "For developers."
}
OAuthMetadata = {
  issuer!: text, authorization_endpoint!: text, token_endpoint!: text, userinfo_endpoint: text,
  revocation_endpoint: text
} "More in RFC 8414."
""")

PARAMETERS: Final = parameters("""
client_id = query client_id!: text "Of the application."
redirect_uri = query redirect_uri!: text "Exactly as registered, to the byte."
response_type = query response_type!: 'code' "Always `code`."
scope = query scope: text "`profile`, `balance` or both; `profile` when left out."
state = query state: text "Comes back as it was. May be left out where there is a
  `code_challenge`."
code_challenge = query code_challenge: text(pattern '^[A-Za-z0-9._~-]{43,128}$') "PKCE (RFC 7636)."
code_challenge_method = query code_challenge_method: 'S256' "With `code_challenge`."
auto_authorize = query auto_authorize: text "`true`: no question is asked of users who agreed
  before, who log in for this very request, or whose operator trusts the application."
""")


def _failure(about: str, *names: str) -> Schema:
    return {"description": about, "content": media(one_of(names))}


_FAILURES: Final = {
    "404": _failure("This host does not serve it: the settings name another.", "GatewayError"),
    "5XX": _failure("Server error, or the gateway is stopping.", "OAuthFailure", "GatewayError"),
}
"""Of every operation: what stands before the OAuth service answers as the gateway does."""
_BODY_FAILURES: Final = {
    "413": _failure("The body is too large.", "GatewayError"),
    "415": _failure("The body is compressed.", "GatewayError"),
}
_CLIENT: Final = {
    "400": "The request or the grant is wrong.",
    "401": "The client is unknown, or its secret is wrong.",
    "429": "Too many requests; `Retry-After` says how long to wait.",
}
_REFUSALS: Final[dict[str, dict[str, str]]] = {
    "client": _CLIENT,
    "spend": {**_CLIENT, "403": "The token lacks the scope, or its user has set no cap."},
    "bearer": {
        "400": "The token is not where it belongs.",
        "401": "The token is missing or not valid.",
        "403": "The token lacks the scope.",
    },
    "app": {
        "400": "A field is missing or wrong.",
        "401": "The developer token is missing or not valid.",
        "403": "The account is disabled, or has as many applications as it may have.",
        "413": "The body is too large.",
        "415": "The body is not JSON, or compressed.",
        "429": "Too many registrations within an hour.",
    },
    "none": {},
}
"""By the names of the rows below."""


def _page(about: str, **beside: Schema) -> Schema:
    return {"description": about, "content": media({"type": "string"}, "text/html") | beside}


_ELSEWHERE: Final = media(ref("GatewayError"))
_PAGES: Final = {
    "400": _page("A page: the application or its address is wrong. Never a redirect."),
    "404": _page("This host does not serve it: the settings name another.", **_ELSEWHERE),
    "429": _page("A page: too many requests; `Retry-After` says how long to wait."),
    "5XX": _page("Server error, or the gateway is stopping.", **_ELSEWHERE),
}

_OPERATIONS: Final = operations("""
oauth
POST /api/oauth_apps createOAuthApp "Registers an application." request=OAuthAppRegistration
  answer=OAuthApp failures=app keys=developerBearer
GET /api/oauth2/authorize oauthAuthorize "Where an application sends its user, who is asked to log
  in and to agree."
POST /api/oauth2/token oauthToken "Exchanges a code, or a refresh token, for tokens."
  form=OAuthTokenRequest answer=OAuthTokens failures=client keys=oauthClient
POST /api/oauth2/spend_key oauthSpendKey "Turns an access token with the scope `spend` into a key,
  where the operator has switched that on." form=OAuthSpendRequest answer=OAuthSpendKey
  failures=spend keys=oauthClient
POST /api/oauth2/revoke oauthRevoke "Revokes a token (RFC 7009)." form=OAuthRevocation
  failures=client keys=oauthClient
GET /api/oauth2/userinfo oauthUserinfo "The user's record, as much as the token's scopes allow."
  answer=OAuthUserinfo failures=bearer keys=oauthBearer
GET /api/oauth2/topup oauthTopup "Where the user tops up." answer=OAuthTopup failures=bearer
  keys=oauthBearer
GET /.well-known/oauth-authorization-server oauthMetadata "Where everything is (RFC 8414)."
  answer=OAuthMetadata failures=none keys=none
""")


def _authorize(row: OperationRow) -> Schema:
    return {
        "operationId": row.name,
        "tags": [row.tag],
        "summary": row.about,
        "parameters": [{"$ref": f"#/components/parameters/{name}"} for name in PARAMETERS],
        "responses": {
            "303": {
                "description": "On to our own pages, and from there to `redirect_uri` with `code` "
                "and `state`, or with `error`, `error_description` and `state`."
            },
            **_PAGES,
        },
        "security": [],
    }


def _refusals(of: str) -> Schema:
    own = "OAuthAppFailure" if of == "app" else "OAuthFailure"
    return {
        status: _failure(about, own, *(["GatewayError"] if status in _BODY_FAILURES else []))
        for status, about in _REFUSALS[of].items()
    }


def _operation(row: OperationRow) -> Schema:
    if not row.failures:
        return _authorize(row)
    content = media(one_of(row.answer)) if row.answer else {}
    has_body = row.request is not None or row.form is not None
    responses = {
        "200": {"description": "The answer.", "content": content},
        **(_BODY_FAILURES if has_body else {}),
        **_refusals(row.failures[0]),
        **_FAILURES,
    }
    return described(row, responses, form="application/x-www-form-urlencoded")


def paths(auth_url: str | None, api_url: str | None) -> dict[str, dict[str, Any]]:
    """Every operation by path. An origin is named where it is not the document's own."""
    made: dict[str, dict[str, Any]] = {}
    for row in _OPERATIONS:
        item = made[row.path] = {row.method.lower(): _operation(row)}
        origin = api_url if row.path == "/api/oauth_apps" else auth_url
        if origin is not None:
            item["servers"] = [{"url": origin.rstrip("/")}]
    return made
