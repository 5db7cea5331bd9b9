"""Amazon's signature, version 4: three headers worked out of the whole request. Pure.

What is signed: the method, path and query as they are written, some headers, a digest of the body,
and a time. The key is derived from the secret for one day, region and service. Of the headers only
those that no proxy changes are signed, ``x-amz-…`` ones as Amazon demands.

Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html,
read 2026-11-28; held equal to botocore 1.44.8 (``auth.SigV4Auth``) by its tests.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from hmac import digest
from typing import Final
from urllib.parse import quote

from trivium.providers.credential import Signature, Signer, Unsigned

KEYS_MAX: Final = 256
"""Days' keys that are kept, accounts times regions, and as many paths and sets of headers. All of a
kind go when it is exceeded."""
ALGORITHM: Final = "AWS4-HMAC-SHA256"

_END: Final = "aws4_request"
_AUTHORIZATION: Final = "authorization"
_DATE: Final = "x-amz-date"
_SESSION: Final = "x-amz-security-token"
_BLOCK: Final = 64
"""Bytes that SHA-256 takes at once, to which a key is filled up."""
_INNER: Final = bytes(byte ^ 0x36 for byte in range(256))
_OUTER: Final = bytes(byte ^ 0x5C for byte in range(256))
_ALWAYS: Final = ("host", "content-type")
_NEVER: Final = frozenset({"x-amzn-trace-id"})  # proxies of Amazon's own write it
_WORD: Final = re.compile(r"[A-Za-z0-9_-]{1,128}")
_TOKEN: Final = re.compile(r"[\x21-\x7e]{1,65536}")
_keys: Final[dict[tuple[str, str, str, str], bytes]] = {}
_paths: Final[dict[str, str]] = {}
_names: Final[dict[tuple[str, ...], tuple[str, ...]]] = {}
_sound: Final[set[tuple[str, str, str | None, str]]] = set()


class SignerV4(Signer):
    """Signs requests of one path and one set of headers, with one key.

    Worked out once: what the parts, the path and the headers decide; and once a second what the
    time does. Left for each request are its digests: of the body, of the request, and a keyed one.
    """

    __slots__ = (
        "_added", "_after", "_before", "_canonical", "_inner", "_outer", "_own", "_second",
        "_secret", "_token", "_where",
    )  # fmt: skip

    def __init__(
        self, parts: Mapping[str, str], unsigned: Unsigned, region: str, service: str
    ) -> None:
        """``parts``: ``key_id``, ``secret`` and perhaps ``session_token``.

        Raises ``ValueError`` naming the one that is none.
        """
        key_id, secret = parts.get("key_id", ""), parts.get("secret", "")
        token = parts.get("session_token")
        of = (key_id, secret, token, region)
        if of not in _sound:
            _check(*of)
            if len(_sound) >= KEYS_MAX:
                _sound.clear()
            _sound.add(of)
        self._secret, self._token = secret, token
        self._where = (region, service)
        headers = {**unsigned.headers, _DATE: ""}
        if token is not None:
            headers[_SESSION] = token
        names = _signed_names(headers)
        at = names.index(_DATE)
        self._before = (
            f"{unsigned.method.upper()}\n{_known_path(unsigned.path)}\n"
            f"{canonical_query(unsigned.query)}\n{_lines(names[:at], headers)}{_DATE}:"
        )
        signed = ";".join(names)
        self._after = f"\n{_lines(names[at + 1 :], headers)}\n{signed}\n"
        self._own = (f"{ALGORITHM} Credential={key_id}/", f", SignedHeaders={signed}, Signature=")
        self._second = -1
        self._canonical = self._inner = self._outer = sha256()
        self._added: dict[str, str] = {}

    def sign(self, body: bytes, at: float) -> tuple[Mapping[str, str], str]:
        """The headers of a request, those of its second, and the signature that is the end of the
        last. Raises ``ValueError`` for a time that no calendar has.
        """
        return self.signed(sha256(body).hexdigest(), at)

    def signed(self, hashed: str, at: float) -> tuple[Mapping[str, str], str]:
        """The same, by the body's digest in hexadecimal digits."""
        second = int(at)
        if second != self._second:
            self._turn(second)
        request = self._canonical.copy()
        request.update(hashed.encode())
        inner = self._inner.copy()
        inner.update(request.hexdigest().encode())
        outer = self._outer.copy()
        outer.update(inner.digest())
        return self._added, outer.hexdigest()

    def _turn(self, second: int) -> None:
        """Work out what the time decides."""
        when = _written(second)
        day = when[:8]
        region, service = self._where
        scope = f"{day}/{region}/{service}/{_END}"
        self._canonical = sha256(f"{self._before}{when}{self._after}".encode("latin-1"))
        key = day_key(self._secret, day, region, service).ljust(_BLOCK, b"\0")
        # a keyed digest (RFC 2104) that has read what is the same: a third of hmac.digest's time
        self._inner = sha256(key.translate(_INNER) + f"{ALGORITHM}\n{when}\n{scope}\n".encode())
        self._outer = sha256(key.translate(_OUTER))
        start, end = self._own
        added = {_DATE: when}
        if self._token is not None:
            added[_SESSION] = self._token
        added[_AUTHORIZATION] = f"{start}{scope}{end}"
        self._added = added
        self._second = second


