"""What every target needs before its writer begins: a history that is whole and only its own.

In this order: neighbours are joined; attachments of other makers and reasoning that means nothing
without them are taken out; so is text that says nothing, where the target refuses it; calls and
results are paired; members that the model refuses are dropped by their rank. What media a target
takes is asked by its writer, which knows the forms it has for them.

Turn by turn and from what stands earlier only: a history that grows by an answer and a new turn
begins as it began before.
"""

import functools
from typing import Any, Final

import msgspec

from trivium.conversation.attachments import belonging
from trivium.conversation.calls import ToolCall, ToolResult
from trivium.conversation.effort import wished
from trivium.conversation.items import INSTRUCTING, Part, Role, Turn
from trivium.conversation.losses import DropAction, Mend, Rank, Report
from trivium.conversation.member_table import ROWS, SAMPLING, Concept, lacking, member, phased
from trivium.conversation.native_calls import SHAPE as OWN_CALLS
from trivium.conversation.native_calls import spelled_out
from trivium.conversation.parts import Reasoning, Text, VendorPart
from trivium.conversation.request import Conversation, Effort, FormatKind, ResponseFormat, Sampling
from trivium.conversation.stop_sequences import CHARACTERS_MAX, SEQUENCES_MAX
from trivium.conversation.target import ReasoningBack, TargetFacts
from trivium.conversation.tool_names import known_as
from trivium.conversation.tool_pairs import paired
from trivium.conversation.tool_support import offered
from trivium.conversation.tools import ChoiceMode, ToolChoice
from trivium.conversation.turns import joined

FILLER: Final = "(no content)"
"""Stands in a turn of which nothing is left."""

_ASSISTANT: Final = Role.ASSISTANT
_SAMPLING: Final = "Sampling."
_DEMANDING: Final = "messages"
"""The shape whose requests must have a limit, of which 0 only fills a cache, and whose strict tools
may have optional members.
"""
_FILES: Final = frozenset({"container_upload"})
"""Vendors' own blocks that name a file."""
_ABSENT: Final = {
    field.name: field.default
    for field in msgspec.structs.fields(Conversation)
    if field.default is not msgspec.NODEFAULT
}
_IDLE: Final = {
    Concept.FREQUENCY_PENALTY: 0,
    Concept.PRESENCE_PENALTY: 0,
    Concept.LOGIT_BIAS: b"{}",
}
"""Values at which every model does what it would do without the member: many clients send all of
them with every request."""
_MODELS_OWN: Final = Sampling()
_NEUTRAL: Final = {
    Concept.CANDIDATES: 1,
    Concept.LOGPROBS: False,
    Concept.TOP_LOGPROBS: 0,
    Concept.MODALITIES: ("text",),
    Concept.FORMAT: ResponseFormat(FormatKind.TEXT),
    Concept.PARALLEL: True,
    **_IDLE,
}
"""Values that ask for nothing: a model that refuses the member does this anyway."""


def fitted(conversation: Conversation, target: TargetFacts, report: Report) -> Conversation:
    """The conversation as a writer may take it; the same one where nothing had to be done.

    Raises ``Fault`` (UNREPRESENTABLE) where the history ends with an answer to go on with and the
    target does not do that, and through the report.
    """
    asked = conversation
    turns = conversation.turns
    if not _is_plain(turns, target):
        turns = _mended(conversation, target, report)
    if turns and not target.prefill and turns[-1].role is _ASSISTANT:
        raise report.refusal(
            member(Concept.HISTORY, conversation.shape),
            "this model does not go on with an assistant message; end with a user's",
        )
    if conversation.stop:
        conversation = _stopping(conversation, target, report)
    if conversation.tool_choice is not None:
        _choosable(conversation, conversation.tool_choice, report)
    if conversation.output_max is not None:
        conversation = _limited(conversation, conversation.output_max, target, report)
    conversation = asking(conversation, target.origin.shape)
    changes: dict[str, Any] = {}
    if target.refuses or target.refuses_thinking:
        changes = _refused(conversation, target, report)
    if conversation.tools:
        tools = offered(conversation, target, report)
        if tools != conversation.tools:
            changes["tools"] = tools
    if turns is not asked.turns and turns != asked.turns:
        changes["turns"] = turns
    return msgspec.structs.replace(conversation, **changes) if changes else conversation


