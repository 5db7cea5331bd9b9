"""``trivium channel add``: an account at a vendor, tried before it is kept, with models to begin
with at suggested prices.
"""

import sys
from typing import Annotated, Any, Final

import typer

from trivium.catalogue.model import CatalogueKind, EntryName
from trivium.cli import catalogue, channel, channel_models, config
from trivium.cli.output import CommandFailed, note, table, warn
from trivium.ledger.suggestions import update
from trivium.providers.registry import PROVIDERS
from trivium.settings.model import UpstreamSettings

KEY_CHARS_MAX: Final = 65_536


async def add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What it will be called.")],
    *,
    provider: Annotated[
        str | None, typer.Option(metavar="P", help="Which kind of vendor; else it is asked for.")
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(metavar="URL", help="Where it is, if not at the vendor's own.")
    ] = None,
    api_key: Annotated[
        str | None,
        typer.Option(metavar="REFERENCE", help="env:NAME of a variable that has the key."),
    ] = None,
    api_key_stdin: Annotated[
        bool, typer.Option("--api-key-stdin", help="Read the key from standard input.")
    ] = False,
    model: Annotated[
        list[str] | None,
        typer.Option(metavar="M", help="A model it will serve; once for each. Default: a few."),
    ] = None,
    all_listed: Annotated[
        bool, typer.Option("--all-listed", help="All that the vendor lists and that have a price.")
    ] = False,
    untested: Annotated[bool, typer.Option("--untested", help="Do not call the vendor.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    config_: config.ConfigOption = None,
) -> None:
    """Add a channel to the database, with models at suggested prices.

    Asks for what is not given; a key is never shown. The vendor's list of models is read, and one
    short request is sent before anything is kept, at your account's cost.
    """
    if all_listed and (model or untested):
        other = "--model" if model else "--untested"
        raise CommandFailed(f"--all-listed and {other} exclude each other", code=2)
    is_asking = sys.stdin.isatty() and not api_key_stdin
    if not yes and not is_asking:
        raise CommandFailed("nobody is there to be asked: use --yes", code=2)
    document = _document(provider, base_url, api_key, from_stdin=api_key_stdin, asks=is_asking)
    async with catalogue.writing(config_) as (service, loaded):
        suggestions = update.current(update.place(loaded.settings.storage.journal))
        revision, known = await service.everything()
        taken = {each.at for each in service.of_file()} | known.keys()
        at = EntryName(CatalogueKind.CHANNEL.value, name)
        if at in taken:
            raise CommandFailed(f"there is a channel {name} already: see `trivium channel list`")
        # tried alone first: the vendor is asked as it will be
        alone = await catalogue.tried(service, {at: document}, revision)
        built = None if alone.tried.catalogue is None else alone.tried.catalogue.channels.get(name)
        found = None
        if built is not None and not untested:
            found = await channel_models.listed(built, loaded.settings.upstream)
        question = channel_models.ModelQuestion(
            channel=name,
            provider=document["provider"],
            wanted=tuple(model or ()),
            all_listed=all_listed,
            asks=is_asking and not yes,
        )
        models = channel_models.documents(question, suggestions, found, taken)
        plan = await catalogue.tried(service, {at: document} | models, revision)
        catalogue.show(plan)
        if not untested:
            await _test(plan, name, loaded.settings.upstream)
        if not yes and not typer.confirm("Keep this?", err=True):
            raise CommandFailed("nothing was changed")
        done = await catalogue.changed(service, plan, reason=f"channel {name}")
    note(f"kept as change {done.change_id}, in force within two seconds wherever a gateway runs")


def _document(
    provider: str | None, base_url: str | None, api_key: str | None, *, from_stdin: bool, asks: bool
) -> dict[str, Any]:
    """What the channel says, asked for where somebody is there."""
    if provider is None and asks:
        provider = typer.prompt("Provider, such as openai", err=True).strip()
    found = PROVIDERS.get(provider or "")
    document: dict[str, Any] = {"provider": provider or ""}
    if provider is None:
        raise CommandFailed("--provider is missing", code=2)
    if base_url is None and asks and found is not None and found.base_url is None:
        base_url = typer.prompt(f"Address, such as {found.base_form}", err=True).strip()
    if base_url:
        document["base_url"] = base_url
    if key := _key(api_key, from_stdin=from_stdin, asks=asks):
        document["api_key"] = key
    return document


def _key(api_key: str | None, *, from_stdin: bool, asks: bool) -> str | None:
    """The key or its reference; empty where there is none. Raises CommandFailed."""
    if from_stdin:
        if api_key is not None:
            raise CommandFailed("--api-key and --api-key-stdin exclude each other", code=2)
        key = sys.stdin.readline(KEY_CHARS_MAX).strip()
        if not key:
            raise CommandFailed("standard input has no key in its first line", code=2)
        return key
    if api_key is not None and not api_key.startswith("env:"):
        why = "--api-key takes env:NAME: others see what a command is given. Use --api-key-stdin"
        raise CommandFailed(why, code=2)
    if api_key is None and asks:
        asked = "Key (not shown; env:NAME of a variable; empty for none)"
        said: str = typer.prompt(asked, default="", hide_input=True, show_default=False, err=True)
        return said.strip()
    return api_key


async def _test(plan: "catalogue.ApplyPlan", name: str, upstream: UpstreamSettings) -> None:
    """Send one short request with each key. Raises CommandFailed where one does not serve."""
    built = plan.tried.catalogue
    found = None if built is None else built.channels.get(name)
    if built is None or found is None:
        return
    step = await channel.step_of(built, found, None)
    if isinstance(step, str):
        warn(f"it was not tested: {step}")
        return
    came = await channel.tried(found, step, upstream)
    note(table(channel.TRIED, [channel.row(one) for one in came]))
    if any(one["fault"] for one in came):
        raise CommandFailed("the channel does not serve, so nothing was kept (see --untested)")
