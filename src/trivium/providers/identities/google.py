"""Identities in Google Cloud, by ``google-auth``.

A channel's ``credential`` names one: ``key`` (a service account's JSON), ``federation`` (a workload
identity pool's configuration), or ``identity``: ``default`` (application default credentials, as
Google's own tools look for them) or ``metadata`` (the machine's or pod's service account). With
``impersonate`` the one that is named takes on another service account.

Sources: google-auth 2.62.2; https://cloud.google.com/docs/authentication/application-default-credentials,
https://cloud.google.com/iam/docs/workload-identity-federation-with-other-clouds,
https://cloud.google.com/iam/docs/service-account-impersonation; read 2026-11-28.
"""

import re
from collections.abc import Mapping
from datetime import UTC
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from trivium.providers.credential import TOKEN, Finder, FoundSecret, Surroundings
from trivium.providers.identities.errands import Errands

SCOPE: Final = "https://www.googleapis.com/auth/cloud-platform"
"""The only one that Vertex AI takes: what an account may do is decided by its roles."""
NAMES: Final = (
    "identity", "key", "federation", "impersonate", "delegates", "service_account",
)  # fmt: skip
"""What a channel's ``credential`` may hold."""
EXAMPLE: Final = 'credential = { key = "file:/etc/trivium/service-account.json" }'
_NAMED: Final = ("default", "metadata")
_KEY_MEMBERS: Final = ("client_email", "private_key", "token_uri")
_FEDERATION_MEMBERS: Final = ("audience", "subject_token_type", "token_url", "credential_source")
_EMAIL: Final = re.compile(r"[a-z0-9.\-]{1,100}@[a-z0-9.\-:]{1,200}\.gserviceaccount\.com")
_IMPERSONATED: Final = re.compile(r"/serviceAccounts/([^/:]{1,300}):generateAccessToken$")
_IMPERSONATED_S: Final = 3_600
_DEFAULT: Final = {
    "google.oauth2.service_account": "a service account's key",
    "google.oauth2.credentials": "a person's login by gcloud",
    "google.auth.compute_engine.credentials": "metadata server",
    "google.auth.identity_pool": "workload identity federation",
    "google.auth.aws": "workload identity federation from AWS",
    "google.auth.pluggable": "workload identity federation by a command",
    "google.auth.external_account_authorized_user": "a person's login by a workforce pool",
    "google.auth.impersonated_credentials": "impersonation",
}
"""What application default credentials turned out to be, by the module of their class."""


def check(parts: Mapping[str, str]) -> None:
    """Raises ``ValueError`` naming the part that cannot be used, and what would be right."""
    named = [name for name in ("key", "federation", "identity") if name in parts]
    if len(named) != 1:
        given = " and ".join(named) or "none"
        raise ValueError(
            f"names one identity by key, federation or identity; there is {given}. "
            f"Example: {EXAMPLE}"
        )
    if "identity" in parts and parts["identity"] not in _NAMED:
        raise ValueError(
            f"identity is {parts['identity']!r}, and may be {' or '.join(_NAMED)}. "
            'Example: credential = { identity = "metadata" }'
        )
    if "service_account" in parts and parts.get("identity") != "metadata":
        raise ValueError(
            'service_account says which account of a machine: it goes with identity = "metadata"'
        )
    if "key" in parts:
        _checked(parts["key"], "key", "service_account", _KEY_MEMBERS)
    if "federation" in parts:
        _check_source(
            _checked(parts["federation"], "federation", "external_account", _FEDERATION_MEMBERS)
        )
    if "delegates" in parts and "impersonate" not in parts:
        raise ValueError("delegates go with impersonate: they pass an impersonation on")
    if "impersonate" in parts:
        _target(parts["impersonate"])