def _is_plain(turns: tuple[Turn, ...], target: TargetFacts) -> bool:
    """Whether a history is words that say something, each turn another's than the one before: then
    there is nothing to join, to take out or to pair.
    """
    # HOT: one look for six passes of which most histories need none: 3.6 -> 1.2 us for 21 turns
    # (2026-11-24, bench/hot.py --case fit.chat.chat-words)
    blank = target.blank_text
    before = None
    for turn in turns:
        role = turn.role
        if not turn.parts or turn.phase is not None or (role is before and role not in INSTRUCTING):
            return False
        before = role
        for part in turn.parts:
            if type(part) is not Text or part.opaque:
                return False
            if not blank and (not part.text or part.text.isspace()):
                return False
    return True


def _mended(conversation: Conversation, target: TargetFacts, report: Report) -> tuple[Turn, ...]:
    """The turns of a history that is more than words, as the target may have them."""
    turns = _phaseless(conversation, target, report)
    if target.origin.shape != OWN_CALLS:
        turns = _spelled(turns, conversation.shape, report)
    turns = joined(_cleaned(joined(turns), conversation.shape, target, report))
    return joined(paired(turns, target.call_id_max, report, exact=target.call_id_exact))


def _spelled(turns: tuple[Turn, ...], shape: str, report: Report) -> tuple[Turn, ...]:
    """The turns with calls and results of one vendor's own kinds as calls and results."""
    found = spelled_out(turns)
    if found is not turns:
        why = "calls of a vendor's own tools are said as a function's"
        lacking(report, Concept.VENDOR_PART, shape, why, act=DropAction.CHANGED)
    return found


def _stopping(conversation: Conversation, target: TargetFacts, report: Report) -> Conversation:
    """The conversation with those stop sequences that the target takes; for all others its answer
    is watched here (``stop_sequences.py``).
    """
    wanted = tuple(one for one in conversation.stop if one)
    taken = tuple(one for one in wanted if target.blank_text or one.strip())
    if Concept.STOP in target.refuses:
        taken = ()
    elif target.stop_max is not None:
        taken = taken[: target.stop_max]
    if taken == wanted:
        return conversation
    if (
        (conversation.candidates or 1) > 1
        or len(wanted) > SEQUENCES_MAX
        or sum(map(len, wanted)) > CHARACTERS_MAX
    ):
        most = "no" if not taken else f"at most {len(taken)} of these"
        lacking(report, Concept.STOP, conversation.shape, f"{most} stop sequences are taken")
    where = member(Concept.STOP, conversation.shape)
    report.drop(Rank.HINT, where, "its answer is cut by the gateway", DropAction.CHANGED)
    return msgspec.structs.replace(conversation, stop=taken)


def _limited(
    conversation: Conversation, limit: int, target: TargetFacts, report: Report
) -> Conversation:
    """The conversation with a limit on the output that the model takes: callers of the shape which
    demands one send what their own vendor's models can do. Where a target of that shape thinks, its
    writer fits limit and budget to each other.
    """
    cap = target.output_cap
    is_taken = limit > 0 and (cap is None or limit <= cap)
    if is_taken or target.origin.shape == _DEMANDING:
        return conversation
    where = member(Concept.OUTPUT_MAX, conversation.shape)
    if limit == 0:
        raise report.refusal(where, "a prompt cannot be cached there without an answer to it")
    report.drop(Rank.HINT, where, "above the model's own limit", DropAction.CHANGED)
    return msgspec.structs.replace(conversation, output_max=cap)


