"""Masks whatever looks like a credential in log events. Pure.

It is a safety net, not a permission: prompts, answers and keys are not passed to log calls.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

TEXT_CHARS_MAX: Final = 8_192
"""One field: a traceback of some eighty frames."""
DEPTH_MAX: Final = 5
"""Nested lists and mappings; what lies deeper is left out."""
ITEMS_MAX: Final = 100
"""Members of one list or mapping."""
MASK: Final = "***"

_INT_END: Final = 2**63
"""JSON encoders end here."""
_NAME: Final = r"(?:key|token|secret|password|passwd|signature|credential)"
_SHAPES: Final = (
    # keys by their makers' prefixes, which stay to say which kind it was
    (
        re.compile(
            r"(?<![A-Za-z0-9])(sk-|pk-|rk-|gsk_|xai-|hf_|ghp_|glpat-|AIza|ya29\.|AKIA"
            r"|[sr]k_(?:live|test)_|whsec_|gw(?:s|at|rt|ac|dev|adm)_)"
            r"[A-Za-z0-9_.\-]{8,}"
        ),
        rf"\1{MASK}",
    ),
    (re.compile(r"\b(bearer|basic)\s+[^\s\"',;]+", re.IGNORECASE), rf"\1 {MASK}"),
    # ?key=…, api_key=…
    (
        re.compile(rf"(?<![A-Za-z])({_NAME}[\"']?\s*=\s*[\"']?)[^\s\"'&;,]+", re.IGNORECASE),
        rf"\1{MASK}",
    ),
    # x-api-key: …, "password": "…"; a bare "key:" is prose
    (
        re.compile(
            rf"([_\-\"']{_NAME}[\"']?\s*:\s*[\"']?)[^\s\"'&;,}}]+|"
            r"(\b(?:password|passwd|authorization|cookie)[\"']?\s*:\s*[\"']?)[^\s\"',;}]+",
            re.IGNORECASE,
        ),
        rf"\1\2{MASK}",
    ),
    # https://user:password@host
    (re.compile(r"(://[^/\s:@]{0,256}:)[^@\s/]{1,1024}@"), rf"\1{MASK}@"),
)
_FIELD: Final = re.compile(rf"(?:^|[_-]){_NAME}s?$|^(?:authorization|cookie)$", re.IGNORECASE)


def redact_text(text: str) -> str:
    """The text without credentials, at most ``TEXT_CHARS_MAX`` long, encodable."""
    # cut twice: what the first cut tears apart, the second takes away
    text = text[: 2 * TEXT_CHARS_MAX]
    for shape, mask in _SHAPES:
        text = shape.sub(mask, text)
    if len(text) > TEXT_CHARS_MAX:
        text = text[:TEXT_CHARS_MAX] + "…"
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def redact_value(value: Any, depth: int = 0) -> Any:  # noqa: PLR0911 - one line a type
    """A copy of plain JSON types only; everything else becomes its masked ``repr``."""
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        return value if abs(value) < _INT_END else str(value)
    if isinstance(value, str):
        return redact_text(value)
    if not isinstance(value, Mapping | list | tuple | set | frozenset):
        return redact_text(_shown(value))
    if depth >= DEPTH_MAX:
        return "…"
    if isinstance(value, Mapping):
        return redact_fields(dict(list(value.items())[:ITEMS_MAX]), depth + 1)
    return [redact_value(member, depth + 1) for member in list(value)[:ITEMS_MAX]]


def _shown(value: object) -> str:
    try:
        return str(value) if isinstance(value, BaseException) else repr(value)
    except Exception as error:  # noqa: BLE001 - somebody's __repr__ must not fail a request
        return f"<{type(value).__name__}: {type(error).__name__} in its repr>"


def redact_fields(fields: Mapping[Any, Any], depth: int = 0) -> dict[str, Any]:
    """A copy in which texts under a credential's name are masked whole.

    Numbers stay: ``keys=12`` is a count.
    """
    return {
        str(name): MASK
        if isinstance(value, str | bytes) and _FIELD.search(str(name))
        else redact_value(value, depth)
        for name, value in fields.items()
    }
