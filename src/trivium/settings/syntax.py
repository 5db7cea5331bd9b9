"""What single values must look like. A check answers with what is wrong, or ``None``.

Addresses that may carry a password are never quoted back.
"""

import math
import re
from base64 import b64decode
from collections.abc import Callable
from contextlib import suppress
from difflib import get_close_matches
from ipaddress import ip_address, ip_network
from typing import Any, Final, TypeAlias
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from trivium.settings.errors import shown
from trivium.settings.prices import DECIMAL, KINDS, PRICE_ORIGIN, day, multiplier

Check: TypeAlias = Callable[[Any], str | None]

_SECONDS_MAX: Final = 315_360_000
_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110, section 5.6.2
_FIELD_VALUE: Final = re.compile(r"[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?")
_HOST: Final = re.compile(r"[0-9A-Za-z]([0-9A-Za-z._-]*[0-9A-Za-z])?\.?|\[[0-9A-Fa-f:.]+\]")
_MAILBOX: Final = re.compile(r"[^@\s<>\x00-\x1f\x7f]{1,64}@[0-9A-Za-z.-]+")
_NAME: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z._:/@-]{0,63}")
_PREFIX: Final = re.compile(r"(?:[0-9A-Za-z._/-]{0,31}[A-Za-z._/-])?")
_LINE_MAX: Final = 200
_NUMBERED: Final = re.compile(r"/?|/[0-9]{1,5}")

_PARAMETERS: Final = (
    "sslmode",
    "pgbouncer",
    "host",
    "port",
    "user",
    "password",
    "passfile",
    "target_session_attrs",
    "krbsrvname",
    "gsslib",
)
"""Of a PostgreSQL address: ours, and those of libpq that asyncpg takes."""
_SSL_MODES: Final = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")

