"""What a request is written with, whatever the shape: facts, report, the caller's names."""

from trivium.conversation.effort import effort_alone
from trivium.conversation.losses import DropAction, Mend, Rank, Report
from trivium.conversation.member_table import (
    SAMPLING,
    Concept,
    effort,
    foreign,
    lacking,
    member,
)
from trivium.conversation.names import qualified, short
from trivium.conversation.parts import Native
from trivium.conversation.request import Conversation, Extension, Sampling
from trivium.conversation.target import TargetFacts


class WriterBase:
    """The context in which one request is written for one target."""

    __slots__ = ("_effort", "facts", "report", "shape")

    def __init__(self, conversation: Conversation, facts: TargetFacts, report: Report) -> None:
        self.shape = conversation.shape
        """The caller's; names members in reports."""
        self.facts = facts
        self.report = report
        requested = conversation.reasoning
        alone = requested is not None and effort_alone(requested)
        self._effort = effort(self.shape) if alone else None
        """What the caller calls its reasoning, if it is an effort and nothing else."""

    def lacks(self, concept: Concept, reason: str, where: str | None = None) -> None:
        """Report what is not carried, by its rank; ``where``: a name that says more."""
        where = self._called(concept, where)
        lacking(self.report, concept, self.shape, reason, where=where)

    def changes(self, concept: Concept, reason: str) -> None:
        """Report what is carried as the nearest that the target can do, by its rank."""
        where = self._called(concept, None)
        lacking(self.report, concept, self.shape, reason, act=DropAction.CHANGED, where=where)

    def _called(self, concept: Concept, where: str | None) -> str | None:
        return self._effort if where is None and concept is Concept.REASONING else where

    def rewords(self, concept: Concept, reason: str) -> None:
        """Report what is said in another way or place, which costs quality at most."""
        where = member(concept, self.shape)
        self.report.drop(Rank.HINT, where, reason, DropAction.CHANGED)

    def lacks_sampling(self, sampling: Sampling, shape: str) -> None:
        """Report sampling that the target's ``shape`` has no members for."""
        for concept, field, members in SAMPLING:
            if shape not in members and getattr(sampling, field) is not None:
                self.lacks(concept, f"the {shape} shape has no such member")

    def answers_once(self, conversation: Conversation, shape: str) -> None:
        """Report several answers to a target whose ``shape`` has one."""
        if conversation.candidates is not None and conversation.candidates > 1:
            self.lacks(Concept.CANDIDATES, f"the {shape} shape gives one answer")

    def answers_in_text(self, conversation: Conversation, shape: str) -> None:
        """Report pictures and speech that are asked of a target whose ``shape`` has neither."""
        if conversation.modalities and any(kind != "text" for kind in conversation.modalities):
            self.lacks(Concept.MODALITIES, f"the {shape} shape answers in text")
        if conversation.audio is not None and "audio" in conversation.modalities:
            self.lacks(Concept.AUDIO, f"the {shape} shape does not speak")

    def takes(self, concept: Concept) -> bool:
        """Whether the model takes a member; reports it where not."""
        if concept in self.facts.refuses:
            self.lacks(concept, "not taken by this model")
            return False
        return True

    def own(self, native: Native | None, shape: str, concept: Concept) -> bytes | None:
        """Members that a tool or a call has in the target's ``shape`` alone; those that it has in
        another are reported.
        """
        if native is None or native.shape == shape:
            return None if native is None else native.data
        foreign(native, self.report, member(concept, self.shape))
        return None

    def leaves_out(self, extension: Extension) -> None:
        """Report a member that only the caller's shape has."""
        self.report.drop(extension.rank, extension.member, "only its own shape has this member")

    def target_name(self, name: str, namespace: str | None = None) -> str:
        """What a tool is called at the target; ``conversation/tool_names.py`` has the way back."""
        facts = self.facts
        return short(qualified(name, namespace), facts.tool_name_max, first=facts.tool_name_first)

    def name(self, name: str, namespace: str | None = None) -> str:
        """The same; a name that the target would refuse is reported as mended."""
        out = self.target_name(name, namespace)
        if out != name:
            self.report.repair(Mend.TOOL_NAME, name)
        return out