def find(parts: Mapping[str, str], around: Surroundings) -> FoundSecret:
    """An access token of the identity that is named. Blocks.

    Raises ``LookupError`` where ``google-auth`` is missing, ``ConnectionError`` where a service is
    away, and ``ValueError`` saying why else there is no token.
    """
    try:
        from google.auth import exceptions
    except ImportError:
        raise LookupError(
            "needs the package google-auth, which is not installed: pip install 'trivium[gcp]'"
        ) from None
    errands = Errands(around)
    transport = GoogleTransport(errands, exceptions.TransportError)
    try:
        credentials, source = _credentials(parts, transport)
        if "impersonate" in parts:
            credentials, source = _impersonating(parts, credentials, source)
        credentials.refresh(transport)
    except exceptions.GoogleAuthError as error:
        away = error.retryable or isinstance(error, exceptions.TransportError)
        failure = ConnectionError if away else ValueError
        raise failure(errands.cleaned(_why(error))) from None
    except (ValueError, TypeError, KeyError, OSError) as error:
        raise ValueError(errands.cleaned(_why(error))) from None
    if not credentials.token:
        raise ValueError("the token service gave no token")
    life_s = None
    if credentials.expiry is not None:  # UTC without saying so
        life_s = credentials.expiry.replace(tzinfo=UTC).timestamp() - around.clock()
    return FoundSecret(parts={TOKEN: credentials.token}, life_s=life_s, source=source)


FINDER: Final = Finder(
    find=find,
    inspect=check,
    plain=frozenset(NAMES) - frozenset({"key", "federation"}),
    documents=frozenset({"key", "federation"}),
    given=frozenset({"key"}),
)


class GoogleTransport:
    """What ``google-auth`` makes its requests by."""

    def __init__(self, errands: Errands, failure: type[Exception]) -> None:
        """``failure``: what it expects to be raised where no answer comes."""
        self._errands = errands
        self._failure = failure
        self.session: Any = None
        """Set by the library where a metadata server wants a client's certificate: a session that
        has it."""

    def __call__(
        self,
        url: str,
        method: str = "GET",
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = None,
        **more: Any,
    ) -> "GoogleAnswer":
        """One answer. Raises the failure that was given."""
        if more.get("cert") is not None:
            raise self._failure("a pool that asks for client certificates is not supported")
        if self.session is not None and url.startswith("https://"):
            self.session.trust_env = False
            got = self.session.request(method, url, data=body, headers=headers, timeout=timeout)
            return GoogleAnswer(status=got.status_code, headers=got.headers, data=got.content)
        try:
            reply = self._errands.send(method, url, headers, body, timeout)
        except OSError as error:
            raise self._failure(str(error)) from None
        return GoogleAnswer(status=reply.status, headers=reply.headers, data=reply.body)


class GoogleAnswer(msgspec.Struct, frozen=True):
    """An answer as ``google-auth`` reads it."""

    status: int
    headers: Mapping[str, str]
    data: bytes


def _credentials(parts: Mapping[str, str], transport: GoogleTransport) -> tuple[Any, str]:
    """The library's credentials of the identity that is named, and where they are from."""
    if "key" in parts:
        from google.oauth2 import service_account

        info = msgspec.json.decode(parts["key"])
        made = _loose(service_account.Credentials).from_service_account_info(info, scopes=(SCOPE,))
        return made, f"service account key ({info['client_email']})"
    if "federation" in parts:
        return _federated(msgspec.json.decode(parts["federation"]))
    if parts["identity"] == "metadata":
        from google.auth import compute_engine

        account = parts.get("service_account", "default")
        made = _loose(compute_engine.Credentials)(service_account_email=account, scopes=(SCOPE,))
        return made, f"metadata server ({account})"
    from google.auth import default

    made, _ = _loose(default)(scopes=(SCOPE,), request=transport)
    kind = _DEFAULT.get(type(made).__module__, type(made).__name__)
    return made, f"application default credentials: {kind}"


def _loose(found: Any) -> Any:
    """Something of the library's, which is typed in part only."""
    return found


