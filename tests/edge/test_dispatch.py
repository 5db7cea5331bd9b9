"""What is neither a request for a model nor a page goes to whoever serves it."""

import asyncio
from types import SimpleNamespace

import pytest

from edge.wires import Sheet, asked
from gateway import Gateway, error_of
from scripted_upstream import Double, Send, sized
from trivium.edge import dispatch, model_list
from trivium.edge.limits import ServerLimits
from trivium.edge.routes import AssetRoute, ExplainRoute, ModelListRoute, PageRoute
from trivium.faults import Fault, Kind
from trivium.pipeline.hand_over import HandOver
from trivium.pipeline.structs import StoredResponseRoute, VideoRoute
from trivium.wire.operation import SHAPE, Operation

SERVICES = SimpleNamespace(assets=object())


@pytest.mark.parametrize(
    ("target", "by"),
    [
        (StoredResponseRoute(response_id="resp_1", action="retrieve"), "serve"),
        (VideoRoute(action="list"), "serve"),
        (ExplainRoute(), "serve"),
        (AssetRoute(asset_id="a"), "serve"),
    ],
)
def test_what_takes_time_is_returned_to_be_run(target, by):
    """Nothing of it has been done."""
    work = dispatch.serve(asked(), target, SERVICES)
    assert by == work.__name__
    work.close()


def test_a_listing_is_answered_at_once(monkeypatch):
    """From memory."""
    seen = []
    monkeypatch.setattr(model_list, "answer", lambda *given: seen.append(given))
    target, exchange = ModelListRoute(google=False), asked()
    assert dispatch.serve(exchange, target, SERVICES) is None
    assert [(exchange, target, SERVICES)] == seen


def test_a_page_is_not_served_here():
    """The pages plane does."""
    assert dispatch.serve(asked(), PageRoute(), SERVICES) is None


JSON = b"Content-Type: application/json\r\n"
OK = [Send(sized(b'{"object":"chat.completion","choices":[]}', headers=JSON))]
LONG = b"a" * 2_000_000


class Asked:
    """A request as the look sees it."""

    def __init__(self, body):
        self.body = body
        self.gone = False
        self.faults = []

    def fail(self, fault):
        self.faults.append(fault.status)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("more", "status"), [(b"", 200), (b',"x":[' + b"{}," * 100_001 + b"{}]", 413)]
)
async def test_a_large_request_that_holds_too_much_is_refused(more, status):
    """And any other is served."""
    async with Double([OK]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        body = b'{"model":"m","messages":[{"role":"user","content":"%b"}]%b}' % (LONG, more)
        got, _, answer = await gateway.post("/v1/chat/completions", body)
        assert status == got
        if status == 413:
            assert "100000 JSON objects" in error_of(answer)["message"]
        assert (status == 200) is bool(vendor.requests)


@pytest.mark.asyncio
@pytest.mark.parametrize(("gone", "faults"), [(True, []), (False, [503])])
async def test_a_look_that_is_called_off_goes_no_further(gone, faults):
    """Whoever is still there is told."""
    exchange, went = Asked(b'["' + LONG * 3 + b'"]'), []
    task = asyncio.create_task(dispatch.check_body(exchange, ServerLimits(), went.append))
    await asyncio.sleep(0)
    exchange.gone = gone
    task.cancel()
    await task
    assert (faults, []) == (exchange.faults, went)


class TakingHost:
    """Refuses for these reasons, one after the other, and keeps what it is to serve."""

    def __init__(self, *refused, finds=True):
        self.refused = list(refused)
        self.finds = finds
        self.served = []

    def head_again(self, exchange, *, is_read=True):
        assert is_read is (self.finds or bool(self.refused[1:]))
        return self.refused.pop(0) if self.refused else None

    async def find_key(self, exchange):
        if self.finds is None:
            await asyncio.Event().wait()
        return self.finds

    def dispatch(self, exchange):
        self.served.append((exchange.target, exchange.shape, exchange.digest))


def taken(path, query=b""):
    """What becomes of a page's request for this path: what the host serves, and what is sent."""
    sheet, host = Sheet(), TakingHost()
    exchange = asked(sheet, target=b"/account/playground/call/x")
    dispatch.take_over(exchange, HandOver(path, query, b"d" * 32), host)
    return host.served, bytes(sheet.sent)


@pytest.mark.parametrize(
    ("path", "query", "operation", "model"),
    [
        (b"/v1/chat/completions", b"", Operation.CHAT, ""),
        (b"/v1/messages", b"", Operation.MESSAGES, ""),
        (b"/v1/responses", b"", Operation.RESPONSES, ""),
        (b"/v1beta/models/a%2Fb:generateContent", b"", Operation.GENERATE, "a/b"),
        (b"/v1beta/models/m:streamGenerateContent", b"alt=sse", Operation.GENERATE_STREAM, "m"),
    ],
)
def test_a_page_may_ask_for_a_conversation_in_any_shape(path, query, operation, model):
    """With the key that the page found, and no other look at who asks."""
    (((target, shape, digest),), sent) = taken(path, query=query)
    assert (operation, model) == (target.operation, target.model or "")
    assert (SHAPE[operation], b"d" * 32, b"") == (shape, digest, sent)


@pytest.mark.parametrize(
    "path",
    [
        b"/v1/embeddings", b"/v1/videos", b"/v1/models", b"/account", b"/api/admin/users",
        b"/v1/messages/count_tokens", b"", b"//", b"/healthz", b"/v1/responses/resp_1",
    ],
)  # fmt: skip
def test_a_page_may_ask_for_nothing_else(path):
    """Pages are no way around what their own addresses look at."""
    served, sent = taken(path)
    assert [] == served
    assert sent.startswith((b"HTTP/1.1 404 ", b"HTTP/1.1 405 "))


GONE = Fault(Kind.KEY_UNKNOWN, "gone")


async def looked_for(*refused, finds=True):
    """The same of a conversation whose key is not in memory."""
    sheet, host = Sheet(), TakingHost(*refused, finds=finds)
    exchange = asked(sheet, target=b"/account/playground/call/x")
    dispatch.take_over(exchange, HandOver(b"/v1/messages", b"", b"d" * 32), host)
    task = exchange.task
    if finds is None:
        await asyncio.sleep(0)
        task.cancel()
    await task
    assert exchange.task is None or finds is None
    return host.served, bytes(sheet.sent)


@pytest.mark.asyncio
async def test_a_key_that_is_not_in_memory_is_looked_for():
    """And then served with."""
    ((_, _, digest),), sent = await looked_for(GONE)
    assert (b"d" * 32, b"") == (digest, sent)


@pytest.mark.parametrize(
    ("again", "finds", "status", "type_"),
    [
        (GONE, True, b"401", b"authentication_error"),
        (Fault(Kind.LEDGER_DOWN, "away"), False, b"503", b"overloaded_error"),
        (None, None, b"503", b"overloaded_error"),
    ],
)
@pytest.mark.asyncio
async def test_a_key_that_ended_meanwhile_is_refused_in_the_shape_asked_for(
    again, finds, status, type_
):
    """As everywhere; so is one that cannot be read, or that is looked for when the gateway ends."""
    served, sent = await looked_for(GONE, again, finds=finds)
    assert [] == served
    assert sent.startswith(b"HTTP/1.1 %b " % status)
    assert b"cache-control: no-store" in sent
    assert b'"%b"' % type_ in sent
