"""Every way a request can fail, and what follows from each: one closed set, one table.

Nothing else in the gateway decides a status, a log level, whether another channel may be tried or
whether a failure's text may be shown. Code that detects a failure raises :class:`Fault` with a
:class:`Kind`; the edge renders it (``wire/errors.py``), routing reads ``blame`` and ``fallback``,
the ledger reads ``charged``. A new kind does not pass the tests until it has a row.

Status and code names: the GatewayError proposal that the official SDKs were run against
(docs/decisions/0004-gateway-error.md).
"""

from dataclasses import dataclass
from enum import Enum, unique
from typing import Final


@unique
class Blame(Enum):
    """Whose fault it is; decides whether a channel's health suffers."""

    CALLER = "caller"  # never retried, never counted against a channel
    CREDENTIAL = "credential"  # our account at the vendor: another channel may do better
    VENDOR = "vendor"  # the vendor broke or refused to serve
    US = "us"  # the gateway itself: somebody should look


@unique
class Kind(Enum):
    """The closed set of faults."""

    # the caller's request
    MALFORMED_HTTP = "malformed_http"
    MALFORMED_JSON = "malformed_json"
    MALFORMED_FORM = "malformed_form"
    MISSING_MEMBER = "missing_member"
    INVALID_VALUE = "invalid_value"
    INVALID_TYPE = "invalid_type"
    DUPLICATE_MEMBER = "duplicate_member"
    UNREPRESENTABLE = "unrepresentable"
    CONTEXT_TOO_LONG = "context_too_long"
    CONTENT_POLICY = "content_policy"
    HEADERS_TOO_LARGE = "headers_too_large"
    BODY_TOO_LARGE = "body_too_large"
    MEDIA_TYPE = "media_type"
    REQUEST_TIMEOUT = "request_timeout"
    CALLER_LEFT = "caller_left"
    # who is asking
    KEY_MISSING = "key_missing"
    KEY_UNKNOWN = "key_unknown"
    MODEL_NOT_ALLOWED = "model_not_allowed"
    NOT_PERMITTED = "not_permitted"
    # what is asked for
    PATH_UNKNOWN = "path_unknown"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    UPGRADE_REQUIRED = "upgrade_required"
    MODEL_UNKNOWN = "model_unknown"
    NOT_FOUND = "not_found"
    # limits and money
    RATE_LIMITED = "rate_limited"
    LIMIT_TOO_LOW = "limit_too_low"
    BUDGET_SPENT = "budget_spent"
    BALANCE_TOO_LOW = "balance_too_low"
    LEDGER_DOWN = "ledger_down"
    # upstream
    NO_ROUTE = "no_route"
    UPSTREAM_BUSY = "upstream_busy"
    UPSTREAM_REJECTED = "upstream_rejected"
    UPSTREAM_CREDENTIAL = "upstream_credential"
    UPSTREAM_DENIED = "upstream_denied"
    UPSTREAM_RATE_LIMITED = "upstream_rate_limited"
    UPSTREAM_OVERLOADED = "upstream_overloaded"
    UPSTREAM_UNREACHABLE = "upstream_unreachable"
    UPSTREAM_BROKE = "upstream_broke"
    UPSTREAM_TIMEOUT = "upstream_timeout"
    UPSTREAM_UNSURE = "upstream_unsure"
    # ourselves
    STOPPING = "stopping"
    INTERNAL = "internal"


@dataclass(frozen=True, slots=True)
class FaultRow:
    """What follows from one kind of fault."""

    status: int
    """HTTP status of the answer."""
    type: str
    """``error.type``, in the vocabulary the Anthropic SDKs know (OpenAI clients take it as is)."""
    google: str
    """``error.status``: Google's canonical name."""
    code: str
    """``error.code`` unless the fault carries its own."""
    blame: Blame
    level: str = "info"
    """Log level of the line that reports it."""
    fallback: bool = False
    """Whether another channel of the plan may be tried (never after the first byte)."""
    again: bool = False
    """Whether the same channel may do better after a pause, where the operator wants that tried."""
    charged: bool = False
    """Whether what was delivered before the fault is billed."""
    retry: bool | None = None
    """``x-should-retry``: ``None`` leaves the decision to the client's own rule."""


