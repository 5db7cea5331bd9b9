"""Every fault as an exception that Amazon's own client knows, and repeats only where it should."""

import pytest
from botocore.loaders import Loader
from botocore.model import ServiceModel

from trivium.faults import TABLE, Fault, Kind
from trivium.wire import aws_errors
from trivium.wire.event_stream import EventFrames

SERVICE = ServiceModel(Loader().load_service_model("bedrock-runtime", "service-2"))
STATUSES = {
    shape.name: shape.metadata["error"]["httpStatusCode"] for shape in SERVICE.error_shapes
} | {"UnknownOperationException": 404}
STREAMED = SERVICE.operation_model("ConverseStream").output_shape.members["stream"].members
REPEATED = {500, 502, 503, 504, 429}
"""Statuses that botocore repeats unasked."""


@pytest.mark.parametrize("kind", list(Kind))
def test_every_kind_is_an_exception_of_the_service(kind):
    """With the status that it has there, or one of HTTP's own."""
    fault = Fault(kind, "No.")
    name, status = aws_errors.name_of(fault), aws_errors.status_of(fault)
    assert STATUSES[name] == status or (name, status) == ("ValidationException", fault.status)
    assert [(b"x-amzn-errortype", name.encode())] == aws_errors.headers(fault)


@pytest.mark.parametrize("kind", list(Kind))
def test_what_must_not_be_repeated_is_not(kind):
    """By the rule of other shapes: `x-should-retry: false`."""
    if TABLE[kind].retry is False:
        assert aws_errors.status_of(Fault(kind, "No.")) not in REPEATED


@pytest.mark.parametrize("kind", list(Kind))
def test_every_kind_has_an_exception_in_a_stream(kind):
    """One that the client has a class for."""
    (frame,) = EventFrames().feed(aws_errors.frame(Fault(kind, "No.")))
    assert "exception" == frame.word(":message-type")
    assert frame.word(":exception-type") in STREAMED
    assert b'{"message":"No."}' == frame.payload


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (Fault(Kind.KEY_MISSING, "No."), ("AccessDeniedException", 403)),
        (Fault(Kind.KEY_UNKNOWN, "No."), ("AccessDeniedException", 403)),
        (Fault(Kind.MODEL_NOT_ALLOWED, "No."), ("AccessDeniedException", 403)),
        (Fault(Kind.MODEL_UNKNOWN, "No."), ("ResourceNotFoundException", 404)),
        (Fault(Kind.PATH_UNKNOWN, "No."), ("UnknownOperationException", 404)),
        (Fault(Kind.INVALID_VALUE, "No."), ("ValidationException", 400)),
        (Fault(Kind.UNREPRESENTABLE, "No."), ("ValidationException", 400)),
        (Fault(Kind.BODY_TOO_LARGE, "No."), ("ValidationException", 413)),
        (Fault(Kind.UPSTREAM_REJECTED, "No.", status=422), ("ValidationException", 400)),
        (Fault(Kind.RATE_LIMITED, "No."), ("ThrottlingException", 429)),
        (Fault(Kind.BALANCE_TOO_LOW, "No."), ("ServiceQuotaExceededException", 400)),
        (Fault(Kind.BUDGET_SPENT, "No."), ("ServiceQuotaExceededException", 400)),
        (Fault(Kind.LIMIT_TOO_LOW, "No."), ("ServiceQuotaExceededException", 400)),
        (Fault(Kind.UPSTREAM_TIMEOUT, "No."), ("ModelTimeoutException", 408)),
        (Fault(Kind.UPSTREAM_CREDENTIAL, "No."), ("ModelErrorException", 424)),
        (Fault(Kind.UPSTREAM_BROKE, "No."), ("InternalServerException", 500)),
        (Fault(Kind.UPSTREAM_UNREACHABLE, "No."), ("ServiceUnavailableException", 503)),
        (Fault(Kind.NO_ROUTE, "No."), ("ServiceUnavailableException", 503)),
        (Fault(Kind.INTERNAL, "No."), ("InternalServerException", 500)),
    ],
)
def test_the_exceptions_by_name(fault, expected):
    """What callers catch."""
    assert expected == (aws_errors.name_of(fault), aws_errors.status_of(fault))
