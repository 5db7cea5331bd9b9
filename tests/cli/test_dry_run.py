"""A rehearsal on the command line: the file's catalogue, and nobody to call."""

import msgspec

from trivium.cli.dry_run import explain_offline
from trivium.providers.registry import PROVIDERS
from trivium.routing.catalogue import build
from trivium.routing.router import Router
from trivium.settings.entries import BindingEntry, ChannelEntry, ModelEntry
from trivium.settings.model import Settings
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


def test_the_highest_price_is_known():
    """From the file's own prices; nothing is held."""
    (model,) = SETTINGS.models
    priced = msgspec.structs.replace(
        model, free=False, price={"input": "1", "output": "10"}, output_max=1000
    )
    settings = msgspec.structs.replace(SETTINGS, models=(priced,))
    router = Router(build(settings, PROVIDERS), lambda: 0.5)
    body = BODY[:-1] + b',"max_tokens":100}'
    told = explain_offline(router, Operation.CHAT, body, "m", strict=False)
    # a hundred tokens at ten dollars a million, and at most one for two bytes of the body
    assert 1_000_000 < told["price"]["nanos"] <= 1_000_000 + 1_000 * len(body)
    assert told["price"]["usd"].startswith("0.001")


def test_a_rehearsal_tells_the_whole_way():
    """From the public model to the channel's path and body."""
    router = Router(build(SETTINGS, PROVIDERS), lambda: 0.5)
    told = explain_offline(router, Operation.CHAT, BODY, "m", strict=False)
    (step,) = told["steps"]
    assert ("chat completions", None) == (told["asked_for"], told["refused"])
    assert step["path"].endswith("/models/gemini-2.5-flash:generateContent")
    assert b'"Hi"' in bytes(step["body"])
    assert "secret-of-the-vendor" not in repr(told)
