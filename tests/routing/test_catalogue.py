"""Entries become channels and models, or one error names every slip."""

from decimal import Decimal

import msgspec
import pytest

from trivium.faults import Fault, Kind
from trivium.providers.base import Provider
from trivium.providers.credential import BEARER
from trivium.routing.catalogue import build, catalogue_of, spoken_shapes
from trivium.routing.model import TimeLimits
from trivium.secret import Secret
from trivium.settings.errors import SettingsError
from trivium.settings.limits import RateLimits
from trivium.settings.load import load_with_source
from trivium.settings.model import Settings
from trivium.settings.secrets import Secrets
from trivium.wire.operation import Operation, Shape


def _failure(refusal):
    return Fault(Kind.UPSTREAM_BROKE, "broke", status=refusal.status)


def _provider(name, base_url, credential, *operations):
    return Provider(
        name=name,
        title=name.title(),
        base_url=base_url,
        credential=credential,
        paths={operation: f"/{operation.value}" for operation in operations},
        failure=_failure,
    )


PROVIDERS = {
    "openai": _provider(
        "openai", "https://openai.example/v1", BEARER, Operation.CHAT, Operation.RESPONSES
    ),
    "custom": _provider("custom", None, BEARER, Operation.CHAT),
    "engine": msgspec.structs.replace(
        _provider("engine", "http://127.0.0.1:2", BEARER, Operation.CHAT), key_optional=True
    ),
    "local": _provider("local", "http://127.0.0.1:1", None, Operation.EMBEDDINGS),
}


def _normalise(provider, base_url):
    if "bad" in base_url:
        raise ValueError("the address has bad in it")
    return base_url.rstrip("/")


def _resolve(text, setting):
    if text == "env:NONE":
        raise SettingsError(f"{setting} names the environment variable NONE, which is not set")
    return Secret(text.upper())


def _build(data, **more):
    settings = msgspec.convert(data, Settings)
    more = {"resolve": _resolve, "normalise": _normalise, **more}
    return build(settings, PROVIDERS, **more)


def _channel(**more):
    return {"name": "a", "provider": "openai", "api_key": "env:key", **more}


def _one(**more):
    return _build({"channels": [_channel(**more)]}).channels["a"]


def test_a_channel_is_built_from_entry_provider_and_defaults():
    """Nothing is left to be looked up at request time."""
    channel = _one(headers={"x-team": "research", "x-secret": "env:team"}, max_concurrency=3)

    assert "openai" == channel.provider.name
    assert "https://openai.example/v1" == channel.base_url
    assert (Secret("ENV:KEY"),) == channel.credentials
    assert {"x-team": "research", "x-secret": "ENV:TEAM"} == channel.headers
    assert TimeLimits(connect=10, first_byte=600, idle=300, total=3600) == channel.limits
    assert (None, RateLimits(concurrency=3)) == (channel.proxy, channel.rates)


def test_a_channels_own_limits_win():
    """Limit by limit."""
    data = {
        "upstream": {"idle_timeout_s": 7, "total_timeout_s": 8},
        "channels": [_channel(timeouts={"connect": 1, "idle": 2})],
    }

    limits = _build(data).channels["a"].limits

    assert TimeLimits(connect=1, first_byte=600, idle=2, total=8) == limits


def test_a_models_own_limits_at_a_channel_win_over_the_channels():
    """A slow model does not make a channel patient with all others."""
    bound = {"channel": "a", "timeouts": {"first_byte": 900}}
    data = {
        "channels": [_channel(timeouts={"connect": 1})],
        "models": [{"name": "m", "free": True, "bindings": [bound, {"channel": "a"}]}],
    }

    slow, plain = _build(data).models["m"].bindings

    assert slow.limits == TimeLimits(connect=1, first_byte=900, idle=300, total=3600)
    assert plain.limits is None


def test_several_keys_are_kept_in_order():
    """One account may have more than one."""
    channel = _one(api_key=None, api_keys=("one", "two"))

    assert (Secret("ONE"), Secret("TWO")) == channel.credentials


@pytest.mark.parametrize(
    ("entry", "upstream", "environment", "proxy"),
    [
        ({"proxy": "http://own:1"}, {"proxy": "http://all:1"}, "http://env:1", "http://own:1"),
        ({}, {"proxy": "http://all:1"}, "http://env:1", "http://all:1"),
        ({}, {}, "http://env:1", "http://env:1"),
        ({}, {}, None, None),
    ],
)
def test_the_nearest_proxy_is_taken(entry, upstream, environment, proxy):
    """The channel's, else all channels', else the environment's."""
    data = {"channels": [_channel(**entry)], "upstream": upstream}

    assert proxy == _build(data, proxy=lambda _: environment).channels["a"].proxy


