"""The lane of embeddings between shapes: texts out, vectors back, usage counted or estimated."""

from collections.abc import Mapping
from typing import Final

import msgspec

from trivium.conversation.estimate import of_bytes
from trivium.conversation.losses import Report
from trivium.conversation.usage import Usage
from trivium.pipeline.lane import notes_of
from trivium.pipeline.services import Headers
from trivium.pipeline.structs import WholeAnswer
from trivium.providers.failure import error_event
from trivium.routing.model import Step
from trivium.wire.embeddings.vectors import VECTORS
from trivium.wire.generate.vectors import BATCH, ONE
from trivium.wire.late_rows import LateRows
from trivium.wire.operation import Operation
from trivium.wire.vectors import CallerVectors, UpstreamVectors, Vectors

_COHERE: Final = "trivium.wire.cohere.vectors:VECTORS"
_CALLERS: Final[Mapping[Operation, CallerVectors]] = LateRows(
    {
        Operation.EMBEDDINGS: VECTORS,
        Operation.GENERATE_EMBED: ONE,
        Operation.GENERATE_EMBED_BATCH: BATCH,
    },
    {Operation.COHERE_EMBED: _COHERE},
)
_UPSTREAMS: Final[Mapping[Operation, Vectors | UpstreamVectors]] = LateRows(
    {
        Operation.EMBEDDINGS: VECTORS,
        Operation.GENERATE_EMBED_BATCH: BATCH,
    },
    {
        Operation.GENERATE_PREDICT: "trivium.wire.vertex.vectors:PREDICT",
        Operation.COHERE_EMBED: _COHERE,
        Operation.INVOKE_EMBED: "trivium.wire.bedrock.vectors:INVOKE",
        Operation.GENERATE_EMBED: "trivium.wire.vertex.embed_content:EMBED",
    },
)


def _caller(asked: Operation, members: Mapping[str, msgspec.Raw]) -> CallerVectors:
    if asked is not Operation.INVOKE_EMBED:
        return _CALLERS[asked]
    from trivium.wire.bedrock.invoked_vectors import caller_of

    return caller_of(members)


class Embedding:
    """One attempt's translation of embeddings. See ``Lane``."""

    __slots__ = ("_asked", "_estimated", "_model", "_read", "_wish", "body", "operation", "report")

    def __init__(
        self,
        step: Step,
        asked: Operation,
        members: Mapping[str, msgspec.Raw],
        model: str,
        *,
        strict: bool = False,
    ) -> None:
        """``asked`` and ``model`` are the caller's. Raises ``Fault`` naming a member that is wrong
        or cannot be carried.
        """
        name = step.binding.model
        self.operation = step.operation
        self.report = Report(f"the embeddings of {name}", strict=strict)
        self._asked = _caller(asked, members)
        self._read = _UPSTREAMS[step.operation]
        self._model = model
        self._estimated = False
        self._wish = self._asked.read_request(members, model)
        self.body = self._read.write_request(self._wish, name, self.report)

    @property
    def notes(self) -> Headers:
        """What was left out, and whether usage is our own count."""
        return notes_of(self.report, estimated=self._estimated)

    def whole(self, body: bytes) -> WholeAnswer:
        """The vectors in the caller's shape."""
        answer = self._read.read_answer(body, len(self._wish.inputs), error_event)
        if answer.usage is None:
            self._estimated = True
            counted = Usage(fresh=of_bytes(self._wish.size), estimated=True)
            answer = msgspec.structs.replace(answer, usage=counted)
        return WholeAnswer(self._asked.write_answer(answer, self._wish, self._model), answer.usage)

    def watch(self) -> None:
        """Return nothing to watch with, because vectors are never streamed."""
        return
