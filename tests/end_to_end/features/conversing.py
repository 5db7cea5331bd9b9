"""The features of requests in the words of the converse shape, which callers speak."""

import dataclasses
import json

from end_to_end.features.asking import CITY, EMPTY, NOTHING, OSLO, PDF, PNG, ROME, WAV

USER = "user"
PICTURE = {"image": {"format": "png", "source": {"bytes": PNG}}}


def spoken(*turns, **members):
    """A request of these turns: (role, text or blocks)."""
    rows = [
        {"role": role, "content": [{"text": content}] if isinstance(content, str) else content}
        for role, content in turns
    ]
    limit = {"maxTokens": 64} | members.pop("inferenceConfig", {})
    return {"messages": rows, "inferenceConfig": limit} | members


def hello(**members):
    """The greeting, with members of its own."""
    return spoken((USER, "Hello"), **members)


def sampled(**members):
    """With members of ``inferenceConfig``."""
    return hello(inferenceConfig=members)


def fields(**members):
    """With the model's own members."""
    return hello(additionalModelRequestFields=members)


def spec(name="look", schema=CITY, **more):
    """One declared function."""
    inner = {"name": name, "description": "Looks.", "inputSchema": {"json": schema}}
    return {"toolSpec": inner | more}


def tooled(*tools, **config):
    """A question with tools."""
    return spoken((USER, "Weather?"), toolConfig={"tools": list(tools) or [spec()]} | config)


def called(*calls, results):
    """A question, calls and their results, as in ``asking.called``."""
    uses = [
        {"toolUse": {"toolUseId": one, "name": name, "input": found}}
        for one, name, _, found in calls
    ]
    answers = [
        {
            "toolResult": {"toolUseId": one[0]}
            | (result if isinstance(result, dict) else {"content": [{"text": result}]})
        }
        for one, result in zip(calls, results, strict=True)
    ]
    tools = [spec(name) for name in dict.fromkeys(one[1] for one in calls)]
    return spoken(
        (USER, "Weather?"), ("assistant", uses), (USER, answers), toolConfig={"tools": tools}
    )


def formatted(schema):
    """An answer by a schema."""
    inner = {"schema": json.dumps(schema), "name": "town"}
    kind = {"type": "json_schema", "structure": {"jsonSchema": inner}}
    return hello(outputConfig={"textFormat": kind})


def _thinking(**members):
    return spoken(
        (USER, "Hello"),
        additionalModelRequestFields={"thinking": members},
        inferenceConfig={"maxTokens": 20_000},
    )


BODIES = {
    "plain text": hello(),
    "several text parts": spoken((USER, [{"text": "Hello"}, {"text": "there"}])),
    "system": hello(system=[{"text": "Be brief."}]),
    "system in the middle": spoken((USER, "Hello"), ("system", "Be brief."), (USER, "Go on.")),
    "several turns": spoken((USER, "Hello"), ("assistant", "Hi"), (USER, "Go on.")),
    "ends with the assistant (prefill)": spoken((USER, "Hello"), ("assistant", "Well,")),
    "image bytes": spoken((USER, [PICTURE])),
    "PDF": spoken(
        (
            USER,
            [
                {"text": "Read."},
                {"document": {"format": "pdf", "name": "a.pdf", "source": {"bytes": PDF}}},
            ],
        )
    ),
    "file of a vendor's store": spoken(
        (USER, [{"image": {"format": "png", "source": {"s3Location": {"uri": "s3://bucket/a.png"}}}}])
    ),
    "audio in": spoken((USER, [{"audio": {"format": "wav", "source": {"bytes": WAV}}}])),
    "video in": spoken((USER, [{"video": {"format": "mp4", "source": {"bytes": WAV}}}])),
    "another vendor's reasoning in the history": spoken(
        (USER, "Hello"),
        (
            "assistant",
            [
                {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "EqQBCg=="}}},
                {"text": "Hi."},
            ],
        ),
        (USER, "Go on."),
    ),
    "cache marks": spoken((USER, [{"text": "Hello"}, {"cachePoint": {"type": "default"}}])),
    "tools": tooled(),
    "strict tools": tooled(spec(strict=True)),
    "call and result": called(ROME, results=("Sunny.",)),
    "parallel calls": called(ROME, OSLO, results=("Sunny.", "Rain.")),
    "call without arguments": called(EMPTY, results=("12:00",)),
    "forced call": tooled(toolChoice={"any": {}}),
    "forced call of one tool": tooled(toolChoice={"tool": {"name": "look"}}),
    "tool result with an image": called(ROME, results=({"content": [{"text": "Look:"}, PICTURE]},)),
    "tool result that is an error": called(
        ROME, results=({"content": [{"text": "No such city."}], "status": "error"},)
    ),
    "web search": tooled({"systemTool": {"name": "nova_grounding"}}),
    "running code": tooled({"systemTool": {"name": "nova_code_interpreter"}}),
    "a vendor's own tool": tooled({"systemTool": {"name": "somebodys_own"}}),
    "an empty object as parameters": tooled(spec("now", NOTHING)),
    "structured output": formatted(CITY),
    "temperature": sampled(temperature=0.5),
    "top_p": sampled(topP=0.5),
    "top_k": fields(top_k=20),
    "stop sequences": sampled(stopSequences=["END"]),
    "five stop sequences": sampled(stopSequences=["a1", "b2", "c3", "d4", "e5"]),
    "effort": hello(outputConfig={"effort": "medium"}),
    "least effort": hello(outputConfig={"effort": "minimal"}),
    "thinking in tokens": _thinking(type="enabled", budget_tokens=2048),
    "thinking in tokens between two steps": _thinking(type="enabled", budget_tokens=3000),
    "thinking off": _thinking(type="disabled"),
    "thoughts shown": _thinking(type="adaptive", display="summarized"),
    "service tier": hello(serviceTier={"type": "flex"}),
    "metadata": hello(requestMetadata={"team": "blue"}),
    "a member nobody knows": hello(frobnicate=1),
}  # fmt: skip
"""By the title of the feature."""

OWN = {
    "a guardrail": hello(guardrailConfig={"guardrailIdentifier": "g1", "guardrailVersion": "1"}),
    "text for a guardrail": spoken((USER, [{"guardContent": {"text": {"text": "Hello"}}}])),
    "variables of a stored prompt": hello(promptVariables={"town": {"text": "Rome"}}),
    "a faster pace": hello(performanceConfig={"latency": "optimized"}),
    "the model's own members": fields(frobnicate=1),
    "a tool result as JSON": called(ROME, results=({"content": [{"json": {"sky": "blue"}}]},)),
}
"""Features that no other shape has words for."""


def conversed(cases, make):
    """The cases with the shape's bodies, and those that it has alone; ``make`` makes one."""
    titles = {case.title for case in cases}
    assert titles >= set(BODIES), set(BODIES) - titles
    found = [
        dataclasses.replace(case, bodies=case.bodies | {"converse": BODIES[case.title]})
        if case.title in BODIES
        else case
        for case in cases
    ]
    own = [make(title, {"converse": body}, ("extensions",)) for title, body in OWN.items()]
    return [*found, *own]
