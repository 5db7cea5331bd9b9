"""What has not changed is not built again, and what has is."""

import msgspec

from trivium.routing.build_memory import BuildMemory
from trivium.routing.catalogue import build
from trivium.secret import Secret
from trivium.settings.entries import BindingEntry, ChannelEntry, ModelEntry
from trivium.settings.model import Settings, UpstreamSettings

CHANNEL = ChannelEntry(name="a", provider="openai", api_key="k")
OTHER = ChannelEntry(name="b", provider="openai", api_key="env:K")
MODEL = ModelEntry(name="m", free=True, bindings=(BindingEntry(channel="a"),))
BOTH = ModelEntry(
    name="n", free=True, bindings=(BindingEntry(channel="a"), BindingEntry(channel="b"))
)
SETTINGS = Settings(channels=(CHANNEL, OTHER), models=(MODEL, BOTH))


class Builds:
    """Builds again and again with one memory."""

    def __init__(self):
        self.memory = BuildMemory()
        self.key = "one"

    def __call__(self, settings=SETTINGS):
        return build(
            settings, resolve=lambda text, _: Secret(text and self.key), memory=self.memory
        )


def test_the_same_entries_are_the_same_objects():
    """Also where a secret is looked up and is what it was."""
    make = Builds()
    first, second = make(), make()
    assert all(first.models[name] is second.models[name] for name in "mn")
    assert all(first.channels[name] is second.channels[name] for name in "ab")


def test_what_is_looked_up_may_be_another_now():
    """The channel is built anew, and each model that it serves."""
    make = Builds()
    first = make()
    make.key = "two"
    second = make()
    assert Secret("two") == second.channels["b"].credentials[0]
    assert Secret("two") == second.models["n"].bindings[1].channel.credentials[0]
    assert first.models["m"] is second.models["m"]


def test_an_edit_reaches_what_depends_on_it():
    """A channel its models, settings of all channels everything, a model itself alone."""
    make = Builds()
    first = make()
    edited = msgspec.structs.replace(CHANNEL, queue_s=9.0)
    second = make(msgspec.structs.replace(SETTINGS, channels=(edited, OTHER)))
    assert [9.0, 9.0] == [second.models[name].bindings[0].channel.queue_s for name in "mn"]
    slower = msgspec.structs.replace(SETTINGS, upstream=UpstreamSettings(connect_timeout_s=77.0))
    assert {77.0} == {each.limits.connect for each in make(slower).channels.values()}
    free = msgspec.structs.replace(MODEL, title="M")
    third = make(msgspec.structs.replace(SETTINGS, models=(free, BOTH)))
    assert ("M", first.models["n"]) == (third.models["m"].title, third.models["n"])


def test_a_channel_that_is_switched_off_and_on():
    """Its model's bindings go and come back."""
    make = Builds()
    make()
    off = msgspec.structs.replace(CHANNEL, disabled=True)
    assert () == make(msgspec.structs.replace(SETTINGS, channels=(off, OTHER))).models["m"].bindings
    assert 1 == len(make().models["m"].bindings)


def test_what_is_gone_is_forgotten():
    """A long life with many names does not fill the memory."""
    make = Builds()
    make()
    make(Settings())
    assert None is make.memory.channel(CHANNEL, SETTINGS.upstream, guarded=False)
    assert None is make.memory.model(MODEL, (None,))


def test_a_channel_that_becomes_the_databases_is_looked_at_again():
    """What it may refer to is another matter there."""
    memory = BuildMemory()
    build(SETTINGS, resolve=lambda *_: Secret("k"), memory=memory)
    assert None is not memory.channel(CHANNEL, SETTINGS.upstream, guarded=False)
    assert None is memory.channel(CHANNEL, SETTINGS.upstream, guarded=True)
    assert not memory.is_callable("openai", "u")
    memory.found_callable("openai", "u")
    assert memory.is_callable("openai", "u")