class SignatureV4(Signature):
    """One signature in the making, of a body that comes in pieces."""

    __slots__ = ("_at", "_hash", "_signer")

    def __init__(
        self, parts: Mapping[str, str], unsigned: Unsigned, region: str, service: str
    ) -> None:
        """Takes what ``SignerV4`` does. Raises ``ValueError`` as it does."""
        self._signer = SignerV4(parts, unsigned, region, service)
        self._at = unsigned.at
        self._hash = sha256()

    def update(self, piece: bytes) -> None:
        """The next bytes of the body."""
        self._hash.update(piece)

    def headers(self) -> Mapping[str, str]:
        """``authorization``, ``x-amz-date``, and ``x-amz-security-token`` for a session's key.

        Raises ``ValueError`` for a time that no calendar has.
        """
        added, signature = self._signer.signed(self._hash.hexdigest(), self._at)
        return {**added, _AUTHORIZATION: added[_AUTHORIZATION] + signature}


def _check(key_id: str, secret: str, token: str | None, region: str) -> None:
    if not _WORD.fullmatch(key_id):
        raise ValueError("key_id is no access key's id, which are letters and digits")
    if not _TOKEN.fullmatch(secret):
        raise ValueError("secret is no secret access key, which is one word")
    if not _WORD.fullmatch(region):
        raise ValueError("region is none, as us-east-1")
    if token is not None and not _TOKEN.fullmatch(token):
        raise ValueError("session_token is none, which is one long word")


@lru_cache(maxsize=4)
def _written(at: int) -> str:
    """A second as it is signed, ``20261128T013000Z``. Raises ``ValueError``."""
    try:
        return datetime.fromtimestamp(at, UTC).strftime("%Y%m%dT%H%M%SZ")
    except (OverflowError, OSError, ValueError):
        raise ValueError("the clock says a time that no calendar has") from None


def _known_path(path: str) -> str:
    found = _paths.get(path)
    if found is None:
        found = canonical_path(path)
        if len(_paths) >= KEYS_MAX:
            _paths.clear()
        _paths[path] = found
    return found


def day_key(secret: str, day: str, region: str, service: str) -> bytes:
    """The key of one day, ``YYYYMMDD``, derived once."""
    of = (secret, day, region, service)
    key = _keys.get(of)
    if key is None:
        key = f"AWS4{secret}".encode()
        for word in (day, region, service, _END):
            key = digest(key, word.encode(), "sha256")
        if len(_keys) >= KEYS_MAX:
            _keys.clear()
        _keys[of] = key
    return key


def canonical_path(path: str) -> str:
    """A path as it is signed: without dots and empty segments, and encoded once more."""
    if "//" in path or "/." in path or not path.startswith("/"):
        path = _resolved(path)
    return quote(path, safe="/~")


def canonical_query(query: str) -> str:
    """A query as it is signed: its pairs in order, each with an equals sign."""
    if not query:
        return ""
    pairs = (pair.partition("=") for pair in query.split("&"))
    return "&".join(f"{name}={value}" for name, value in sorted((one[0], one[2]) for one in pairs))


def _signed_names(headers: Mapping[str, str]) -> tuple[str, ...]:
    """The names that are signed, in order."""
    of = tuple(headers)
    names = _names.get(of)
    if names is None:
        names = tuple(sorted(name for name in of if _is_signed(name)))
        if len(_names) >= KEYS_MAX:
            _names.clear()
        _names[of] = names
    return names


def _lines(names: Sequence[str], headers: Mapping[str, str]) -> str:
    """Headers as they are signed, each ended by a line feed."""
    return "".join([f"{name}:{' '.join(headers[name].split())}\n" for name in names])


def _is_signed(name: str) -> bool:
    return name in _ALWAYS or (name.startswith("x-amz") and name not in _NEVER)


def _resolved(path: str) -> str:
    """A path without ``.``, ``..`` and empty segments; a slash at its end stays."""
    kept: list[str] = []
    for segment in _segments(path):
        if segment == "..":
            if kept:
                kept.pop()
        else:
            kept.append(segment)
    end = "/" if path.endswith("/") and kept else ""
    return f"/{'/'.join(kept)}{end}"


def _segments(path: str) -> Iterable[str]:
    return (segment for segment in path.split("/") if segment not in ("", "."))
