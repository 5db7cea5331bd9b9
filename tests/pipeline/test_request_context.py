"""One request is settled once and recorded once, with what is known at its end."""

from decimal import Decimal
from types import SimpleNamespace

import pytest

from edge.wires import asked
from end_to_end.features import answering, streams
from end_to_end.features.verdicts import heard
from gateway import Gateway, encoded
from scripted_upstream import Double, Send, Stall, sized
from trivium.clock import FixedClock
from trivium.conversation.losses import Mend, Rank, Report
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.identity.model import Caller
from trivium.ledger.cost import tariff_of
from trivium.ledger.model import Hold, Quote
from trivium.pipeline.request_context import NAME_MAX, RequestContext
from trivium.pipeline.structs import Route
from trivium.routing.model import PriceRow
from trivium.wire.attribution import Attributed
from trivium.wire.operation import Operation
from trivium.wire.passage import RequestFacts
from trivium.wire.peek import members

CALLER = Caller(
    key_id=7, user_id=3, payer_id=3, unlimited=False, disabled=False, expires_at=float("inf"),
    models=frozenset(), prefixes=(),
)  # fmt: skip


class Books:
    """A ledger and a recorder that remember."""

    def __init__(self):
        self.settled = []
        self.records = []

    def settle(self, hold, usage, end="", channel=""):
        self.settled.append((hold, usage, end))
        return 77

    def add(self, record):
        self.records.append(record)


def context(*, body=b"", **request):
    """A context that ends two seconds after its request was whole, at 1000.0 by the clock."""
    books = Books()
    services = SimpleNamespace(
        ledger=books, recorder=books, clock=FixedClock(1000.0), time=lambda: 12.0
    )
    exchange = asked(**request)
    exchange.arrived, exchange.body = 10.0, body
    return RequestContext(exchange, Route(operation=Operation.CHAT), services), books


FREE_HOLD = Hold(request_id="req_1", user_id=3, amount_nanos=0)
TARIFF = tariff_of("m", PriceRow(price={"input": Decimal(1), "output": Decimal(2)}))
HOLD = Hold(
    request_id="req_1",
    user_id=3,
    amount_nanos=9,
    quote=Quote(amount_nanos=9, tariff=TARIFF, input_tokens=25),
)
ESTIMATE = Usage(fresh=25, estimated=True)
LEFT = Fault(Kind.CALLER_LEFT, "left")
BROKE = Fault(Kind.UPSTREAM_BROKE, "broke")
SAMPLE = b'data: {"choices":[{"delta":{"content":"eight ch"}}]}\n\n'


def test_a_hold_is_settled_once():
    """Before the last byte, and again in the clean-up of every request."""
    told, books = context()
    told.hold, told.usage = FREE_HOLD, Usage(output=2)
    told.settle()
    told.usage = None
    told.settle()
    assert [(FREE_HOLD, Usage(output=2), "")] == books.settled


def test_without_a_hold_nothing_is_settled():
    """Refused before it was admitted."""
    told, books = context()
    told.settle()
    assert [] == books.settled
    told.hold = FREE_HOLD
    told.settle()
    assert 1 == len(books.settled)


@pytest.mark.parametrize(
    ("fault", "usage", "pieces", "charged"),
    [
        (None, Usage(fresh=5, output=2), 1, Usage(fresh=5, output=2)),
        (None, None, 1, Usage(fresh=25, output=2, estimated=True)),
        (None, Usage(fresh=-5), 1, Usage(fresh=25, output=2, estimated=True)),
        (LEFT, None, 0, ESTIMATE),
        (LEFT, None, 3, Usage(fresh=25, output=6, estimated=True)),
        (LEFT, Usage(fresh=5, cache_read=7, output=1), 3,
         Usage(fresh=5, cache_read=7, output=6, estimated=True)),
        (LEFT, Usage(fresh=5, output=9), 3, Usage(fresh=5, output=9, estimated=True)),
        (BROKE, None, 0, None),
        (BROKE, Usage(fresh=5), 0, None),
        (BROKE, None, 2, Usage(fresh=25, output=4, estimated=True)),
        (Fault(Kind.STOPPING, "x"), None, 0, None),
        (Fault(Kind.STOPPING, "x"), None, 1, Usage(fresh=25, output=2, estimated=True)),
        (Fault(Kind.UPSTREAM_OVERLOADED, "x"), None, 1, Usage(fresh=25, output=2, estimated=True)),
    ],
)  # fmt: skip
def test_an_answer_is_charged_by_the_written_policy(fault, usage, pieces, charged):
    """What was reported, else what was delivered; nothing where nothing was, unless the caller
    itself left. Record and bill see the same.
    """
    told, books = context()
    told.hold, told.called = HOLD, True
    told.fault, told.usage = fault, usage
    for _ in range(pieces):
        told.deliver(SAMPLE)
    told.settle()
    told.record()
    assert [(HOLD, charged, fault.kind.value if fault else "")] == books.settled
    assert (77, charged or usage) == (told.cost_nanos, books.records[0].usage)


