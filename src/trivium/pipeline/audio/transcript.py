"""The lane of transcripts: the form with the model's own name, the answer as it was asked for."""

import secrets
from typing import Final

import msgspec

from trivium.conversation.losses import Report
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.pipeline.lane import ESTIMATED
from trivium.pipeline.request_context import RequestContext
from trivium.pipeline.services import Headers
from trivium.pipeline.structs import WholeAnswer
from trivium.providers.audio import AudioClass, Stream, audio_class
from trivium.providers.failure import error_event
from trivium.routing.model import Step
from trivium.uploads.form import OutgoingForm
from trivium.wire.audio import answer, stream
from trivium.wire.audio.transcript import (
    FORMATS,
    OWN,
    TRANSLATED,
    TranscriptRequest,
    chunked,
    read_request,
)
from trivium.wire.checks import missing
from trivium.wire.form import FormMembers, base, form_of
from trivium.wire.multipart import Part
from trivium.wire.multipart_writer import BOUNDARY_BYTES
from trivium.wire.operation import Operation
from trivium.wire.passage import RequestFacts, StreamWatch
from trivium.wire.peek import Members

_EVENTS: Final = b"text/event-stream; charset=utf-8"


class TranscriptLane:
    """One attempt at a transcription or a translation. See ``Lane``."""

    __slots__ = ("_facts", "_known", "_upstream", "_wish", "body", "operation", "report")

    def __init__(
        self, context: RequestContext, step: Step, members: Members, facts: RequestFacts
    ) -> None:
        """Raises ``Fault`` naming a field that the model does not take."""
        form = form_of(members, "This operation")
        upload = context.exchange.upload
        assert upload is not None
        binding = step.binding
        provider = binding.channel.provider.name
        rules = audio_class("transcript", provider, binding.model, binding.audio)
        rules.permit({*dict(form.pairs)}, facts.model)
        translated = context.operation is Operation.TRANSLATIONS
        self._wish = read_request(form, TRANSLATED if translated else FORMATS)
        self._upstream = rules.upstream_format(self._wish.format, facts.model)
        streams = facts.stream and rules.stream is Stream.PASSES
        if facts.stream and rules.stream is Stream.REFUSED:
            raise Fault(
                Kind.UNREPRESENTABLE,
                f"`stream` is not taken by the model `{facts.model}`: leave it out.",
                param="stream",
            )
        _check_chunks(form, rules, facts)
        self.operation = step.operation
        self.report: Report | None = None
        self._facts = facts
        self._known = facts.known or Usage()
        parts = _parts(form, self._wish, binding.model, self._upstream, streams=streams)
        boundary = secrets.token_hex(BOUNDARY_BYTES).encode()
        self.body = OutgoingForm(upload, parts, boundary)

    @property
    def notes(self) -> Headers:
        """Whether the length of the recording is our own estimate."""
        return [(ESTIMATED, b"usage")] if self._known.estimated else []

    def whole(self, body: bytes) -> WholeAnswer:
        """The transcript in the format asked for."""
        asked = self._wish.format
        if self._upstream not in answer.WRITTEN:
            told = answer.plain(body, self._known, error_event, self._upstream)
            if told is None:
                return WholeAnswer(body, self._known, answer.PLAIN)
            return WholeAnswer(answer.written(told, asked), told.usage, answer.PLAIN)
        found = answer.read(body, self._known, error_event)
        if self._facts.stream:
            return WholeAnswer(stream.told(found.text, found.counts), found.usage, _EVENTS)
        if asked == self._upstream:
            return WholeAnswer(body, found.usage, answer.JSON)
        return WholeAnswer(answer.written(found, asked), found.usage, answer.PLAIN)

    def watch(self) -> StreamWatch:
        """For a transcript that streams."""
        return stream.transcript_watch(self._facts)


def _parts(
    form: FormMembers, asked: TranscriptRequest, model: str, upstream: str, *, streams: bool
) -> list[Part]:
    """The caller's parts, in order, with what the gateway writes anew."""
    own = {"model": model, "response_format": upstream, "stream": "true" if streams else None}
    parts: list[Part] = []
    for part in form.parts:
        name = base(part.name)
        if part.is_file or name not in OWN:
            parts.append(part)
            continue
        value = own.pop(name, None)
        if value is not None:
            parts.append(msgspec.structs.replace(part, value=value.encode()))
    if "response_format" in own and upstream != asked.format:
        parts.insert(0, Part(name="response_format", value=upstream.encode()))
    return parts


def _check_chunks(form: FormMembers, rules: AudioClass, facts: RequestFacts) -> None:
    limit = rules.chunks_above_s
    if limit is None or form.length is None or chunked(form) is not None:
        return
    seconds, estimated = form.length
    if seconds > limit and not estimated:
        fault = missing("chunking_strategy")
        raise Fault(
            fault.kind,
            f"`chunking_strategy` is required by the model `{facts.model}` for recordings of more "
            f'than {limit:g} seconds, such as "auto".',
            param=fault.param,
        )
