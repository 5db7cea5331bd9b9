"""What is known of single models, and what that does to the bodies they are sent."""

from datetime import date
from fnmatch import fnmatchcase

import msgspec
import pytest

from trivium.conversation.fit import fitted
from trivium.conversation.losses import Report
from trivium.conversation.opaque import StateOrigin
from trivium.conversation.target import BY_SHAPE, NOT_PROFILED, TargetFacts, target
from trivium.faults import Fault
from trivium.providers import profiles
from trivium.providers.profiles import ProfileRow, matching, plain, profile, rows
from trivium.providers.registry import PROVIDERS
from trivium.wire.codec import AnswerContext, ReadContext
from trivium.wire.codecs import CODECS
from trivium.wire.operation import Shape

FACTS = set(TargetFacts.__struct_fields__) - NOT_PROFILED
ROWS = rows()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.models[0]}-{min(row.facts)}")
def test_a_row_is_whole(row):
    """Known names, facts of their types, a page and a day; nothing that could never match."""
    assert set(row.shapes) <= set(BY_SHAPE)
    assert set(row.providers) <= set(PROVIDERS)
    assert set(row.facts) <= FACTS
    assert row.models
    assert row.facts
    for shape in row.shapes or BY_SHAPE:
        target(StateOrigin(shape, "p", "a"), "m", **row.facts)
    for name in row.models:
        assert name == plain(name)
    assert row.source.startswith("https://")
    assert row.read >= date(2026, 11, 21)