def test_the_environments_proxy_is_asked_for_the_channels_address():
    """``no_proxy`` is by host."""
    asked = []

    _build({"channels": [_channel(base_url="http://b/")]}, proxy=asked.append)

    assert ["http://b"] == asked


@pytest.mark.parametrize(
    ("entry", "line"),
    [
        (
            {"provider": "opnai"},
            (
                'channels[0].provider is "opnai", which is not a provider (did you mean openai?). '
                'Example: provider = "openai"'
            ),
        ),
        (
            {"provider": "zzz"},
            (
                'channels[0].provider is "zzz", which is not a provider (there are custom, engine, local, '
                'openai). Example: provider = "custom"'
            ),
        ),
        (
            {"provider": "custom"},
            (
                "channels[0].base_url is missing: every Custom account has its own. "
                'Example: base_url = "https://host.example/v1"'
            ),
        ),
        (
            {"base_url": "http://bad"},
            (
                "channels[0].base_url cannot be used: the address has bad in it. "
                'Example: base_url = "https://openai.example/v1"'
            ),
        ),
        (
            {"api_key": None},
            (
                "channels[0].api_key is missing: Openai asks for one. "
                'Example: api_key = "env:OPENAI_API_KEY"'
            ),
        ),
        (
            {"api_key": "env:NONE"},
            (
                "channels[0].api_key names the environment variable NONE, which is not set. "
                'Example: api_key = "env:OPENAI_API_KEY"'
            ),
        ),
        (
            {"api_key": None, "api_keys": ("a", "env:NONE")},
            (
                "channels[0].api_keys[1] names the environment variable NONE, which is not set. "
                'Example: api_key = "env:OPENAI_API_KEY"'
            ),
        ),
        (
            {"provider": "local"},
            "channels[0].api_key is given, but provider local takes none: it would never be sent",
        ),
        (
            {"headers": {"x-a": "env:NONE"}},
            "channels[0].headers.x-a names the environment variable NONE, which is not set",
        ),
    ],
)
def test_a_channel_that_cannot_be_is_named(entry, line):
    """With a line that would be right."""
    with pytest.raises(SettingsError) as caught:
        _one(**entry)

    assert (line,) == caught.value.lines


def test_every_slip_is_told_at_once():
    """Of several channels, and of one channel several."""
    entries = [
        _channel(name="a", provider="zzz"),
        _channel(name="b", base_url="http://bad", api_key="env:NONE"),
    ]

    with pytest.raises(SettingsError) as caught:
        _build({"channels": entries})

    assert 3 == len(caught.value.lines)


def test_one_bad_proxy_of_the_environment_is_told_once():
    """However many channels would use it."""

    def proxy(_):
        raise SettingsError("https_proxy: the environment's proxy must be …")

    with pytest.raises(SettingsError) as caught:
        _build({"channels": [_channel(name="a"), _channel(name="b")]}, proxy=proxy)

    assert ("https_proxy: the environment's proxy must be …",) == caught.value.lines


def test_an_account_with_an_address_of_its_own_needs_its_key():
    """Its address alone does not make it an engine of one's own."""
    with pytest.raises(SettingsError) as caught:
        _one(provider="custom", base_url="http://b", api_key=None)

    assert "channels[0].api_key is missing" in str(caught.value)


def test_a_base_url_is_shown_in_the_form_it_has():
    """The account's own parts in braces."""
    custom = msgspec.structs.replace(PROVIDERS["custom"], base_form="https://{account}.example/v1")
    settings = msgspec.convert({"channels": [_channel(provider="custom")]}, Settings)

    with pytest.raises(SettingsError) as caught:
        build(settings, {"custom": custom}, resolve=_resolve)

    assert 'Example: base_url = "https://{account}.example/v1"' in str(caught.value)


