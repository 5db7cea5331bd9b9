"""What the parts of one request are written with: facts, report, the caller's names for members."""

from trivium.conversation.honesty import Act, Report
from trivium.conversation.members import Concept, lacking
from trivium.conversation.request import Conversation
from trivium.conversation.target import TargetFacts


class Writing:
    """One translation's surroundings."""

    __slots__ = ("facts", "report", "shape")

    def __init__(self, conversation: Conversation, facts: TargetFacts, report: Report) -> None:
        self.shape = conversation.shape
        """The caller's; names members in reports."""
        self.facts = facts
        self.report = report

    def lacks(self, concept: Concept, reason: str, *, act: Act = Act.DROPPED) -> None:
        """Report what is not carried, by its rank."""
        lacking(self.report, concept, self.shape, reason, act=act)

    def takes(self, concept: Concept) -> bool:
        """Whether the model takes a member; reports it where not."""
        if concept in self.facts.refuses:
            self.lacks(concept, "not taken by this model")
            return False
        return True
