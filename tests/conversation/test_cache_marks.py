"""Cache marks of a whole request."""

from trivium.conversation.calls import ToolResult
from trivium.conversation.items import Role, Turn
from trivium.conversation.parts import CacheMark, Text
from trivium.conversation.request import Conversation
from trivium.conversation.tools import FunctionTool
from trivium.conversation.turns import marks


def test_marks_are_found_wherever_they_stand():
    """In tools, instructions, parts, parts of results, and for the whole."""
    one, two, three, four, five, six = (CacheMark(str(number)) for number in range(6))
    result = ToolResult("c", (Text("a"), Text("b", cache=four)), cache=three)
    asked = Conversation(
        shape="messages",
        model="m",
        tools=(FunctionTool("f", cache=one), FunctionTool("g")),
        instructions=(Text("i", cache=two),),
        turns=(Turn(Role.USER, (result, Text("t"), Text("u", cache=five))),),
        cache=six,
    )
    assert [one, two, three, four, five, six] == list(marks(asked))
    assert [] == list(marks(Conversation(shape="chat", model="m")))