def _phaseless(conversation: Conversation, target: TargetFacts, report: Report) -> tuple[Turn, ...]:
    """The turns without their phases where the target has none: what they kept apart is one."""
    turns = conversation.turns
    shape = target.origin.shape
    for turn in turns:
        if turn.phase is not None:
            break
    else:
        return turns
    if phased(shape):
        return turns
    lacking(report, Concept.PHASE, conversation.shape, f"the {shape} shape has no phases")
    return tuple(msgspec.structs.replace(turn, phase=None) for turn in turns)


def asking(conversation: Conversation, shape: str) -> Conversation:
    """The conversation without sampling that changes nothing, where this shape has no member for
    it.
    """
    sampling = conversation.sampling
    if sampling == _MODELS_OWN:
        return conversation
    idle = [
        name
        for concept, name, members in SAMPLING
        if concept in _IDLE and shape not in members and getattr(sampling, name) == _IDLE[concept]
    ]
    if not idle:
        return conversation
    left = msgspec.structs.replace(sampling, **dict.fromkeys(idle))
    return msgspec.structs.replace(conversation, sampling=left)


def _choosable(conversation: Conversation, choice: ToolChoice, report: Report) -> None:
    """Refuse a choice among tools that are not there: without it the model would go on freely."""
    where = member(Concept.TOOL_CHOICE, conversation.shape)
    if not conversation.tools:
        forced = choice.mode in (ChoiceMode.REQUIRED, ChoiceMode.NAMED)
        if forced or (choice.names and choice.mode is not ChoiceMode.NONE):
            raise report.refusal(where, "there are no tools to choose from")
        return
    if not choice.names or choice.mode is ChoiceMode.NONE:
        return
    offered = {name for tool in conversation.tools for name in known_as(tool)}
    strange = next((name for name in choice.names if name not in offered), None)
    if strange is not None:
        raise report.refusal(where, f"{strange} is none of the tools of this request")


def _clean(turn: Turn, target: TargetFacts) -> bool:
    """Whether there is nothing in a turn but words that say something."""
    parts = turn.parts
    for part in parts:
        if type(part) is not Text or part.opaque or _says_nothing(part, target):
            return False
    return bool(parts)


def _cleaned(
    turns: tuple[Turn, ...], shape: str, target: TargetFacts, report: Report
) -> tuple[Turn, ...]:
    found = (
        turn
        if _clean(turn, target)
        else _readable_turn(turn, f"turns[{at}]", shape, target, report, _spare(turns, at))
        for at, turn in enumerate(turns)
    )
    return tuple(turn for turn in found if turn is not None)


def _spare(turns: tuple[Turn, ...], at: int) -> bool:
    """Whether nothing need stand for a turn: an answer that has not begun, or that goes on."""
    if turns[at].role is not _ASSISTANT:
        return False
    beside = turns[max(at - 1, 0) : at] + turns[at + 1 : at + 2]
    return at + 1 == len(turns) or any(turn.role is _ASSISTANT for turn in beside)


def _readable_turn(
    turn: Turn, where: str, shape: str, target: TargetFacts, report: Report, spare: bool
) -> Turn | None:
    """A turn without what this target cannot read; ``None`` where nothing need stand for it."""
    parts: list[Part] = []
    for part in turn.parts:
        kept = part if _is_plain_part(part, target) else _own(part, where, target, report)
        if isinstance(kept, Reasoning) and not _readable(kept, target):
            lacking(report, Concept.REASONING_STATE, shape, "not read again by this model")
        elif _says_nothing(kept, target):
            report.repair(Mend.EMPTY_TEXT, where)
        else:
            if turn.role is not _ASSISTANT:
                for one in kept.parts if type(kept) is ToolResult else (kept,):
                    if type(one) is VendorPart:
                        _reachable(one, shape, target, report)
            parts.append(kept)
    if not parts and not (target.blank_text and not turn.parts):
        if turn.role in INSTRUCTING or spare:
            return None
        report.repair(Mend.EMPTY_TURN, where)
        parts.append(Text(FILLER))
    return msgspec.structs.replace(turn, parts=tuple(parts))


