"""Readable reasoning that nobody asked for, left out of answers.

Many chat servers send ``reasoning_content`` whatever the request says. Callers of chat and of
responses are used to it. A caller of messages or of generate who did not ask for thinking gets none
from the vendor either, and its client may take a thought for the answer. What is attached to the
reasoning stays, for the next turn needs it. Nothing is reported: nobody misses what was not wanted.
"""

import msgspec

from trivium.conversation.answer import Answer
from trivium.conversation.assemble import each_part
from trivium.conversation.events import Delta, Deltas, Event, PartEnd, PartStart
from trivium.conversation.items import Part
from trivium.conversation.parts import Reasoning, ReasoningForm
from trivium.conversation.request import ReasoningSettings, Thinking


def wants_thoughts(wanted: ReasoningSettings | None, *, by_switch: bool) -> bool:
    """Whether readable reasoning was asked for.

    ``by_switch``: in this shape, who turns thinking on is shown it unless it says otherwise.
    """
    if wanted is None:
        return False
    if wanted.shown is not None:
        return wanted.shown
    return by_switch and wanted.switch is not None and wanted.switch is not Thinking.OFF


def muted(answer: Answer) -> Answer:
    """Return the answer without the words of its reasoning; the same where it has none."""
    for candidate in answer.candidates:
        for part in candidate.parts:
            if type(part) is Reasoning:
                return each_part(answer, _silent)
    return answer


class ReasoningRemover:
    """Removes the words of reasoning from one stream."""

    __slots__ = ("_thinking",)

    def __init__(self) -> None:
        self._thinking: set[int] = set()
        """Open parts that are reasoning."""

    def events(self, events: list[Event]) -> list[Event]:
        """The events without those words: the same list where there are none."""
        thinking = self._thinking
        if not thinking:
            for event in events:
                if type(event) is PartStart and type(event.part) is Reasoning:
                    break
            else:
                return events
        out: list[Event] = []
        for event in events:
            if type(event) is Delta or type(event) is Deltas:
                if thinking and event.index in thinking:
                    continue
            elif type(event) is PartStart:
                if type(event.part) is Reasoning:
                    thinking.add(event.index)
                    out.append(PartStart(event.index, _silent(event.part), event.candidate))
                    continue
            elif type(event) is PartEnd:
                thinking.discard(event.index)
            out.append(event)
        return out


def _silent(part: Part) -> Part:
    if type(part) is Reasoning and part.text:
        return msgspec.structs.replace(part, text="", form=ReasoningForm.HIDDEN)
    return part
