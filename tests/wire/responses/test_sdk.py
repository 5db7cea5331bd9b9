"""The written streams in the hands of the official SDK."""

import http.server
import threading

import openai
import pytest

from trivium.conversation.events import Delta, Failed, PartStart, Start
from trivium.conversation.parts import Text
from trivium.wire.codec import AnswerContext
from trivium.wire.responses.codec import CODEC
from wire.responses.streams import FAULT, FIXTURES, ORIGIN, WHOLE, context

KNOWN = [name for name in WHOLE if name != "unknown"]
"""The SDK warns of an item that its types lack, whoever wrote it."""


@pytest.fixture(scope="module")
def client():
    """The official SDK at a server that answers with what ``client.wire`` says."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            self.wfile.write(server.wire)

        def log_message(self, *_):
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    url = f"http://127.0.0.1:{server.server_port}/v1"
    with openai.OpenAI(api_key="k", base_url=url, max_retries=0) as sdk:
        yield sdk, server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("name", KNOWN)
def test_the_official_sdk_reads_it_by_helper_and_by_iterator(client, name):
    """Its accumulator is stricter than its iterator; both end with the same object."""
    sdk, server = client
    events = CODEC.read_stream(AnswerContext(origin=ORIGIN)).feed(
        (FIXTURES / f"{name}.sse").read_bytes()
    )
    writer = CODEC.write_stream(context())
    server.wire = b": keep-alive\n\n" + writer.feed(events)
    incomplete = name in ("length", "filtered", "steered")
    last = None
    for event in sdk.responses.create(model="fast", input="hi", stream=True):
        last = event
    assert ("response.incomplete" if incomplete else "response.completed") == last.type
    texts = [
        part.text
        for item in last.response.output
        if item.type == "message"
        for part in item.content
        if part.type == "output_text"
    ]
    with sdk.responses.stream(model="fast", input="hi") as stream:
        deltas = [event.delta for event in stream if event.type == "response.output_text.delta"]
        assert "".join(texts) == "".join(deltas)
        if not incomplete:
            final = stream.get_final_response()
            assert last.response.output_text == final.output_text
            assert 27 == final.usage.total_tokens


def test_the_official_sdk_raises_on_a_failure_inside_the_stream(client):
    """With our message and code."""
    sdk, server = client
    writer = CODEC.write_stream(context())
    server.wire = writer.feed([Start(), PartStart(0, Text("")), Delta(0, "Ha"), Failed(FAULT)])
    with pytest.raises(openai.APIError, match="The upstream is overloaded"):
        list(sdk.responses.create(model="fast", input="hi", stream=True))