def _federated(info: dict[str, Any]) -> tuple[Any, str]:
    if "environment_id" in info["credential_source"]:
        from google.auth import aws

        made = _loose(aws.Credentials).from_info(info, scopes=(SCOPE,))
        return made, "workload identity federation from AWS"
    from google.auth import identity_pool

    made = _loose(identity_pool.Credentials).from_info(info, scopes=(SCOPE,))
    return made, f"workload identity federation ({_source_word(info['credential_source'])})"


def _impersonating(parts: Mapping[str, str], source: Any, told: str) -> tuple[Any, str]:
    from google.auth import impersonated_credentials

    email, url = _target(parts["impersonate"])
    delegates = [one.strip() for one in parts.get("delegates", "").split(",") if one.strip()]
    made = _loose(impersonated_credentials.Credentials)(
        source_credentials=source,
        target_principal=email,
        target_scopes=(SCOPE,),
        delegates=delegates,
        lifetime=_IMPERSONATED_S,
        iam_endpoint_override=url,
    )
    return made, f"{email}, impersonated by {told}"


def _target(written: str) -> tuple[str, str | None]:
    """(e-mail, address) of the account that is taken on. Raises ``ValueError``."""
    if "://" in written:
        parts = urlsplit(written)
        found = _IMPERSONATED.search(parts.path)
        if parts.scheme in ("http", "https") and found:
            return found[1], written
    elif _EMAIL.fullmatch(written):
        return written, None
    raise ValueError(
        "impersonate is no service account. "
        'Example: impersonate = "gateway@my-project.iam.gserviceaccount.com"'
    )


def _checked(text: str, part: str, kind: str, members: tuple[str, ...]) -> dict[str, Any]:
    """The JSON of a part. Raises ``ValueError`` without any of its values."""
    try:
        found = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ValueError(  # noqa: TRY004 - of a setting
            f"{part} is no JSON; give the whole file. Example: "
            f'credential = {{ {part} = "file:/etc/trivium/google.json" }}'
        )
    told = found.get("type")
    if told != kind:
        hint = {
            "service_account": "; give it as key",
            "external_account": "; give it as federation",
            "authorized_user": '; it is a person\'s login: use identity = "default"',
            "impersonated_service_account": "; name the account by impersonate instead",
        }.get(told if isinstance(told, str) else "", "")
        raise ValueError(f"{part} must have type {kind}{hint}")
    for name in members:
        if not found.get(name):
            raise ValueError(f"{part} lacks {name}: it is not the whole file that Google gave")
    for name in ("token_uri", "token_url", "service_account_impersonation_url"):
        if name in found and not _is_address(found[name]):
            raise ValueError(f"{part} has no address in {name}")
    if kind == "service_account" and "PRIVATE KEY-----" not in str(found["private_key"]):
        raise ValueError(f"{part} has no PEM in private_key; was the file changed on its way?")
    return found


def _check_source(info: dict[str, Any]) -> None:
    """Raises ``ValueError`` for a source of subject tokens that is not read here."""
    source = info["credential_source"]
    if not isinstance(source, dict):
        raise ValueError("federation has no object in credential_source")  # noqa: TRY004
    if "executable" in source:
        raise ValueError(
            "federation runs a command for its token, which the gateway does not; "
            "write the token to a file and name it in credential_source.file"
        )
    if "certificate" in source:
        raise ValueError("federation by client certificates is not supported")
    if not any(name in source for name in ("file", "url", "environment_id")):
        raise ValueError("federation needs file, url or environment_id in credential_source")


def _source_word(source: Mapping[str, Any]) -> str:
    return "token file" if "file" in source else "token service"


def _is_address(value: object) -> bool:
    return isinstance(value, str) and value.startswith(("https://", "http://"))


def _why(error: Exception) -> str:
    """What went wrong: the service's own words where the library only keeps them."""
    text = str(error.args[0]) if error.args else type(error).__name__
    if len(error.args) > 1 and isinstance(error.args[1], str):
        try:
            told = msgspec.json.decode(error.args[1])["error"]["message"]
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError, LookupError, TypeError):
            return text
        return f"{text}: {told}"
    return text
