"""The requests of an identity's library: by the gateway's own client, and nothing of them is told.

What a token service refuses is told to operators, and some services print what they were sent. So
everything that went out, and all that came with a success, is remembered for as long as the look-up
takes, and cut out of what is told of it.
"""

import ipaddress
import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import unquote_plus, urlsplit

from trivium.providers.credential import HttpReply, Surroundings, TokenRequest

ANSWER_S: Final = 10.0
"""For one answer, where the library does not say how long it waits."""
_TEXT_MAX: Final = 2_000
"""Characters of a reason that are looked at."""
_REMEMBERED_MAX: Final = 65_536
"""Characters of one text that are remembered."""
_RUN: Final = re.compile(r"[A-Za-z0-9_.~+/%\-]{16,}")
"""What may be a secret: as it is, or percent-encoded."""
_PART: Final = 12
"""Characters of such a text that are not told."""
_MEMBER: Final = re.compile(
    r"(?:^|&)(?:client_secret|refresh_token|client_assertion|assertion|subject_token"
    r"|WebIdentityToken|ExternalId)=([^&]+)"
)
"""A value in a form that is secret, whatever it looks like."""
_HEADERS: Final = (
    "authorization", "secret", "x-identity-header", "x-aws-ec2-metadata-token",
    "x-amz-security-token",
)  # fmt: skip
"""Headers whose values are."""
_SHORT: Final = 6
"""Shorter values would blot out words by chance."""
_CUT: Final = re.compile("\0+")
_DIGIT: Final = re.compile(r"\d")
_HIDDEN: Final = "…"
_BESIDE: Final = frozenset({"localhost", "metadata", "metadata.google.internal"})
"""Names of services that run beside the gateway, on its machine or in its pod."""


class SentSecrets:
    """What was secret in requests by where it stood, for as long as a look-up takes."""

    def __init__(self) -> None:
        self._values: set[str] = set()

    def note(self, headers: Mapping[str, str], form: str) -> None:
        """Remember those of one request. ``headers``: names in lower case."""
        for name in _HEADERS:
            value = headers.get(name, "")
            self._add(value)
            self._add(value.rpartition(" ")[2])
        for value in _MEMBER.findall(form[:_REMEMBERED_MAX]):
            self._add(value)
            self._add(unquote_plus(value))

    def cleaned(self, text: str) -> str:
        """``text`` without any of them."""
        for secret in sorted(self._values, key=len, reverse=True):
            text = text.replace(secret, _HIDDEN)
        return text

    def _add(self, value: str) -> None:
        if len(value) >= _SHORT:
            self._values.add(value)


class Errands:
    """The requests of one look-up."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._said: list[str] = []
        self._sent = SentSecrets()

    def send(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str] | None = None,
        body: bytes | str | None = None,
        timeout_s: float | None = None,
    ) -> HttpReply:
        """The answer, whatever its status. Raises ``OSError`` where none came."""
        data = body.encode() if isinstance(body, str) else body or b""
        text = data.decode("utf-8", "replace")
        sent = {name.lower(): str(value) for name, value in (headers or {}).items()}
        self._remember(text)
        self._remember(unquote_plus(text))
        self._sent.note(sent, text)
        for value in sent.values():
            self._remember(value)
        asked = TokenRequest(
            url=url, method=method, headers=sent, body=data, proxied=not is_beside(url)
        )
        reply = self._around.ask(asked, min(timeout_s or ANSWER_S, ANSWER_S))
        if reply.status < 300:
            self._remember(reply.body.decode("utf-8", "replace"))
        return reply

    def cleaned(self, text: str) -> str:
        """``text`` without anything that was sent, or that came with a success: neither the whole
        of it, whatever it is beside, nor a part that is longer than a few characters.
        """
        text = self._sent.cleaned(text[:_TEXT_MAX])
        parts = {
            run[at : at + _PART]
            for said in self._said
            for run in _RUN.findall(said)
            if _DIGIT.search(run)  # else it is a name of something
            for at in range(len(run) - _PART + 1)
        }
        hidden = [False] * len(text)
        for at in range(len(text) - _PART + 1):
            if text[at : at + _PART] in parts:
                hidden[at : at + _PART] = [True] * _PART
        kept = "".join("\0" if hide else char for char, hide in zip(text, hidden, strict=True))
        return _CUT.sub(_HIDDEN, kept)

    def _remember(self, text: str) -> None:
        self._said.append(text[:_REMEMBERED_MAX])


def is_beside(url: str) -> bool:
    """Whether an address is of a service beside the gateway, which no proxy leads to.

    Metadata services have an address of the link or of the machine itself (169.254.169.254,
    fd00:ec2::254, 127.0.0.1 in an App Service) or one of a few names.
    """
    host = (urlsplit(url).hostname or "").rstrip(".").lower()
    if host in _BESIDE:
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_link_local or address.is_loopback or (
        address.version == 6 and address.is_private
    )  # fmt: skip
