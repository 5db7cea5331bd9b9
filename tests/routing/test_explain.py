"""A plan in plain data."""

import msgspec
import pytest

from trivium.faults import Fault
from trivium.routing.explain import explain
from trivium.routing.router import Router
from trivium.wire.operation import Operation


def _explain(found, operation, name="m"):
    return explain(Router(found, lambda: 0.9), operation, name)


def test_a_plan_is_explained_step_by_step(bind, catalogue):
    """Heaviest first within a priority; what was passed over, and why."""
    found = catalogue(
        m=[
            bind("light"),
            bind("later", priority=1),
            bind("heavy", weight=3, model="gpt-5-2026"),
            bind("other", "anthropic", model="claude"),
        ]
    )

    told = _explain(found, Operation.CHAT)

    assert ["heavy", "light", "other", "later"] == [step["channel"] for step in told["steps"]]
    assert {
        "channel": "heavy",
        "provider": "openai",
        "upstream_model": "gpt-5-2026",
        "operation": "chat",
        "shape": "chat",
        "path": "/v1/chat/completions",
        "priority": 0,
        "weight": 3,
        "why": "priority 0, weight 3 of 4",
    } == told["steps"][0]
    assert ("messages", "priority 0, weight 1 of 1, translated to messages") == (
        told["steps"][2]["shape"],
        told["steps"][2]["why"],
    )
    assert [] == told["skipped"]
    assert ("m", "chat", None) == (told["model"], told["operation"], told["refused"])


def test_a_model_in_the_path_is_escaped(bind, catalogue):
    """As it would be sent."""
    found = catalogue(m=[bind("g", "gemini", model="a/b c")])

    (step,) = _explain(found, Operation.GENERATE)["steps"]

    assert "/v1/v1beta/models/a/b%20c:x" == step["path"]


@pytest.mark.parametrize(("provider", "status"), [("anthropic", 400), (None, 503)])
def test_a_refusal_is_explained_too(bind, catalogue, provider, status):
    """With the status and the words the caller would get."""
    bindings = [bind(provider=provider)] if provider else []
    told = _explain(catalogue(m=bindings), Operation.EMBEDDINGS)

    assert [] == told["steps"]
    assert status == told["refused"]["status"]
    assert "`m`" in told["refused"]["message"]


def test_a_count_is_estimated_where_no_channel_counts(bind, catalogue):
    """So it is no refusal."""
    told = _explain(catalogue(m=[bind()]), Operation.MESSAGES_COUNT)

    assert ([], True, None) == (told["steps"], told["estimated"], told["refused"])
    assert not _explain(catalogue(m=[bind()]), Operation.CHAT)["estimated"]


def test_an_unknown_model_is_a_fault(catalogue):
    """As for a caller."""
    with pytest.raises(Fault):
        _explain(catalogue(), Operation.CHAT)


def test_nothing_secret_is_explained(bind, catalogue):
    """The explanation may be pasted into a ticket."""
    told = _explain(catalogue(m=[bind(), bind("b", "anthropic")]), Operation.CHAT)

    assert b"hunter2" not in msgspec.json.encode(told)


def test_who_needs_no_translation_comes_first(bind, catalogue):
    """However light: that is the order of a plan within a priority."""
    found = catalogue(m=[bind("heavy", "anthropic", weight=9), bind("light")])
    told = _explain(found, Operation.CHAT)
    assert ["light", "heavy"] == [step["channel"] for step in told["steps"]]


def test_fallback_models_are_explained_with_their_own_plans(bind, catalogue):
    """In the order in which they would be tried; theirs are not followed."""
    found = catalogue(m=[bind("a")], n=[bind("b", "anthropic")], o=[])
    models = dict(found.models)
    models["m"] = msgspec.structs.replace(models["m"], fallbacks=("n", "o"))
    models["n"] = msgspec.structs.replace(models["n"], fallbacks=("m",))
    found = msgspec.structs.replace(found, models=models)

    told = _explain(found, Operation.CHAT)["fallbacks"]

    assert [("n", ["b"]), ("o", [])] == [
        (one["model"], [step["channel"] for step in one["steps"]]) for one in told
    ]
    assert ("fallbacks" in told[0], told[1]["refused"]["status"]) == (False, 503)
