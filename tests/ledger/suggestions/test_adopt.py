"""What is printed is what the settings take, and bills what was suggested."""

from trivium.ledger.suggestions.adopt import toml
from trivium.ledger.suggestions.compare import compare
from trivium.ledger.suggestions.model import bundled
from trivium.routing.catalogue import build
from trivium.secret import Secret
from trivium.settings.load import load
from trivium.settings.prices import day

TODAY = day("2026-11-21")


def test_a_snippet_says_where_it_is_from(catalogue):
    """And what it leaves out, what long contexts cost, and what will change."""
    row = catalogue.providers["openai"]["gpt-x"]
    assert toml("big", catalogue, "openai", "gpt-x", row, TODAY) == (
        "# big: openai/gpt-x, by a list of 2026-11-10\n"
        "# not said by these prices: web searches\n"
        'price = { input = "1.25", cache_read = "0.125", output = "10" }\n'
        'tiers = [{ above = 200000, price = { input = "2.5" } }]\n'
        'price_changes = [{ since = "2027-01-01", price = { input = "2", output = "20" } }]\n'
    )


def test_a_list_that_has_begun_is_the_price(catalogue):
    """Nothing of the old one is left."""
    row = catalogue.providers["openai"]["gpt-x"]
    told = toml("big", catalogue, "openai", "gpt-x", row, day("2027-06-01")).splitlines()
    assert ['price = { input = "2", output = "20" }'] == told[2:]


def test_every_suggestion_can_be_adopted(tmp_path):
    """The whole catalogue as one settings file loads, and then nothing differs any more."""
    shipped = bundled()
    text = []
    wanted = {}
    for provider in ("anthropic", "deepseek", "gemini", "groq", "mistral", "openai", "xai"):
        text.append(f'[[channels]]\nname = "{provider}"\nprovider = "{provider}"\napi_key = "x"')
        for entry, row in shipped.providers[provider].items():
            name = f"{provider}/{entry}"
            wanted[name] = row
            text.append(f'[[models]]\nname = "{name}"')
            text.append(toml(name, shipped, provider, entry, row, TODAY).rstrip())
            text.append(f'bindings = [{{ channel = "{provider}", model = "{entry}" }}]')
    path = tmp_path / "trivium.toml"
    path.write_text("\n".join(text))
    models = build(load(path, {}), resolve=lambda *_: Secret("")).models
    assert set(wanted) == set(models)
    for when in (TODAY, day("2030-01-01")):
        states = {each.state for m in models.values() for each in compare(shipped, m, when)}
        assert {"same"} == states
