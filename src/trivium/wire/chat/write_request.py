"""A conversation as the body of a chat request, in the spelling of one target.

Source: OpenAI's API reference, chat completions, read 2026-11-21.
"""

from typing import Any, Final

import msgspec

from trivium.conversation.effort import inexact, nearest, wished
from trivium.conversation.losses import DropAction, Report
from trivium.conversation.member_table import ROWS, Concept, lacking
from trivium.conversation.names import Names, person
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
from trivium.wire.chat.write_messages import MessageWriter
from trivium.wire.chat.write_tools import ToolWriter

_encode: Final = msgspec.json.Encoder().encode
_NOT_TAKEN: Final = "not taken by this model"
_MODELS_OWN: Final = Sampling()
_SCHEMA_NAME: Final = "response"


def write(conversation: Conversation, facts: TargetFacts, report: Report) -> bytes:
    """The body for the upstream."""
    return _encode(_Writer(conversation, facts, report).body())


class _Writer:
    """One body in the making."""

    __slots__ = ("_body", "_facts", "_report", "_wish")

    def __init__(self, conversation: Conversation, facts: TargetFacts, report: Report) -> None:
        self._wish = conversation
        self._facts = facts
        self._report = report
        self._body: dict[str, Any] = {"model": facts.model}

    def body(self) -> dict[str, Any]:
        requested, facts, body = self._wish, self._facts, self._body
        names = Names(requested.tools, facts.tool_name_max, customs=facts.custom_tools)
        turns = MessageWriter(requested.shape, facts, names, self._report)
        body["messages"] = turns.messages(requested)
        if requested.tools:
            ToolWriter(requested, facts, names, self._report).write(requested, body)
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

    def _lack(self, concept: Concept, reason: str, act: DropAction = DropAction.DROPPED) -> None:
        lacking(self._report, concept, self._wish.shape, reason, act=act)

    def _put(self, concept: Concept, value: Any) -> None:
        """Put a member into the body; absent values are none, refused ones are reported."""
        if value is None or value in ((), ""):
            return
        name = ROWS[concept].members.get("chat")
        if name is None:
            self._lack(concept, "the chat shape has none")
        elif concept in self._facts.refuses:
            self._lack(concept, _NOT_TAKEN)
        else:
            self._body[name] = value

    def _sample(self) -> None:
        # numbers go out as they came: compiled, a `float` makes 1.0 of the 1 of a caller
        sampling: Any = self._wish.sampling
        temperature = sampling.temperature
        most = self._facts.temperature_max
        if temperature is not None:
            if temperature > most and Concept.TEMPERATURE not in self._facts.refuses:
                self._lack(Concept.TEMPERATURE, f"at most {most:g}", DropAction.CHANGED)
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
            limit = self._facts.output_default
        if limit is not None:
            if self._facts.refuses and Concept.OUTPUT_MAX in self._facts.refuses:
                self._lack(Concept.OUTPUT_MAX, _NOT_TAKEN)
            self._body[self._facts.output_member] = limit
        if self._wish.stop:
            self._put(Concept.STOP, self._wish.stop)

    def _reason(self, requested: ReasoningSettings) -> None:
        wanted = wished(requested)
        if wanted is not Effort.NONE:
            if requested.switch is Thinking.BETWEEN_TOOLS:
                self._lack(Concept.REASONING, "the chat shape knows no thinking between tools")
            if requested.shown is not None:
                self._lack(
                    Concept.REASONING, "what is shown of it cannot be chosen", DropAction.CHANGED
                )
            if requested.style is not None:
                self._lack(Concept.REASONING, "a summary has no style here", DropAction.CHANGED)
        if wanted is None:
            return
        if self._facts.thinks is not Thinks.EFFORT or Concept.REASONING in self._facts.refuses:
            if wanted is not Effort.NONE:
                self._lack(Concept.REASONING, _NOT_TAKEN)
            return
        step = nearest(wanted, self._facts.efforts)
        if step is None:
            self._lack(Concept.REASONING, _NOT_TAKEN)
            return
        if step is not wanted or inexact(requested):
            self._lack(Concept.REASONING, f"{step.value} is the nearest", DropAction.CHANGED)
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
            self._lack(Concept.FORMAT, "the chat shape cannot ask for one bare word")
            return None
        if not self._facts.schema:
            self._lack(Concept.FORMAT, "this model takes no JSON schema")
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
                self._lack(Concept.USER, "its digest is sent")
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
            self._lack(Concept.CACHE_MARK, "the chat shape has no mark for the whole")

    def _extend(self) -> None:
        """Members that only the caller's shape has: back into their own shape, else reported."""
        for extension in self._wish.extensions:
            top = "." not in extension.member and "[" not in extension.member
            if self._wish.shape == "chat" and top:
                self._body[extension.member] = msgspec.Raw(extension.data)
            else:
                self._report.drop(
                    extension.rank, extension.member, "known to the caller's own shape only"
                )
