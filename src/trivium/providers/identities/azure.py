"""Identities in Entra ID, by ``azure-identity``.

A channel's ``credential`` names one: an application by ``client_secret``, by ``certificate`` or by
``token_file`` (workload identity: a file that a cluster keeps fresh), or ``identity``: ``managed``
(that of the machine, the pod or the App Service) or ``workload`` (as the variables say that AKS
puts into a pod).

Sources: azure-identity 1.27.0, azure-core 1.41.0;
https://learn.microsoft.com/azure/foundry/openai/how-to/managed-identity,
https://learn.microsoft.com/entra/workload-id/workload-identities-overview; read 2026-11-28.
"""

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, Self
from urllib.parse import urlencode, urlsplit

import msgspec

from trivium.providers.credential import (
    TOKEN,
    Finder,
    FoundSecret,
    HttpReply,
    Refusals,
    Remedy,
    Surroundings,
)
from trivium.providers.identities.errands import Errands

COGNITIVE: Final = "https://cognitiveservices.azure.com"
"""Azure OpenAI's audience."""
FOUNDRY: Final = "https://ai.azure.com"
"""That of Claude in Foundry."""
NAMES: Final = (
    "identity", "tenant_id", "client_id", "client_secret", "certificate", "certificate_password",
    "token_file", "object_id", "resource_id", "authority", "audience",
)  # fmt: skip
"""What a channel's ``credential`` may hold."""
EXAMPLE: Final = (
    'credential = { tenant_id = "…", client_id = "…", client_secret = "env:AZURE_CLIENT_SECRET" }'
)
_SECRET: Final = frozenset({"client_secret", "certificate", "certificate_password"})
_WAYS: Final = ("client_secret", "certificate", "token_file", "identity")
_NAMED: Final = ("managed", "workload")
_APPLICATION: Final = ("tenant_id", "client_id")
_WHICH: Final = ("client_id", "object_id", "resource_id")
"""Of a machine's identities."""
_TENANT: Final = re.compile(r"[A-Za-z0-9.\-]{1,255}")
_KNOWN_AUTHORITIES: Final = (
    "login.microsoftonline.com", "login.microsoftonline.us", "login.chinacloudapi.cn",
    "login.partner.microsoftonline.cn",
)  # fmt: skip
"""Those that Entra itself vouches for; others are taken as they are."""
_TRACE: Final = re.compile(r" ?Trace ID: .*", re.DOTALL)
_DESCRIBED: Final = re.compile(r"^(?:Authentication failed: |Token request error: )", re.IGNORECASE)


def check(parts: Mapping[str, str]) -> None:
    """Raises ``ValueError`` naming the part that cannot be used, and what would be right."""
    named = [name for name in _WAYS if name in parts]
    if len(named) != 1:
        given = " and ".join(named) or "none"
        raise ValueError(
            f"names one identity by {', '.join(_WAYS[:-1])} or identity; there is {given}. "
            f"Example: {EXAMPLE}"
        )
    _check_beside(parts, named[0])
    _check_values(parts)


def _check_beside(parts: Mapping[str, str], way: str) -> None:
    """Raises ``ValueError`` for parts that do not go with how the identity is named."""
    if way == "identity" and parts["identity"] not in _NAMED:
        raise ValueError(
            f"identity is {parts['identity']!r}, and may be {' or '.join(_NAMED)}. "
            'Example: credential = { identity = "managed" }'
        )
    if way != "identity":
        for name in _APPLICATION:
            if name not in parts:
                raise ValueError(f"{way} goes with tenant_id and client_id; {name} is missing")
    if "certificate_password" in parts and way != "certificate":
        raise ValueError("certificate_password goes with certificate")
    if parts.get("identity") == "managed":
        _check_managed(parts)
        return
    for name in ("object_id", "resource_id"):
        if name in parts:
            raise ValueError(
                f'{name} says which identity of a machine: it goes with identity = "managed"'
            )


