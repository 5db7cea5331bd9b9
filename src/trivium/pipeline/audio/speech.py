"""Lanes of speech: to an upstream of the same shape, or to a generate-content model."""

import base64
from typing import Final

import msgspec

from trivium.conversation.losses import Report
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.pipeline.lane import is_strict, notes_of
from trivium.pipeline.request_context import RequestContext
from trivium.pipeline.services import Headers
from trivium.pipeline.structs import WholeAnswer
from trivium.providers.audio import Stream, audio_class
from trivium.providers.failure import error_event
from trivium.routing.model import Step
from trivium.wire import openai_shapes
from trivium.wire.audio import answer, stream
from trivium.wire.audio.speech import SpeechRequest, content_type, read_request
from trivium.wire.audio.usage import complete
from trivium.wire.generate import speech as generate
from trivium.wire.operation import Operation
from trivium.wire.passage import RequestFacts, StreamWatch
from trivium.wire.peek import Members

EVENTS: Final = b"text/event-stream; charset=utf-8"


class SpeechLane:
    """The same shape: the request with the model's name spliced, the sound as it comes."""

    __slots__ = ("_accept", "_facts", "_wish", "body", "operation", "report")

    def __init__(
        self, context: RequestContext, step: Step, members: Members, facts: RequestFacts
    ) -> None:
        """Raises ``Fault`` naming a member that the model does not take."""
        binding = step.binding
        provider = binding.channel.provider.name
        rules = audio_class("speech", provider, binding.model, binding.audio)
        rules.permit({name for name, _ in members.pairs}, facts.model)
        self._wish = read_request(members)
        if self._wish.stream and rules.stream is Stream.REFUSED:
            raise Fault(
                Kind.UNREPRESENTABLE,
                f"`stream_format` sse is not given by the model `{facts.model}`: it gives audio.",
                param="stream_format",
            )
        self.operation = step.operation
        self.report: Report | None = None
        changes = openai_shapes.renamed(members, facts, binding.model)
        self.body = members.splice(changes) if changes else context.body
        self._facts = facts
        self._accept = context.exchange.headers.get(b"accept", b"")

    @property
    def notes(self) -> Headers:
        """Nothing is ever left out on this lane."""
        return []

    def whole(self, body: bytes) -> WholeAnswer:
        """JSON where sound was asked for: an error, or nothing that can be used."""
        raise answer.refusal(body, error_event)

    def watch(self) -> StreamWatch:
        """For the sound as events."""
        return stream.speech_watch(self._facts)

    @property
    def is_raw(self) -> bool:
        """Whether the sound is bare samples."""
        return self._wish.format == "pcm"

    def type_of(self, upstream: bytes) -> bytes:
        """The content type of the sound for this caller."""
        return content_type(self._wish.format, self._accept, upstream)


class GenerateSpeech:
    """A model that answers with samples in base64: whole, as a WAV file or bare."""

    __slots__ = ("_accept", "_known", "_wish", "body", "operation", "report")

    def __init__(
        self, context: RequestContext, step: Step, members: Members, facts: RequestFacts
    ) -> None:
        """Raises ``Fault`` naming a member that cannot be carried."""
        self.operation = Operation.GENERATE
        title = f"the generate-content shape of {step.binding.model}"
        self.report = Report(title, strict=is_strict(context.exchange))
        self._wish: SpeechRequest = read_request(members)
        self.body = generate.write_request(self._wish, self.report)
        self._known = facts.known or Usage()
        self._accept = context.exchange.headers.get(b"accept", b"")

    @property
    def notes(self) -> Headers:
        """What was left out."""
        return notes_of(self.report)

    def whole(self, body: bytes) -> WholeAnswer:
        """The samples, as the caller wants them."""
        found = generate.read_answer(body)
        if isinstance(found, bytes):
            raise error_event(found)
        usage = complete(msgspec.structs.replace(self._known, seconds=found.seconds), found.usage)
        sound = found.written(self._wish.format)
        if self._wish.stream:
            text = base64.b64encode(sound).decode()
            return WholeAnswer(stream.spoken(text, found.usage), usage, EVENTS)
        return WholeAnswer(sound, usage, content_type(self._wish.format, self._accept, b""))

    def watch(self) -> None:
        """The answer comes whole."""
        return
