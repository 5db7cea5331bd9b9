"""Amazon's signature, version 4: three headers worked out of the whole request. Pure.

What is signed: the method, path and query as they are written, some headers, a digest of the body,
and a time. The key is derived from the secret for one day, region and service. Of the headers only
those that no proxy changes are signed, ``x-amz-…`` ones as Amazon demands.

Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html,
read 2026-11-28; held equal to botocore 1.44.8 (``auth.SigV4Auth``) by its tests.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from hmac import digest
from typing import Final
from urllib.parse import quote

from trivium.providers.credential import Signature, Unsigned

KEYS_MAX: Final = 256
"""Days' keys that are kept, accounts times regions, and as many paths and sets of headers. All of a
kind go when it is exceeded."""
ALGORITHM: Final = "AWS4-HMAC-SHA256"

_END: Final = "aws4_request"
_ALWAYS: Final = ("host", "content-type")
_NEVER: Final = frozenset({"x-amzn-trace-id"})  # proxies of Amazon's own write it
_WORD: Final = re.compile(r"[A-Za-z0-9_-]{1,128}")
_TOKEN: Final = re.compile(r"[\x21-\x7e]{1,65536}")
_keys: Final[dict[tuple[str, str, str, str], bytes]] = {}
_paths: Final[dict[str, str]] = {}
_names: Final[dict[tuple[str, ...], tuple[str, ...]]] = {}
_sound: Final[set[tuple[str, str, str | None, str]]] = set()


class SignatureV4(Signature):
    """One signature in the making."""

    __slots__ = ("_hash", "_key_id", "_region", "_secret", "_service", "_token", "_unsigned")

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
        self._key_id, self._secret, self._token = of[:3]
        self._region, self._service = region, service
        self._unsigned = unsigned
        self._hash = sha256()

    def update(self, piece: bytes) -> None:
        """The next bytes of the body."""
        self._hash.update(piece)

    def headers(self) -> Mapping[str, str]:
        """``authorization``, ``x-amz-date``, and ``x-amz-security-token`` for a session's key.

        Raises ``ValueError`` for a time that no calendar has.
        """
        unsigned = self._unsigned
        when = _written(int(unsigned.at))
        added = {"x-amz-date": when}
        if self._token is not None:
            added["x-amz-security-token"] = self._token
        names, lines = signed_headers({**unsigned.headers, **added})
        request = (
            f"{unsigned.method.upper()}\n{_known_path(unsigned.path)}\n"
            f"{canonical_query(unsigned.query)}\n{lines}\n{names}\n{self._hash.hexdigest()}"
        )
        scope = f"{when[:8]}/{self._region}/{self._service}/{_END}"
        hashed = sha256(request.encode("latin-1")).hexdigest()
        text = f"{ALGORITHM}\n{when}\n{scope}\n{hashed}"
        key = day_key(self._secret, when[:8], self._region, self._service)
        signature = digest(key, text.encode(), "sha256").hex()
        return {
            "authorization": f"{ALGORITHM} Credential={self._key_id}/{scope}, "
            f"SignedHeaders={names}, Signature={signature}",
            **added,
        }


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


def signed_headers(headers: Mapping[str, str]) -> tuple[str, str]:
    """The names that are signed, and the lines of them, each ended by a line feed."""
    of = tuple(headers)
    names = _names.get(of)
    if names is None:
        names = tuple(sorted(name for name in of if _is_signed(name)))
        if len(_names) >= KEYS_MAX:
            _names.clear()
        _names[of] = names
    lines = "".join([f"{name}:{' '.join(headers[name].split())}\n" for name in names])
    return ";".join(names), lines


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
