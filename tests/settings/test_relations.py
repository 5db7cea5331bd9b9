"""What is wrong between settings that are each fine alone."""

import msgspec
import pytest

from trivium.settings.model import Settings
from trivium.settings.relations import Names, relations

PRICE = {"input": "1", "output": "2"}


def _channel(name="a", **more):
    return {"name": name, "provider": "openai", **more}


def _model(name="m", *bindings, **more):
    more = more or {"free": True}
    return {"name": name, "bindings": list(bindings) or [{"channel": "a"}], **more}


def _problems(data, broken=()):
    data = {"channels": [_channel()], **data}
    return list(relations(msgspec.convert(data, Settings), list(broken)))


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"server": {"workers": 2}, "shared": {"url": "redis://h"}},
        {"server": {"tls_certificate": "a", "tls_key": "b"}},
        {"assets": {"url": "s3://b", "endpoint": "http://h", "access_key": "a", "secret_key": "b"}},
        {"models": [_model()]},
        {"models": [_model(price={"input": "0", "output": "1"})]},
        {"models": [_model(price={"per_request": "0.01"})]},
        {"models": [_model(images=[{"price": "0.04"}, {"price": "0.1", "size": "1x1"}])]},
        {"models": [_model(videos=[{"price": "0.1", "size": "2x1"}])]},
        {"models": [_model(price=PRICE, tiers=[{"above": 9, "price": {"input": "2"}}])]},
        {"models": [_model(price=PRICE, price_changes=[{"since": "2027-01-01", "price": PRICE}])]},
        {"models": [_model("m", {"channel": "a", "weight": 0}, {"channel": "a"})]},
        {
            "models": [
                _model(fallbacks=["n"], free=True),
                _model("n", fallbacks=["m"], free=True),
            ]
        },
        {"channels": [_channel("a"), _channel("b")]},
        {"channels": [_channel(headers={"x-a": "1", "x-b": "1"})]},
        {"channels": [_channel(max_concurrency=1, queue_max=2)]},
        {
            "channels": [_channel(probe={"model": "m"})],
            "models": [_model(free=True, bindings=[{"channel": "a"}])],
        },
    ],
)
def test_settings_that_fit_together_have_no_problem(data):
    """The other rows' counterparts."""
    assert [] == _problems(data)


