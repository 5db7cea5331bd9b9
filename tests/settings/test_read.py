"""Raw data against the settings' types: every slip of single values."""

import tomllib

import pytest
from msgspec import inspect

from trivium.settings.model import Settings
from trivium.settings.read import _misfit, read
from trivium.settings.rules import RULES


def _problems(text):
    _, problems = read(tomllib.loads(text), _look_up)
    return [(".".join(map(str, problem.path)), problem.what) for problem in problems]


def _look_up(text):
    if text == "env:DB":
        return "postgresql://u:p@h/db"
    raise ValueError("names the environment variable X, which is not set")


CHANNEL = '[[channels]]\nname = "a"\nprovider = "openai"\n'
MODEL = '[[models]]\nname = "m"\n'


@pytest.mark.parametrize(
    ("text", "path", "what"),
    [
        ("[server]\nlistn = 'a:1'", "server.listn", "is not a setting (did you mean listen?)"),
        ("listen = 'a:1'", "listen", "is a setting of [server]: write it below that line"),
        ("[sever]", "sever", "is not a setting (did you mean server?)"),
        ("zzz = 1", "zzz", "is not a setting; there are server, storage"),
        ("[shared]\nzzz = 1", "shared.zzz", "is not a setting; there are url"),
        ("server = 5", "server", "must be a table, not 5"),
        ("[channels]\nname = 'a'", "channels", "must be a list of tables: double brackets"),
        ("channels = [5]", "channels.0", "must be a table, not 5"),
        ("[server]\nworkers = '4'", "server.workers", 'must be a whole number, not the text "4"'),
        ("[server]\nworkers = 1.5", "server.workers", "must be a whole number, not 1.5"),
        ("[server]\nworkers = true", "server.workers", "must be a whole number, not true"),
        ("[server]\nworkers = 0", "server.workers", "must be from 1 to 1,024, not 0"),
        ("[server]\ndrain_s = '5'", "server.drain_s", 'must be a number, not the text "5"'),
        ("[server]\ndrain_s = false", "server.drain_s", "must be a number, not false"),
        ("[server]\nheader_timeout_s = 0", "server.header_timeout_s", "must be a number above 0"),
        ("[server]\nheader_timeout_s = nan", "server.header_timeout_s", "must be a number above 0"),
        ("[server]\nquery_key = 1", "server.query_key", "must be true or false, not 1"),
        ("[server]\nlisten = 8080", "server.listen", "must be text, not 8080: put it in quotes"),
        ("[server]\nlisten = '8080'", "server.listen", "must be HOST:PORT"),
        ("[server]\ncors_origins = '*'", "server.cors_origins", "must be a list, not the text"),
        ("[server]\ncors_origins = ['a']", "server.cors_origins.0", 'must be "*" or scheme'),
        ("[server]\nhalf_closed = 'no'", "server.half_closed", 'must be one of "cancel", "answer"'),
        ("[logs]\nformat = 'xml'", "logs.format", 'must be one of "auto", "json", "text"'),
        ("[logs]\nlevel = 'loud'", "logs.level", "must be one of"),
        ("[storage]\nurl = 'env:NO'", "storage.url", "names the environment variable X, which"),
        ("[[channels]]\nname = 'a'", "channels.0.provider", "is missing"),
        (CHANNEL + "api_key = 5", "channels.0.api_key", "must be text"),
        (CHANNEL + "headers = 5", "channels.0.headers", "must be a table"),
        (MODEL + "[[models.tiers]]", "models.0.tiers.0.above", "is missing"),
        ("[storage]\njournal = 'a\x00'".replace("'", '"').replace("\x00", "\\u0000"),
         "storage.journal", "must not hold a NUL character"),
        (CHANNEL + "headers = { Host = 'x' }", "channels.0.headers.Host", "is a header that the"),
        (CHANNEL + "headers = { x = 1 }", "channels.0.headers.x", "must be text"),
        (CHANNEL + "timeouts = { idle = 0 }", "channels.0.timeouts.idle", "must be a number above"),
        (CHANNEL + "max_concurrency = 0", "channels.0.max_concurrency", "must be from 1"),
        (MODEL + "price = { input = 1.25 }", "models.0.price.input",
         "must be a decimal in quotes, not 1.25: a float cannot hold money"),
        (MODEL + "price = { input = 1 }", "models.0.price.input", "must be a decimal in quotes"),
        (MODEL + "price = { input = '-1' }", "models.0.price.input", "must be a plain decimal"),
        (MODEL + "price = { inputs = '1' }", "models.0.price.inputs", "is not a kind of price"),
        (MODEL + "[[models.bindings]]\nchannel = 'a'\nshape = 'soap'", "models.0.bindings.0.shape",
         'must be one of "chat", "responses", "messages", "generate"'),
        (MODEL + "[[models.bindings]]\nchannel = 'a'\nweight = -1", "models.0.bindings.0.weight",
         "must be from 0"),
    ],
)  # fmt: skip
def test_a_slip_is_named_with_what_is_wrong(text, path, what):
    """One problem, at its path."""
    ((found, told),) = _problems(text)

    assert path == found
    assert told.startswith(what)


