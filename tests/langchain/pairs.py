"""LangChain's clients against every upstream shape; ``tests/end_to_end/sdk/test_langchain.py`` runs it.

A program of its own in an environment of its own: LangChain's package for Google holds an older SDK
of Google's than the one that the other tests drive. Models are those of ``end_to_end/sdk/pairs.py``,
whose vendor refuses what is not exactly right. Prints a line a case and ends with 1 if one failed.
"""

import itertools
import os
import sys
import traceback
import warnings

import pydantic
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_google_genai import ChatGoogleGenerativeAI
from langchain_openai import ChatOpenAI

ORIGIN = os.environ["TRIVIUM_TEST_ORIGIN"]
KEY = os.environ["TRIVIUM_TEST_KEY"]
TEXT = os.environ["TRIVIUM_TEST_TEXT"]
PNG = os.environ["TRIVIUM_TEST_PNG"]
RESULTS = {"Köln": "12 degrees", "Oslo": "3 degrees", None: "12:00"}
SHAPES = ("chat", "responses", "messages", "generate")


@tool
def look(city: str) -> str:
    """The weather of a city."""
    return RESULTS[city]


@tool
def now() -> str:
    """The time."""
    return RESULTS[None]


TOOLS = {"look": look, "now": now}


class Person(pydantic.BaseModel):
    """Somebody."""

    name: str
    born: int | None


class Town(pydantic.BaseModel):
    """What is asked for."""

    city: str
    people: int
    mayor: Person
    council: list[Person]


def _openai(model, **more):
    return ChatOpenAI(
        model=model,
        base_url=f"{ORIGIN}/v1",
        api_key=KEY,
        max_retries=0,
        max_tokens=64,
        stream_usage=True,
        **more,
    )


def _responses(model, **more):
    return _openai(model, use_responses_api=True, include=["reasoning.encrypted_content"], **more)


def _anthropic(model, **more):
    return ChatAnthropic(
        model=model, base_url=ORIGIN, api_key=KEY, max_retries=0, max_tokens=64, **more
    )


def _google(model, **more):
    return ChatGoogleGenerativeAI(
        model=model,
        base_url=f"{ORIGIN}/vendorc",
        api_key=KEY,
        max_retries=1,
        max_output_tokens=64,
        **more,
    )


CLIENTS = {
    "chat": _openai,
    "responses": _responses,
    "messages": _anthropic,
    "generate": _google,
}


def _ask(model, turns, *, stream):
    """One answer, as the client gives it."""
    if not stream:
        return model.invoke(turns)
    whole = None
    for piece in model.stream(turns):
        whole = piece if whole is None else whole + piece
    return whole


def a_text(client, upstream, stream):
    """Words and counts."""
    answer = _ask(client(f"text-{upstream}"), [HumanMessage("Weather?")], stream=stream)
    assert answer.text == TEXT, answer
    usage = answer.usage_metadata
    assert (usage["input_tokens"], usage["output_tokens"]) == (20, 7), usage


def _loop(client, model, stream, calls):
    """Ask, run the tools, ask again with what the client keeps of the first answer."""
    more = {"strict": False} if client in (_openai, _responses) else {}
    bound = client(model).bind_tools(list(TOOLS.values()), **more)
    turns = [HumanMessage("Weather?")]
    answer = _ask(bound, turns, stream=stream)
    assert [(call["name"], call["args"]) for call in answer.tool_calls] == calls, answer
    turns.append(answer)
    turns += [
        ToolMessage(TOOLS[call["name"]].invoke(call["args"]), tool_call_id=call["id"])
        for call in answer.tool_calls
    ]
    answer = _ask(bound, turns, stream=stream)
    assert (answer.text, answer.tool_calls) == (TEXT, []), answer


def a_loop_of_tools(client, upstream, stream):
    """Two parallel calls and one without arguments."""
    calls = [("look", {"city": "Köln"}), ("look", {"city": "Oslo"}), ("now", {})]
    _loop(client, f"calls-{upstream}", stream, calls)


def signed_reasoning(client, upstream, stream):
    """The vendor wants its own signature back."""
    _loop(client, f"signed-{upstream}", stream, [("look", {"city": "Köln"})])


def an_image(client, upstream, stream):
    """Its bytes arrive."""
    image = {"type": "image", "base64": PNG, "mime_type": "image/png"}
    question = HumanMessage(content_blocks=[{"type": "text", "text": "What?"}, image])
    assert _ask(client(f"image-{upstream}"), [question], stream=stream).text == TEXT


def structured_output(client, upstream, stream):
    """A schema there, a class back."""
    method = "json_schema"
    model = client(f"town-{upstream}").with_structured_output(Town, method=method)
    town = list(model.stream("Where?"))[-1] if stream else model.invoke("Where?")
    assert (town.city, town.people, town.mayor.name) == ("Köln", 1087000, "Ada"), town


BY_ITSELF = {
    # the same shape on both sides: nothing of ours is between this client and the double
    (
        "chat",
        "chat",
        signed_reasoning,
    ): "the client drops reasoning_content, which the double wants",
    ("responses", "responses", structured_output): "the double's stream has no parsed text",
    ("messages", "messages", a_text): "the double counts input in message_delta only",
}
SCENES = (a_text, a_loop_of_tools, signed_reasoning, an_image, structured_output)


def main(few):
    """Every case, or each client's against one of the upstreams; 1 if one failed."""
    warnings.simplefilter("ignore")
    failed = 0
    # callers and shapes stand in the same order: each talks to the shape before its own
    pairs = zip(CLIENTS, SHAPES[-1:] + SHAPES, strict=False)
    for caller, upstream in pairs if few else itertools.product(CLIENTS, SHAPES):
        for scene, stream in itertools.product(SCENES, (False, True)):
            if (caller, upstream, scene) in BY_ITSELF:
                continue
            title = f"{caller} to {upstream}: {scene.__name__}, {'streamed' if stream else 'whole'}"
            try:
                scene(CLIENTS[caller], upstream, stream)
            except Exception:
                failed += 1
                sys.stdout.write(f"not ok {title}\n{traceback.format_exc()}\n")
            else:
                sys.stdout.write(f"ok {title}\n")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] == ["few"]))
