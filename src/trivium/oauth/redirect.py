"""Where an application may have its users sent back to. Pure.

What is registered is compared byte for byte for ever after (RFC 9700 section 2.1): case, port,
slashes and percent-encoding are never normalised. So registration accepts only addresses that
every browser and library reads alike.
"""

import re
from collections.abc import Sequence
from ipaddress import IPv6Address
from typing import Final
from urllib.parse import quote, unquote, urlsplit

CHARS_MAX: Final = 2000
"""What every browser and server still takes as an address."""

_PRINTABLE: Final = re.compile(r"[!$%&'()*+,\-./0-9:;=?@A-Z\[\]_a-z~#]+")
"""RFC 3986's; of the others (``\\``, quotes, spaces) different readers make different addresses."""
_ESCAPE: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")
_AUTHORITY: Final = re.compile(
    r"(?P<host>[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(?::(?P<port>[0-9]{1,5}))?"
)
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
_DESCRIPTION: Final = re.compile(r"[^\x20\x21\x23-\x5b\x5d-\x7e]")
"""What ``error_description`` must not hold (RFC 6749 section 4.1.2.1)."""


def problem(uri: str, *, allow_insecure: bool = False) -> str | None:
    """What is wrong with an address to be registered; ``None``: nothing.

    ``allow_insecure``: ``http://`` on this machine (localhost, 127.0.0.1, [::1]) passes.
    """
    if not uri:
        return "is missing"
    if len(uri) > CHARS_MAX:
        return f"has more than {CHARS_MAX} characters"
    if not _PRINTABLE.fullmatch(uri) or _ESCAPE.search(uri):
        return "has characters that must be percent-encoded, or a broken percent-encoding"
    if "#" in uri:
        return "must not have a fragment"
    scheme, separator, rest = uri.partition("://")
    authority = re.split(r"[/?]", rest, maxsplit=1)[0]
    if not separator or scheme not in ("https", "http"):
        wrong: str | None = "must be a whole address that begins with https://"
    else:
        wrong = _authority_problem(scheme, authority, allow_insecure=allow_insecure)
    path = rest[len(authority) :].partition("?")[0]
    if wrong is None and any(step in (".", "..") for step in unquote(path).split("/")):
        wrong = "must not have . or .. among its segments"
    return wrong


def _authority_problem(scheme: str, authority: str, *, allow_insecure: bool) -> str | None:
    if "@" in authority:
        return "must not carry a user name or password"
    form = _AUTHORITY.fullmatch(authority)
    if form is None or not _is_host(form["host"]) or not _is_port(form["port"]):
        return "names no host: no wildcards, no empty names, a port of 1 to 65535"
    if scheme == "http" and not (allow_insecure and form["host"] in _LOOPBACK):
        return "must begin with https://"
    return None


def _is_host(text: str) -> bool:
    if not text.startswith("["):
        return ".." not in text
    try:
        IPv6Address(text[1:-1])
    except ValueError:
        return False
    return True


def _is_port(text: str | None) -> bool:
    return text is None or 0 < int(text) <= 65535


def origin(uri: str) -> str:
    """Scheme, host and port of a registered address, as browsers write an origin."""
    parts = urlsplit(uri)
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    usual = {"https": 443, "http": 80}[parts.scheme]
    port = "" if parts.port in (None, usual) else f":{parts.port}"
    return f"{parts.scheme}://{host}{port}"


def host(uri: str) -> str:
    """What a person is shown of a registered address: its host, and its port if it has one."""
    return urlsplit(uri).netloc


def location(uri: str, parameters: Sequence[tuple[str, str | bytes]]) -> str:
    """A registered address with parameters added to its query, of which nothing is lost."""
    added = "&".join(f"{name}={quote(value, safe='')}" for name, value in parameters)
    separator = "?" if "?" not in uri else "" if uri.endswith(("?", "&")) else "&"
    return f"{uri}{separator}{added}"


def description(text: str) -> str:
    """Return a text with only the characters that ``error_description`` may hold."""
    return _DESCRIPTION.sub("", text)
