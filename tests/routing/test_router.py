"""Plans over one catalogue."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.faults import Fault, Kind
from trivium.routing import policy
from trivium.routing.model import Model
from trivium.routing.router import Router
from trivium.wire.operation import Operation


def _router(catalogue, draw=lambda: 0.5):
    return Router(catalogue, draw)


def test_a_model_is_found_by_its_public_name(bind, catalogue):
    """Exactly."""
    found = catalogue(m=[bind()])

    assert found.models["m"] is _router(found).find("m")


@pytest.mark.parametrize(
    ("name", "shown"), [("x", "x"), ("M", "M"), ("", ""), ("y" * 500, "y" * 200)]
)
def test_an_unknown_model_is_the_callers_fault(bind, catalogue, name, shown):
    """The name is quoted, within bounds."""
    with pytest.raises(Fault) as caught:
        _router(catalogue(m=[bind()])).find(name)

    fault = caught.value
    assert (Kind.MODEL_UNKNOWN, "model") == (fault.kind, fault.param)
    assert (
        f"The model `{shown}` is not available on this gateway. GET /v1/models lists those that "
        "are." == fault.message
    )


def test_models_come_in_the_order_of_the_file(bind, catalogue):
    """Lists of models keep it."""
    found = catalogue(b=[bind()], a=[bind()], c=[])

    assert ["b", "a", "c"] == [model.name for model in _router(found).models()]


def test_a_channel_is_found_by_its_name(bind, catalogue):
    """For those who look for what it keeps; a name without a channel is none."""
    found = catalogue(m=[bind()])
    ((name, channel),) = found.channels.items()

    assert channel is _router(found).channel(name)
    assert None is _router(found).channel("gone")


def test_a_model_without_channels_has_no_route(catalogue):
    """All of them are switched off: not the caller's doing."""
    found = catalogue(m=[])

    with pytest.raises(Fault) as caught:
        _router(found).plan(found.models["m"], Operation.CHAT)

    fault = caught.value
    assert (Kind.NO_ROUTE, 503) == (fault.kind, fault.status)
    assert "`m`" in fault.message


@pytest.mark.parametrize(
    ("provider", "shape", "operation", "message"),
    [
        ("openai", None, Operation.MODERATIONS,
         ("The model `m` does not serve moderations on this gateway. "
          "It serves: chat completions, responses, completions, embeddings, response token "
          "counts, messages, message token counts, generateContent, streamGenerateContent, "
          "countTokens, embedContent, batchEmbedContents, Converse, ConverseStream, Converse "
          "token counts, Cohere chats, Cohere embeddings, InvokeModel of embeddings.")),
        ("anthropic", None, Operation.EMBEDDINGS,
         ("The model `m` does not serve embeddings on this gateway. "
          "It serves: chat completions, responses, completions, response token counts, messages, "
          "message token counts, generateContent, streamGenerateContent, countTokens, Converse, "
          "ConverseStream, Converse token counts, Cohere chats.")),
    ],
)  # fmt: skip
def test_an_operation_no_channel_serves_is_refused_with_what_is_served(
    bind, catalogue, provider, shape, operation, message
):
    """The caller can choose another endpoint."""
    found = catalogue(m=[bind(provider=provider, shape=shape)])

    with pytest.raises(Fault) as caught:
        _router(found).plan(found.models["m"], operation)

    fault = caught.value
    assert (Kind.UNREPRESENTABLE, 400, message) == (fault.kind, fault.status, fault.message)


def test_a_plan_without_chance_is_made_once(bind, catalogue):
    """The common request pays for a look-up, not for a plan."""
    found = catalogue(m=[bind()])
    router = _router(found)

    first = router.plan(found.models["m"], Operation.CHAT)

    assert first is router.plan(found.models["m"], Operation.CHAT)
    assert ["a"] == [step.binding.channel.name for step in first.steps]


def test_a_model_of_an_older_catalogue_is_planned_as_it_was(bind, catalogue):
    """A request that began before a reload ends with the model it began with."""
    old, new = catalogue(m=[bind("old")]), catalogue(m=[bind("new")])
    router = _router(new)

    def first(model):
        return router.plan(model, Operation.CHAT).steps[0].binding.channel.name

    assert ["new", "old", "new"] == [
        first(model) for model in (new.models["m"], old.models["m"], new.models["m"])
    ]


@given(data=st.data())
def test_the_router_plans_as_the_plain_policy_does(bind, catalogue, data):
    """Keeping candidates changes the cost, not the plan."""
    rows = data.draw(
        st.lists(
            st.tuples(
                st.sampled_from(["openai", "anthropic", "both"]),
                st.sampled_from([None, "chat", "messages"]),
                st.integers(0, 2),
                st.integers(0, 3),
            ),
            min_size=1,
            max_size=6,
        )
    )
    bindings = [
        bind(f"c{i}", provider, shape=shape, priority=priority, weight=weight)
        for i, (provider, shape, priority, weight) in enumerate(rows)
    ]
    found = catalogue(m=bindings)
    seed = data.draw(st.integers())
    model = found.models["m"]
    router = _router(found, random.Random(seed).random)
    draw = random.Random(seed).random

    for operation in data.draw(st.lists(st.sampled_from(list(Operation)), max_size=6)):
        plain = policy.plan(Model(name="m", bindings=tuple(bindings)), operation, draw)
        try:
            planned = router.plan(model, operation)
        except Fault:
            assert () == plain.steps
        else:
            assert plain == planned