@pytest.mark.parametrize("model", ["../x", "a//b"])
def test_a_model_that_cannot_be_part_of_an_address_is_refused(model):
    """Where the provider's path carries it: at load, not at the first request."""
    gemini = msgspec.structs.replace(
        PROVIDERS["openai"], paths={Operation.GENERATE: "/models/{model}:generateContent"}
    )
    models = [{"name": "m", "free": True, "bindings": [{"channel": "a", "model": model}]}]
    settings = msgspec.convert({"channels": [_channel()], "models": models}, Settings)

    with pytest.raises(SettingsError) as caught:
        build(settings, {"openai": gemini}, resolve=_resolve)

    assert "models[0].bindings[0].model cannot be called: " in str(caught.value)


@pytest.mark.parametrize(
    "entry", [{"base_url": "http://b"}, {"provider": "local"}, {"provider": "engine"}]
)
def test_an_engine_of_ones_own_may_go_without_a_key(entry):
    """Its address is the operator's, or its provider knows no keys."""
    assert () == _one(**{"api_key": None, **entry}).credentials


MODEL = {
    "name": "gpt-5",
    "price": {"input": "1.25", "output": "10"},
    "context_max": 5,
    "bindings": [
        {"channel": "a", "model": "gpt-5-2026", "shape": "chat", "priority": 1, "weight": 4},
        {"channel": "a"},
    ],
}


def test_price_lists_are_built_oldest_first():
    """Whatever their order in the file; a free model has none."""
    later = [
        {"since": "2028-01-01", "price": {"input": "3"}},
        {
            "since": "2027-01-01",
            "images": [{"price": "0.04", "size": "1x1", "quality": "hd"}],
            "videos": [{"price": "0.3", "size": "2x1"}],
        },
    ]
    tiers = [{"above": 20, "price": {"input": "9"}}, {"above": 10, "price": {"input": "5"}}]
    models = [
        {**MODEL, "price_changes": later, "tiers": tiers},
        {"name": "b", "free": True, "bindings": [{"channel": "a"}]},
    ]
    built = _build({"channels": [_channel()], "models": models}).models
    first, second, third = built["gpt-5"].prices
    assert (0, 1_798_761_600, 1_830_297_600) == (first.since, second.since, third.since)
    assert [(10, Decimal(5)), (20, Decimal(9))] == [
        (t.above, t.price["input"]) for t in first.tiers
    ]
    assert [("1x1", "hd", Decimal("0.04"))] == [(i.size, i.quality, i.price) for i in second.images]
    assert [("2x1", Decimal("0.3"))] == [(v.size, v.price) for v in second.videos]
    assert () == built["b"].prices


def test_a_model_is_built_with_exact_prices():
    """Decimals stay decimals; a binding's name defaults to the public one."""
    model = _build({"channels": [_channel()], "models": [MODEL]}).models["gpt-5"]

    first, second = model.bindings
    (row,) = model.prices
    assert {"input": Decimal("1.25"), "output": Decimal(10)} == row.price
    assert (5, False, "trivium") == (model.context_max, model.free, model.owned_by)
    assert ("gpt-5-2026", Shape.CHAT, 1, 4) == (
        first.model, first.shape, first.priority, first.weight,
    )  # fmt: skip
    assert ("gpt-5", None, 0, 1) == (second.model, second.shape, second.priority, second.weight)


@pytest.mark.parametrize(
    ("provider", "line"),
    [
        (
            "openai",
            (
                "models[0].bindings[0].shape is messages, which provider openai does not speak "
                '(it speaks chat, responses). Example: shape = "chat"'
            ),
        ),
        (
            "local",
            (
                "models[0].bindings[0].shape is messages, which provider local does not speak "
                "(it speaks no conversation shape)"
            ),
        ),
    ],
)
def test_a_shape_the_provider_does_not_speak_is_refused(provider, line):
    """Before the first request, not at it."""
    channel = _channel(provider=provider, api_key=None, base_url="http://b")
    model = {"name": "m", "free": True, "bindings": [{"channel": "a", "shape": "messages"}]}

    with pytest.raises(SettingsError) as caught:
        _build({"channels": [channel], "models": [model]})

    assert (line,) == caught.value.lines


def test_a_disabled_channel_is_left_out_and_its_model_stays():
    """Callers are told that nothing serves it, not that it never existed."""
    data = {"channels": [_channel(disabled=True, api_key="env:NONE")], "models": [MODEL]}

    catalogue = _build(data, revision=7)

    assert {} == catalogue.channels
    assert () == catalogue.models["gpt-5"].bindings
    assert 7 == catalogue.revision