FRAMING: Final = frozenset(
    {
        "accept-encoding",
        "connection",
        "content-length",
        "content-type",
        "expect",
        "host",
        "keep-alive",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
"""Headers that frame or route a message, and what the reading of the answer depends on: an
operator's own would break or smuggle requests."""


def _like(pattern: re.Pattern[str], wrong: str) -> Check:
    """Return a check for a text of a pattern; ``{}`` in what it answers is the text."""
    return lambda value: None if pattern.fullmatch(value) else wrong.format(shown(value))


def _read_by(reader: Callable[[str], object], wrong: str) -> Check:
    """Return a check for a text that ``reader`` can make something of; ``{}`` as above."""

    def check(value: str) -> str | None:
        with suppress(ValueError, ZeroDivisionError):
            reader(value)
            return None
        return wrong.format(shown(value))

    return check


def host_port(text: str) -> tuple[str, int]:
    """Host and port of ``HOST:PORT``; an IPv6 host in brackets comes without them.

    Port 0 lets the kernel choose. Raises ValueError.
    """
    host, colon, port = text.rpartition(":")
    if not colon or not _HOST.fullmatch(host) or not re.fullmatch(r"[0-9]{1,5}", port):
        raise ValueError("not HOST:PORT")
    if int(port) > 65_535:
        raise ValueError("the port is above 65535")
    return host.strip("[]"), int(port)


listen_address: Final = _read_by(host_port, "must be HOST:PORT with a port up to 65535, not {}")
"""An address to listen on, written ``HOST:PORT``."""


def _split(value: str) -> SplitResult | None:
    if not re.fullmatch(r"[\x21-\x7e]+", value):
        return None
    try:
        parts = urlsplit(value)
        _ = parts.port
    except ValueError:
        return None
    host = f"[{parts.hostname}]" if parts.hostname and ":" in parts.hostname else parts.hostname
    return parts if host and _HOST.fullmatch(host) else None


def web_url(value: str) -> str | None:
    """Check an ``http(s)://`` address without credentials, query or fragment."""
    parts = _split(value)
    if parts is None or parts.scheme not in {"http", "https"}:
        return "must be a whole address that begins with http:// or https://"
    if "@" in parts.netloc:
        return "must not carry a user name or password in the address"
    if "?" in value or "#" in value:
        return "must not have a query or a fragment"
    return None


def outside_url(value: str) -> str | None:
    """Check how browsers and applications reach us: HTTPS, or this machine alone."""
    wrong = web_url(value)
    if wrong is not None:
        return wrong
    parts = urlsplit(value)
    if parts.scheme == "http" and not is_loopback(parts.hostname):
        return (
            "must begin with https://, as the outside sees it, also where a proxy ends TLS; "
            "http:// is for this machine alone (localhost, 127.0.0.1, [::1])"
        )
    return None


def is_loopback(host: str | None) -> bool:
    """Whether a host without brackets is this machine: an address of it, or a name that never
    leaves it (RFC 6761 section 6.3).
    """
    host = (host or "").lower()
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def host_name(value: str) -> str | None:
    """Check a server's name or address; empty means none."""
    if value == "" or _HOST.fullmatch(value):
        return None
    return f"must be the name of a server, without port, not {shown(value)}"


def mailbox(value: str) -> str | None:
    """Check whom letters are from; empty means nobody yet."""
    name, bracket, rest = value.partition("<")
    address = rest.removesuffix(">") if bracket else value
    whole = not bracket or (rest.endswith(">") and name.isprintable())
    if value == "" or (whole and _MAILBOX.fullmatch(address)):
        return None
    return f"must be an address, perhaps with a name before it, not {shown(value)}"


login_name: Final = _like(
    re.compile("[a-z0-9][a-z0-9-]{0,31}"),
    'must be up to 32 lower-case letters, digits and "-", not {}',
)
"""The name of an outside login: it is part of an address."""
scope: Final = _like(re.compile(r"[\x21\x23-\x5b\x5d-\x7e]{1,100}"), "must be one scope, not {}")
"""A scope of an outside login: one word, without spaces. RFC 6749, appendix A.4."""


def public_key(value: str) -> str | None:
    """Check an Ed25519 public key."""
    try:
        key = b64decode(value, validate=True)
    except ValueError:
        key = b""
    return None if len(key) == 32 else "must be an Ed25519 public key: 32 bytes in base64"


def browser_origin(value: str) -> str | None:
    """Check an origin as browsers send it, or ``*``."""
    if value == "*" or (web_url(value) is None and not urlsplit(value).path):
        return None
    return f'must be "*" or scheme and host as browsers send them, not {shown(value)}'


def proxy_url(value: str) -> str | None:
    """Check a proxy's address; a password in it is fine and never shown."""
    parts = _split(value)
    if parts is None or parts.scheme not in {"http", "socks5"} or parts.path not in {"", "/"}:
        return "must be http://HOST:PORT or socks5://HOST:PORT"
    return None


def storage_url(value: str) -> str | None:
    """Check a database's address."""
    if "\0" in unquote(value):
        return "must not hold a NUL character, which no name of a file or database has"
    if value.startswith("sqlite:///") and len(value) > len("sqlite:///"):
        return None
    if value.startswith("postgresql://"):
        parts = _split(value)
        if (parts is not None and len(parts.path) > 1) or _on_socket(value):
            return _parameters(parse_qs(urlsplit(value).query, keep_blank_values=True))
    return (
        "must be sqlite:///PATH, postgresql://USER:PASSWORD@HOST/DATABASE, "
        "or postgresql:///DATABASE?host=/DIRECTORY for a server's socket"
    )


def _parameters(given: dict[str, list[str]]) -> str | None:
    """Check what stands behind the question mark: the driver is given it word by word."""
    stray = next((name for name in given if name not in _PARAMETERS), None)
    if stray is not None:
        return f"has a parameter that is none; there are {', '.join(_PARAMETERS)}"
    if given.get("sslmode", ["require"])[0] not in _SSL_MODES:
        return f"has an sslmode that is none; there are {', '.join(_SSL_MODES)}"
    return None


def _on_socket(value: str) -> bool:
    """Whether a database's address names the directory of a socket in place of a host."""
    try:
        parts = urlsplit(value)
    except ValueError:  # half of an IPv6 address
        return False
    directory = parse_qs(parts.query).get("host", [""])
    return not parts.hostname and len(parts.path) > 1 and directory[0].startswith("/")


def shared_url(value: str) -> str | None:
    """Check the shared state's address; empty means none."""
    if value == "":
        return None
    parts = _split(value)
    if parts is None or parts.scheme not in {"redis", "rediss", "valkey", "valkeys"}:
        return "must be empty or redis://HOST:PORT/0 (rediss://, valkey://, valkeys://)"
    if not _NUMBERED.fullmatch(parts.path) or "?" in value or "#" in value:
        return "must end in the number of a database, such as /0, or in nothing after the port"
    return None


def assets_url(value: str) -> str | None:
    """Check where generated files lie; empty means a folder beside the journal's."""
    parts = _split(value.replace("file:///", "file://local/", 1)) if value else None
    if value == "":
        return None
    if parts is None or parts.scheme not in {"file", "s3"} or "?" in value or "#" in value:
        return "must be empty, file:///FOLDER or s3://BUCKET/PREFIX"
    if "\0" in unquote(value):
        return "must not hold a NUL character, which no name of a file or object has"
    if parts.scheme == "file" and (not value.startswith("file:///") or parts.path == "/"):
        return "must name a whole folder after three slashes"
    if ".." in parts.path.split("/") or "@" in parts.netloc or parts.port is not None:
        return "must name a bucket or a folder, without .., user names and ports"
    return None


def between(low: float, high: float = math.inf) -> Check:
    """Return a check for a finite number from ``low`` to ``high``, both included."""

    def check(value: float) -> str | None:
        # compared, not asked whether it is finite: a whole number may be too large for that
        if low <= value <= high and value != math.inf:
            return None
        limit = f"{low:,} or more" if high == math.inf else f"from {low:,} to {high:,}"
        return f"must be {limit}, not {shown(value)}"

    return check


def above_zero(value: float) -> str | None:
    """Check a number of seconds, or another one above zero that no loop's clock overflows at."""
    if 0 < value <= _SECONDS_MAX:
        return None
    if value > _SECONDS_MAX:
        return f"must be {_SECONDS_MAX:,} or less (ten years of seconds), not {shown(value)}"
    return f"must be a number above 0, not {shown(value)}"


def one_of(*names: str) -> Check:
    """Return a check for one of a few words."""

    def check(value: str) -> str | None:
        if value in names:
            return None
        listed = ", ".join(f'"{name}"' for name in names)
        return f"must be one of {listed}, not {shown(value)}"

    return check


url_path: Final = _like(
    re.compile(r"/[\x21\x22\x24-\x7e]*"), "must begin with / and have no space and no fragment"
)
"""A path with or without a query."""


def filled(value: str) -> str | None:
    """Check that a text is not empty."""
    return None if value.strip() else "must not be empty"


def printed_line(value: str) -> str | None:
    """Check a line that is printed on paper."""
    if 0 < len(value.strip()) <= _LINE_MAX and len(value) <= _LINE_MAX and value.isprintable():
        return None
    return f"must be 1 to {_LINE_MAX} printable characters, not {shown(value)}"


number_prefix: Final = _like(
    _PREFIX, "must be at most 32 letters, digits or ._/- and not end with a digit, not {}"
)
"""What stands before a number that people type again."""

channel_name: Final = _like(
    _NAME, "must be 1 to 64 letters, digits or ._:/@- and begin with one, not {}"
)
"""A channel's name: it travels in a response header and in logs."""
group_name: Final = _like(
    _NAME, "is not a name: 1 to 64 letters, digits or ._:/@- that begin with a letter or digit"
)
"""The name of a price group."""


def model_name(value: str) -> str | None:
    """Check a public model name; ``*`` is kept for the patterns of allow-lists."""
    good = 0 < len(value) <= 200 and value.isprintable() and not re.search(r"[\s*]", value)
    return None if good else f"must be 1 to 200 characters without spaces or *, not {shown(value)}"


def header_name(value: str) -> str | None:
    """Check the name of a header the operator adds."""
    if not _TOKEN.fullmatch(value):
        return "is not a header name: letters, digits and -_ only"
    if value.lower() in FRAMING:
        return "is a header that the gateway has to write itself"
    return None


header_value: Final = _like(_FIELD_VALUE, "must be visible ASCII text on one line")
"""A header's value; it may be a secret, so it is not shown."""
host_pattern: Final = _like(
    re.compile(r"[A-Za-z0-9*._-]{1,253}"), "must be a host, perhaps with * in it, not {}"
)
"""A host; ``*`` stands for any characters."""
reference_pattern: Final = _like(
    re.compile(r"(?:env|vault|aws-sm|gcp-sm|identity):[\x21-\x7e]{1,250}"),
    "must be env:NAME, identity:PROVIDER or a store's reference, perhaps with * in it, not {}",
)
"""References to secrets; ``*`` stands for any characters. Files are none of them."""
network: Final = _read_by(ip_network, "must be an address or a network as CIDR, not {}")
"""An address or a network of addresses."""
price: Final = _like(DECIMAL, "must be a plain decimal of 0 or more in US dollars, not {}")
"""A plain decimal of US dollars, 0 or more."""
price_origin: Final = _like(PRICE_ORIGIN, "is not as `trivium prices adopt` writes it: {}")
"""Whose price was adopted."""
since: Final = _read_by(day, "must be a day as YYYY-MM-DD, not {}")
"""A day, written ``YYYY-MM-DD``."""
factor: Final = _read_by(
    lambda text: 1 / multiplier(text), "must be a factor above 0 as a decimal or a fraction, not {}"
)
"""A group's multiplier: one that can be divided by."""


def price_kind(value: str) -> str | None:
    """Check the kind of a price."""
    if value in KINDS:
        return None
    close = get_close_matches(value, KINDS, n=1)
    hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(KINDS)}"
    return f"is not a kind of price ({hint})"