def _check_managed(parts: Mapping[str, str]) -> None:
    """Raises ``ValueError`` for parts that a machine's identity does not have."""
    if sum(name in parts for name in _WHICH) > 1:
        raise ValueError(f"a managed identity is named by one of {', '.join(_WHICH)}")
    for name in ("tenant_id", "authority"):
        if name in parts:
            raise ValueError(f"{name} has no meaning for a managed identity: leave it out")


def _check_values(parts: Mapping[str, str]) -> None:
    if "tenant_id" in parts and not _TENANT.fullmatch(parts["tenant_id"]):
        raise ValueError("tenant_id is neither an id nor a domain, as contoso.onmicrosoft.com")
    certificate = parts.get("certificate")
    if certificate is not None:
        for wanted in ("PRIVATE KEY-----", "-----BEGIN CERTIFICATE-----"):
            if wanted not in certificate:
                raise ValueError(
                    "certificate is a PEM with the certificate and its private key. "
                    'Example: certificate = "file:/etc/trivium/gateway.pem"'
                )
    if "authority" in parts:
        host = urlsplit(_address(parts["authority"]))
        if host.scheme != "https" or not host.hostname or host.path.strip("/") or host.query:
            raise ValueError(
                "authority is the host that gives tokens. "
                'Example: authority = "login.microsoftonline.us"'
            )
    if "audience" in parts and not parts["audience"].startswith(("https://", "api://")):
        raise ValueError(f'audience is what a token is for. Example: audience = "{COGNITIVE}"')


def finder(audience: str) -> Finder:
    """What finds tokens for an audience, where a channel does not name another."""
    return Finder(
        find=partial(_find, audience),
        inspect=check,
        plain=frozenset(NAMES) - _SECRET,
        documents=frozenset({"certificate"}),
        given=frozenset({"client_secret", "certificate"}),
        elsewhere=frozenset({"authority"}),
    )


def remedy(status: int, headers: Mapping[str, str], body: bytes) -> Remedy:
    """A role that the identity lacks is no matter of its token's age."""
    del status, headers
    return Remedy.NONE if b'"PermissionDenied"' in body else Remedy.RENEW


REFUSALS: Final = Refusals(remedy=remedy)


def _find(audience: str, parts: Mapping[str, str], around: Surroundings) -> FoundSecret:
    """An access token of the identity that is named. Blocks.

    Raises ``LookupError`` where ``azure-identity`` is missing, ``ConnectionError`` where a service
    is away, and ``ValueError`` saying why else there is no token.
    """
    try:
        from azure.core.exceptions import AzureError, ServiceRequestError
    except ImportError:
        raise LookupError(
            "needs the package azure-identity, which is not installed: pip install 'trivium[azure]'"
        ) from None
    errands = Errands(around)
    transport = EntraTransport(errands, ServiceRequestError)
    made, source = _credential(parts, transport)
    scope = parts.get("audience", audience).rstrip("/") + "/.default"
    try:
        token = made().get_token(scope)
    except (AzureError, ValueError, TypeError, KeyError, OSError) as error:
        failure = ConnectionError if transport.is_away else ValueError
        raise failure(errands.cleaned(_why(error))) from None
    return FoundSecret(
        parts={TOKEN: token.token}, life_s=token.expires_on - around.clock(), source=source
    )


