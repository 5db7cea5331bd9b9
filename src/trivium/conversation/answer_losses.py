"""Goes through an answer, whole or streamed, and tells the report what has no place.

It changes nothing: writers leave out what they have no place for (``shape_capabilities.py``), and
``tests/end_to_end/test_silent_answers.py`` holds the two together. An answer is paid for when it is
here, so nothing of it is ever refused, not in strict mode either.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from trivium.conversation.answer import Answer
from trivium.conversation.arguments import argument_object
from trivium.conversation.calls import ToolCall, ToolResult
from trivium.conversation.events import (
    Cited,
    Delta,
    Deltas,
    Done,
    Event,
    Finished,
    PartEnd,
    PartStart,
    Start,
    UsageReport,
)
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.items import Part
from trivium.conversation.losses import DropAction, Rank, Report
from trivium.conversation.member_table import said_alone
from trivium.conversation.parts import (
    Audio,
    Citation,
    Document,
    Image,
    Reasoning,
    ReasoningForm,
    Refusal,
    SearchResult,
    Text,
    TokenLogprob,
    VendorPart,
    Video,
)
from trivium.conversation.shape_capabilities import Loss, ShapeCapabilities
from trivium.conversation.usage import Usage


class LossReporter:
    """Reports everything in one answer that the caller's shape has no place for."""

    __slots__ = (
        "_called",
        "_calls",
        "_heard",
        "_one_call",
        "_passed",
        "_places",
        "_report",
        "_texts",
        "_uncut",
        "_unheard",
        "_unread",
    )

    def __init__(
        self, places: ShapeCapabilities, report: Report, *, one_call: bool = False
    ) -> None:
        """``one_call``: whether a candidate has room for one call only."""
        self._one_call = one_call
        self._called: set[int] = set()
        """Candidates that have called."""
        self._places = places
        self._report = report
        self._calls: dict[int, list[str]] = {}
        """Pieces of the calls of a stream, where one that is cut is left out."""
        self._uncut: dict[int, list[list[str]]] = {}
        """The arguments of calls, piece by piece, of each candidate that has not finished."""
        self._texts: set[int] = set()
        """Open texts of a stream, where their attachments are of interest."""
        self._passed: set[int] = set()
        """Open parts of candidates that the shape has not."""
        self._heard = False
        self._unheard = ""
        self._unread: set[str] = set()

    @property
    def unheard(self) -> str:
        """The kind of a part that nobody knows, where the answer is nothing else; or empty."""
        return "" if self._heard else self._unheard

    def unread(self, name: str, loss: Loss) -> None:
        """Something of the answer that its reader does not know. See ``AnswerContext.unread``.

        Each name once, and no more of them than would fill a record: an upstream chooses them.
        """
        name = name[:_NAME_MAX]
        if name in self._unread or len(self._unread) == _UNREAD_MAX:
            return
        self._unread.add(name)
        if loss is Loss.UNKNOWN:
            self._lacks(name)
        elif loss is Loss.WORDED:
            self._changed(name, "told as text")
        else:
            self._note(name)

    def answer(self, answer: Answer) -> None:
        """Report the losses of a whole answer."""
        for at, candidate in enumerate(answer.candidates):
            if not at or self._has(at):
                for part in candidate.parts:
                    self._part(part, at)
                finish = candidate.finish
                self._finish(finish)
                if finish.unified in self._places.cut_calls:
                    self._cut(part.arguments for part in candidate.parts if type(part) is ToolCall)
        usage = answer.usage
        if usage is not None:
            self._usage(usage)
        if answer.service_tier is not None:
            self._tier(answer.service_tier)

    def events(self, events: list[Event]) -> None:
        """Report the losses of the next events of a stream."""
        calls = self._calls
        for event in events:
            if type(event) is Delta:
                if event.index in calls:
                    calls[event.index].append(event.text)
                if event.logprobs and event.index not in self._passed:
                    self._likely(event.logprobs)
            elif type(event) is Deltas:
                if event.index in calls:
                    calls[event.index] += event.texts
            else:
                self._event(event)

    def _event(self, event: Event) -> None:
        if isinstance(event, PartStart):
            self._begin(event)
        elif isinstance(event, PartEnd):
            self._end(event)
        elif isinstance(event, Cited):
            if event.index not in self._passed:
                self._cited(event.citation, streamed=True)
        elif isinstance(event, Finished):
            if self._has(event.candidate):
                self._finish(event.finish)
            if event.finish.unified in self._places.cut_calls:
                told = self._uncut.pop(event.candidate, [])
                self._cut("".join(pieces) for pieces in told)
        elif isinstance(event, UsageReport):
            self._usage(event.usage)
        elif isinstance(event, Start | Done):
            self._tier(event.service_tier)

    def _begin(self, event: PartStart) -> None:
        if not self._has(event.candidate):
            self._passed.add(event.index)
            return
        self._part(event.part, event.candidate)
        if isinstance(event.part, Text):
            self._texts.add(event.index)
        elif self._places.cut_calls and isinstance(event.part, ToolCall):
            pieces = self._calls[event.index] = [event.part.arguments]
            self._uncut.setdefault(event.candidate, []).append(pieces)

    def _end(self, event: PartEnd) -> None:
        self._passed.discard(event.index)
        if event.index in self._texts:
            self._texts.discard(event.index)
            self._signed(event.opaque)

    def _cut(self, arguments: Iterable[str]) -> None:
        """Report a call that was cut in the middle, and is left out for that."""
        if any(not argument_object(one)[1] for one in arguments):
            self._lacks("tool_calls")

    def _has(self, candidate: int) -> bool:
        """Whether the shape has a place for this candidate at all."""
        if candidate and not self._places.candidates:
            self._lacks("candidates")
            return False
        return True

    def _part(self, part: Part, candidate: int) -> None:
        places = self._places
        if isinstance(part, VendorPart) and not self._told(part):
            self._lacks(part.kind or "block")
            if not part.known:
                self._unheard = part.kind or "block"
                return
        self._heard = self._heard or not isinstance(part, Reasoning)
        if isinstance(part, Text):
            self._text(part)
        elif isinstance(part, Reasoning):
            self._reasoning(part)
        elif isinstance(part, ToolCall):
            self._call(part, candidate)
        elif isinstance(part, Refusal):
            if not places.refusals:
                self._changed("refusal", "told as text")
        elif not isinstance(part, ToolResult | VendorPart):
            self._media(part)

    def _told(self, part: VendorPart) -> bool:
        """Whether the shape knows the block, or has a place for what it searched for."""
        places = self._places
        return part.native.shape == places.shape or bool(part.queries and places.queries)

    def _text(self, part: Text) -> None:
        self._signed(part.opaque)
        for citation in part.citations:
            self._cited(citation, streamed=False)
        if part.logprobs:
            self._likely(part.logprobs)

    def _reasoning(self, part: Reasoning) -> None:
        places = self._places
        if not places.reasoning:
            self._lacks("reasoning")
        elif places.form not in (None, part.form) and part.form is not ReasoningForm.HIDDEN:
            self._note("reasoning.form")

    def _call(self, part: ToolCall, candidate: int) -> None:
        places = self._places
        if not places.calls or (self._one_call and candidate in self._called):
            self._lacks("tool_calls")
        self._called.add(candidate)
        if part.namespace is not None and not places.namespaces:
            self._lacks("namespace")
        if part.native is not None and part.native.shape != places.shape:
            for name in said_alone(part.native):
                self._lacks(f"tool_calls.{name}")

    def _media(self, part: Image | Audio | Video | Document | SearchResult) -> None:
        name = _NAMES[type(part)]
        if self._places.shows(part):
            if isinstance(part, Audio) and part.transcript and not self._places.transcripts:
                self._lacks("audio.transcript")
        elif self._places.words(part):
            self._changed(name, "told in words")
        else:
            self._lacks(name)

    def _cited(self, citation: Citation, *, streamed: bool) -> None:
        places = self._places
        if not places.cites(citation):
            self._lacks("citations")
            return
        if streamed and places.blocks_cited and citation.start is not None:
            self._changed("citations", "the whole text is cited")
        own = citation.native is not None and citation.native.shape == places.shape
        if citation.quoted and not (own or places.blocks_cited):
            self._note("citations.cited_text")

    def _signed(self, opaque: tuple[object, ...]) -> None:
        if opaque and not self._places.signed_texts:
            self._note("signature")

    def _likely(self, told: tuple[TokenLogprob, ...]) -> None:
        if not self._places.logprobs:
            self._lacks("logprobs")
        elif not self._places.rivals and any(one.top for one in told):
            self._lacks("top_logprobs")

    def _finish(self, finish: Finish) -> None:
        places = self._places
        unified = finish.unified
        if unified is Unified.STOP_SEQUENCE and not places.stop_sequence:
            self._lacks("stop_sequence")
        elif unified not in places.ends and not finish.token:
            word = finish.raw if unified is Unified.OTHER else ""
            self._changed("finish", f"no word for {word[:_WORD_MAX] or unified.value}")
        if finish.category and not places.category:
            self._lacks("category")
        if finish.explanation and not places.explanation:
            self._lacks("explanation")

    def _usage(self, usage: Usage) -> None:
        for name in self._places.counters:
            if getattr(usage, name):
                self._note(f"usage.{name}")

    def _tier(self, tier: str | None) -> None:
        if tier is not None and self._places.tiers and tier not in self._places.tiers:
            self._note("service_tier")

    def _lacks(self, name: str) -> None:
        why = f"no place for it in the {self._places.shape} shape"
        self._report.omit(Rank.HINT, f"answer.{name}", why)

    def _changed(self, name: str, why: str) -> None:
        self._report.omit(Rank.HINT, f"answer.{name}", why, DropAction.CHANGED)

    def _note(self, name: str) -> None:
        """Record, in the request record alone, something that changes nothing for the caller."""
        self._report.omit(Rank.BOOKKEEPING, f"answer.{name}", "")


_WORD_MAX: Final = 40
_NAME_MAX: Final = 80
"""Characters of a name that an upstream made up."""
_UNREAD_MAX: Final = 64
"""Names of unknown things that one answer is reported to have."""
_NAMES: Final[Mapping[type[Part], str]] = {
    Image: "image",
    Audio: "audio",
    Video: "video",
    Document: "document",
    SearchResult: "search_result",
}