@pytest.mark.parametrize("row", [{"models": ["a"], "facts": {}, "colour": "red"}, {"models": []}])
def test_a_row_of_other_names_is_refused(row):
    """A misspelt member must not pass for none."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"source": "https://x", "read": date(2026, 11, 21), **row}, ProfileRow)


def test_two_rows_never_settle_one_fact_by_their_order():
    """Of equally specific rows for the same model, shape and provider only one states a fact."""
    seen = {}
    for row in ROWS:
        for name in row.models:
            for shape in row.shapes or BY_SHAPE:
                for provider in row.providers or ("",):
                    for fact, value in row.facts.items():
                        key = name, shape, provider, fact
                        assert seen.setdefault(key, value) == value, key


@pytest.mark.parametrize(
    ("provider", "model", "fact", "value"),
    [
        ("openai", "gpt-5.2", "efforts", ["none", "low", "medium", "high", "xhigh"]),
        ("openai", "gpt-5.2-pro", "efforts", ["medium", "high", "xhigh"]),
        ("openai", "gpt-5.2-chat-latest", "efforts", ["medium"]),
        ("openai", "gpt-5.1-codex-max", "efforts", ["medium", "high", "xhigh"]),
        ("openai", "gpt-5-mini-2025-08-07", "efforts", ["minimal", "low", "medium", "high"]),
        ("openai", "o3-mini", "inputs", []),
        ("openai", "o3", "inputs", ["image", "image_url", "document"]),
        ("openrouter", "openai/GPT-5.2", "output_member", "max_completion_tokens"),
        ("openai", "gpt-4o", "output_member", None),
        ("openai", "gpt-4o-mini", "output_cap", 16384),
        ("openai", "gpt-4o-2024-05-13", "output_cap", 4096),
        ("openai", "gpt-4.1-nano", "output_cap", 32768),
        ("openai", "gpt-4-turbo", "output_cap", 4096),
        ("openai", "gpt-4", "output_cap", None),
        ("deepseek", "deepseek-flash", "reasoning_back", "text"),
        ("deepseek", "deepseek-chat", "reasoning_back", "nothing"),
        ("together", "deepseek-ai/DeepSeek-R1", "reasoning_back", None),
        ("together", "deepseek-ai/DeepSeek-R1", "think_tags", True),
        ("vllm", "Qwen/Qwen3-32B", "think_tags", True),
        ("vllm", "Qwen/Qwen3-Coder-30B", "think_tags", False),
        ("xai", "grok-4", "stop_max", 0),
        ("xai", "grok-4-fast-non-reasoning", "stop_max", 4),
        ("xai", "grok-3-mini", "efforts", ["low", "high"]),
        ("moonshot", "kimi-k2.6", "output_member", "max_completion_tokens"),
        ("zhipu", "glm-4.6", "stop_max", 1),
        ("groq", "openai/gpt-oss-120b", "efforts", ["low", "medium", "high"]),
        ("ollama", "llama3.2-vision", "inputs", ["image", "image_url"]),
        ("ollama", "llama3.3", "inputs", []),
    ],
)
def test_the_more_specific_row_wins(provider, model, fact, value):
    """Fact by fact: what it does not say it inherits."""
    assert value == profile("chat", provider, model).get(fact)


@pytest.mark.parametrize(
    ("model", "thinks", "cap", "sampling"),
    [
        ("claude-3-5-haiku-20241022", "none", 8192, True),
        ("claude-3-7-sonnet-20250219", "budget", 64000, True),
        ("claude-opus-4-20250514", "budget", 32000, True),
        ("anthropic/claude-sonnet-4.5", "budget", 64000, True),
        ("claude-opus-4-6", "adaptive", 128000, True),
        ("claude-opus-4-8", "adaptive", 128000, False),
        ("claude-sonnet-5-5", "adaptive", 128000, False),
    ],
)
def test_a_claude_is_known_by_its_version(model, thinks, cap, sampling):
    """Written with points or dashes."""
    facts = profile("messages", "anthropic", model)
    assert (thinks, cap) == (facts["thinks"], facts["output_cap"])
    assert sampling is ("temperature" not in facts.get("refuses", ()))


@pytest.mark.parametrize(
    ("model", "thinks", "own", "marks"),
    [
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "budget", "claude", 4),
        ("anthropic.claude-3-7-sonnet-20250219-v1:0", "budget", "claude", 4),
        ("anthropic.claude-3-5-haiku-20241022-v1:0", "none", "claude", 4),
        ("anthropic.claude-3-5-sonnet-20240620-v1:0", "none", "claude", 0),
        ("anthropic.claude-v2:1", "none", "claude", 0),
        ("global.anthropic.claude-opus-5", "adaptive", "claude", 4),
        ("arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-opus-4-8", "adaptive", "claude", 4),
        ("us.amazon.nova-2-lite-v1:0", "effort", "nova", 4),
        ("amazon.nova-micro-v1:0", None, "nova", 4),
        ("openai.gpt-oss-120b-1:0", "effort", "gpt-oss", None),
        ("us.openai.gpt-5.6-luna", "effort", "gpt", None),
        ("meta.llama3-1-70b-instruct-v1:0", None, None, None),
    ],
)  # fmt: skip
def test_a_model_is_known_by_the_name_that_bedrock_gives_it(model, thinks, own, marks):
    """With the region and maker before it, and with the whole name of a resource."""
    facts = profile("converse", "bedrock", model)
    assert (thinks, own, marks) == tuple(
        facts.get(name) for name in ("thinks", "own_fields", "cache_marks")
    )
    target(StateOrigin("converse", "bedrock", "a"), model, **facts)


CLAUDES = [
    ("claude-sonnet-4-20250514", "claude-sonnet-4@20250514"),
    ("claude-opus-4-1-20250805", "claude-opus-4-1@20250805"),
    ("claude-3-7-sonnet-20250219", "claude-3-7-sonnet@20250219"),
    ("claude-haiku-4-5-20251001", "claude-haiku-4-5@20251001"),
    ("claude-opus-4-6", "claude-opus-4-6@default"),
    ("claude-3-5-haiku-20241022", "claude-3-5-haiku@20241022"),
]
"""Names of Anthropic's own, and Vertex AI's."""


@pytest.mark.parametrize(("own", "vertex"), CLAUDES)
def test_a_claude_is_the_same_wherever_it_is_served(own, vertex):
    """By each cloud's name for it; Converse adds what it has of its own."""
    facts = profile("messages", "anthropic", own)
    assert facts["thinks"]
    for provider, name in (
        ("bedrock-messages", f"eu.anthropic.{own}-v1:0"),
        ("bedrock-messages", f"anthropic.{own}-v1:0"),
        ("bedrock-mantle", f"anthropic.{own}"),
        ("vertex-claude", vertex),
        ("vertex-claude", f"publishers/anthropic/models/{vertex}"),
        ("azure-claude", own),
    ):
        assert facts == profile("messages", provider, name), name
    conversed = profile("converse", "bedrock", f"us.anthropic.{own}-v1:0")
    assert facts == {name: value for name, value in conversed.items() if name in facts}


def test_nothing_is_known_of_a_model_of_ones_own():
    """And rows of another shape or provider do not count."""
    assert {} == profile("chat", "openai", "my-model")
    assert {} == profile("chat", "openai", "claude-opus-5")
    assert [] == matching("generate", "gemini", "gpt-5")


CHAT = {
    "model": "m",
    "messages": [{"role": "user", "content": "Hi"}],
    "max_tokens": 4000,
    "temperature": 0.5,
    "reasoning_effort": "high",
}