def _credential(
    parts: Mapping[str, str], transport: "EntraTransport"
) -> tuple[Callable[[], Any], str]:
    """(what makes the library's credential, where it is from).

    It is made where its mistakes are told, as a certificate that cannot be read.
    """
    # who waits for a token asks again: no retries within
    options: dict[str, Any] = {"transport": transport, "retry_total": 0}
    if parts.get("identity") == "managed":
        return _managed(parts, options)
    if "authority" in parts:
        options["authority"] = parts["authority"]
        host = urlsplit(_address(parts["authority"])).hostname
        options["disable_instance_discovery"] = host not in _KNOWN_AUTHORITIES
    who = {name: parts[name] for name in _APPLICATION if name in parts}
    if "client_secret" in parts:
        from azure.identity import ClientSecretCredential

        secret = parts["client_secret"]
        return (
            lambda: ClientSecretCredential(**who, client_secret=secret, **options),
            f"client secret of {parts['client_id']}",
        )
    if "certificate" in parts:
        from azure.identity import CertificateCredential

        data, password = parts["certificate"].encode(), parts.get("certificate_password")
        return (
            lambda: CertificateCredential(
                **who, certificate_data=data, password=password, **options
            ),
            f"certificate of {parts['client_id']}",
        )
    from azure.identity import WorkloadIdentityCredential

    file = {"token_file_path": parts["token_file"]} if "token_file" in parts else {}
    return lambda: WorkloadIdentityCredential(**who, **file, **options), "workload identity"


def _managed(parts: Mapping[str, str], options: dict[str, Any]) -> tuple[Callable[[], Any], str]:
    from azure.identity import ManagedIdentityCredential

    more: dict[str, Any] = {}
    for name in ("object_id", "resource_id"):
        if name in parts:
            more["identity_config"] = {name: parts[name]}
    if "client_id" in parts:
        more["client_id"] = parts["client_id"]
    which = next((parts[name] for name in _WHICH if name in parts), "the machine's own")
    # a pod's workload identity has a name of its own: `managed` is what the machine has
    more["_exclude_workload_identity_credential"] = True
    return lambda: ManagedIdentityCredential(**more, **options), f"managed identity ({which})"


def _address(authority: str) -> str:
    return authority if "://" in authority else f"https://{authority}"


def _why(error: Exception) -> str:
    """The service's words without the ids that only its makers can use."""
    text = " ".join(str(error).split())
    return _TRACE.sub("", _DESCRIBED.sub("", text)) or type(error).__name__


class EntraTransport:
    """What ``azure-identity`` makes its requests by. See azure.core's ``HttpTransport``."""

    def __init__(self, errands: Errands, failure: type[Exception]) -> None:
        """``failure``: what it expects to be raised where no answer comes."""
        self._errands = errands
        self._failure = failure
        self.is_away = False
        """Whether the last request had no answer, or one that says to come again."""

    def __enter__(self) -> Self:
        """Open it: there is nothing to be opened."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it: nothing is open."""

    def open(self) -> None:
        """Open it: there is nothing to be opened."""

    def close(self) -> None:
        """Close it: nothing is open."""

    def sleep(self, duration: float) -> None:
        """Return at once: nothing is asked for twice here."""

    def send(self, request: Any, **options: Any) -> "EntraAnswer":
        """One answer. Raises the failure that was given."""
        body = request.content
        if isinstance(body, dict):  # a form
            body = urlencode(body)
        try:
            reply = self._errands.send(
                request.method, request.url, request.headers, body,
                options.get("connection_timeout"),
            )  # fmt: skip
        except OSError as error:
            self.is_away = True
            raise self._failure(str(error)) from None
        self.is_away = reply.status == 429 or reply.status >= 500
        return EntraAnswer(request, reply)


class EntraAnswer:
    """An answer as azure.core reads it."""

    def __init__(self, request: Any, reply: HttpReply) -> None:
        self.request = request
        self.status_code = reply.status
        self.headers = reply.headers
        self.reason = ""
        self.content_type = reply.headers.get("content-type")
        self.content = reply.body

    def body(self) -> bytes:
        """The whole of it."""
        return self.content

    def read(self) -> bytes:
        """The whole of it."""
        return self.content

    def text(self, encoding: str | None = None) -> str:
        """The whole of it, decoded."""
        return self.content.decode(encoding or "utf-8", "replace")

    def json(self) -> Any:
        """What its JSON says. Raises ``msgspec.DecodeError``."""
        return msgspec.json.decode(self.content)
