"""Operations and schemas of the OAuth 2.0 service, for other applications.

Its errors are those of the RFCs, not ``GatewayError``: clients of every language read them.
"""

from typing import Any, Final

from trivium.edge.openapi.schema import Schema, parameters, ref, schemas

TAG: Final = "oauth"
ABOUT: Final = "Other applications: their registration, authorization, tokens, the user's record."

_FORM: Final = "application/x-www-form-urlencoded"
_DEVELOPER: Final = "developerBearer"
_ACCESS: Final = "oauthBearer"
_CLIENT: Final = "oauthClient"

SECURITY: Final[dict[str, Schema]] = {
    _DEVELOPER: {
        "type": "http",
        "scheme": "bearer",
        "description": "`Authorization: Bearer gwdev_…`: a token of the user centre.",
    },
    _ACCESS: {
        "type": "http",
        "scheme": "bearer",
        "description": "`Authorization: Bearer gwat_…`: an access token, in the header alone.",
    },
    _CLIENT: {
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


def _content(kind: str, name: str) -> Schema:
    return {kind: {"schema": ref(name)}}


def _failure(about: str, *names: str) -> Schema:
    schema = ref(names[0]) if len(names) == 1 else {"oneOf": [ref(name) for name in names]}
    return {"description": about, "content": {"application/json": {"schema": schema}}}


def _operation(
    name: str,
    about: str,
    answer: str,
    failures: dict[str, Schema],
    *,
    keys: tuple[str, ...] = (),
    body: Schema | None = None,
) -> Schema:
    out: Schema = {
        "operationId": name,
        "tags": [TAG],
        "summary": about,
        "responses": {
            "200": {
                "description": "The answer.",
                "content": _content("application/json", answer) if answer else {},
            },
            **(_BODY_FAILURES if body else {}),
            **failures,
            **_FAILURES,
        },
        "security": [{key: []} for key in keys],
    }
    return {**out, "requestBody": {"required": True, "content": body}} if body else out


_FAILURES: Final = {
    "404": _failure("This host does not serve it: the settings name another.", "GatewayError"),
    "5XX": _failure("Server error, or the gateway is stopping.", "OAuthFailure", "GatewayError"),
}
"""Of every operation: what stands before the OAuth service answers as the gateway does."""
_BODY_FAILURES: Final = {
    "413": _failure("The body is too large.", "GatewayError"),
    "415": _failure("The body is compressed.", "GatewayError"),
}
_CLIENT_FAILURES: Final = {
    "400": _failure("The request or the grant is wrong.", "OAuthFailure"),
    "401": _failure("The client is unknown, or its secret is wrong.", "OAuthFailure"),
    "429": _failure("Too many requests; `Retry-After` says how long to wait.", "OAuthFailure"),
}
_BEARER_FAILURES: Final = {
    "400": _failure("The token is not where it belongs.", "OAuthFailure"),
    "401": _failure("The token is missing or not valid.", "OAuthFailure"),
    "403": _failure("The token lacks the scope.", "OAuthFailure"),
}
_SPEND_FAILURES: Final = {
    **_CLIENT_FAILURES,
    "403": _failure("The token lacks the scope, or its user has set no cap.", "OAuthFailure"),
}
_APP_FAILURES: Final = {
    status: _failure(
        about, "OAuthAppFailure", *(("GatewayError",) if status in _BODY_FAILURES else ())
    )
    for status, about in {
        "400": "A field is missing or wrong.",
        "401": "The developer token is missing or not valid.",
        "403": "The account is disabled, or has as many applications as it may have.",
        "413": "The body is too large.",
        "415": "The body is not JSON, or compressed.",
        "429": "Too many registrations within an hour.",
    }.items()
}


_PAGE: Final[Schema] = {"text/html": {"schema": {"type": "string"}}}
_PAGES: Final[dict[str, Schema]] = {
    "400": {
        "description": "A page: the application or its address is wrong. Never a redirect.",
        "content": _PAGE,
    },
    "404": {
        "description": "This host does not serve it: the settings name another.",
        "content": _PAGE | _content("application/json", "GatewayError"),
    },
    "429": {
        "description": "A page: too many requests; `Retry-After` says how long to wait.",
        "content": _PAGE,
    },
    "5XX": {
        "description": "Server error, or the gateway is stopping.",
        "content": _PAGE | _content("application/json", "GatewayError"),
    },
}


def _authorize() -> Schema:
    return {
        "operationId": "oauthAuthorize",
        "tags": [TAG],
        "summary": "Where an application sends its user, who is asked to log in and to agree.",
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


def _for_clients() -> dict[str, dict[str, Any]]:
    """What an application's server asks for itself."""
    return {
        "/api/oauth2/token": {
            "post": _operation(
                "oauthToken",
                "Exchanges a code, or a refresh token, for tokens.",
                "OAuthTokens",
                _CLIENT_FAILURES,
                keys=(_CLIENT,),
                body=_content(_FORM, "OAuthTokenRequest"),
            )
        },
        "/api/oauth2/spend_key": {
            "post": _operation(
                "oauthSpendKey",
                "Turns an access token with the scope `spend` into a key, where the operator has "
                "switched that on.",
                "OAuthSpendKey",
                _SPEND_FAILURES,
                keys=(_CLIENT,),
                body=_content(_FORM, "OAuthSpendRequest"),
            )
        },
        "/api/oauth2/revoke": {
            "post": _operation(
                "oauthRevoke",
                "Revokes a token (RFC 7009).",
                "",
                _CLIENT_FAILURES,
                keys=(_CLIENT,),
                body=_content(_FORM, "OAuthRevocation"),
            )
        },
    }


def paths(auth_url: str | None, api_url: str | None) -> dict[str, dict[str, Any]]:
    """Every operation by path. An origin is named where it is not the document's own."""
    made: dict[str, dict[str, Any]] = {
        "/api/oauth_apps": {
            "post": _operation(
                "createOAuthApp",
                "Registers an application.",
                "OAuthApp",
                _APP_FAILURES,
                keys=(_DEVELOPER,),
                body=_content("application/json", "OAuthAppRegistration"),
            )
        },
        "/api/oauth2/authorize": {"get": _authorize()},
        **_for_clients(),
        "/api/oauth2/userinfo": {
            "get": _operation(
                "oauthUserinfo",
                "The user's record, as much as the token's scopes allow.",
                "OAuthUserinfo",
                _BEARER_FAILURES,
                keys=(_ACCESS,),
            )
        },
        "/api/oauth2/topup": {
            "get": _operation(
                "oauthTopup",
                "Where the user tops up.",
                "OAuthTopup",
                _BEARER_FAILURES,
                keys=(_ACCESS,),
            )
        },
        "/.well-known/oauth-authorization-server": {
            "get": _operation(
                "oauthMetadata", "Where everything is (RFC 8414).", "OAuthMetadata", {}
            )
        },
    }
    for path, item in made.items():
        origin = api_url if path == "/api/oauth_apps" else auth_url
        if origin is not None:
            item["servers"] = [{"url": origin.rstrip("/")}]
    return made
