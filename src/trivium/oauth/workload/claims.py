"""What a workload's token says, read and compared with what the settings want. Pure."""

import re
from base64 import urlsafe_b64decode
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from trivium.settings.workloads import WorkloadEntry

TOKEN_CHARS_MAX: Final = 16_384
KID_CHARS_MAX: Final = 256
LEEWAY_S: Final = 60
"""How far two clocks may be apart."""
SHOWN_MAX: Final = 200
"""Characters of a token's own words in a message."""

_MOMENT_MAX: Final = 2**53
_PARTS: Final = re.compile(r"([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)")


class ClaimsRefused(Exception):  # noqa: N818 - an answer, not a failure of ours
    """A token that is not believed. ``public``: for whoever sent it, without what is wanted
    instead; the message is for the operator.
    """

    def __init__(self, public: str, more: str = "") -> None:
        super().__init__(public + more)
        self.public = public


class JoseHead(msgspec.Struct, frozen=True):
    """The members of a token's header that are read."""

    alg: str
    kid: str = ""
    crit: Any = None


def looks_signed(text: str) -> bool:
    """Whether a text can be a signed token (RFC 7519) at all."""
    return len(text) <= TOKEN_CHARS_MAX and _PARTS.fullmatch(text) is not None


def head(text: str, algorithms: Sequence[str]) -> JoseHead:
    """The header of a token. Raises ClaimsRefused, also for an algorithm that is not ours."""
    try:
        found = msgspec.json.decode(_part(text, 0), type=JoseHead)
    except (ValueError, RecursionError):
        raise ClaimsRefused("the header of the token cannot be read") from None
    if found.alg not in algorithms:
        known = ", ".join(algorithms)
        raise ClaimsRefused(f"the token is signed with {_shown(found.alg)}, not with {known}")
    if not 0 < len(found.kid) <= KID_CHARS_MAX:
        raise ClaimsRefused("the header of the token has no `kid`, or one that is too long")
    if found.crit is not None:
        raise ClaimsRefused("the header of the token has `crit`, which is not understood")
    return found


def payload(text: str) -> dict[str, Any]:
    """The claims of a token, of which nothing is proven yet. Raises ClaimsRefused."""
    try:
        return msgspec.json.decode(_part(text, 1), type=dict[str, Any])
    except (ValueError, RecursionError):
        raise ClaimsRefused("the claims of the token cannot be read") from None


def text_claim(claims: Mapping[str, Any], name: str) -> str:
    """A claim that is a text. Raises ClaimsRefused."""
    found = claims.get(name)
    if not isinstance(found, str) or not found:
        raise ClaimsRefused(f"the token has no `{name}`")
    return found


def check_times(claims: Mapping[str, Any], now: float) -> int:
    """When a token ends, which is good now, give or take the clocks. Raises ClaimsRefused."""
    ends, began = _moment(claims, "exp"), _moment(claims, "iat")
    if ends + LEEWAY_S <= now:
        raise ClaimsRefused(f"the token expired {now - ends:.0f} s ago")
    starts = _moment(claims, "nbf") if "nbf" in claims else began
    if max(began, starts) - LEEWAY_S > now:
        message = f"the token is good only in {max(began, starts) - now:.0f} s: compare the clocks"
        raise ClaimsRefused(message)
    return int(ends)


def fitting(claims: Mapping[str, Any], entries: Sequence[WorkloadEntry]) -> WorkloadEntry:
    """The first workload of an issuer that a token is of. Raises ClaimsRefused."""
    meant = claims.get("aud")
    audiences = meant if isinstance(meant, list) else [meant]
    found = [entry for entry in entries if entry.audience in audiences]
    if not found:
        wanted = ", ".join(sorted({entry.audience for entry in entries}))
        said = ", ".join(_shown(each) for each in audiences[:5]) if "aud" in claims else "missing"
        message = f"the audience of the token (`aud`) is {said}"
        raise ClaimsRefused(f"{message}, which is not that of a workload here", f": {wanted}")
    why: list[str] = []
    for entry in found:
        wrong = mismatch(claims, entry)
        if wrong is None:
            return entry
        why.append(
            f"workload {entry.name}: `{wrong}` {'differs' if wrong in claims else 'is missing'}"
        )
    raise ClaimsRefused(
        "no workload here has the claims of the token: " + "; ".join(why[:5]),
        f": {', '.join(f'{name} = {_shown(claims[name])}' for name in _named(found, claims))}",
    )


def mismatch(claims: Mapping[str, Any], entry: WorkloadEntry) -> str | None:
    """The name of the first claim that is not as a workload wants it; ``None``: all are."""
    for name, wanted in entry.claims.items():
        if not _is_like(claims.get(name), wanted):
            return name
    return None


def _is_like(found: Any, wanted: str) -> bool:
    if isinstance(found, list):
        return any(_is_like(item, wanted) for item in found if not isinstance(item, list))
    if isinstance(found, bool):
        found = "true" if found else "false"
    elif isinstance(found, int):
        found = str(found)
    if not isinstance(found, str):
        return False
    if wanted.endswith("*"):
        return found.startswith(wanted[:-1]) and len(found) >= len(wanted)
    return found == wanted


def _named(entries: Sequence[WorkloadEntry], claims: Mapping[str, Any]) -> list[str]:
    names = {name for entry in entries for name in entry.claims if name in claims}
    return sorted(names)[:10]


def _moment(claims: Mapping[str, Any], name: str) -> float:
    found = claims.get(name)
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise ClaimsRefused(f"the token has no `{name}`, or one that is no number")
    return float(max(-_MOMENT_MAX, min(_MOMENT_MAX, found)))


def _part(text: str, index: int) -> bytes:
    part = text.split(".")[index]
    return urlsafe_b64decode(part + "=" * (-len(part) % 4))


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text[:SHOWN_MAX])
    return f"`{text}`"