def written(shape, provider, model, body, *, strict=False):
    """The body for one model, and the names of what was dropped or changed."""
    members = msgspec.json.decode(msgspec.json.encode(body), type=dict[str, msgspec.Raw])
    spoken = CODECS[Shape.CHAT].read_request(members, ReadContext())
    facts = target(StateOrigin(shape, provider, "a"), model, **profile(shape, provider, model))
    report = Report(facts.title, strict=strict)
    out = CODECS[Shape(shape)].write_request(fitted(spoken, facts, report), facts, report)
    return msgspec.json.decode(out), {drop.member: drop.act.value for drop in report.drops}


def test_a_reasoning_model_gets_its_own_limit_and_no_temperature():
    """Trap 39; what is left out is told."""
    body, dropped = written("chat", "openai", "o3-mini", CHAT)
    assert (4000, "high") == (body["max_completion_tokens"], body["reasoning_effort"])
    assert not {"max_tokens", "temperature"} & set(body)
    assert {"temperature": "dropped"} == dropped


def test_an_ordinary_model_gets_what_was_said():
    """Temperature and limit as they came; effort is nothing to it."""
    body, dropped = written("chat", "openai", "gpt-4o", CHAT)
    assert (4000, 0.5) == (body["max_tokens"], body["temperature"])
    assert {"reasoning_effort": "dropped"} == dropped


@pytest.mark.parametrize(
    ("effort", "temperature"), [(None, 0.5), ("none", 0.5), ("low", None), ("xhigh", None)]
)
def test_sampling_is_dropped_only_while_the_model_thinks(effort, temperature):
    """GPT-5.2 thinks when it is asked to."""
    body, dropped = written("chat", "openai", "gpt-5.2", {**CHAT, "reasoning_effort": effort})
    assert temperature == body.get("temperature")
    assert ({} if temperature else {"temperature": "dropped"}) == dropped


@pytest.mark.parametrize(
    ("model", "asked", "sent"),
    [
        ("gpt-5", "none", "minimal"),
        ("gpt-5.1", "minimal", "none"),
        ("gpt-5-pro", "low", "high"),
        ("o4-mini", "xhigh", "high"),
    ],
)
def test_the_nearest_step_is_sent(model, asked, sent):
    """And told."""
    body, dropped = written("chat", "openai", model, {**CHAT, "reasoning_effort": asked})
    assert (sent, "changed") == (body["reasoning_effort"], dropped["reasoning_effort"])


@pytest.mark.parametrize(
    ("model", "thinking", "effort", "told"),
    [
        ("claude-sonnet-4-5", {"type": "enabled", "budget_tokens": 2000}, None, "changed"),
        ("claude-opus-4-6", {"type": "adaptive"}, "high", None),
        ("claude-3-5-haiku-20241022", None, None, "dropped"),
    ],
)
def test_a_claude_thinks_in_its_own_way(model, thinking, effort, told):
    """A budget that gives way to the limit, adaptively by effort, or not at all."""
    body, dropped = written("messages", "anthropic", model, CHAT)
    assert (thinking, effort) == (
        body.get("thinking"),
        body.get("output_config", {}).get("effort"),
    )
    assert told == dropped.get("reasoning_effort")
    assert ("temperature" in dropped) is (thinking is not None)


@pytest.mark.parametrize(
    ("model", "config", "told"),
    [
        ("gemini-2.5-pro", {"thinkingBudget": 2000}, "changed"),
        ("gemini-3-flash-preview", {"thinkingLevel": "HIGH"}, None),
        ("gemini-2.0-flash", None, "dropped"),
    ],
)
def test_a_gemini_thinks_by_budget_or_by_level(model, config, told):
    """2.5, where the request's own limit leaves less than the effort means; 3; one that cannot."""
    body, dropped = written("generate", "gemini", model, CHAT)
    assert config == body["generationConfig"].get("thinkingConfig")
    assert told == dropped.get("reasoning_effort")


@pytest.mark.parametrize(
    ("model", "config"),
    [
        ("gemini-2.5-pro", {"thinkingBudget": 128}),
        ("gemini-2.5-flash", {"thinkingBudget": 0}),
        ("gemini-3-pro-preview", {"thinkingLevel": "LOW"}),
    ],
)
def test_thinking_that_cannot_be_switched_off_is_turned_down(model, config):
    """As far as the model lets itself be."""
    body, _ = written("generate", "gemini", model, {**CHAT, "reasoning_effort": "none"})
    assert config == body["generationConfig"]["thinkingConfig"]


