"""Identities in AWS, by ``botocore``: where Amazon's own tools find them, and roles assumed.

A channel's ``credential`` may hold ``key_id`` and ``secret``, with ``session_token`` for a
session's; or name a ``profile``; or nothing, and then the environment, ``~/.aws``, a pod's web
identity, a container's and an instance's role are asked, in the order of Amazon's tools. With
``role_arn`` whoever that is assumes a role, with ``external_id`` and ``session_name``.

``botocore`` makes its own connections: to STS by the channel's proxy and the gateway's authorities,
to metadata services directly. Version 1 of the instance metadata service is never asked.

Sources: botocore 1.44.8 (``credentials.py``, ``utils.py``);
https://docs.aws.amazon.com/sdkref/latest/guide/standardized-credentials.html, read 2026-11-28.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from trivium.providers.credential import Finder, FoundSecret, Surroundings
from trivium.providers.identities.errands import SentSecrets

NAMES: Final = (
    "region", "key_id", "secret", "session_token", "profile", "role_arn", "external_id",
    "session_name",
)  # fmt: skip
"""What a channel's ``credential`` may hold."""
SECRET_NAMES: Final = frozenset({"secret", "session_token", "external_id"})
CONNECT_S: Final = 3.0
ANSWER_S: Final = 8.0
"""For one answer of STS."""
METADATA_S: Final = 4.0
"""For one answer of the instance metadata service; two are waited for. Amazon's tools wait 1 s."""
ROLE_S: Final = 3_600
"""How long an assumed role is asked for; its own limit may be less."""
SESSION: Final = "trivium"
"""Who assumes a role, as CloudTrail shows it, where ``session_name`` is not given."""

_HOST: Final = re.compile(r"//[^/]*?\b(?:bedrock[a-z-]*)\.([a-z0-9-]+)\.")
_REGION: Final = re.compile(r"[a-z]{2,4}(?:-[a-z]+){1,2}-\d{1,2}")
_HOME: Final = "us-east-1"
_METHODS: Final = {
    "env": "environment",
    "shared-credentials-file": "credentials file",
    "config-file": "configuration file",
    "custom-process": "credential process",
    "assume-role": "assumed role",
    "assume-role-with-web-identity": "web identity",
    "container-role": "container endpoint",
    "iam-role": "IMDSv2",
    "sso": "SSO",
    "login": "login",
}
"""``method`` of what botocore found, in words for operators."""
_NOBODY: Final = (
    "there is none in the environment, in ~/.aws, of a web identity, a container or an instance"
)


def region_of(base_url: str) -> str:
    """The region that a host of Bedrock's names; empty where it names none."""
    found = _HOST.search(base_url.lower())
    return found[1] if found is not None and _REGION.fullmatch(found[1]) else ""


def check(names: Mapping[str, Any] | frozenset[str]) -> None:
    """Raises ``ValueError`` for parts that do not go together, and says what would be right."""
    given = set(names)
    if "api_key" in given:
        if more := sorted(given - {"api_key", "region"}):
            raise ValueError(f"has {', '.join(more)} beside an api_key: give one or the other")
        return
    for one, other in (("key_id", "secret"), ("secret", "key_id"), ("session_token", "key_id")):
        if one in given and other not in given:
            raise ValueError(f"has {one} without {other}: an access key is both")
    if "key_id" in given and "profile" in given:
        raise ValueError("has key_id and profile: each names an identity, give one")
    for name in ("external_id", "session_name"):
        if name in given and "role_arn" not in given:
            raise ValueError(f"has {name} without role_arn, the role that is assumed with it")


def needed(parts: Mapping[str, str]) -> bool:
    """Whether anything is looked up: keys that are given are used as they are."""
    return "key_id" not in parts or "role_arn" in parts


def find(parts: Mapping[str, str], around: Surroundings) -> FoundSecret:
    """The keys of the identity that the parts name, and its region if botocore knows one. Blocks.

    Raises ``LookupError`` where botocore is missing or finds nobody, ``ConnectionError`` where a
    service cannot be asked, and ``ValueError`` with its words where it refuses.
    """
    try:
        from botocore import exceptions
    except ImportError:
        raise LookupError(
            "needs the package botocore, which is not installed: pip install 'trivium[aws]'"
        ) from None
    sent = SentSecrets()
    try:
        return _found(parts, around, sent)
    except exceptions.ClientError as error:
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        code = error.response.get("Error", {}).get("Code", "")
        away = status >= 500 or code in (
            "Throttling",
            "ThrottlingException",
            "IDPCommunicationError",
        )
        raise (ConnectionError if away else ValueError)(sent.cleaned(str(error))) from None
    except (exceptions.HTTPClientError, exceptions.ConnectionError) as error:
        raise ConnectionError(sent.cleaned(str(error))) from None
    except exceptions.MetadataRetrievalError as error:
        raise ConnectionError(_hint(sent.cleaned(str(error)))) from None
    except exceptions.BotoCoreError as error:
        raise ValueError(sent.cleaned(str(error))) from None


