"""GatewayError in every dialect: what the official SDKs were run against."""

import msgspec
import pytest

from trivium.faults import TABLE, Fault, Kind
from trivium.wire import errors
from trivium.wire.event_stream import EventFrames
from trivium.wire.operation import Shape


def read(fault, shape=None):
    return msgspec.json.decode(errors.body(fault, "req_1", shape))


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize("shape", [None, *Shape])
def test_every_fault_is_one_object_with_error_first(kind, shape):
    """google-genai finds an error in a stream by its first bytes."""
    raw = errors.body(Fault(kind, "Readable alone.", param="a[0].b"), "req_1", shape)
    assert raw.startswith(b'{"error":{')
    body = msgspec.json.decode(raw)
    # Cohere's clients look for the words beside the object
    beside = {
        Shape.RERANK: ["message"],
        Shape.CONVERSE: ["message"],
        Shape.COHERE: ["message", "id"],
    }.get(shape, [])
    assert ["error", "type", "request_id", *beside] == list(body)
    assert ("error", "req_1") == (body["type"], body["request_id"])
    error = body["error"]
    assert ("Readable alone.", "a[0].b") == (error["message"], error["param"])
    assert (TABLE[kind].type, TABLE[kind].google) == (error["type"], error["status"])


def test_the_code_is_a_number_on_the_generate_shape_alone():
    """go-genai declares it so; the symbol stands in the details, in upper case."""
    fault = Fault(Kind.MODEL_UNKNOWN, "No.")
    assert "model_not_found" == read(fault)["error"]["code"]
    assert "details" not in read(fault, Shape.MESSAGES)["error"]
    google = read(fault, Shape.GENERATE)["error"]
    assert 404 == google["code"]
    assert "MODEL_NOT_FOUND" == google["details"][0]["reason"]


def test_an_sdk_is_told_to_do_without_a_thread():
    """In the words it looks for, on its own shape alone."""
    fault = Fault(Kind.UNREPRESENTABLE, "No.", param="thread")
    details = {"error_code": "thread_unsupported_request"}
    assert details == read(fault, Shape.MESSAGES)["error"]["details"]
    assert "details" not in read(fault, Shape.CHAT)["error"]
    assert (
        "details"
        not in read(Fault(Kind.INVALID_TYPE, "No.", param="thread"), Shape.MESSAGES)["error"]
    )


def test_a_delay_is_told_to_google_clients_in_the_body():
    """Gemini CLI reads RetryInfo."""
    fault = Fault(Kind.RATE_LIMITED, "Slow down.", retry_after=1.2)
    assert "2s" == read(fault, Shape.GENERATE)["error"]["details"][1]["retryDelay"]


HEADERS = [
    (
        Fault(Kind.RATE_LIMITED, "x", retry_after=1.25),
        {"retry-after": "2", "retry-after-ms": "1250"},
    ),
    (Fault(Kind.RATE_LIMITED, "x", retry_after=-3), {"retry-after": "0", "retry-after-ms": "0"}),
    (Fault(Kind.RATE_LIMITED, "x", retry_after=61),
     {"retry-after": "60", "retry-after-ms": "60000", "x-should-retry": "false"}),
    (Fault(Kind.RATE_LIMITED, "x"), {}),
    (Fault(Kind.BALANCE_TOO_LOW, "x"), {"x-should-retry": "false"}),
    (Fault(Kind.UPSTREAM_CREDENTIAL, "x"), {"x-should-retry": "false"}),
    (Fault(Kind.KEY_MISSING, "x"), {"www-authenticate": "Bearer"}),
    (Fault(Kind.KEY_UNKNOWN, "x"), {"www-authenticate": "Bearer"}),
]  # fmt: skip


@pytest.mark.parametrize(("fault", "expected"), HEADERS)
def test_headers_say_whether_and_when_to_try_again(fault, expected):
    """Nobody is asked to wait for longer than a minute: some SDKs would, others would not."""
    assert expected == {n.decode(): v.decode() for n, v in errors.headers(fault)}


@pytest.mark.parametrize(
    ("status", "type_", "google"),
    [(404, "not_found_error", "NOT_FOUND"), (413, "request_too_large", "INVALID_ARGUMENT"),
     (422, "invalid_request_error", "INVALID_ARGUMENT"), (529, "overloaded_error", "UNAVAILABLE"),
     (599, "api_error", "INTERNAL")],
)  # fmt: skip
def test_a_vendors_own_status_brings_its_own_words(status, type_, google):
    """A status other than the kind's is not called by the kind's names."""
    error = read(Fault(Kind.UPSTREAM_REJECTED, "No.", status=status))["error"]
    assert (type_, google) == (error["type"], error["status"])


TAILS = {
    Shape.CHAT: (b'data: {"error":', b"}\n\n"),
    Shape.COMPLETIONS: (b'data: {"error":', b"}\n\n"),
    Shape.MESSAGES: (b'event: error\ndata: {"error":', b"}\n\n"),
    Shape.GENERATE: (b'data: {"error":{', b"}\r\n\r\n"),
    Shape.IMAGES: (b'event: error\ndata: {"error":', b"}\n\n"),
    # of a kind that its clients know
    Shape.COHERE: (b'event: message-end\ndata: {"error":', b"}\n\n"),
}


@pytest.mark.parametrize("shape", Shape)
def test_a_stream_ends_in_its_shapes_own_words(shape):
    """Shapes that never stream, or whose tail needs more, have none here."""
    fault = Fault(Kind.UPSTREAM_BROKE, "It broke.")
    if shape is Shape.CONVERSE:  # a frame of an exception that its clients know
        (frame,) = EventFrames().feed(errors.stream_tail(fault, "req_1", shape))
        assert "exception" == frame.headers[":message-type"]
        return
    if shape not in TAILS:
        with pytest.raises(ValueError, match=shape.name):
            errors.stream_tail(fault, "req_1", shape)
        return
    first, last = TAILS[shape]
    tail = errors.stream_tail(fault, "req_1", shape)
    assert tail.startswith(first)
    assert b"[DONE]" not in tail  # clients that pass over errors would take half for the whole
    assert tail.endswith(last)
    assert b"req_1" in tail


def test_an_overlong_prompt_is_told_in_the_words_that_agents_look_for():
    """Claude Code and LangChain match text, not codes."""
    told = errors.too_long("9031 tokens, 2048 allowed.")
    assert told.startswith("prompt is too long")
    assert "exceeds the context window" in told
    assert "9031" in told
    assert told == errors.too_long(told)


def test_an_unplanned_error_says_nothing_of_itself():
    """Only that there was one."""
    assert Kind.INTERNAL is errors.internal().kind
    assert "request id" in errors.internal().message


def test_a_cut_is_the_vendors_fault():
    """Routing and the record read the kind."""
    assert Kind.UPSTREAM_BROKE is errors.cut_short().kind


def test_nonsense_is_the_vendors_fault():
    """With why, where there is more to say."""
    assert Kind.UPSTREAM_BROKE is errors.nonsense().kind
    assert "The upstream's answer is not what its protocol says." == errors.nonsense().message
    assert errors.nonsense("no choices").message.endswith("says: no choices.")