@pytest.mark.parametrize(("delivered", "tokens"), [(0, 0), (400, 209)])
def test_of_speech_that_nobody_heard_the_text_is_paid(delivered, tokens):
    """The caller left before its first byte; of what was delivered the sound as well."""
    told, books = context()
    told.facts = RequestFacts(model="m", known=Usage(characters=120))
    told.hold, told.called, told.fault, told.delivered = HOLD, True, LEFT, delivered
    told.settle()
    ((_, used, _),) = books.settled
    assert (30, tokens, True) == (used.fresh, used.audio_output, used.estimated)


@pytest.mark.parametrize("fault", [LEFT, BROKE, Fault(Kind.NO_ROUTE, "x")])
def test_a_request_that_never_went_upstream_is_free(fault):
    """Nobody was asked for anything yet."""
    told, books = context()
    told.hold, told.fault = HOLD, fault
    told.settle()
    assert [(HOLD, None, fault.kind.value)] == books.settled


def test_a_failed_attempt_leaves_nothing_to_the_next():
    """Only the one that answers is paid for."""
    told, books = context()
    told.hold, told.called, told.usage = HOLD, True, Usage(fresh=9000)
    told.begin_attempt(None)
    told.fault = LEFT
    told.settle()
    assert [(HOLD, None, "caller_left")] == books.settled


def test_a_record_says_what_happened():
    """Times are measured from the moment the request was whole."""
    told, books = context()
    told.attribution = Attributed("uprof_1", "s-1", ("a", "b"))
    told.exchange.caller = CALLER
    told.received_bytes = 5
    told.exchange.answer(200, b"{}")
    told.facts = RequestFacts(model="m", stream=True)
    told.step = SimpleNamespace(
        binding=SimpleNamespace(model="own", channel=SimpleNamespace(name="main"))
    )
    told.status, told.attempts, told.first_byte_at = 200, 2, 10.5
    told.usage = Usage(output=2)
    told.record()
    (record,) = books.records
    assert ("req_1", 998.0, 7, 3) == (record.request_id, record.at, record.key_id, record.user_id)
    assert ("chat", "m", "main", "own") == (
        record.operation, record.model, record.channel, record.upstream_model,
    )  # fmt: skip
    assert (200, "", True, 2) == (record.status, record.fault, record.stream, record.attempts)
    assert (500.0, 2000.0) == (record.first_byte_ms, record.total_ms)
    assert (5, told.exchange.bytes_out) == (record.bytes_in, record.bytes_out)
    assert (Usage(output=2), "uprof_1") == (record.usage, record.end_user)
    assert ("s-1", ("a", "b")) == (record.session, record.tags)


def test_a_record_of_what_was_refused_at_once_has_gaps():
    """Nothing is made up: no model, no channel, no first byte."""
    told, books = context()
    told.fault = Fault(Kind.MALFORMED_JSON, "no")
    told.status = 400
    told.record()
    (record,) = books.records
    assert ("", "", "", 400, "malformed_json") == (
        record.model, record.channel, record.upstream_model, record.status, record.fault,
    )  # fmt: skip
    assert (None, None, None, None, "") == (
        record.key_id, record.user_id, record.first_byte_ms, record.usage, record.end_user,
    )  # fmt: skip


def test_what_a_caller_chose_is_kept_within_limits():
    """Names of any length."""
    told, books = context()
    told.facts = RequestFacts(model="m" * 5000)
    told.record()
    (record,) = books.records
    assert "m" * NAME_MAX == record.model


def test_a_record_names_what_a_translation_left_out_and_mended():
    """Of the last attempt; nothing where nothing was."""
    told, books = context()
    told.report = Report("the messages shape of m")
    told.report.drop(Rank.HINT, "seed", "no such member")
    told.report.drop(Rank.BOOKKEEPING, "metadata", "kept")
    told.report.repair(Mend.CALL_ID, "a")
    told.record()
    told.report = None
    told.record()
    assert [("seed, metadata", "call_id;n=1"), ("", "")] == [
        (record.dropped, record.repaired) for record in books.records
    ]


