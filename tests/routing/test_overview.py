"""Channels for people: where they call, what they serve, what rests."""

import pytest

from trivium.routing.overview import models_of, overview
from trivium.routing.shared_breakers import accounts
from trivium.routing.store import Resting


@pytest.fixture
def catalogue(tmp_path):
    from trivium.routing.catalogue import catalogue_of
    from trivium.settings.load import load_with_source

    path = tmp_path / "trivium.toml"
    path.write_text("""
[[channels]]
name = "main"
provider = "openai"
base_url = "https://main.example/v1"
api_keys = ["sk-first-0123456789", "sk-second-0123456789"]
[[channels]]
name = "idle"
provider = "openai"
base_url = "https://idle.example"
api_key = "sk-third-0123456789"
[[models]]
name = "m"
price = { input = "1", output = "1" }
[[models.bindings]]
channel = "main"
model = "n"
""")
    return catalogue_of(load_with_source(path, {}))


def resting(channel, account, **more):
    """What the gateway noted."""
    given = {"model": "", "fault": "upstream_broke", "told": True, "openings": 3}
    return Resting(channel=channel, account=account, until_at=9, written_at=1, **given | more)


def test_what_rests_is_found_by_its_key(catalogue):
    """The second of two; what is noted of others, or of keys of the past, is not shown."""
    main = catalogue.channels["main"]
    rows = [
        resting("main", accounts(main)[1], model="n"),
        resting("main", "another"),
        resting("gone", accounts(main)[1]),
    ]
    first, idle = overview(catalogue.channels.values(), catalogue.models.values(), rows)
    (rest,) = first.rests
    assert (2, "n", "upstream_broke", True, 9, 3) == (
        rest.key, rest.upstream_model, rest.fault, rest.named_by_vendor, rest.until, rest.openings,
    )  # fmt: skip
    assert ("main", "main.example:443", 2, ["m"]) == (
        first.channel, first.host, first.keys, first.models,
    )  # fmt: skip
    assert ([], []) == (idle.rests, idle.models)


def test_models_are_named_by_what_callers_ask_for(catalogue):
    """And none of another channel."""
    assert ["m"] == models_of(catalogue.models.values(), catalogue.channels["main"])
    assert [] == models_of(catalogue.models.values(), catalogue.channels["idle"])
