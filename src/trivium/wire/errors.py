"""GatewayError: one error body for every gateway operation, readable by all three SDK families.

``error`` is printed first: google-genai recognises an error inside a stream by the text
``{"error":`` at the start of the data (docs/decisions/0004-gateway-error.md). On the
generate-content shape ``error.code`` is the integer HTTP status and ``error.details`` carries the
symbolic code, as that protocol has it; elsewhere ``code`` is the symbolic string.
"""

import math
from typing import Any, Final

import msgspec

from trivium.faults import Fault, Kind
from trivium.wire.operation import Shape

_encode = msgspec.json.Encoder().encode
_members: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_MESSAGE_END: Final = msgspec.Raw(b'"message-end"')

RETRY_AFTER_MAX_S: Final = 60
"""Longest delay we ask for: above 120 s openai-python does not retry at all, anthropic sleeps."""


_CANNOT: Final = {"thread": "thread_unsupported_request"}
"""Members of the messages shape that its SDKs send by themselves -> the ``error_code`` by which
they know that they have to do without: anthropic-java's ``toolRunner``, 3.12, read 2026-11-23."""


def body(fault: Fault, request_id: str, shape: Shape | None = None) -> bytes:
    """The GatewayError object as JSON. ``shape`` is ``None`` where no shape is known."""
    row = fault.row
    error: dict[str, Any] = {
        "type": type_of(fault),
        "message": fault.message,
        "param": fault.param,
        "code": fault.code,
        "status": row.google if fault.status == row.status else _google(fault.status),
    }
    if shape is Shape.GENERATE:
        error["code"] = fault.status
        error["details"] = _details(fault)
    elif shape is Shape.MESSAGES and fault.param in _CANNOT and fault.kind is Kind.UNREPRESENTABLE:
        error["details"] = {"error_code": _CANNOT[fault.param]}
    told = {"error": error, "type": "error", "request_id": request_id}
    if shape is Shape.RERANK or shape is Shape.CONVERSE or shape is Shape.COHERE:
        told["message"] = fault.message  # where Cohere's clients look for it, and Amazon's
    if shape is Shape.COHERE:
        told["id"] = request_id
    return _encode(told)


def oauth_body(fault: Fault) -> bytes:
    """The body of an error for clients of the OAuth endpoints, who read a string (RFC 6749 section
    5.2).
    """
    code = {500: "server_error", 503: "temporarily_unavailable"}.get(
        fault.status, "invalid_request"
    )
    return _encode({"error": code, "error_description": fault.message})


def status(fault: Fault, shape: Shape | None = None) -> int:
    """The HTTP status of a fault: Amazon's exceptions have their own."""
    if shape is not Shape.CONVERSE:
        return fault.status
    from trivium.wire import aws_errors

    return aws_errors.status_of(fault)


def headers(fault: Fault, shape: Shape | None = None) -> list[tuple[bytes, bytes]]:
    """Headers that tell a client whether and when to try again, and how to say who it is."""
    out: list[tuple[bytes, bytes]] = []
    if shape is Shape.CONVERSE:
        from trivium.wire import aws_errors

        out = aws_errors.headers(fault)
    if status(fault, shape) == 401:
        out.append((b"www-authenticate", b"Bearer"))  # RFC 9110, section 15.5.2
    retry = fault.retry
    if fault.retry_after is not None:
        if fault.retry_after > RETRY_AFTER_MAX_S:
            retry = False
        # said even when no retry is wanted: agents without any delay to read try again at once
        delay = min(max(0.0, fault.retry_after), RETRY_AFTER_MAX_S)
        out.append((b"retry-after", b"%d" % math.ceil(delay)))
        out.append((b"retry-after-ms", b"%d" % math.ceil(delay * 1000)))
    if retry is not None:
        out.append((b"x-should-retry", b"true" if retry else b"false"))
    return out


def type_of(fault: Fault) -> str:
    """``error.type`` of a fault, after its status where that was overridden."""
    if fault.status == fault.row.status:
        return fault.row.type
    return _TYPES.get(fault.status, "invalid_request_error" if fault.status < 500 else "api_error")


_TYPES: Final = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    503: "overloaded_error",
    504: "timeout_error",
    529: "overloaded_error",
}

_GOOGLE: Final = {
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    502: "UNAVAILABLE",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
    529: "UNAVAILABLE",
}


def _google(status: int) -> str:
    return _GOOGLE.get(status, "INVALID_ARGUMENT" if status < 500 else "INTERNAL")


def _details(fault: Fault) -> list[dict[str, Any]]:
    details: list[dict[str, Any]] = [
        {
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": fault.code.upper(),
            "domain": "gateway",
            "metadata": {},
        }
    ]
    if fault.status == 429 and fault.retry_after is not None:
        details.append(
            {
                "@type": "type.googleapis.com/google.rpc.RetryInfo",
                "retryDelay": f"{math.ceil(max(0.0, fault.retry_after))}s",
            }
        )
    return details


def stream_tail(fault: Fault, request_id: str, shape: Shape) -> bytes:
    """The frame that ends a stream of this shape after a fault: its error, and nothing behind it.

    No ``[DONE]``: clients that pass over error frames would take half an answer for the whole. The
    responses shape needs the response object and sequence numbers, so its stream module
    builds its own tail; so does the array form of generate-content. Raises ``ValueError`` for
    shapes that end otherwise or never stream.
    """
    if shape is Shape.CONVERSE:
        from trivium.wire import aws_errors

        return aws_errors.frame(fault)
    data = body(fault, request_id, shape)
    if shape is Shape.COHERE:
        return _ended(fault, data)
    if shape in (Shape.MESSAGES, Shape.IMAGES):
        # without the event line the Anthropic SDKs drop the frame silently
        return b"event: error\ndata: " + data + b"\n\n"
    if shape is Shape.GENERATE:
        return b"data: " + data + b"\r\n\r\n"  # as the vendor ends its own
    if shape in (Shape.CHAT, Shape.COMPLETIONS):
        return b"data: " + data + b"\n\n"
    raise ValueError(shape)


def _ended(fault: Fault, data: bytes) -> bytes:
    """The event with which a stream of Cohere's ends when it failed: of a kind that its clients
    know, with the error beside what they read.
    """
    told = _members(data)
    told["type"] = _MESSAGE_END
    delta = {"finish_reason": "ERROR", "error": fault.message}
    return b"event: message-end\ndata: " + _encode({**told, "delta": delta}) + b"\n\n"


def too_long(message: str) -> str:
    """Context-overflow text that agents recognise: they match words, not codes."""
    lead = "prompt is too long"
    if message.lower().startswith(lead) and "exceeds the context window" in message:
        return message
    return f"{lead}: the request exceeds the context window of this model. {message}".strip()


def internal() -> Fault:
    """The fault for an exception nobody planned: its text never reaches a caller."""
    return Fault(
        Kind.INTERNAL,
        "The gateway failed to handle this request. Quote the request id when reporting it.",
    )


def nonsense(why: str = "") -> Fault:
    """Return the fault of an answer that cannot be read; ``why`` ends the sentence."""
    said = f"The upstream's answer is not what its protocol says{': ' * bool(why)}{why}."
    return Fault(Kind.UPSTREAM_BROKE, said)


def cut_short() -> Fault:
    """Return the fault of an answer that ended before it said that it was complete."""
    return Fault(Kind.UPSTREAM_BROKE, "The upstream's answer ended before it was complete.")
