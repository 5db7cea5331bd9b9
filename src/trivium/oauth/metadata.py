"""The metadata document of the service (RFC 8414). Pure."""

from typing import Final

from trivium.oauth.scope import EVERY, SCOPES

PATH: Final = "/.well-known/oauth-authorization-server"


def document(issuer: str, *, spend: bool = False) -> dict[str, str | list[str]]:
    """The metadata of a service whose issuer is this origin, to the byte. ``spend``: whether
    applications may ask to spend.
    """
    return {
        "issuer": issuer,
        "authorization_endpoint": f"{issuer}/api/oauth2/authorize",
        "token_endpoint": f"{issuer}/api/oauth2/token",
        "userinfo_endpoint": f"{issuer}/api/oauth2/userinfo",
        "revocation_endpoint": f"{issuer}/api/oauth2/revoke",
        "scopes_supported": list(EVERY if spend else SCOPES),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        "revocation_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        "code_challenge_methods_supported": ["S256"],
    }
