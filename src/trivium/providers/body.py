"""What the body of a refusal says, whoever wrote it: vendors, their front ends, their frameworks.

Tolerant on purpose: a body that cannot be read is no reason to fail, the status still speaks.
Shapes read, each seen in the wild (the test's table names them): OpenAI's and Anthropic's
``error`` object, Google's with ``details``, Google's inside a one-element array, ``error`` or
``detail`` or ``message`` as bare text, validation lists of FastAPI, ``errors`` lists, flat objects,
integer codes, pages of HTML, plain text, nothing.
"""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

_decode: Final = msgspec.json.Decoder().decode
_MARKERS: Final = frozenset({"error", ""})
"""Values of ``type`` and ``code`` that say nothing."""


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """What a body says, before anything is made of it."""

    codes: frozenset[str] = frozenset()
    """Every symbolic code found, in lower case: types, codes, canonical names, reasons."""
    message: str = ""
    """The vendor's own words, unsanitised: never show them as they are."""
    structured: bool = False
    """Whether the words came from a JSON body and not from a page or a proxy's line of text."""
    page: bool = False
    """Whether the body is HTML."""
    param: str | None = None
    """Path of the offending member as the vendor writes it."""
    status: int | None = None
    """An HTTP status the body itself claims, 400 to 599."""
    delay: Any = None
    """Google's ``retryDelay``, as it came."""


def read(body: bytes) -> Told:
    """What ``body`` says; never raises."""
    text = body.strip()
    if not text:
        return Told()
    if text.startswith(b"<"):
        return Told(page=True)
    try:
        value = _decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Told(message=text.decode("utf-8", "replace"))
    return _read(value)


def _read(value: Any) -> Told:
    if isinstance(value, list):
        value = next((entry for entry in value if isinstance(entry, dict)), None)
    if isinstance(value, str):
        return Told(message=value)
    if not isinstance(value, dict):
        return Told()
    error = _error(value)
    inner = error.get("innererror")  # Azure's content filter names itself one level down
    sources = (value, error, inner if isinstance(inner, dict) else {})
    details = [entry for entry in _list(error.get("details")) if isinstance(entry, dict)]
    message, param = _message(error) if error is not value else _message(value)
    return Told(
        codes=frozenset(_codes(sources, details)),
        message=message,
        structured=True,
        param=_text(error.get("param")) or param or _violation(details),
        status=_status(error) or _status(value),
        delay=next((d["retryDelay"] for d in details if "retryDelay" in d), None),
    )


def _error(value: dict[str, Any]) -> dict[str, Any]:
    """The object that describes the error; the whole body where there is no ``error`` member."""
    error = value.get("error")
    if isinstance(error, dict):
        return error
    if isinstance(error, str) and error:
        # {"error": "text"}, or {"error": "code", "message": "text"}
        return {**value, "message": _text(value.get("message")) or error, "code": error}
    for entry in _list(value.get("errors")):
        if isinstance(entry, dict):
            return entry
        if isinstance(entry, str):
            return {"message": entry}
    return value


def _message(error: dict[str, Any]) -> tuple[str, str | None]:
    """The words, and the member they are about where a validation list names one."""
    for name in ("message", "detail", "msg", "error_description"):
        found = error.get(name)
        if isinstance(found, str) and found:
            return found, None
        if isinstance(found, dict):
            words, param = _message(found)
            if words:
                return words, param
        for entry in _list(found):
            if isinstance(entry, dict) and isinstance(entry.get("msg"), str):
                return entry["msg"], _location(entry.get("loc"))
    return "", None


def _location(loc: Any) -> str | None:
    """``["body", "messages", 0, "role"]`` as a member path."""
    steps = [step for step in _list(loc) if step != "body"]
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return path.removeprefix(".") or None


def _violation(details: list[dict[str, Any]]) -> str | None:
    """The member that Google's ``fieldViolations`` name."""
    for entry in details:
        for violation in _list(entry.get("fieldViolations")):
            if isinstance(violation, dict) and (field := _text(violation.get("field"))):
                return field
    return None


def _codes(sources: tuple[dict[str, Any], ...], details: list[dict[str, Any]]) -> Iterator[str]:
    for source in sources:
        for name in ("type", "code", "status", "reason"):
            code = _text(source.get(name))
            if code is not None and code.lower() not in _MARKERS:
                yield code.lower()
        inner = source.get("details")
        if isinstance(inner, dict) and (code := _text(inner.get("error_code"))):
            yield code.lower()
    for entry in details:
        if reason := _text(entry.get("reason")):
            yield reason.lower()


def _status(source: dict[str, Any]) -> int | None:
    for name in ("code", "status", "status_code"):
        found = source.get(name)
        if isinstance(found, str) and found.isascii() and found.isdigit():
            found = int(found[:9])
        if isinstance(found, int) and not isinstance(found, bool) and 400 <= found <= 599:
            return found
    return None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