_C, _K, _V, _U = Blame.CALLER, Blame.CREDENTIAL, Blame.VENDOR, Blame.US
_BAD: Final = ("invalid_request_error", "INVALID_ARGUMENT")
_API: Final = "api_error"

TABLE: Final[dict[Kind, FaultRow]] = {
    Kind.MALFORMED_HTTP: FaultRow(400, *_BAD, "invalid_request", _C),
    Kind.MALFORMED_JSON: FaultRow(400, *_BAD, "invalid_json", _C),
    Kind.MALFORMED_FORM: FaultRow(400, *_BAD, "invalid_multipart", _C),
    Kind.MISSING_MEMBER: FaultRow(400, *_BAD, "missing_required_parameter", _C),
    Kind.INVALID_VALUE: FaultRow(400, *_BAD, "invalid_value", _C),
    Kind.INVALID_TYPE: FaultRow(400, *_BAD, "invalid_type", _C),
    Kind.DUPLICATE_MEMBER: FaultRow(400, *_BAD, "duplicate_parameter", _C),
    Kind.UNREPRESENTABLE: FaultRow(400, *_BAD, "unsupported_parameter", _C),
    Kind.CONTEXT_TOO_LONG: FaultRow(400, *_BAD, "context_length_exceeded", _C),
    Kind.CONTENT_POLICY: FaultRow(400, *_BAD, "content_policy_violation", _C),
    Kind.HEADERS_TOO_LARGE: FaultRow(431, *_BAD, "headers_too_large", _C),
    Kind.BODY_TOO_LARGE: FaultRow(
        413, "request_too_large", "INVALID_ARGUMENT", "request_too_large", _C
    ),
    Kind.MEDIA_TYPE: FaultRow(415, *_BAD, "unsupported_media_type", _C),
    # 408 would be retried unasked by the OpenAI and Anthropic SDKs
    Kind.REQUEST_TIMEOUT: FaultRow(400, *_BAD, "request_timeout", _C, retry=False),
    # never rendered: there is nobody left to read it; the status is what the record shows
    Kind.CALLER_LEFT: FaultRow(499, *_BAD, "caller_left", _C, charged=True),
    Kind.KEY_MISSING: FaultRow(
        401, "authentication_error", "UNAUTHENTICATED", "missing_api_key", _C
    ),
    Kind.KEY_UNKNOWN: FaultRow(
        401, "authentication_error", "UNAUTHENTICATED", "invalid_api_key", _C
    ),
    Kind.MODEL_NOT_ALLOWED: FaultRow(
        403, "permission_error", "PERMISSION_DENIED", "model_not_allowed", _C
    ),
    Kind.NOT_PERMITTED: FaultRow(
        403, "permission_error", "PERMISSION_DENIED", "permission_denied", _C
    ),
    Kind.PATH_UNKNOWN: FaultRow(404, "not_found_error", "NOT_FOUND", "unknown_url", _C),
    Kind.METHOD_NOT_ALLOWED: FaultRow(405, *_BAD, "method_not_allowed", _C),
    # of a WebSocket: the clients that try one first take this for "never", and others for a mistake
    Kind.UPGRADE_REQUIRED: FaultRow(426, *_BAD, "upgrade_required", _C, retry=False),
    Kind.MODEL_UNKNOWN: FaultRow(404, "not_found_error", "NOT_FOUND", "model_not_found", _C),
    Kind.NOT_FOUND: FaultRow(404, "not_found_error", "NOT_FOUND", "not_found", _C),
    Kind.RATE_LIMITED: FaultRow(
        429, "rate_limit_error", "RESOURCE_EXHAUSTED", "rate_limit_exceeded", _C
    ),
    # waiting does not help: the request alone is larger than the limit
    Kind.LIMIT_TOO_LOW: FaultRow(
        429, "rate_limit_error", "RESOURCE_EXHAUSTED", "rate_limit_exceeded", _C, retry=False
    ),
    Kind.BUDGET_SPENT: FaultRow(
        429, "rate_limit_error", "RESOURCE_EXHAUSTED", "insufficient_quota", _C, retry=False
    ),
    Kind.BALANCE_TOO_LOW: FaultRow(
        429, "rate_limit_error", "RESOURCE_EXHAUSTED", "insufficient_quota", _C, retry=False
    ),
    Kind.LEDGER_DOWN: FaultRow(
        503, "overloaded_error", "UNAVAILABLE", "service_unavailable", _U, "error"
    ),
    Kind.NO_ROUTE: FaultRow(
        503, "overloaded_error", "UNAVAILABLE", "no_upstream_available", _U, "warning"
    ),
    Kind.UPSTREAM_BUSY: FaultRow(
        503, "overloaded_error", "UNAVAILABLE", "service_unavailable", _V, "warning", fallback=True
    ),
    Kind.UPSTREAM_REJECTED: FaultRow(400, *_BAD, "invalid_value", _C),
    Kind.UPSTREAM_CREDENTIAL: FaultRow(
        502, _API, "UNAVAILABLE", "upstream_error", _K, "error", fallback=True, retry=False
    ),
    # a model that this account may not have: nothing is wrong with the account
    Kind.UPSTREAM_DENIED: FaultRow(
        502, _API, "UNAVAILABLE", "upstream_error", _K, "error", fallback=True, retry=False
    ),
    Kind.UPSTREAM_RATE_LIMITED: FaultRow(
        429,
        "rate_limit_error",
        "RESOURCE_EXHAUSTED",
        "rate_limit_exceeded",
        _K,
        "warning",
        fallback=True,
        again=True,
    ),
    Kind.UPSTREAM_OVERLOADED: FaultRow(
        503,
        "overloaded_error",
        "UNAVAILABLE",
        "service_unavailable",
        _V,
        "warning",
        fallback=True,
        again=True,
    ),
    Kind.UPSTREAM_UNREACHABLE: FaultRow(
        502, _API, "UNAVAILABLE", "upstream_error", _V, "warning", fallback=True, again=True
    ),
    Kind.UPSTREAM_BROKE: FaultRow(
        502,
        _API,
        "UNAVAILABLE",
        "upstream_error",
        _V,
        "warning",
        fallback=True,
        again=True,
        charged=True,
    ),
    Kind.UPSTREAM_TIMEOUT: FaultRow(
        504,
        "timeout_error",
        "DEADLINE_EXCEEDED",
        "upstream_timeout",
        _V,
        "warning",
        fallback=True,
        charged=True,
    ),
    # it may have begun what costs money, and nobody knows: nobody asks again unasked
    Kind.UPSTREAM_UNSURE: FaultRow(
        502, _API, "UNAVAILABLE", "upstream_error", _V, "warning", retry=False
    ),
    Kind.STOPPING: FaultRow(
        503, "overloaded_error", "UNAVAILABLE", "service_unavailable", _U, "info", charged=True
    ),
    Kind.INTERNAL: FaultRow(500, _API, "INTERNAL", "internal_error", _U, "error", charged=True),
}


