"""How a responses stream says that it failed: an ``error`` event, then ``response.failed``.

Upstream's documentation shows a flat ``error`` event, its servers send a nested one, and clients
read one or the other; so ours is both. ``response.error.code`` decides whether Codex tries again.
Source: runs of openai-python 3.52.0, openai (npm) 7.55.0, AI SDK 7.0.173 and Codex CLI 0.169.0
on 2026-11-21.
"""

from typing import Any, Final

import msgspec

from trivium.faults import Blame, Fault, Kind
from trivium.wire import errors, sse
from trivium.wire.lenient import decoded

_encode: Final = msgspec.json.Encoder().encode
_decode_object: Final = msgspec.json.Decoder(dict[str, Any]).decode

RETRIED: Final = "server_error"
"""Codex tries again; so it does on ``rate_limit_exceeded``, ``slow_down`` and unknown codes."""

_CODES: Final = {
    Kind.RATE_LIMITED: "rate_limit_exceeded",
    Kind.UPSTREAM_RATE_LIMITED: "rate_limit_exceeded",
    Kind.BALANCE_TOO_LOW: "insufficient_quota",
    Kind.CONTEXT_TOO_LONG: "context_length_exceeded",
    Kind.UPSTREAM_OVERLOADED: "server_is_overloaded",
}
"""Codes by kind; a caller's other faults are ``invalid_prompt``, anything else is retried."""

_KNOWN: Final = frozenset(
    {
        *_CODES.values(),
        "server_error",
        "slow_down",
        "invalid_prompt",
        "data_residency_mismatch",
        "bio_policy",
        "misalignment_policy_violation",
        "vector_store_timeout",
        "invalid_image",
        "invalid_image_format",
        "invalid_base64_image",
        "invalid_image_url",
        "image_too_large",
        "image_too_small",
        "image_parse_error",
        "image_content_policy_violation",
        "invalid_image_mode",
        "image_file_too_large",
        "unsupported_image_media_type",
        "empty_image_file",
        "failed_to_download_image",
        "image_file_not_found",
    }
)
"""Codes that clients know, the SDK's among them; a fault that carries one keeps it."""


def event(name: str, number: int, members: dict[str, Any]) -> bytes:
    """One event of the stream as bytes."""
    data = _encode({"type": name, "sequence_number": number, **members})
    return sse.frame(data, name.encode())


def error_event(fault: Fault, number: int, request_id: str) -> bytes:
    """The ``error`` event, flat and nested in one object."""
    flat = {"code": fault.code, "message": fault.message, "param": fault.param}
    nested = {"type": errors.type_of(fault), **flat}
    return event("error", number, {**flat, "error": nested, "request_id": request_id})


def of(fault: Fault) -> dict[str, Any]:
    """The ``error`` member of the failed response for a fault of ours."""
    if fault.code in _KNOWN:
        code = fault.code
    elif fault.kind in _CODES:
        code = _CODES[fault.kind]
    else:
        code = "invalid_prompt" if fault.row.blame is Blame.CALLER else RETRIED
    return {
        "code": code,
        "message": fault.message,
        "type": errors.type_of(fault),
        "param": fault.param,
    }


def opening(raw: bytes | None) -> dict[str, Any] | None:
    """The response object of the opening events, ``None`` when there was none to be read."""
    return None if raw is None else decoded(_decode_object, raw)


def minimal(model: str, request_id: str) -> dict[str, Any]:
    """A response object with every member clients read unchecked, for streams that never began.

    ``created_at`` is 0: nothing was created, and no clock is read here.
    """
    return {
        "id": "resp_" + request_id.removeprefix("req_"),
        "object": "response",
        "created_at": 0,
        "status": "in_progress",
        "background": False,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "max_output_tokens": None,
        "metadata": {},
        "model": model,
        "output": [],
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "reasoning": {"effort": None, "summary": None},
        "store": False,
        "temperature": None,
        "text": {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": [],
        "top_p": None,
        "truncation": "disabled",
        "usage": None,
        "user": None,
    }