def _is_plain_part(part: Part, target: TargetFacts) -> bool:
    """Whether a part is a call, or a result in words, of which a target can read all."""
    # HOT: most histories of agents are little else: 29 -> 15 ms with ``tool_pairs`` for 8,000 of
    # both (2026-11-28)
    if part.opaque:
        return False
    if type(part) is ToolResult:
        for one in part.parts:
            if type(one) is not Text or one.opaque or _says_nothing(one, target):
                return False
        return True
    return type(part) is ToolCall


def _reachable(part: VendorPart, shape: str, target: TargetFacts, report: Report) -> None:
    """Refuse what a caller says and the model would not see: a file that lies at another vendor for
    its own tools, and what nobody has documented to us.
    """
    if part.native.shape == target.origin.shape:
        return
    if part.kind in _FILES:
        lacking(report, Concept.FILE_ID, shape, "a file at another vendor is unknown here")
    if not part.known:
        where = member(Concept.VENDOR_PART, shape)
        raise report.refusal(where, f"nothing is known there of {part.kind[:80] or 'its block'}")


def _own(part: Part, where: str, target: TargetFacts, report: Report) -> Part:
    """A part with those attachments only that the target made; a result's own parts too."""
    own = belonging(part.opaque, target.origin)
    if own != part.opaque:
        report.repair(Mend.FOREIGN_SIGNATURE, where)
        part = msgspec.structs.replace(part, opaque=own)
    if type(part) is ToolResult:
        inner = tuple(_own(one, where, target, report) for one in part.parts)
        kept = tuple(one for one in inner if not _says_nothing(one, target))
        if kept != part.parts:
            part = msgspec.structs.replace(part, parts=kept)
    return part


def _readable(part: Reasoning, target: TargetFacts) -> bool:
    """Whether a target can make anything of earlier reasoning."""
    return bool(part.opaque) or (target.reasoning_back is ReasoningBack.TEXT and bool(part.text))


def _says_nothing(part: Part, target: TargetFacts) -> bool:
    return (
        not target.blank_text
        and type(part) is Text
        and not part.opaque
        and (not part.text or part.text.isspace())
    )


def _refused(conversation: Conversation, target: TargetFacts, report: Report) -> dict[str, Any]:
    """What becomes of the members that the model refuses, reported by rank."""
    changes: dict[str, Any] = {}
    drawn: dict[str, None] = {}
    refused = target.refuses
    if target.refuses_thinking and _thinks(conversation, target):
        refused |= target.refuses_thinking
    for concept in _ordered(refused) if refused else ():
        field = ROWS[concept].field
        if field.startswith(_SAMPLING):
            name = field.removeprefix(_SAMPLING)
            value, absent = getattr(conversation.sampling, name), None
            changed = drawn
        elif field in _ABSENT and concept is not Concept.HISTORY:
            name, absent = field, _ABSENT[field]
            value = getattr(conversation, name)
            changed = changes
        else:
            continue  # a member of parts or tools, which their writers meet
        if value == absent:
            continue
        off = concept is Concept.REASONING and wished(value) is Effort.NONE
        if not off and value != _NEUTRAL.get(concept, absent):
            why = "not taken by this model"
            if concept not in target.refuses:
                why += " while it thinks"
            lacking(report, concept, conversation.shape, why)
        changed[name] = absent
    if drawn:
        changes["sampling"] = msgspec.structs.replace(conversation.sampling, **drawn)
    return changes


@functools.lru_cache(maxsize=256)
def _ordered(refused: frozenset[Concept]) -> tuple[Concept, ...]:
    """In the table's order: that of a set differs from process to process. Once a profile."""
    return tuple(concept for concept in ROWS if concept in refused)


def _thinks(conversation: Conversation, target: TargetFacts) -> bool:
    """Whether the model will think about this request."""
    wanted = conversation.reasoning
    if wanted is None or Concept.REASONING in target.refuses:
        return target.thinks_unasked
    if wished(wanted) is Effort.NONE:
        return target.thinks_unasked and not target.thinking_off
    return (
        wanted.switch is not None
        or wanted.effort is not None
        or wanted.budget is not None
        or (target.thinks_unasked)
    )