def test_spoken_shapes_are_conversations_only():
    """Embeddings are no shape a binding may name."""
    assert [Shape.CHAT, Shape.RESPONSES] == spoken_shapes(PROVIDERS["openai"])
    assert [] == spoken_shapes(PROVIDERS["local"])


FILE = """\
[[channels]]
name = "main"
provider = "openai"
api_key = "env:NAME"
base_url = "https://api.openai.com/v1"

[[models]]
name = "gpt-5"
free = true
bindings = [{ channel = "main" }]
"""


def test_a_files_slips_are_named_with_their_line(tmp_path):
    """The whole way from the file, with the providers that are shipped."""
    path = tmp_path / "trivium.toml"
    path.write_text(FILE)

    with pytest.raises(SettingsError) as caught:
        catalogue_of(load_with_source(path, {}))

    (line,) = caught.value.lines
    assert line.startswith(f'{path}:4: channels["main"].api_key names the environment variable')


def test_a_file_becomes_a_catalogue(tmp_path):
    """With the providers that are shipped and the environment's proxy."""
    path = tmp_path / "trivium.toml"
    path.write_text(FILE)

    found = catalogue_of(load_with_source(path, {"NAME": "sk", "https_proxy": "http://p:1"}), None)

    channel = found.models["gpt-5"].bindings[0].channel
    assert channel is found.channels["main"]
    assert ((Secret("sk"),), "http://p:1") == (channel.credentials, channel.proxy)


def test_the_process_environment_is_the_default(monkeypatch):
    """For callers that have settings and nothing else."""
    monkeypatch.setenv("NAME_OF_KEY", "sk")
    settings = msgspec.convert({"channels": [_channel(api_key="env:NAME_OF_KEY")]}, Settings)

    found = build(settings, PROVIDERS, normalise=_normalise)

    assert (Secret("sk"),) == found.channels["a"].credentials


def test_the_operators_profile_has_the_last_word():
    """A reload builds anew, so what is written there is in force without a restart."""
    data = {
        "channels": [{"name": "c", "provider": "openai", "api_key": "k"}],
        "models": [
            {
                "name": "m",
                "free": True,
                "bindings": [
                    {"channel": "c", "model": "o3", "profile": {"refuses": [], "stop_max": 4}}
                ],
            }
        ],
    }
    facts = _build(data).models["m"].bindings[0].targets[Shape.CHAT]
    assert (frozenset(), 4) == (facts.refuses, facts.stop_max)
    assert "max_completion_tokens" == facts.output_member
    del data["models"][0]["bindings"][0]["profile"]
    shipped = _build(data, revision=1).models["m"].bindings[0].targets[Shape.CHAT]
    assert (True, 0) == (bool(shipped.refuses), shipped.stop_max)


def _on_cloud(provider, **credential):
    base_url = "https://aiplatform.googleapis.com/v1/projects/acme-prod/locations/global"
    if provider == "azure":
        base_url = "https://acme.openai.azure.com/openai/v1"
    row = {"name": "c", "provider": provider, "base_url": base_url, "credential": credential}
    return msgspec.convert({"channels": [row]}, Settings)


def test_parts_that_are_files_may_have_several_lines(tmp_path):
    """As Google's console writes a key, and as every certificate is; any other part has one."""
    key = {"type": "service_account", "private_key": PEM, "client_email": "a@b", "token_uri": "https://t.example"}  # fmt: skip
    text = msgspec.json.format(msgspec.json.encode(key), indent=2).decode()
    (tmp_path / "key.json").write_text(text)
    (tmp_path / "gateway.pem").write_text(PEM)
    resolve = Secrets({}, tmp_path).resolve
    catalogue = build(_on_cloud("vertex", key="file:key.json"), resolve=resolve)
    assert Secret(text) == catalogue.channels["c"].parts["key"]
    who = {"tenant_id": "acme.example", "client_id": "c-1"}
    catalogue = build(_on_cloud("azure", **who, certificate="file:gateway.pem"), resolve=resolve)
    assert Secret(PEM.strip()) == catalogue.channels["c"].parts["certificate"]
    with pytest.raises(SettingsError, match="client_secret must be visible ASCII text on one line"):
        build(_on_cloud("azure", **who, client_secret="file:gateway.pem"), resolve=resolve)


PEM = """-----BEGIN CERTIFICATE-----
MIIB
-----END CERTIFICATE-----
-----BEGIN PRIVATE KEY-----
MIIE
-----END PRIVATE KEY-----
"""