class Fault(Exception):  # noqa: N818 - the glossary's word for our closed error value
    """One failure, with what the caller may be told about it.

    ``message`` is shown to callers: readable alone, no secret, no upstream host, no stack.
    ``param`` is the path of the offending request member (``messages[2].content``) or ``None``.
    ``code`` overrides the kind's default code; always a symbolic string here.
    ``retry_after`` is in seconds, ``None`` when nothing is known.
    ``status`` overrides the kind's status, for a vendor's own 4xx that is passed through.
    ``retry`` overrides the kind's ``x-should-retry``.
    """

    __slots__ = ("code", "kind", "message", "param", "retry", "retry_after", "row", "status")

    def __init__(
        self,
        kind: Kind,
        message: str,
        *,
        param: str | None = None,
        code: str | None = None,
        retry_after: float | None = None,
        status: int | None = None,
        retry: bool | None = None,
    ) -> None:
        super().__init__(message)
        self.row = row = TABLE[kind]
        """What the table says of its kind."""
        self.kind = kind
        self.message = message
        self.param = param
        self.code = code or row.code
        self.retry_after = retry_after
        self.status = status or row.status
        self.retry = row.retry if retry is None else retry

    def forget(self) -> None:
        """Keep nothing of where it was raised: the request it was found in may be of megabytes, and
        a context keeps its fault.
        """
        self.__traceback__ = self.__context__ = self.__cause__ = None

    def __repr__(self) -> str:
        return f"Fault({self.kind.name}, {self.message!r}, param={self.param!r})"
