"""What a change would come to."""

from trivium.catalogue.model import EntryBody, EntryDiff, EntryName
from trivium.catalogue.preview import MODELS_MAX, lost, plans
from trivium.routing.catalogue import build
from trivium.settings.entries import BindingEntry, ChannelEntry, ModelEntry
from trivium.settings.model import Settings

BODY = EntryBody(document={})


def diff(kind, name):
    return EntryDiff(at=EntryName(kind, name), before=BODY, after=BODY)


def catalogue(models=("m",)):
    channels = (
        ChannelEntry(name="a", provider="openai", api_key="k"),
        ChannelEntry(name="b", provider="openai", api_key="k"),
        ChannelEntry(name="off", provider="openai", api_key="k", disabled=True),
    )
    entries = [
        ModelEntry(name=name, free=True, bindings=(BindingEntry(channel="a"),)) for name in models
    ]
    entries.append(ModelEntry(name="dark", free=True, bindings=(BindingEntry(channel="off"),)))
    return build(Settings(channels=channels, models=tuple(entries)))


def test_plans_of_what_is_concerned():
    """Models that are changed, and those at channels that are."""
    found = plans(catalogue(), [diff("model", "m"), diff("model", "gone"), diff("model", "dark")])
    assert ["dark", "gone", "m"] == [each["model"] for each in found]
    assert (True, True, ["a"]) == (
        "message" in found[0]["refused"], found[1]["gone"], [s["channel"] for s in found[2]["steps"]]
    )  # fmt: skip
    assert ["m"] == [each["model"] for each in plans(catalogue(), [diff("channel", "a")])]
    assert [] == plans(catalogue(), [diff("group", "g"), diff("channel", "b")])
    many = [f"m{i}" for i in range(50)]
    assert MODELS_MAX == len(plans(catalogue(many), [diff("channel", "a")]))


def test_requests_that_would_find_no_way():
    """Those of most requests first, each with the reason."""
    served = [("m", "a", 9), ("m", "b", 1), ("m", "zed", 3), ("gone", "a", 2), ("dark", "off", 5)]
    assert [
        ("dark", 5, "the model has no channel that is switched on"),
        ("m", 3, "the channel is gone or switched off; others serve the model"),
        ("gone", 2, "the model is gone"),
        ("m", 1, "the model is not bound to the channel any more; others serve it"),
    ] == [(each.model, each.requests, each.why) for each in lost(catalogue(), served)]
