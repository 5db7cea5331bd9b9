"""An operator may know better: the names are those of the facts themselves."""

import msgspec
import pytest

from trivium.conversation.opaque import StateOrigin
from trivium.conversation.target import NOT_PROFILED, TargetFacts, target
from trivium.settings.profile import EXAMPLES, Profile
from trivium.settings.read import read

NAMES = {*TargetFacts.__struct_fields__} - NOT_PROFILED


def test_every_fact_can_be_overridden_and_nothing_else():
    """Whoever adds a fact is told here."""
    assert NAMES == set(Profile.__struct_fields__)
    assert NAMES == {name.removesuffix(".*") for name in EXAMPLES}


def test_only_what_is_said_counts():
    """What is left out stays as the shipped profile has it; false and 0 are said."""
    assert {} == Profile().facts()
    said = Profile(think_tags=False, stop_max=0, efforts=())
    assert {"think_tags": False, "stop_max": 0, "efforts": ()} == said.facts()


def checked(**profile):
    """The profile as read, and what is wrong with it."""
    data = {"models": [{"name": "m", "bindings": [{"channel": "c", "profile": profile}]}]}
    settings, problems = read(data, lambda name: name)
    return settings.models[0].bindings[0].profile, problems


@pytest.mark.parametrize("name", sorted(NAMES))
def test_an_example_is_a_fact(name):
    """What messages offer as right is taken by the file, and by the target."""
    example, _ = EXAMPLES.get(name) or EXAMPLES[f"{name}.*"]
    ((key, value),) = msgspec.toml.decode(example).items()
    found, problems = checked(**{key: value})
    assert [] == problems
    target(StateOrigin("chat", "p", "a"), "m", **found.facts())


@pytest.mark.parametrize(
    ("profile", "said"),
    [
        ({"think_tag": True}, "did you mean think_tags"),
        ({"colour": "red"}, "there are thinks, efforts"),
        ({"thinks": "often"}, "budget"),
        ({"efforts": ["low", "hard"]}, "xhigh"),
        ({"refuses": ["temprature"]}, "temperature"),
        ({"inputs": ["smell"]}, "image_url"),
        ({"stop_max": "four"}, "whole number"),
        ({"output_member": "max"}, "max_completion_tokens"),
    ],
)
def test_a_slip_is_named_with_what_would_be_right(profile, said):
    """Unknown names and values list the known ones."""
    _, problems = checked(**profile)
    assert 1 == len(problems)
    assert said in f"{problems[0].what} {problems[0].example}"
