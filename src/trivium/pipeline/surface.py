"""Requests as clouds' own clients send them, made requests of the shape; and their answers back.

What is in the path or in a cloud's members is put where the shape has it, before anything is read.
From there on the request is like any other. Whoever writes its answer puts it into the cloud's
words again: ``Framing`` of ``pipeline/services.py``.
"""

from collections.abc import Callable
from typing import ClassVar, Final

import msgspec

from trivium.pipeline.request_context import RequestContext
from trivium.pipeline.services import Exchange, Framing, Headers
from trivium.wire import peek
from trivium.wire.bedrock import invoke, invoked_vectors, ranks
from trivium.wire.bedrock.chunks import Framer
from trivium.wire.bedrock.structs import InvokedBody
from trivium.wire.form import FormMembers
from trivium.wire.messages import hosted
from trivium.wire.messages.hosted import Hosting
from trivium.wire.multipart import Part
from trivium.wire.operation import EVENT_STREAM, Operation
from trivium.wire.peek import Members
from trivium.wire.surface import Surface
from trivium.wire.vertex import predict

_VERSION: Final = b"anthropic-version"
_BETA: Final = b"anthropic-beta"
_MODEL: Final = "model"
_STREAMS: Final = {
    Surface.INVOKE: False,
    Surface.INVOKE_STREAM: True,
    Surface.PREDICT: None,
    Surface.PREDICT_STREAM: True,
}
"""Whether an answer is streamed; ``None``: the body says so."""

_encode = msgspec.json.Encoder().encode


def opened(context: RequestContext, members: Members) -> Members:
    """The members of a request of the shape; the context and its exchange go on with that.

    Raises ``Fault`` naming the member, or what would be right.
    """
    exchange, route = context.exchange, context.route
    surface = route.surface
    exchange.framing = _framing(context)
    counted = None
    if surface is Surface.INVOKE_COUNT:
        counted = invoke.token_input(members).invokeModel
    if _is_another(context, members, counted):
        return members
    if context.operation is Operation.RERANK:
        body = ranks.asked(members, route.model)
    elif surface is Surface.DEPLOYMENT:
        body = members.splice({_MODEL: _encode(route.model)})
    elif surface is Surface.PREDICT_VECTORS:
        body = predict.asked(members, route.model)
    elif counted is not None:
        most = context.services.translator.objects_max
        # what is in it is another copy, and a third one is made of that
        members.let_go()
        exchange.body = context.body = b""
        body, hosting = invoke.counted(counted.body, route.model, most)
        _tell(exchange, hosting)
    elif surface is Surface.PREDICT_COUNT:
        _tell(exchange, hosted.read(members, hosted.VERTEX))
        body = members.splice({hosted.VERSION: None, hosted.BETA: None})
    else:
        bedrock = surface in (Surface.INVOKE, Surface.INVOKE_STREAM)
        if bedrock:
            hosting = invoke.read(members, exchange.headers)
        else:
            hosting = hosted.read(members, hosted.VERTEX)
        _tell(exchange, hosting)
        body = members.splice(hosted.unhosted(route.model, stream=_STREAMS[surface]))
    exchange.body = body
    context.replace_body(body)
    return peek.members(body)


def _is_another(context: RequestContext, members: Members, counted: InvokedBody | None) -> bool:
    """Whether the body asks for something else than its address usually does, and is as the shape
    has it. The context goes on with what that is.
    """
    surface = context.route.surface
    if surface is Surface.INVOKE_COUNT and counted is None:
        context.exchange.framing = None
        context.operation = Operation.CONVERSE_COUNT
        return True
    if surface is not Surface.INVOKE:
        return False
    if invoked_vectors.is_asked(members):
        context.operation = Operation.INVOKE_EMBED
    elif ranks.is_asked(members):
        context.exchange.framing = Rewording(ranks.ranked)
        context.operation = Operation.RERANK
    else:
        return False
    invoke.check_guardrail(context.exchange.headers)
    return context.operation is Operation.INVOKE_EMBED


def opened_form(context: RequestContext, form: FormMembers) -> FormMembers:
    """The same of a form: the model of the path in the place of its own."""
    own = Part(name=_MODEL, value=context.route.model.encode())
    length = form.length
    found = FormMembers([own, *(part for part in form.parts if part.name != _MODEL)])
    found.length = length
    return found


def _tell(exchange: Exchange, hosting: Hosting) -> None:
    """Put what the body says into the headers that say it elsewhere."""
    betas = hosted.joined(
        *(hosted.split(value.decode("latin-1")) for value in exchange.values(_BETA)),
        hosting.betas,
    )
    told: dict[bytes, bytes] = {_VERSION: hosting.version.encode()}
    if betas:
        told[_BETA] = ",".join(betas).encode("latin-1")
    exchange.replace_headers(told)


def _framing(context: RequestContext) -> Framing | None:
    surface = context.route.surface
    if surface in (Surface.INVOKE, Surface.INVOKE_STREAM):
        return InvokeFraming(context.services.time, context.exchange.arrived)
    if surface is Surface.INVOKE_COUNT:
        return Rewording(invoke.count_answer)
    if surface is Surface.PREDICT_VECTORS:
        return Rewording(predict.predictions)
    return None


class Rewording(Framing):
    """An answer that is never streamed, in other words."""

    __slots__ = ("_reword",)

    def __init__(self, reword: Callable[[bytes], bytes]) -> None:
        self._reword = reword

    def whole(self, body: bytes) -> tuple[bytes, Headers]:
        """The answer's body. Raises ``Fault`` (UPSTREAM_BROKE)."""
        return self._reword(body), []


class InvokeFraming(Framing):
    """Bedrock's: frames of a stream, and counts of a whole answer in its headers."""

    __slots__ = ("_arrived", "_first", "_framer", "_time")

    content_type: ClassVar[bytes] = EVENT_STREAM.encode()

    def __init__(self, time: Callable[[], float], arrived: float) -> None:
        self._time = time
        self._arrived = arrived
        self._framer = Framer()
        self._first: float | None = None

    @property
    def headers(self) -> Headers:
        """Those of a stream's head."""
        return [(b"x-amzn-bedrock-content-type", b"application/json")]

    def whole(self, body: bytes) -> tuple[bytes, Headers]:
        """The answer as it is, with what it used."""
        took = b"%d" % self._since(self._time())
        told = [(b"x-amzn-bedrock-invocation-latency", took), *invoke.counters(body)]
        return body, told

    def stream(self, data: bytes) -> bytes:
        """The frames of a piece of the answer."""
        return b"".join(self.pieces(data))

    def pieces(self, data: bytes) -> list[bytes]:
        """The same, a long frame in several pieces."""
        now = self._time()
        if self._first is None:
            self._first = now
        return self._framer.pieces(data, self._since(now), self._since(self._first))

    def _since(self, now: float) -> int:
        return max(0, round((now - self._arrived) * 1000))
