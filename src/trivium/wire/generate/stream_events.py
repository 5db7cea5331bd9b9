"""GenerateContentResponse objects as canonical events: a whole answer is a stream of one.

Texts of one kind that follow each other are one part, unless one carries a signature, which
belongs to the exact part it came on. A signature on an empty text is that of the text before it.
Calls come whole. There is no terminal event: an answer is complete when its body ends after every
candidate has said why it ended, so ends are kept until then.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from trivium.conversation.calls import ToolCall
from trivium.conversation.events import (
    Cited,
    Delta,
    Deltas,
    Done,
    Event,
    Failed,
    Finished,
    PartEnd,
    PartStart,
    Start,
    UsageReport,
)
from trivium.conversation.finish import Finish
from trivium.conversation.items import Part
from trivium.conversation.opaque import THOUGHT_SIGNATURE, Opaque
from trivium.conversation.parts import Reasoning, ReasoningForm, Text
from trivium.conversation.usage import Usage
from trivium.faults import Fault
from trivium.wire import caps, errors, json_size
from trivium.wire.codec import AnswerContext
from trivium.wire.data_url import standard
from trivium.wire.generate import citations, finish, logprobs, read_answer_parts, views
from trivium.wire.generate.answer_structs import (
    AnswerChunk,
    AnswerPart,
    CallChunk,
    CallPart,
    ChunkCandidate,
    Head,
    Plain,
)
from trivium.wire.generate.known_members import ANSWER, MODIFIERS, rated
from trivium.wire.generate.read_usage import CACHED, complete, merged, usage
from trivium.wire.generate.write_usage import tier_of
from trivium.wire.lenient import error_of, string

_USAGES_MAX: Final = 256
"""Snapshots of the counters kept before they are folded: each keeps its chunk in memory."""
_CANDIDATES_MAX: Final = 64
"""The vendor gives eight; what keeps them by index must not be led to reserve a billion."""
_GROUNDINGS_MAX: Final = 512
"""Objects of a stream that cite the text so far: each looks at all of it."""
_PART_BYTES: Final = 8
"""Of a part that is no text, at least."""
_CACHED: Final = CACHED.encode()


class _Candidate:
    """What is known of one candidate."""

    __slots__ = (
        "called", "finish", "groundings", "held", "index", "number", "pieces", "said", "searched",
        "thinking",
    )  # fmt: skip

    def __init__(self, number: int) -> None:
        self.number = number
        self.index = -1  # of the open text or reasoning; -1: none
        self.held: PartEnd | None = None  # of a signed one: its citations may come a chunk later
        self.thinking = False  # which of the two
        self.pieces: list[str] = []  # of the open or held part: citations count its bytes
        self.groundings = 0  # objects that cited its texts
        self.said = False
        self.called = False
        self.searched: tuple[str, ...] = ()
        self.finish: Finish | None = None


class StreamEvents:
    """The events of one answer. Feed it every object, then ask for the end."""

    __slots__ = (
        "_candidates", "_cited", "_counters", "_id", "_live", "_model", "_next", "_origin",
        "_refused", "_seed", "_started", "_unread", "_usages", "over",
    )  # fmt: skip

    def __init__(self, context: AnswerContext) -> None:
        self._origin = context.origin
        self._refused = context.refused
        self._unread = context.unread
        self._model = context.model
        self._id = ""
        self._seed = context.seed
        self._candidates: dict[int, _Candidate] = {}
        self._live = _Candidate(0)  # the one that spoke last
        self._next = 0
        self._cited = 0
        self._started = False
        self._usages: list[Any] = []
        self._counters: Any = {}
        self.over = False
        """Whether ``Done`` or ``Failed`` has been told."""

    @property
    def index(self) -> int:
        """Of the part whose text is open; -1: none is."""
        return self._live.index

    @property
    def usage(self) -> Usage | None:
        """The counters so far."""
        self._fold()
        return usage(self._counters)

    @property
    def stopped(self) -> bool:
        """Whether a candidate has said why it ended, or why there is none."""
        return self.over or any(one.finish is not None for one in self._candidates.values())

    def chunk(self, data: bytes, out: list[Event]) -> None:
        """One object, as its bytes; what it tells goes to ``out``."""
        # HOT: one more piece of one text: 335 -> 194 us (2026-11-24, bench/hot.py --case stream.g)
        plain = self.plain(data)
        if plain is not None:
            self.grow([plain.candidates[0].content.parts[0].text], plain.usageMetadata, out)
            return
        self._any(data, out)

    def plain(self, data: bytes) -> Plain | None:
        """An object that brings one more piece of the open text and nothing else, or ``None``."""
        live = self._live
        if live.index < 0:
            return None
        try:
            plain = views.plain(data)
        except (ValueError, RecursionError):
            return None
        candidate = plain.candidates[0]
        part = candidate.content.parts[0]
        fits = candidate.index == live.number and part.thought is live.thinking
        return plain if fits else None

    def grow(self, texts: list[str], counted: msgspec.Raw, out: list[Event]) -> None:
        """More pieces of the open text, the last of them with these counters."""
        live, usages = self._live, self._usages
        out.append(Delta(live.index, texts[0]) if len(texts) == 1 else Deltas(live.index, texts))
        live.pieces += texts
        if not usages or usages[-1] is not counted:
            usages.append(counted)
            if len(usages) > _USAGES_MAX:
                self._fold()

    def rows(self, rows: list[bytes], out: list[Event]) -> bool:
        """Many objects, each as its bytes; ``False``, and nothing is told, where they are none."""
        data = b"[" + b",".join(rows) + b"]"
        is_known = True
        try:
            bodies: Sequence[AnswerChunk] = views.strict(data)
        except (ValueError, RecursionError):
            is_known = False
            try:
                bodies = views.chunks(data)
            except (ValueError, RecursionError):
                return False
        if len(bodies) != len(rows):
            return False
        # HOT: one decoder call for all: 219 -> 77 us (2026-11-24, bench/hot.py --case stream.g)
        live, usages = self._live, self._usages
        for at, body in enumerate(bodies):
            text = None
            if live.index >= 0:
                text = read_answer_parts.more_of(body, live.number, thinking=live.thinking)
            if text is not None:
                if not is_known:
                    ANSWER.look(rows[at], self._unread)
                out.append(Delta(live.index, text))
                live.pieces.append(text)
                usages.append(body.usageMetadata)
                continue
            self._any(rows[at], out, body)
            if self.over:
                break
            live = self._live
        if len(usages) > _USAGES_MAX:
            self._fold()
        return True

    def _any(self, data: bytes, out: list[Event], body: AnswerChunk | None = None) -> None:
        try:
            if body is None:
                body = views.long(data)
            self._told(views.chunk(data) if body is None else body, data, out)
        except Fault as fault:
            self._fail(fault, out)
        except (ValueError, RecursionError):  # what one view skims another one reads
            self._fail(views.broke(), out)

    def _told(self, body: AnswerChunk, data: bytes, out: list[Event]) -> None:
        if (
            len(data) > caps.PARTS_MAX * _PART_BYTES
            and read_answer_parts.others(body) > caps.PARTS_MAX
        ):
            raise caps.too_many("calls and files", caps.PARTS_MAX)
        if type(body) is CallChunk:
            rated(body, self._unread)
        else:
            ANSWER.look(data, self._unread)
        if body.error and (error := error_of(body.error)) is not None:
            raise self._refused(error)
        self._usages.append(body.usageMetadata)
        if len(self._usages) > _USAGES_MAX:
            self._fold()
        if not self._started:
            self._start(body if type(body) is CallChunk else views.head(data), out)
        if not body.candidates and body.promptFeedback:
            self._blocked(views.value(body.promptFeedback))
        candidates = body.candidates or ()
        if len(candidates) > _CANDIDATES_MAX:
            raise caps.too_many("candidates", _CANDIDATES_MAX)
        loose = views.LooseParts(data)
        for at, candidate in enumerate(candidates):
            if candidate is not None:
                self._candidate(candidate, at, loose, out)

    def end(self, fault: Fault | None, out: list[Event]) -> None:
        """The end of the body."""
        if self.over:
            return
        ends = [(number, one.finish) for number, one in sorted(self._candidates.items())]
        if fault is not None or not ends or not all(finished for _, finished in ends):
            self._fail(fault or errors.cut_short(), out)
            return
        try:
            for one in self._candidates.values():
                self._close(one, out)
                if one.searched:
                    part = read_answer_parts.search(one.searched)
                    index = self._take()
                    out += (PartStart(index, part, one.number), PartEnd(index))
        except Fault as many:
            self._fail(many, out)
            return
        out.extend(Finished(finished, number) for number, finished in ends if finished)
        counted = self.usage
        if counted is not None:
            out.append(UsageReport(counted))
        out.append(Done(tier_of(self._counters)))
        self.over = True

    def _candidate(
        self, candidate: ChunkCandidate, at: int, loose: views.LooseParts, out: list[Event]
    ) -> None:
        one = self._numbered(candidate.index if type(candidate.index) is int else at)
        before = len(out)
        parts = candidate.content.parts if candidate.content is not None else None
        for place, part in read_answer_parts.joined(parts or []):
            if part is not None:
                self._part(one, part, at, place, loose, out)
        if candidate.logprobsResult and not one.thinking:
            logprobs.attach(candidate.logprobsResult, out, before, self._unread)
        if candidate.groundingMetadata or candidate.citationMetadata:
            self._cite(candidate, one, out)
        reason = candidate.finishReason
        if isinstance(reason, str) and reason and reason != finish.UNSAID:
            one.finish = finish.read(
                reason,
                called=one.called,
                said=one.said,
                message=string(candidate.finishMessage),
                token=string(candidate.continuationToken),
            )

    def _part(
        self,
        one: _Candidate,
        part: AnswerPart,
        at: int,
        place: int,
        loose: views.LooseParts,
        out: list[Event],
    ) -> None:
        text = part.text
        call = part.functionCall if type(part) is CallPart else None
        if call is not None and not (type(text) is str and text):
            self._whole(one, read_answer_parts.called(call, self._next_seed()), part, out)
        elif type(text) is not str:
            self._other(one, loose.at(at, place), part, out)
        elif not text and (members := read_answer_parts.beside(loose.at(at, place))):
            self._other(one, members, part, out)
        elif part.thoughtSignature:
            self._signed(one, part, text, out)
        elif text:
            self._more(one, part.thought is True, text, out)

    def _numbered(self, number: int) -> _Candidate:
        if not 0 <= number < _CANDIDATES_MAX:
            raise views.broke()
        return self._candidates.setdefault(number, _Candidate(number))

    def _more(self, one: _Candidate, thinking: bool, text: str, out: list[Event]) -> None:
        if one.index < 0 or one.thinking is not thinking:
            self._open(one, thinking, out)
        out.append(Delta(one.index, text))
        one.pieces.append(text)

    def _start(self, head: Head | CallChunk, out: list[Event]) -> None:
        self._started = True
        self._id = string(head.responseId) or ""
        out.append(Start(self._id, string(head.modelVersion) or "", self.usage))

    def _open(self, one: _Candidate, thinking: bool, out: list[Event]) -> None:
        self._close(one, out)
        self._live = one
        one.index = self._take()
        one.thinking = thinking
        part = Reasoning(text="", form=ReasoningForm.SUMMARY) if thinking else Text(text="")
        out.append(PartStart(one.index, part, one.number))
        one.said = one.said or not thinking

    def _signed(self, one: _Candidate, part: AnswerPart, text: str, out: list[Event]) -> None:
        """A text or thought with a signature: a part of its own, unless it is the end of one."""
        thinking = part.thought is True
        if text or one.index < 0 or one.thinking is not thinking:
            said_before = one.said
            self._open(one, thinking, out)
            if text:
                out.append(Delta(one.index, text))
                one.pieces.append(text)
            else:
                one.said = said_before
        one.held = PartEnd(one.index, self._signature(part))
        one.index = -1

    def _other(
        self, one: _Candidate, members: dict[str, Any], part: AnswerPart, out: list[Event]
    ) -> None:
        """Anything but a text: it comes whole."""
        if "text" not in members and members.keys() <= MODIFIERS.keys():
            if part.thoughtSignature:
                self._signed(one, part, "", out)
            return
        found = read_answer_parts.made(members, self._next_seed())
        if found is not None:
            self._whole(one, found, part, out)

    def _next_seed(self) -> str:
        """Of the next part's id, where the vendor gives it none."""
        return f"{self._seed}{self._id}.{self._next}"

    def _whole(
        self, one: _Candidate, found: tuple[Part, str], part: AnswerPart, out: list[Event]
    ) -> None:
        self._close(one, out)
        index = self._take()
        out.append(PartStart(index, found[0], one.number))
        if type(found[0]) is ToolCall:
            out.append(Delta(index, found[1]))
            one.called = True
        out.append(PartEnd(index, self._signature(part)))
        one.said = True

    def _signature(self, part: AnswerPart) -> tuple[Opaque, ...]:
        found = part.thoughtSignature
        data = standard(found) if isinstance(found, str) and found else None
        if data is None:
            return ()
        return (Opaque(THOUGHT_SIGNATURE, data.encode(), self._origin, self._model),)

    def _cite(self, candidate: ChunkCandidate, one: _Candidate, out: list[Event]) -> None:
        for raw in (candidate.groundingMetadata, candidate.citationMetadata):
            if len(raw) > caps.CITED_OBJECTS_MAX and json_size.exceeds(
                bytes(raw), caps.CITED_OBJECTS_MAX
            ):
                raise caps.too_many("JSON objects of citations", caps.CITED_OBJECTS_MAX)
        grounded = views.value(candidate.groundingMetadata)
        one.searched = citations.queries(grounded) or one.searched
        index = one.held.index if one.held is not None else one.index
        if index < 0 or one.thinking:
            return
        if one.groundings == _GROUNDINGS_MAX:
            raise caps.too_many("groundings", _GROUNDINGS_MAX)
        one.groundings += 1
        one.pieces = ["".join(one.pieces)]
        cited = views.value(candidate.citationMetadata)
        found = citations.citations(grounded, cited, one.pieces[0])
        self._cited += len(found)
        if self._cited > caps.CITATIONS_MAX:
            raise caps.too_many("citations", caps.CITATIONS_MAX)
        out.extend(Cited(index, citation) for citation in found)

    def _close(self, one: _Candidate, out: list[Event]) -> None:
        if one.held is not None:
            out.append(one.held)
            one.held = None
        elif one.index >= 0:
            out.append(PartEnd(one.index))
        one.index = -1
        one.pieces = []

    def _blocked(self, feedback: Any) -> None:
        reason = feedback.get("blockReason") if isinstance(feedback, dict) else None
        if not isinstance(reason, str) or not reason:
            return
        # the vendor's filter may speak late, and then nothing more is said of what has begun
        end = finish.blocked(reason, string(feedback.get("blockReasonMessage")))
        for one in list(self._candidates.values()) or [self._numbered(0)]:
            one.finish = one.finish or end

    def _take(self) -> int:
        if self._next == caps.PARTS_MAX:
            raise caps.too_many("parts", caps.PARTS_MAX)
        self._next += 1
        return self._next - 1

    def _fold(self) -> None:
        usages = [raw for raw in self._usages if raw]
        self._usages.clear()
        last = views.value(usages[-1]) if usages else None
        # HOT: a whole snapshot says it all, unless only another one has the cached count:
        # 168 -> 87 us (2026-11-24, bench/hot.py --case stream.generate.counted.run)
        if (
            isinstance(last, dict)
            and complete(last)
            and (last.get(CACHED) is not None or b"".join(usages).rfind(_CACHED) < 0)
        ):
            usages = usages[-1:]
        for raw in usages:
            reported = views.value(raw)
            if isinstance(reported, dict):
                self._counters = merged(self._counters, reported)

    def _fail(self, fault: Fault, out: list[Event]) -> None:
        out.append(Failed(fault))
        self.over = True
