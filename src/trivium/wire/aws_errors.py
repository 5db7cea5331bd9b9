"""Faults as Amazon Bedrock's exceptions: a name, and the status that the name has.

The SDKs know an exception by its name alone, and repeat by name and status: botocore 1.44 whatever
is 500, 502, 503, 504 or 429, and whatever is called a throttling. So what must not be asked again
unchanged has neither: a balance or a budget is a quota (400), a broken account of ours at a vendor
a failure of the model (424), an answer that took too long, and may be billed, a timeout (408).
Source: the exceptions of ``bedrock-runtime``, ``_retry.json`` and ``retries/standard.py`` of
botocore 1.44, read on 2026-11-28.
"""

from typing import Final

import msgspec

from trivium.faults import Fault, Kind
from trivium.wire import event_stream

_encode: Final = msgspec.json.Encoder().encode

VALIDATION: Final = "ValidationException"
DENIED: Final = "AccessDeniedException"
NOT_FOUND: Final = "ResourceNotFoundException"
UNKNOWN_OPERATION: Final = "UnknownOperationException"
THROTTLING: Final = "ThrottlingException"
QUOTA: Final = "ServiceQuotaExceededException"
TIMEOUT: Final = "ModelTimeoutException"
MODEL: Final = "ModelErrorException"
INTERNAL: Final = "InternalServerException"
UNAVAILABLE: Final = "ServiceUnavailableException"

_STATUS: Final = {
    VALIDATION: 400,
    DENIED: 403,
    NOT_FOUND: 404,
    UNKNOWN_OPERATION: 404,
    THROTTLING: 429,
    QUOTA: 400,
    TIMEOUT: 408,
    MODEL: 424,
    INTERNAL: 500,
    UNAVAILABLE: 503,
}
_OWN_STATUS: Final = frozenset({405, 413, 415, 426, 431})
"""Of HTTP itself; the SDKs have no name for them."""

_STREAMED: Final = {
    THROTTLING: "throttlingException",
    TIMEOUT: "modelStreamErrorException",
    MODEL: "modelStreamErrorException",
    INTERNAL: "internalServerException",
    UNAVAILABLE: "serviceUnavailableException",
}
"""What a stream has of them; any other is about the request."""
_IN_STREAM: Final = {Kind.UPSTREAM_BROKE: "modelStreamErrorException"}
"""Kinds that a stream has a better word for."""


def name_of(fault: Fault) -> str:
    """The exception of a fault."""
    status = fault.status
    if status == 429:
        return QUOTA if fault.retry is False else THROTTLING
    if status in (401, 403):
        return DENIED
    if status == 404:
        return UNKNOWN_OPERATION if fault.kind is Kind.PATH_UNKNOWN else NOT_FOUND
    return VALIDATION if status < 500 else _of_server(fault)


def _of_server(fault: Fault) -> str:
    if fault.retry is False:
        return MODEL
    if fault.status == 504:
        return TIMEOUT
    ours = fault.status == 500 or fault.kind is Kind.UPSTREAM_BROKE
    return INTERNAL if ours else UNAVAILABLE


def status_of(fault: Fault) -> int:
    """The HTTP status that goes with it."""
    name = name_of(fault)
    if name == VALIDATION and fault.status in _OWN_STATUS:
        return fault.status
    return _STATUS[name]


def headers(fault: Fault) -> list[tuple[bytes, bytes]]:
    """The header by which the SDKs know the exception."""
    return [(b"x-amzn-errortype", name_of(fault).encode())]


def frame(fault: Fault) -> bytes:
    """The frame that ends a stream with it."""
    kind = _IN_STREAM.get(fault.kind) or _STREAMED.get(name_of(fault), "validationException")
    return event_stream.exception(kind, _encode({"message": fault.message}))