@pytest.mark.parametrize(
    ("data", "path", "what"),
    [
        (
            {"server": {"workers": 2}},
            ("server", "workers"),
            (
                "is 2, which needs shared.url: without it each worker counts requests, tokens and "
                "budgets for itself, and every limit is multiplied by the workers"
            ),
        ),
        (
            {"server": {"tls_key": "a"}},
            ("server", "tls_key"),
            "needs tls_certificate beside it",
        ),
        (
            {"server": {"tls_certificate": "a"}},
            ("server", "tls_certificate"),
            "needs tls_key beside it",
        ),
        (
            {"server": {"admin_listen": "127.0.0.1:8080"}},
            ("server", "admin_listen"),
            "is the address of listen; leave it out to serve both on one port",
        ),
        (
            {"assets": {"url": "s3://b", "access_key": "a"}},
            ("assets", "access_key"),
            "needs secret_key beside it",
        ),
        (
            {"assets": {"endpoint": "http://h"}},
            ("assets", "endpoint"),
            "needs url with a bucket beside it",
        ),
        (
            {"channels": [_channel(), _channel()]},
            ("channels", 1, "name"),
            "is taken: another channel above has it",
        ),
        (
            {"channels": [_channel(api_key="a", api_keys=["b"])]},
            ("channels", 0, "api_keys"),
            "stands beside api_key: keep one of the two",
        ),
        (
            {"models": [_model(), _model()]},
            ("models", 1, "name"),
            "is taken: another model above has it",
        ),
        (
            {"channels": [_channel(queue_max=2)]},
            ("channels", 0, "queue_max"),
            "needs max_concurrency beside it: nobody waits where nothing is limited",
        ),
        (
            {"channels": [_channel(probe={"model": "m"})]},
            ("channels", 0, "probe", "model"),
            'is "m", which the channel does not serve',
        ),
        (
            {"models": [_model(fallbacks=["m"], free=True)]},
            ("models", 0, "fallbacks", 0),
            "is the model itself: it would fall back in a circle",
        ),
        (
            {"models": [_model(fallbacks=["n", "n"], free=True), _model("n")]},
            ("models", 0, "fallbacks", 1),
            "occurs twice",
        ),
        (
            {"models": [_model(fallbacks=["nn"], free=True), _model("n")]},
            ("models", 0, "fallbacks", 0),
            'names no model: there is no "nn"; did you mean n',
        ),
        (
            {"models": [_model("m", {"channel": "aa"})]},
            ("models", 0, "bindings", 0, "channel"),
            'names no channel: there is no "aa"; did you mean a',
        ),
        (
            {"models": [_model("m", {"channel": "zz"})], "channels": []},
            ("models", 0, "bindings", 0, "channel"),
            'names no channel: there is no "zz"',
        ),
        (
            {"models": [_model(free=False)]},
            ("models", 0, "price"),
            "is missing; a model that costs nothing says free = true",
        ),
        (
            {"models": [_model(free=True, price={"input": "1"})]},
            ("models", 0, "free"),
            "stands beside a price: keep one of the two",
        ),
        (
            {"models": [_model(price={"input": "0", "output": "0.00"})]},
            ("models", 0, "price"),
            "is 0 throughout; a model that costs nothing says so instead",
        ),
        (
            {"models": [_model(price={"output": "1"})]},
            ("models", 0, "price"),
            "has output without input: the prompt would cost nothing",
        ),
        (
            {"models": [_model(price={"input": "1", "reasoning": "1"})]},
            ("models", 0, "price"),
            "has reasoning without output: tokens of the ordinary kind would cost nothing",
        ),
        (
            {"models": [_model(price={**PRICE, "cache_write_5m": "1"})]},
            ("models", 0, "price"),
            "has cache_write_5m without cache_write_1h, and no cache_write for both",
        ),
        (
            {"models": [_model(price=PRICE, tiers=[{"above": 5}])]},
            ("models", 0, "tiers", 0, "price"),
            "is missing: a tier has prices of its own",
        ),
        (
            {"models": [_model(price=PRICE, tiers=[{"above": 5, "price": {"per_second": "1"}}])]},
            ("models", 0, "tiers", 0, "price", "per_second"),
            "has no tiers: tokens alone do",
        ),
        (
            {
                "models": [
                    _model(
                        price=PRICE,
                        tiers=[{"above": 5, "price": PRICE}, {"above": 5, "price": PRICE}],
                    )
                ]
            },
            ("models", 0, "tiers", 1, "above"),
            "is taken: another tier begins there",
        ),
        (
            {
                "models": [
                    _model(price={"input": "1"}, tiers=[{"above": 5, "price": {"reasoning": "1"}}])
                ]
            },
            ("models", 0, "tiers", 0, "price"),
            "has reasoning without output: tokens of the ordinary kind would cost nothing",
        ),
        (
            {"models": [_model(images=[{"price": "1"}, {"price": "2"}])]},
            ("models", 0, "images", 1),
            "has the size and quality of a row above",
        ),
        (
            {
                "models": [
                    _model(videos=[{"price": "1", "size": "2x1"}, {"price": "2", "size": "2x1"}])
                ]
            },
            ("models", 0, "videos", 1, "size"),
            "is that of a row above",
        ),
        (
            {"models": [_model(price=PRICE, price_changes=[{"since": "2027-01-01"}])]},
            ("models", 0, "price_changes", 0, "price"),
            "is missing: a change gives every price anew",
        ),
        (
            {
                "models": [
                    _model(price=PRICE, price_changes=[{"since": "2027-01-01", "price": PRICE}] * 2)
                ]
            },
            ("models", 0, "price_changes", 1, "since"),
            "is taken: another change begins on that day",
        ),
        (
            {"models": [{"name": "m", "free": True}]},
            ("models", 0, "bindings"),
            "is missing: a model is served by at least one channel",
        ),
        (
            {
                "models": [
                    _model(
                        "m",
                        {"channel": "a"},
                        {"channel": "a", "priority": 1, "weight": 0},
                        {"channel": "a", "priority": 1, "weight": 0},
                    )
                ]
            },
            ("models", 0, "bindings", 1, "weight"),
            "is 0, as are all weights at priority 1: one has to be above 0",
        ),
    ],
)
def test_settings_that_do_not_fit_together_are_named(data, path, what):
    """One problem, at the setting to change."""
    (problem,) = _problems(data)

    assert (path, what) == (problem.path, problem.what)


def test_a_header_given_twice_is_named_twice():
    """Names of headers do not know case."""
    found = _problems({"channels": [_channel(headers={"X-A": "1", "x-a": "2"})]})

    assert [("channels", 0, "headers", "X-A"), ("channels", 0, "headers", "x-a")] == [
        problem.path for problem in found
    ]


@pytest.mark.parametrize(
    ("data", "broken"),
    [
        ({"models": [{"name": "m"}]}, ("models", 0, "pricee")),
        ({"models": [_model("m", {"channel": "b"})], "channels": []}, ("channels",)),
        (
            {"models": [_model("m", {"channel": "b"})], "channels": [_channel("")]},
            ("channels", 0, "name"),
        ),
        ({"models": [_model(""), _model("")]}, ("models", 0, "name")),
    ],
)
def test_what_only_follows_from_another_slip_is_not_said(data, broken):
    """A misspelt ``price`` is one problem, not two."""
    assert [] == _problems(data, [broken])


@pytest.mark.parametrize(("room", "said"), [(5999, 1), (6000, 0)])
def test_room_for_bodies_holds_at_least_two_of_the_largest(room, said):
    """One user may have half of it, so less would take none of them."""
    found = _problems({"server": {"body_bytes_max": 3000, "bodies_bytes_max": room}})
    assert said == len([one for one in found if "bodies_bytes_max" in str(one)])


def test_a_thousand_slips_among_a_thousand_names_take_no_minutes():
    """Close names are looked for a few times; every slip is told all the same."""
    names = Names(f"model-number-{i}" for i in range(5_000))
    found = [names.close(f"model-nunber-{i}") for i in range(50)]
    assert (10, 40) == (sum(map(bool, found)), found.count(None))
    assert "model-number-3" in names
    assert 3 == names.index["model-number-3"]
