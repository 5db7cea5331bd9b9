"""Settings for people: none is left out, and nothing secret is in."""

import msgspec

from trivium.settings.load import load_with_source
from trivium.settings.model import Settings
from trivium.settings.origins import APART, origins
from trivium.settings.rules import RULES
from trivium.settings.source import SettingsSource

FILE = """
[[logins]]
name = "okta"
issuer = "https://okta.example"
client_id = "c"
client_secret = "env:OKTA_SECRET"
[groups]
students = "0.5"
[upstream]
proxy = "http://user:hunter2@proxy.example:3128"
[[channels]]
name = "main"
provider = "openai"
api_key = "sk-0123456789abcdef"
"""


HARMLESS = {"server.tls_key", "server.query_key", "prices.public_key"}
"""A file, a yes or no, and what everybody may know."""


def shown(tmp_path, text=FILE):
    path = tmp_path / "trivium.toml"
    path.write_text(text)
    found = load_with_source(path, {"OKTA_SECRET": "never-shown-0123456789"})
    return {one.name: one for one in origins(found.settings, found.source)}


def test_a_secret_is_shown_as_where_it_is_kept(tmp_path):
    """And never itself, whatever it was given as; nor what an address may hold."""
    rows = shown(tmp_path)
    secret = rows["logins[0].client_secret"]
    assert ("env:OKTA_SECRET", True) == (secret.value, secret.is_secret)
    assert secret.origin.endswith("trivium.toml:6")
    told = msgspec.json.encode(list(rows.values())).decode()
    for hidden in ("never-shown", "hunter2", "sk-0123"):
        assert hidden not in told
    assert rows["upstream.proxy"].is_secret
    assert ("0.5", False) == (rows["groups.students"].value, rows["groups.students"].is_secret)


def test_every_secret_is_known_by_its_rule():
    """Each name that sounds like one is one, but those that only sound so."""
    rows = {one.name: one for one in origins(Settings(), SettingsSource(name=""))}
    sounding = [n for n in rows if n.endswith(("secret", "_key", "password", "token"))]
    sounding = [name for name in sounding if name not in HARMLESS]
    assert sounding
    for name in sounding:
        assert rows[name].is_secret, name
    for name, rule in RULES.items():
        if rule.secret and name in rows:
            assert rows[name].is_secret, name


def test_no_setting_is_left_out():
    """Every field of every table but the catalogue's."""
    rows = origins(Settings(), SettingsSource(name=""))
    names = {one.name for one in rows}
    for table in Settings.__struct_fields__:
        value = getattr(Settings(), table)
        if isinstance(value, msgspec.Struct):
            assert {f"{table}.{name}" for name in value.__struct_fields__} <= {
                name.partition("[")[0] for name in names
            } | {".".join(name.split(".")[:2]) for name in names}, table
        else:
            assert (table in names) is (table not in APART)
    assert {"default"} == {one.origin for one in rows}