@pytest.mark.parametrize(
    ("shape", "provider", "model", "more", "param"),
    [
        (
            "messages",
            "anthropic",
            "claude-opus-4-6",
            {"messages": [*CHAT["messages"], {"role": "assistant", "content": "Well,"}]},
            "messages",
        ),
        (
            "messages",
            "anthropic",
            "claude-sonnet-5-5",
            {
                "tools": [{"type": "function", "function": {"name": "look"}}],
                "tool_choice": "required",
            },
            "tool_choice",
        ),
        ("chat", "openai", "o3", {"logprobs": True}, "logprobs"),
    ],
)
def test_what_callers_rely_on_is_refused_by_name(shape, provider, model, more, param):
    """A prefill, a forced call, probabilities: 400 naming the member."""
    with pytest.raises(Fault) as caught:
        written(shape, provider, model, {**CHAT, **more})
    assert param == caught.value.param


def test_a_stop_sequence_that_the_model_does_not_take_is_cut_at_by_the_gateway():
    """It is not sent, and who asked is told who sees to it."""
    body, dropped = written("chat", "openai", "gpt-5", {**CHAT, "stop": ["x"]})
    assert ("stop" not in body, "stop" in dropped) == (True, True)


def test_calls_for_mistral_have_ids_of_nine_characters():
    """Anything else is a 400 there; both sides of a pair are rewritten alike."""
    call = {"id": "call_abcdef", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    kept = {**call, "id": "abcDEF123"}
    messages = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "tool_calls": [call, kept]},
        {"role": "tool", "tool_call_id": "call_abcdef", "content": "1"},
        {"role": "tool", "tool_call_id": "abcDEF123", "content": "2"},
    ]
    tools = [{"type": "function", "function": {"name": "f"}}]
    body, _ = written(
        "chat", "mistral", "mistral-large-latest", {**CHAT, "messages": messages, "tools": tools}
    )
    ids = [one["id"] for one in body["messages"][1]["tool_calls"]]
    assert ids == [one["tool_call_id"] for one in body["messages"][2:]]
    assert "abcDEF123" == ids[1]
    assert (9, True) == (len(ids[0]), ids[0].isalnum())


def test_reasoning_goes_back_to_a_server_that_demands_it():
    """DeepSeek answers 400 in a tool loop without it; others never see it."""
    turn = {"role": "assistant", "content": "So.", "reasoning_content": "Hm."}
    messages = [*CHAT["messages"], turn, {"role": "user", "content": "And?"}]
    for model, expected in (("deepseek-flash", "Hm."), ("deepseek-chat", None)):
        body, _ = written("chat", "deepseek", model, {**CHAT, "messages": messages})
        assert expected == body["messages"][1].get("reasoning_content")


def test_tags_are_read_where_servers_write_them():
    """As reasoning, not as text."""
    said = "<think>\nHm.\n</think>\n\nFour."
    body = {
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": said},
            }
        ]
    }
    for model, texts in (("Qwen/Qwen3-32B", ["Hm.", "Four."]), ("gpt-4o", [said])):
        origin = StateOrigin("chat", "vllm", "a")
        facts = target(origin, model, **profile("chat", "vllm", model))
        context = AnswerContext(origin=origin, model=model, think_tags=facts.think_tags)
        answer = CODECS[Shape.CHAT].read_answer(msgspec.json.encode(body), context)
        assert texts == [part.text for part in answer.candidates[0].parts]


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("anthropic.claude-sonnet-4-20250514-v1:0", "claude-sonnet-4-20250514-v1:0"),
        ("us-gov.anthropic.claude-3-7-sonnet-20250219-v1:0", "claude-3-7-sonnet-20250219-v1:0"),
        ("arn:aws:bedrock:us-east-1:1:inference-profile/eu.amazon.nova-pro-v1:0", "nova-pro-v1:0"),
        ("global.amazon.nova-2-lite-v1:0", "nova-2-lite-v1:0"),
        ("gpt-4.1", "gpt-4.1"),
        ("deepseek.ai", "ai"),
        ("us.acme-1", "us.acme-1"),
    ],
)
def test_bedrocks_ids_hold_a_models_name(model, name):
    """What is known of Claude is known of it there."""
    assert name == profiles.plain(model)


def test_rows_are_found_by_how_a_model_begins_as_by_trying_all():
    """Whatever a row's name leaves open: at its beginning as well, and with names of one letter."""
    table = rows()
    for shape, provider in (("chat", "openai"), ("messages", "anthropic"), ("generate", "vertex")):
        asked = [
            row
            for row in table
            if shape in (row.shapes or (shape,)) and provider in (row.providers or (provider,))
        ]
        names = {
            name.replace("*", text).replace("?", "9")
            for row in table
            for name in row.models
            for text in ("", "-x")
        }
        for name in {*names, "", "g", "gp"}:
            found = {
                row.source + repr(row.facts)
                for row in asked
                if any(fnmatchcase(plain(name), each) for each in row.models)
            }
            assert found == {
                row.source + repr(row.facts) for row in matching(shape, provider, name)
            }, name
