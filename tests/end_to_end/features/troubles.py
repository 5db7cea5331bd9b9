"""Trouble in the words of each vendor: refusals before an answer, and errors in a stream."""

from end_to_end.features import streams
from trivium.wire.event_stream import exception

ERRORS = {
    "chat": {"error": {"message": "Busy.", "type": "server_error", "code": "server_is_overloaded"}},
    "responses": {
        "type": "error",
        "sequence_number": 9,
        "error": {"type": "server_error", "code": "server_is_overloaded", "message": "Busy."},
    },
    "messages": {"type": "error", "error": {"type": "overloaded_error", "message": "Busy."}},
    "generate": {"error": {"code": 503, "message": "Busy.", "status": "UNAVAILABLE"}},
    "cohere": {
        "type": "message-end", "id": "c9", "delta": {"finish_reason": "ERROR", "error": "Busy."},
    },
}  # fmt: skip
PIECES = {"chat": 2, "responses": 5, "messages": 3, "generate": 1, "converse": 2, "cohere": 3}
"""Frames of the text answer after which a piece of its words has been said."""


def broken(shape):
    """The frame with which a vendor of this shape breaks off a stream."""
    if shape == "converse":
        return exception("serviceUnavailableException", b'{"message":"Busy."}')
    error = ERRORS[shape]
    return (streams.named if "type" in error else streams.plain)(error)


REFUSALS = {
    400: ("invalid_request_error", "INVALID_ARGUMENT"),
    429: ("rate_limit_error", "RESOURCE_EXHAUSTED"),
    500: ("api_error", "INTERNAL"),
    529: ("overloaded_error", "UNAVAILABLE"),
}
EXCEPTIONS = {
    400: "ValidationException",
    429: "ThrottlingException",
    500: "InternalServerException",
    529: "ServiceUnavailableException",
}
"""What Amazon calls them, and its callers are told, by which its SDK knows the class."""
NAMED = {"converse": {"message"}, "cohere": {"message", "id"}}
"""What an error of the shape has, where that is less than in the others."""
STATUS = {400: 400, 429: 429, 500: 502, 529: 503}
"""A vendor's status to ours: docs/traps.md and providers/failure.py say why."""
