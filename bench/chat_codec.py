"""Cost of the chat shape's codec: a hundred-delta stream and a short request, in microseconds.

usage: chat_codec.py    (from a checkout with the development environment)

The stream arrives in one read of some 29 KB, as a busy upstream's does. Quote the figures with the
core count and the date.
"""

import functools
import timeit

import msgspec

from trivium.conversation.losses import Report
from trivium.conversation.opaque import StateOrigin
from trivium.conversation.request import Conversation
from trivium.conversation.target import target
from trivium.wire.chat.codec import CODEC
from trivium.wire.codec import AnswerContext, ReadContext, WriteContext

ORIGIN = StateOrigin("chat", "openai", "a")
FRAME = (
    b'data: {"id":"chatcmpl-9","object":"chat.completion.chunk","created":1795219200,'
    b'"model":"gpt-5-2026-08-07","service_tier":"default","system_fingerprint":"fp_1234567890",'
    b'"choices":[{"index":0,"delta":%b,"logprobs":null,"finish_reason":null}],"usage":null,'
    b'"obfuscation":"abcdefg"}\n\n'
)
FIRST = FRAME % b'{"role":"assistant","content":"x","refusal":null}'
REST = b"".join(FRAME % (b'{"content":" word%d"}' % at) for at in range(100))
BODY = (
    b'{"model":"m","messages":[{"role":"system","content":"Be brief."},'
    b'{"role":"user","content":"Hello there"}],"max_tokens":5,"temperature":0.5}'
)
ROUNDS = 200


def best(call, fresh=tuple) -> float:
    """Microseconds of ``call(fresh())``, the setting-up left out."""
    costs = []
    for _ in range(ROUNDS):
        given = fresh()
        costs.append(timeit.timeit(functools.partial(call, given), number=1))
    return min(costs) * 1e6


def main() -> None:
    def reader():
        found = CODEC.read_stream(AnswerContext(origin=ORIGIN))
        found.feed(FIRST)
        return found

    first = CODEC.read_stream(AnswerContext(origin=ORIGIN)).feed(FIRST)
    events = reader().feed(REST)
    asked = Conversation(shape="chat", model="m")

    def writer():
        context = WriteContext(request=asked, id="a", created=1, model="m", request_id="r")
        found = CODEC.write_stream(context)
        found.feed(first)
        return found

    members = msgspec.json.decode(BODY, type=dict[str, msgspec.Raw])
    request = CODEC.read_request(members, ReadContext())
    facts = target(ORIGIN, "m2")
    rows = {
        f"read stream of {len(REST)} bytes": best(lambda it: it.feed(REST), reader),
        f"write stream of {len(events)} deltas": best(lambda it: it.feed(events), writer),
        "read request": best(lambda _: CODEC.read_request(members, ReadContext())),
        "write request": best(lambda _: CODEC.write_request(request, facts, Report("t"))),
    }
    for name, cost in rows.items():
        print(f"{name:32} {cost:7.1f} us")


main()
