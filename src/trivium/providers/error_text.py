"""What of a vendor's error text a caller may read: mapped and cleaned, never echoed raw.

Vendors print what they were sent and where it ran: parts of keys, addresses, organisations, request
ids, paths of files. Each of these is cut out; when little else remains, the text is not used at
all. Ids of the conversation's own parts (``call_…``, ``toolu_…``, ``resp_…``) stay: the caller made
or received them, and without them many messages are useless.
"""

import re
from typing import Final

WORDING_MAX: Final = 500
"""Characters of a vendor's text that are shown: the longest useful ones have about 300."""
_READ_MAX: Final = 2_000
"""Characters looked at; the patterns below stay linear on any text."""
_CUT: Final = "[…]"

_ENDINGS: Final = (
    "com|net|org|io|ai|dev|cloud|cn|app|co|us|eu|de|fr|tech|xyz|sh|so|google|azure"
    "|local|internal|intranet|lan|svc|corp|arpa"
)
"""Where a dotted name ends as hosts do; member paths such as ``messages.0.content`` do not."""
_ACCOUNT: Final = "org(?:anization)?|proj(?:ect)?|acct|account|user|cust|team|wrkspc|req(?:uest)?"
_RECORD: Final = "request|correlation|trace|ray|activity|deployment"
_SECRETS: Final = (
    # addresses with a scheme, user names and passwords included
    r"\b[a-z][a-z0-9+.\-]{1,15}://[^\s\"'<>)\]}]+",
    r"[\w.+\-]{1,64}@[\w\-]{1,63}\.[\w.\-]+",
    # NAME=VALUE and NAME: VALUE of anything that guards something; `max_tokens: 5` is not meant
    r"\b(?:bearer|basic)\s+[^\s\"',;]+",
    r"(?:key|token|secret|password|credential|authorization|signature|sig)=[^\s\"',;&]+",
    (
        r"(?:password|secret|authorization|api[ _\-]?key)(?: provided)?[\"']?\s*:\s*[\"']?"
        r"(?:(?:bearer|basic)\s+)?[^\s\"',;]+"
    ),
    r"\b(?:key|token|credential|signature)[\"']?:\s*[\"']?[^\s\"',;]{8,}",
    # keys by their makers' prefixes, masked ones too (sk-pro***abcd)
    r"\b(?:sk|pk|rk|gsk|xai|hf|nvapi|csk|fw|tgp|pplx|ghp|gho|github_pat|r8|ya29)[-_.][\w\-.*…]+",
    r"\b(?:AIza|AKIA|ASIA|eyJ)[\w\-.=*…]{6,}",
    r"[\w\-]{0,64}\*{3,}[\w\-]*",
    # the operator's account and the vendor's own book-keeping
    rf"\b(?:{_ACCOUNT})[-_](?=[\w\-]*\d)[\w\-]{{6,}}",
    rf"\b(?:{_RECORD})[ _\-]?id[\"']?\s*[:=]?\s*[\"']?(?=[\w\-]*\d)[\w\-]{{6,}}",
    r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b",
    # hosts, with or without port
    rf"(?<![\w\-.])(?:[a-z0-9\-]{{1,63}}\.){{1,9}}(?:{_ENDINGS})(?::\d{{1,5}})?\b(?!\.\d)",
    r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b",
    r"\blocalhost(?::\d{1,5})?\b",
    r"\[[0-9a-f:]*::?[0-9a-f:]*\](?::\d{1,5})?",
    r"\b(?:host|hostname|node|pod|server)[\"']?(?:\s*[:=]\s*|\s+)[\"']?(?=[\w.\-]*\d)[\w.\-]{4,}",
    r"\bip(?:-\d{1,3}){4}\b",
    # files of the machine it ran on
    r"(?<![\w.])/(?:[\w.\-]+/)+[\w.\-]+",
    r"\b[a-z]:\\[^\s\"']+",
)
_SECRET: Final = re.compile("|".join(f"(?:{pattern})" for pattern in _SECRETS), re.IGNORECASE)
_TOKEN: Final = re.compile(r"[A-Za-z0-9_\-+/=]{16,}")
_RUN: Final = re.compile(r"[A-Za-z0-9+/=]{10,}")
_OWN_ID: Final = re.compile(
    r"(?:call|toolu|srvtoolu|tool|fc|ctc|rs|msg|resp|item|file|vs|ws|ig)[-_][\w\-]{1,80}"
)
_BLANK: Final = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_TRACE: Final = re.compile(
    r"Traceback \(most recent|\bat [\w.$<>]+\([\w.]+:\d+\)|File \"[^\"]+\", line"
)
_MEMBER: Final = re.compile(
    r"[A-Za-z_][\w\-]{0,63}(?:\.[A-Za-z_][\w\-]{0,63}|\.?\[\d{1,6}\]|\.\d{1,6})*+"
)
_LEADING_MEMBER: Final = re.compile(r"([a-z_]++(?:\.(?:\d{1,6}|[a-z_]++))*+): \S")


def public(message: str) -> str:
    """``message`` as a caller may read it; empty when nothing readable is left."""
    text = _BLANK.sub(" ", message[:_READ_MAX]).strip()
    if not text or _TRACE.search(message[:_READ_MAX]) or text.startswith(("<", "{", "[{")):
        return ""
    text = _SECRET.sub(_CUT, text)
    text = _TOKEN.sub(_random, text)
    if sum(char.isalpha() for char in text) < 8:
        return ""
    if len(text) > WORDING_MAX:
        text = text[: WORDING_MAX - 1].rstrip() + "…"
    return text


def member(param: str | None) -> str | None:
    """A vendor's ``param`` as a member path (``messages[2].content``), ``None`` if it is none."""
    if param is None or len(param) > 200 or not _MEMBER.fullmatch(param):
        return None
    if public(param + " is wrong") != param + " is wrong":
        return None
    return re.sub(r"\.(\d+)(?=\.|$|\[)", r"[\1]", param).replace(".[", "[")


def leading_member(message: str) -> str | None:
    """The member path that some vendors put before the text: ``messages.1.content: …``."""
    match = _LEADING_MEMBER.match(message)
    return member(match[1]) if match else None


def _random(match: re.Match[str]) -> str:
    """Cut what looks drawn at random; keep words, model names and the conversation's own ids."""
    token = match[0]
    if _OWN_ID.fullmatch(token):
        return token
    for run in _RUN.findall(token):
        mixed = any(char.isdigit() for char in run) and any(char.isalpha() for char in run)
        long_enough = len(run) >= 16 or len(token) >= 32
        if (mixed and long_enough) or len(run) >= 40:
            return _CUT
    return token
