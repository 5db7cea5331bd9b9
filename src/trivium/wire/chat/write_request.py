"""A conversation as the body of a chat request, in the spelling of one target.

Source: OpenAI's API reference, chat completions, read 2026-11-21.
"""

from typing import Any, Final

import msgspec

from trivium.conversation.effort import inexact, nearest, wished
from trivium.conversation.losses import Report
from trivium.conversation.member_table import ROWS, Concept
from trivium.conversation.names import person
from trivium.conversation.request import (
    Conversation,
    Effort,
    FormatKind,
    ReasoningSettings,
    ResponseFormat,
    Sampling,
    Thinking,
)
from trivium.conversation.target import TargetFacts, Thinks
from trivium.conversation.writer_base import WriterBase
from trivium.wire.chat.write_messages import MessageWriter
from trivium.wire.chat.write_tools import ToolWriter

_encode: Final = msgspec.json.Encoder().encode
_NOT_TAKEN: Final = "not taken by this model"
_MODELS_OWN: Final = Sampling()
_SCHEMA_NAME: Final = "response"


def write(conversation: Conversation, facts: TargetFacts, report: Report) -> bytes:
    """The body for the upstream."""
    return _encode(_Writer(conversation, facts, report).body())


class _Writer(WriterBase):
    """One body in the making."""

    __slots__ = ("_body", "_wish")

    def __init__(self, conversation: Conversation, facts: TargetFacts, report: Report) -> None:
        super().__init__(conversation, facts, report)
        self._wish = conversation
        self._body: dict[str, Any] = {"model": facts.model}

    def body(self) -> dict[str, Any]:
        requested, facts, body = self._wish, self.facts, self._body
        body["messages"] = MessageWriter(requested, facts, self.report).messages(requested)
        if requested.tools:
            ToolWriter(requested, facts, self.report).write(requested, body)
        if requested.sampling != _MODELS_OWN:
            self._sample()
        self._limit()
        if requested.reasoning is not None:
            self._reason(requested.reasoning)
        self._shape_answer()
        self._account()
        if requested.stream:
            body["stream"] = True
            # nothing could be billed without it
            body["stream_options"] = {"include_usage": True}
        if requested.extensions:
            self._extend()
        return body

    def _put(self, concept: Concept, value: Any) -> None:
        """Put a member into the body; absent values are none, refused ones are reported."""
        if value is None or value in ((), ""):
            return
        name = ROWS[concept].members.get("chat")
        if name is None:
            self.lacks(concept, "the chat shape has none")
        elif self.takes(concept):
            self._body[name] = value

    def _sample(self) -> None:
        # numbers go out as they came: compiled, a `float` makes 1.0 of the 1 of a caller
        sampling: Any = self._wish.sampling
        temperature = sampling.temperature
        most = self.facts.temperature_max
        if temperature is not None:
            if temperature > most and Concept.TEMPERATURE not in self.facts.refuses:
                self.changes(Concept.TEMPERATURE, f"at most {most:g}")
                temperature = most
            self._put(Concept.TEMPERATURE, temperature)
        if sampling.top_p is not None:
            self._put(Concept.TOP_P, sampling.top_p)
        if sampling.top_k is not None:
            self._put(Concept.TOP_K, sampling.top_k)
        if sampling.frequency_penalty is not None:
            self._put(Concept.FREQUENCY_PENALTY, sampling.frequency_penalty)
        if sampling.presence_penalty is not None:
            self._put(Concept.PRESENCE_PENALTY, sampling.presence_penalty)
        if sampling.seed is not None:
            self._put(Concept.SEED, sampling.seed)
        if sampling.logit_bias is not None:
            self._put(Concept.LOGIT_BIAS, msgspec.Raw(sampling.logit_bias))

    def _limit(self) -> None:
        limit = self._wish.output_max
        if limit is None:
            limit = self.facts.output_default
        if limit is not None:
            self.takes(Concept.OUTPUT_MAX)
            self._body[self.facts.output_member] = limit
        if self._wish.stop:
            self._put(Concept.STOP, self._wish.stop)

    def _reason(self, requested: ReasoningSettings) -> None:
        wanted = wished(requested)
        if wanted is not Effort.NONE:
            if requested.switch is Thinking.BETWEEN_TOOLS:
                self.lacks(Concept.REASONING, "the chat shape knows no thinking between tools")
            if requested.shown is not None:
                self.changes(Concept.REASONING, "what is shown of it cannot be chosen")
            if requested.style is not None:
                self.changes(Concept.REASONING, "a summary has no style here")
        if wanted is None:
            return
        if self.facts.thinks is not Thinks.EFFORT or Concept.REASONING in self.facts.refuses:
            if wanted is not Effort.NONE:
                self.lacks(Concept.REASONING, _NOT_TAKEN)
            return
        step = nearest(wanted, self.facts.efforts)
        if step is None:
            self.lacks(Concept.REASONING, _NOT_TAKEN)
            return
        if step is not wanted or inexact(requested):
            self.changes(Concept.REASONING, f"{step.value} is the nearest")
        self._body["reasoning_effort"] = step.value

    def _shape_answer(self) -> None:
        requested = self._wish
        if requested.format is not None:
            self._put(Concept.FORMAT, self._format(requested.format))
        if requested.verbosity is not None:
            self._put(Concept.VERBOSITY, requested.verbosity)
        # what asks for nothing is not spelled out to servers whose caller spoke another shape
        own = requested.shape == "chat"
        if requested.modalities and (own or requested.modalities != ("text",)):
            self._put(Concept.MODALITIES, list(requested.modalities))
        if requested.audio is not None:
            self._put(Concept.AUDIO, msgspec.Raw(requested.audio))
        if requested.candidates is not None and (own or requested.candidates != 1):
            self._put(Concept.CANDIDATES, requested.candidates)
        if requested.logprobs is not None:
            self._put(Concept.LOGPROBS, requested.logprobs)
        if requested.top_logprobs is not None:
            self._put(Concept.TOP_LOGPROBS, requested.top_logprobs)

    def _format(self, wanted: ResponseFormat) -> dict[str, Any] | None:
        if wanted.kind is FormatKind.TEXT:
            return {"type": "text"}
        if wanted.kind is FormatKind.JSON:
            return {"type": "json_object"}
        if wanted.kind is FormatKind.ENUM:
            self.lacks(Concept.FORMAT, "the chat shape cannot ask for one bare word")
            return None
        if not self.facts.schema:
            self.lacks(Concept.FORMAT, "this model takes no JSON schema")
            return None
        inner: dict[str, Any] = {"name": wanted.name or _SCHEMA_NAME}
        if wanted.description is not None:
            inner["description"] = wanted.description
        inner["schema"] = msgspec.Raw(wanted.schema or b"{}")
        if wanted.strict is not None:
            inner["strict"] = wanted.strict
        return {"type": "json_schema", "json_schema": inner}

    def _account(self) -> None:
        requested = self._wish
        if requested.metadata:
            self._put(Concept.METADATA, dict(requested.metadata))
        if requested.user is not None:
            user = person(requested.user)
            if user != requested.user:
                self.lacks(Concept.USER, "its digest is sent")
            self._put(Concept.USER, user)
        if requested.safety_id is not None:
            self._put(Concept.SAFETY_ID, requested.safety_id)
        if requested.cache_key is not None:
            self._put(Concept.CACHE_KEY, requested.cache_key)
        if requested.service_tier is not None:
            self._put(Concept.SERVICE_TIER, requested.service_tier)
        if requested.store is not None:
            self._put(Concept.STORE, requested.store)
        if requested.cache is not None:
            self.lacks(Concept.CACHE_MARK, "the chat shape has no mark for the whole")

    def _extend(self) -> None:
        """Members that only the caller's shape has: back into their own shape, else reported."""
        for extension in self._wish.extensions:
            top = "." not in extension.member and "[" not in extension.member
            if self._wish.shape == "chat" and top:
                self._body[extension.member] = msgspec.Raw(extension.data)
            else:
                self.report.drop(
                    extension.rank, extension.member, "known to the caller's own shape only"
                )
