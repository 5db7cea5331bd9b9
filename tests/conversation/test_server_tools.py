"""What is said of a tool that a vendor runs, and another vendor's own cannot be told."""

import msgspec
import pytest

from trivium.conversation.fit import fitted
from trivium.conversation.items import Role, Turn
from trivium.conversation.losses import Rank, Report
from trivium.conversation.opaque import StateOrigin
from trivium.conversation.parts import Native, Text, VendorPart
from trivium.conversation.request import Conversation
from trivium.conversation.target import target
from trivium.conversation.tool_support import unsaid
from trivium.conversation.tools import FunctionTool, ServerKind, ServerTool, VendorTool
from trivium.faults import Fault, Kind


def tool(shape, **members):
    """A declaration as it came."""
    kind = ServerKind.CODE if "container" in members else ServerKind.WEB_SEARCH
    return ServerTool(kind, Native(shape, msgspec.json.encode(members)))


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        (tool("responses", type="web_search", search_context_size="low"), []),
        (tool("responses", type="web_search", external_web_access=True), []),
        (
            tool("responses", type="web_search", external_web_access=False),
            [("external_web_access", Rank.CONTRACT)],
        ),
        (
            tool("responses", type="web_search", search_content_types=["image"]),
            [("search_content_types", Rank.HINT)],
        ),
        (tool("responses", type="web_search", filters={"allowed_domains": ["a"]}), []),
        (tool("responses", filters={"since": "2026"}), [("filters", Rank.CONTRACT)]),
        (tool("responses", container={"type": "auto"}), []),
        (tool("responses", container={"type": "auto", "file_ids": []}), []),
        (tool("responses", container={"file_ids": ["f"]}), [("container", Rank.CONTRACT)]),
        (tool("responses", container={"network_policy": {"type": "disabled"}}),
         [("container", Rank.CONTRACT)]),
        (tool("responses", container="cntr_1"), [("container", Rank.CONTRACT)]),
        (
            tool("responses", container={"type": "auto", "memory_limit": "4g"}),
            [("container.memory_limit", Rank.HINT)],
        ),
        (tool("messages", type="web_fetch_1", name="web_fetch", max_uses=1), []),
        (tool("messages", max_content_tokens=9), [("max_content_tokens", Rank.HINT)]),
        (tool("messages", url_sources={"a": 1}), [("url_sources", Rank.CONTRACT)]),
        (tool("messages", allowed_callers=["direct"], citations=None), []),
        (tool("generate", googleSearch={"a": 1}), []),
    ],
)  # fmt: skip
def test_conditions_are_policy_and_all_else_is_cost(declared, expected):
    """What every family knows has a field of its own and is not here."""
    assert expected == list(unsaid(declared))


def fit(declared, shape):
    """The report of a request with this tool, from a responses caller."""
    goal = target(StateOrigin(shape, "vendor", "main"), "m")
    report = Report(goal.title)
    asked = Turn(Role.USER, (Text("News?"),))
    spoken = Conversation(shape="responses", model="m", turns=(asked,), tools=(declared,))
    fitted(spoken, goal, report)
    return [one.member for one in report.drops]


@pytest.mark.parametrize("shape", ["messages", "generate"])
def test_code_does_not_run_without_its_files(shape):
    """Nor where it may reach what it must not."""
    with pytest.raises(Fault) as caught:
        fit(tool("responses", container={"type": "auto", "file_ids": ["f"]}), shape)
    assert (Kind.UNREPRESENTABLE, "tools.container") == (caught.value.kind, caught.value.param)


UPLOAD = VendorPart(
    Native("messages", b'{"type":"container_upload","file_id":"f"}'), "container_upload"
)


def uploading(role, shape):
    """What becomes of a turn with a file for the vendor's own tools."""
    turns = (Turn(role, (UPLOAD, Text("See."))), Turn(Role.USER, (Text("Go on."),)))
    spoken = Conversation(shape="messages", model="m", turns=turns)
    return fitted(spoken, target(StateOrigin(shape, "vendor", "main"), "m"), Report("m")).turns


@pytest.mark.parametrize("shape", ["chat", "responses", "generate"])
def test_a_file_for_code_is_at_its_vendor_and_nowhere_else(shape):
    """Without it the model would answer as if there were none; what a model made is history."""
    with pytest.raises(Fault) as caught:
        uploading(Role.USER, shape)
    assert (Kind.UNREPRESENTABLE, "file_id") == (caught.value.kind, caught.value.param)
    assert UPLOAD in uploading(Role.ASSISTANT, shape)[0].parts
    assert UPLOAD in uploading(Role.USER, "messages")[0].parts


def test_what_costs_no_condition_is_told():
    """Its own shape is told everything."""
    declared = tool("responses", type="web_search", search_content_types=["image"])
    assert ["tools.search_content_types"] == fit(declared, "messages")
    assert [] == fit(declared, "responses")


LOOK = FunctionTool(name="look")
SEARCH = tool("responses", type="web_search")
CODE = tool("responses", container={"type": "auto"})
BASH = VendorTool(
    kind="bash_20250124",
    native=Native("messages", b'{"type":"bash_20250124","name":"bash"}'),
    name="bash",
)


def offered(*tools, **known):
    """The tools that a target of Google's is told of, and what was left out."""
    said = (Turn(Role.USER, (Text("Hi"),)),)
    google = target(StateOrigin("generate", "vendor", "account"), "m", **known)
    report = Report("the generate shape of m")
    asked = Conversation(shape="responses", model="m", turns=said, tools=tools)
    return fitted(asked, google, report).tools, len(report.drops)


@pytest.mark.parametrize(
    ("tools", "known", "expected"),
    [
        ((SEARCH,), {}, ((SEARCH,), 0)),
        ((CODE, SEARCH), {}, ((CODE, SEARCH), 0)),
        ((LOOK, SEARCH), {}, ((LOOK,), 1)),
        ((LOOK, SEARCH), {"mixed_tools": True}, ((LOOK, SEARCH), 0)),
        ((LOOK, CODE), {"drop_tools": {"code_execution"}}, ((LOOK,), 1)),
    ],
)
def test_googles_own_tools_do_not_stand_beside_functions(tools, known, expected):
    """Its API refuses the whole request: a search that is merely offered gives way."""
    assert expected == offered(*tools, **known)


@pytest.mark.parametrize("beside", [LOOK, BASH])
def test_whoever_needs_googles_own_tool_beside_functions_is_told(beside):
    """By name, before the vendor says it."""
    with pytest.raises(Fault, match=r"code_execution cannot stand beside functions; drop_tools"):
        offered(beside, CODE)


def test_tools_of_googles_own_callers_stay_as_they_are():
    """They say themselves how the two are to go together."""
    own = ServerTool(ServerKind.WEB_SEARCH, Native("generate", b'{"googleSearch":{}}'))
    assert ((LOOK, own), 0) == offered(LOOK, own)