def test_every_slip_is_found_in_one_go():
    """An operator mends the whole file at once."""
    text = "[server]\nlisten = 1\nworkers = 'x'\n[logs]\nlevel = 2\n[[models]]\n"

    assert {"server.listen", "server.workers", "logs.level", "models.0.name"} == {
        path for path, _ in _problems(text)
    }


def test_what_is_wrong_is_replaced_by_its_default():
    """The checks that follow still have settings to look at."""
    settings, _ = read(tomllib.loads("[server]\nworkers = 'x'\nbacklog = 5"), _look_up)

    assert (1, 5) == (settings.server.workers, settings.server.backlog)


def test_an_entry_with_a_slip_keeps_its_place():
    """Positions in messages stay those of the file."""
    settings, _ = read(tomllib.loads(MODEL + "[[models]]\nname = 5\n[[models]]\nname = 'c'"), {})

    assert ["m", "", "c"] == [model.name for model in settings.models]


def test_an_address_with_a_password_may_be_a_reference():
    """``storage.url`` can come from a mounted secret."""
    settings, problems = read({"storage": {"url": "env:DB"}}, _look_up)

    assert [] == problems
    assert "postgresql://u:p@h/db" == settings.storage.url


RESOLVED = [name for name, rule in RULES.items() if rule.resolved]
assert len(RESOLVED) > 8, "the rules moved: this test would pass by seeing nothing"


@pytest.mark.parametrize("name", RESOLVED)
def test_a_secret_that_is_not_there_is_never_its_own_reference(name):
    """Or the name of a variable, which the manual prints, would be the secret."""
    section, _, member = name.partition(".")
    table = {member: "env:NO"}
    _, problems = read({section: [table] if section in ("channels", "logins") else table}, _look_up)
    told = [problem.what for problem in problems if problem.path[-1] == member]
    assert ["names the environment variable X, which is not set"] == told


def test_a_key_stays_a_reference():
    """Settings are kept for as long as the process runs; the key itself is not in them."""
    settings, problems = read(tomllib.loads(CHANNEL + "api_key = 'env:NO'"), _look_up)

    assert [] == problems
    assert "env:NO" == settings.channels[0].api_key


def test_an_empty_variable_is_no_value():
    """Where there is such a thing as none."""
    settings, problems = read({"server": {"admin_listen": None}}, _look_up)

    assert (None, []) == (settings.server.admin_listen, problems)


def test_a_type_nobody_reads_is_a_bug_and_not_a_pass():
    """A new kind of setting needs a reader."""
    with pytest.raises(TypeError, match="no reader"):
        _misfit(inspect.DateTimeType(), 5)


def test_nothing_given_is_the_defaults():
    """Every setting has one."""
    assert (Settings(), []) == read({}, _look_up)


@pytest.mark.parametrize(
    "text",
    [
        CHANNEL + "api_keys = 'hunter2'",
        CHANNEL + "api_keys = [['hunter2']]",
        CHANNEL + "headers = 'authorization: hunter2'",
        CHANNEL + "headers = { authorization = ['hunter2'] }",
        "[storage]\nurl = ['hunter2']",
    ],
)
def test_a_secret_of_the_wrong_form_is_not_shown(text):
    """A key where a list of keys belongs is still a key."""
    ((_, told),) = _problems(text)
    assert told.startswith("must be ")
    assert "hunter2" not in told
