"""What the body of a refusal says, whoever wrote it: vendors, their front ends, their frameworks.

Tolerant on purpose: a body that cannot be read is no reason to fail, the status still speaks.
Shapes read, each seen in the wild (the test's table names them): OpenAI's and Anthropic's
``error`` object, Google's with ``details``, Google's inside a one-element array, ``error`` or
``detail`` or ``message`` as bare text, validation lists of FastAPI, ``errors`` lists, flat objects,
integer codes, a whole answer as text in another's ``message``, pages of HTML, plain text, nothing.
"""

import codecs
from collections.abc import Iterator
from typing import Any, Final

import msgspec

_decode: Final = msgspec.json.Decoder().decode
_TEXT_MAX: Final = 16_384
"""Bytes of a text that is no JSON, and characters of a message, that are read: what is looked for
in them stands at the beginning."""
_NESTED_MAX: Final = 3
"""Answers within an answer that are opened: a gateway before a gateway before a vendor."""
_NOTHING: Final = frozenset({"none", "null", "undefined"})
"""Values of ``param`` that an absent one became on the way, in lower case."""
_MARKERS: Final = frozenset({"error", ""})
"""Values of ``type`` and ``code`` that say nothing."""


class ErrorFacts(msgspec.Struct, frozen=True, kw_only=True):
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


def read(body: bytes) -> ErrorFacts:
    """What ``body`` says; never raises."""
    text = body.removeprefix(codecs.BOM_UTF8).strip()
    if not text:
        return ErrorFacts()
    if text.startswith(b"<"):
        return ErrorFacts(page=True)
    try:
        value = _decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ErrorFacts(message=text[:_TEXT_MAX].decode("utf-8", "replace"))
    return _read(value, _NESTED_MAX)


def _read(value: Any, depth: int) -> ErrorFacts:
    if isinstance(value, list):
        value = next((entry for entry in value if isinstance(entry, dict)), None)
    if isinstance(value, str):
        inner = _within(value, depth)
        return ErrorFacts(message=value[:_TEXT_MAX]) if inner is None else inner
    if not isinstance(value, dict):
        return ErrorFacts()
    error = _error(value)
    named = error.get("innererror")  # Azure's content filter names itself one level down
    sources = (value, error, named if isinstance(named, dict) else {})
    details: list[dict[str, Any]] = []
    delay = None
    if "details" in error:
        details = [entry for entry in _list(error["details"]) if isinstance(entry, dict)]
        delay = next((d["retryDelay"] for d in details if "retryDelay" in d), None)
    message, param = _message(error) if error is not value else _message(value)
    told = ErrorFacts(
        codes=frozenset(_codes(sources, details)),
        message=message[:_TEXT_MAX],
        structured=True,
        param=_param(error.get("param")) or param or (_violation(details) if details else None),
        status=_status(error) or (None if error is value else _status(value)),
        delay=delay,
    )
    inner = _within(message, depth)
    if inner is None and "metadata" in error:
        inner = _within(_raw(error), depth)
    return told if inner is None else _merged(told, inner)


def _within(text: str, depth: int) -> ErrorFacts | None:
    """What a vendor's whole answer says that another put into its own as text."""
    if depth == 0 or len(text) > _TEXT_MAX or not text.lstrip().startswith(("{", "[")):
        return None
    try:
        told = _read(_decode(text), depth - 1)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None
    return told if told.message else None


def _raw(error: dict[str, Any]) -> str:
    """The vendor's own answer where OpenRouter keeps it, beside a message that says nothing."""
    metadata = error.get("metadata")
    return (_text(metadata.get("raw")) or "") if isinstance(metadata, dict) else ""


def _merged(outer: ErrorFacts, inner: ErrorFacts) -> ErrorFacts:
    """The words are those of whoever refused; of the rest the one who answered us knows more."""
    return ErrorFacts(
        codes=outer.codes | inner.codes,
        message=inner.message,
        structured=True,
        param=outer.param or inner.param,
        status=outer.status or inner.status,
        delay=inner.delay if outer.delay is None else outer.delay,
    )


def _param(value: Any) -> str | None:
    found = _text(value)
    return None if found is None or found.lower() in _NOTHING else found


def _error(value: dict[str, Any]) -> dict[str, Any]:
    """The object that describes the error; the whole body where there is no ``error`` member."""
    error = value.get("error")
    if isinstance(error, dict):
        return error
    if isinstance(error, str) and error:
        # {"error": "text"}, or {"error": "code", "message": "text"}, or as OAuth's servers say it
        return {**value, "message": _message(value)[0] or error, "code": error}
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
            code = source.get(name)
            if isinstance(code, str) and code.lower() not in _MARKERS:
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
