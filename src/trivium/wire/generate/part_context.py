"""What the parts of one request are written with: facts, report, the caller's names for members."""

from trivium.conversation.losses import DropAction, Mend, Report
from trivium.conversation.member_table import Concept, lacking
from trivium.conversation.names import Names
from trivium.conversation.request import Conversation
from trivium.conversation.target import TargetFacts


class PartContext:
    """The context in which the parts of one request are written."""

    __slots__ = ("_names", "facts", "report", "shape")

    def __init__(self, conversation: Conversation, facts: TargetFacts, report: Report) -> None:
        self.shape = conversation.shape
        """The caller's; names members in reports."""
        self.facts = facts
        self.report = report
        self._names = Names(
            conversation.tools,
            facts.tool_name_max,
            first=facts.tool_name_first,
            customs=facts.custom_tools,
        )

    def name(self, name: str, namespace: str | None = None) -> str:
        """What a tool is called at the target; a name it would refuse is reported as mended."""
        out = self._names.out(name, namespace)
        if out != name:
            self.report.repair(Mend.TOOL_NAME, name)
        return out

    def lacks(self, concept: Concept, reason: str, *, act: DropAction = DropAction.DROPPED) -> None:
        """Report what is not carried, by its rank."""
        lacking(self.report, concept, self.shape, reason, act=act)

    def takes(self, concept: Concept) -> bool:
        """Whether the model takes a member; reports it where not."""
        if concept in self.facts.refuses:
            self.lacks(concept, "not taken by this model")
            return False
        return True