@pytest.mark.asyncio
async def test_the_record_of_a_translated_request_names_its_losses():
    """And that of a fallback in the caller's own shape, which loses nothing, names none."""
    refused = Send(sized(b"{}", status=b"500 Broke"))
    whole = {
        "id": "c", "object": "chat.completion", "created": 1, "model": "x",
        "choices": [{"index": 0, "finish_reason": "stop",
                     "message": {"role": "assistant", "content": "Hi."}}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }  # fmt: skip
    said = {
        "id": "m", "type": "message", "role": "assistant", "model": "x", "stop_reason": "end_turn",
        "content": [{"type": "text", "text": "Hi."}], "usage": {"input_tokens": 1, "output_tokens": 1},
    }  # fmt: skip
    body = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "seed": 7}
    answered, passed = Send(sized(encoded(said))), Send(sized(encoded(whole)))
    async with (
        Double([[answered], [refused]]) as first,
        Double([[passed]]) as second,
        Gateway.to(("anthropic", first), ("openai", second)) as gateway,
    ):
        for _ in range(2):
            status, _, got = await gateway.post("/v1/chat/completions", body)
            assert 200 == status, got
        assert ["seed", ""] == [record.dropped for record in gateway.records]
        assert [1, 2] == [record.attempts for record in gateway.records]


SEARCHED = [
    {"type": "text", "text": '{"city":'},
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}},
    {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
    {"type": "text", "text": '"Rome"}'},
]
FOUND = "answer.server_tool_use, answer.web_search_tool_result"


@pytest.mark.asyncio
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("strict", ["false", "true"])
async def test_what_of_an_answer_has_no_place_is_recorded_and_not_in_its_words(stream, strict):
    """A whole answer's caller is told in the head; strict mode refuses nothing that is paid for."""
    said = answering.messages(*SEARCHED)
    wire = streams.stream("messages", said) if stream else encoded(said)
    kind = b"text/event-stream" if stream else b"application/json"
    answer = Send(sized(wire, headers=b"Content-Type: " + kind + b"\r\n"))
    body = {"model": "m", "stream": stream, "messages": [{"role": "user", "content": "Hi"}]}
    async with Double([[answer]]) as vendor, Gateway.to(("anthropic", vendor)) as gateway:
        status, headers, got = await gateway.post(
            "/v1/chat/completions", body, f"trivium-strict: {strict}"
        )
        assert 200 == status, got
        assert FOUND == gateway.records[0].dropped
        if stream:
            assert '{"city":"Rome"}' == heard("chat", got).answer().candidates[0].parts[0].text
        else:
            told = headers[b"trivium-dropped"].decode()
            assert FOUND == ", ".join(row.partition(";")[0] for row in told.split(", "))
            assert b'"content":"{\\"city\\":\\"Rome\\"}"' in got


def test_a_request_that_was_let_go_is_still_known_by_its_size():
    """The record says how long the body was."""
    body = b'{"model":"m","messages":[]}'
    told, books = context(body=body)
    told.members = members(body)
    told.let_go()
    assert b"" == told.body
    assert (b"", [], None) == (
        told.exchange.body,
        told.members.pairs,
        told.members.raw("model"),
    )
    told.record()
    assert 27 == books.records[0].bytes_in


@pytest.mark.asyncio
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
async def test_an_open_stream_keeps_no_byte_of_its_request(provider):
    """Neither relayed nor translated: thousands of streams would keep thousands of prompts."""
    secret = "a word that stands nowhere else" * 9
    body = {"model": "m", "stream": True, "max_tokens": 9, "user": secret}
    body["messages"] = [{"role": "user", "content": "Hi"}]
    first = b"event: message_start\n" if provider == "anthropic" else b""
    first += (
        b'data: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant",'
        b'"model":"m","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}\n\n'
        b'event: content_block_start\ndata: {"type":"content_block_start","index":0,'
        b'"content_block":{"type":"text","text":""}}\n\n'
        b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,'
        b'"delta":{"type":"text_delta","text":"Hello"}}\n\n'
        if provider == "anthropic"
        else b'data: {"id":"c","choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\n'
    )
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    async with (
        Double([[Send(head + first), Stall()]]) as vendor,
        Gateway.to((provider, vendor)) as gateway,
    ):
        line = await gateway.wire()
        await line.send(gateway.head("/v1/chat/completions", encoded(body)))
        while b"Hello" not in await line.reader.read(4096):
            pass
        (held,) = [c._current for c in gateway.listener.connections if c._current is not None]
        assert b"" == held.body
        assert b"" == held.flow.lane.body
        assert [] == held.flow.context.members.pairs
        await line.close()
