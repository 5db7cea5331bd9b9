"""A rehearsal on the command line: the file's catalogue, and nobody to call."""

from trivium.cli.rehearsal import rehearse
from trivium.providers.registry import PROVIDERS
from trivium.routing.catalogue import build
from trivium.routing.router import Router
from trivium.settings.model import BindingEntry, ChannelEntry, ModelEntry, Settings
from trivium.wire.operation import Operation

SETTINGS = Settings(
    channels=(ChannelEntry(name="c", provider="gemini", api_key="secret-of-the-vendor"),),
    models=(
        ModelEntry(
            name="m", free=True, bindings=(BindingEntry(channel="c", model="gemini-2.5-flash"),)
        ),
    ),
)
BODY = b'{"model":"m","messages":[{"role":"user","content":"Hi"}]}'


def test_a_rehearsal_tells_the_whole_way():
    """From the public model to the channel's path and body."""
    router = Router(build(SETTINGS, PROVIDERS), lambda: 0.5)
    told = rehearse(router, Operation.CHAT, BODY, "m", strict=False)
    (step,) = told["steps"]
    assert ("chat completions", None) == (told["asked_for"], told["refused"])
    assert step["path"].endswith("/models/gemini-2.5-flash:generateContent")
    assert b'"Hi"' in bytes(step["body"])
    assert "secret-of-the-vendor" not in repr(told)