def _found(parts: Mapping[str, str], around: Surroundings, sent: SentSecrets) -> FoundSecret:
    from botocore.credentials import Credentials
    from botocore.session import Session

    session = Session(profile=parts.get("profile"))
    note = _noter(sent)
    session.register("before-send", note)
    if around.ca_file is not None:
        session.set_config_variable("ca_bundle", around.ca_file)
    if "key_id" in parts:
        source = "the channel's access key"
        keys: Any = Credentials(parts["key_id"], parts["secret"], parts.get("session_token"))
    else:
        keys, source = _discovered(session, note)
    if "role_arn" in parts:
        keys = _assumed(session, keys, parts, around)
        source = f"assumed role ({parts['role_arn']}) by {source}"
    frozen = keys.get_frozen_credentials()
    found = {"key_id": frozen.access_key, "secret": frozen.secret_key}
    if frozen.token:
        found["session_token"] = frozen.token
    region = session.get_config_variable("region")
    if "region" not in parts and region and not region_of(around.base_url):
        found["region"] = region
    return FoundSecret(parts=found, life_s=_life(keys), source=source)


def _noter(sent: SentSecrets) -> Callable[..., None]:
    """What is called with each request of botocore's: services print what they were sent.

    What it reads from files and variables, as a pod's token, nobody else knows.
    """

    def note(request: Any, **_: Any) -> None:
        body = request.body or b""
        text = body.decode("utf-8", "replace") if isinstance(body, bytes) else str(body)
        sent.note({name.lower(): _text(value) for name, value in request.headers.items()}, text)

    return note


def _noting(send: Callable[[Any], Any], note: Callable[[Any], None]) -> Callable[[Any], Any]:
    def noted(request: Any) -> Any:
        note(request)
        return send(request)

    return noted


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _discovered(session: Any, note: Callable[..., None]) -> tuple[Any, str]:
    """Whoever the gateway is where it runs, and where that was found."""
    for name in ("metadata_service_timeout", "metadata_service_num_attempts"):
        if session.get_config_variable(name) == 1:  # as Amazon has it, and nobody said otherwise
            session.set_config_variable(name, METADATA_S if name.endswith("timeout") else 2)
    session.set_config_variable("ec2_metadata_v1_disabled", True)
    resolver = session.get_component("credential_provider")
    role: list[str] = []
    for provider in resolver.providers:
        fetcher = getattr(provider, "_role_fetcher", None)
        if fetcher is not None:
            _watch(fetcher, role)
        fetcher = fetcher or getattr(provider, "_fetcher", None)
        connections = getattr(fetcher, "_session", None)
        if connections is not None:
            connections.send = _noting(connections.send, note)
        if hasattr(provider, "_prompter"):
            provider._prompter = _nobody_types  # noqa: SLF001 - it would read from a terminal
    keys = session.get_credentials()
    if keys is None:
        raise LookupError(_NOBODY)
    keys.get_frozen_credentials()
    method = str(keys.method)
    words = _METHODS.get(method, method)
    if method == "iam-role" and role:
        words = f"{words} (role {role[-1]:.128})"
    return keys, words


def _watch(fetcher: Any, role: list[str]) -> None:
    """Have a fetcher of an instance's role keep the role's name."""
    retrieve: Callable[[], dict[str, Any]] = fetcher.retrieve_iam_role_credentials

    def watched() -> dict[str, Any]:
        found = retrieve()
        if "role_name" in found:
            role.append(str(found["role_name"]))
        return found

    fetcher.retrieve_iam_role_credentials = watched


def _nobody_types(_: str) -> str:
    raise ValueError("the profile asks for a code of a device (mfa_serial), and nobody types one")


def _assumed(session: Any, keys: Any, parts: Mapping[str, str], around: Surroundings) -> Any:
    """The credentials of a role, which are fetched when they are first read."""
    from botocore.config import Config
    from botocore.credentials import AssumeRoleCredentialFetcher, DeferredRefreshableCredentials

    region = parts.get("region") or region_of(around.base_url)
    region = region or session.get_config_variable("region") or _HOME
    proxies = {"http": around.proxy, "https": around.proxy} if around.proxy else None
    config = Config(
        connect_timeout=CONNECT_S,
        read_timeout=ANSWER_S,
        retries={"total_max_attempts": 2},
        proxies=proxies,
    )

    def client(service: str, **more: Any) -> Any:
        return session.create_client(service, region_name=region, config=config, **more)

    extra = {
        "RoleSessionName": parts.get("session_name", SESSION),
        "DurationSeconds": ROLE_S,
    }
    if "external_id" in parts:
        extra["ExternalId"] = parts["external_id"]
    fetcher = AssumeRoleCredentialFetcher(client, keys, parts["role_arn"], extra_args=extra)
    return DeferredRefreshableCredentials(fetcher.fetch_credentials, "assume-role")


def _life(keys: Any) -> float | None:
    """Seconds that botocore gives what it found; ``None`` for keys without an end."""
    remaining = getattr(keys, "_seconds_remaining", None)
    return None if remaining is None else float(remaining())


def _hint(text: str) -> str:
    """What operators are told beside botocore's words of a metadata service."""
    if "IMDSv2" not in text:
        return text
    return (
        "the instance metadata service gives no token (in a container its hop limit has to be 2: "
        "aws ec2 modify-instance-metadata-options --http-put-response-hop-limit 2)"
    )


FINDER: Final = Finder(
    find=find,
    needed=needed,
    check=check,
    plain=frozenset(NAMES) - SECRET_NAMES,
    places=frozenset({"region"}),
    given=frozenset({"key_id"}),
)
