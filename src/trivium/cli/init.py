"""``trivium init``: a settings file to begin with, for the vendors whose keys are at hand.

Only the names of variables are written, never what they hold. The models are those of
``starting_models.toml``, their prices the suggestions that this version came with.
"""

import contextlib
import http.client
import os
import secrets
import shlex
import socket
import stat
import sys
import threading
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

import msgspec
import typer

from trivium.cli import config
from trivium.cli.demo import command
from trivium.cli.output import CommandFailed, counted, note, warn
from trivium.clock import SystemClock
from trivium.ledger.suggestions import update
from trivium.ledger.suggestions.model import PriceCatalogue, bundled
from trivium.ledger.suggestions.starting import starting_models
from trivium.providers.base import Provider
from trivium.providers.registry import PROVIDERS
from trivium.settings.load import environment
from trivium.settings.secrets import Secrets
from trivium.settings.syntax import model_name

LISTEN: Final = "127.0.0.1:8080"
LISTEN_BESIDE: Final = "127.0.0.1:8090"
"""Where the gateway listens when an engine has the usual port."""
ENGINE_WAIT_S: Final = 0.5
"""An engine of this machine lists its models in milliseconds."""
ENGINE_MODELS_MAX: Final = 5
ENGINE_BYTES_MAX: Final = 1_048_576

HEAD: Final = """\
# Settings of a Trivium gateway, written by `trivium init`. They are yours to change.
#
# `trivium check` says what is wrong with this file, and in which line. A gateway that runs takes up
# changes of channels, models and prices within two seconds, those of everything else at its next
# start. A secret is named, as env:NAME or file:PATH, and never written here.

[server]
listen = "{listen}"   # 0.0.0.0:8080: for other machines, too

[storage]
url = "sqlite:///trivium.db"      # or postgresql://USER:PASSWORD@HOST/DATABASE
"""

NO_VENDOR: Final = """
# No vendor's key was found in the environment, so there is no channel yet. Set a variable, such as
#
#   export OPENAI_API_KEY=...
#
# and run `trivium init --force`, or take the # away from the lines below. Variables that are
# looked for:
#
{variables}
#
# [[channels]]
# name = "openai"
# provider = "openai"
# api_key = "env:OPENAI_API_KEY"      # the name of the variable, not the key
#
{model}
# An engine on this machine needs no key:
#
# [[channels]]
# name = "ollama"
# provider = "ollama"
# base_url = "http://127.0.0.1:11434/v1"
#
# [[models]]
# name = "llama3.2"
# free = true
# [[models.bindings]]
# channel = "ollama"
"""


@dataclass(frozen=True, kw_only=True)
class LocalEngine:
    """An engine of this machine that answered, and the first of its models."""

    provider: Provider
    models: tuple[str, ...]


def init(
    config_: Annotated[
        Path | None,
        typer.Option(
            "--config", metavar="FILE", help="Default: $TRIVIUM_CONFIG, then ./trivium.toml."
        ),
    ] = None,
    *,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the file if it is there already.")
    ] = False,
    no_engines: Annotated[
        bool,
        typer.Option("--no-engines", help="Do not look for an engine that runs on this machine."),
    ] = False,
) -> None:
    """Write settings for the vendors at hand.

    Those whose keys are in the environment: a channel for each, models to begin with, and the
    prices known for them.
    """
    environ = environment()
    path = config.locate(config_, environ) or config.DEFAULT
    if not force and os.path.lexists(path):
        raise CommandFailed(f"{path} is there already: --force replaces it, --config names another")
    vendors = found_vendors(environ)
    local = [] if no_engines else list(found_engines())
    text = written(vendors, local)
    _write(path, text, force=force)
    data = tomllib.loads(text)
    channels, models = data.get("channels", []), [each["name"] for each in data.get("models", [])]
    note(f"wrote {path}: {counted(len(channels), 'channel')}, {counted(len(models), 'model')}")
    for channel in channels:
        note(f"  {channel['name']}: {channel.get('api_key', 'no key')}")
    print(_next(path, models, data["server"]["listen"], named=config_ is not None))


def found_vendors(environ: Mapping[str, str]) -> dict[str, str]:
    """Providers whose key is in the environment, and the variable that holds it.

    One that holds no key, but two lines or nothing, is told and left out.
    """
    known = Secrets(environ, Path())
    found: dict[str, str] = {}
    for name, provider in PROVIDERS.items():
        for variable in provider.key_variables if provider.base_url else ():
            if not environ.get(variable):
                continue
            try:
                known.look_up(f"env:{variable}")
            except ValueError as exc:
                warn(f"{variable} is left out: it {exc}")
                continue
            found[name] = variable
            break
    return found


def found_engines() -> Iterator[LocalEngine]:
    """Engines that answer on this machine, each at its usual port."""
    for provider in PROVIDERS.values():
        address = urlsplit(provider.base_url or "")
        if address.hostname != "127.0.0.1":
            continue
        models = _listed(address.netloc, f"{address.path}/models")
        if models:
            yield LocalEngine(provider=provider, models=tuple(models[:ENGINE_MODELS_MAX]))


def _listed(netloc: str, path: str) -> list[str]:
    """Names of the models at an address; empty where no engine is, or one that wants a key."""
    connection = http.client.HTTPConnection(netloc, timeout=ENGINE_WAIT_S)
    # the limit of a connection is from one packet to the next: whoever drips would go on for ever
    late = threading.Timer(2 * ENGINE_WAIT_S, lambda: None)
    try:
        connection.connect()
        late = threading.Timer(2 * ENGINE_WAIT_S, _hang_up, [connection.sock])
        late.daemon = True
        late.start()
        connection.request("GET", path)
        answer = connection.getresponse()
        data = msgspec.json.decode(answer.read(ENGINE_BYTES_MAX))
        names = [each["id"] for each in data["data"]] if answer.status == 200 else []
    except (
        OSError,
        http.client.HTTPException,
        ValueError,
        LookupError,
        TypeError,
        RecursionError,
    ):
        return []
    finally:
        late.cancel()
        connection.close()
    sound = [name for name in names if isinstance(name, str) and model_name(name) is None]
    return list(dict.fromkeys(sound))


def _hang_up(line: socket.socket) -> None:
    with contextlib.suppress(OSError):  # it has ended meanwhile
        line.shutdown(socket.SHUT_RDWR)


def written(vendors: Mapping[str, str], engines: list[LocalEngine]) -> str:
    """The text of the file, for these vendors with their variables and for these engines."""
    ports = [urlsplit(each.provider.base_url or "").netloc for each in engines]
    blocks = [HEAD.format(listen=LISTEN_BESIDE if LISTEN in ports else LISTEN)]
    prices, taken = bundled(), set[str]()
    for name, variable in vendors.items():
        blocks.append(_channel(PROVIDERS[name], f'api_key = "env:{variable}"'))
        blocks += _models(name, prices, taken)
    for engine in engines:
        blocks.append(_channel(engine.provider, f'base_url = "{engine.provider.base_url}"'))
        for model in dict.fromkeys(engine.models):
            blocks.append(_model(engine.provider.name, model, "free = true", taken))
    if not vendors and not engines:
        example = starting_models()["openai"][0]
        lines = _model("openai", example, _price("openai", example, prices), set()).splitlines()
        commented = "\n".join(f"# {line}" for line in lines)
        listed = "\n".join(
            f"#   {', '.join(each.key_variables)}  ({each.title})"
            for each in PROVIDERS.values()
            if each.key_variables and each.base_url
        )
        blocks.append(NO_VENDOR.format(variables=listed, model=f"{commented}\n#"))
    return "\n".join(block.strip("\n") + "\n" for block in blocks)


def _channel(provider: Provider, line: str) -> str:
    return (
        f"# --- {provider.title}\n\n[[channels]]\n"
        f'name = "{provider.name}"\nprovider = "{provider.name}"\n{line}\n'
    )


def _models(provider: str, prices: PriceCatalogue, taken: set[str]) -> Iterator[str]:
    names = starting_models().get(provider)
    if names is None:
        yield (
            "# No prices are known for this vendor: look them up, and take the # away.\n#\n"
            '# [[models]]\n# name = "NAME"\n# price = { input = "1.00", output = "4.00" }'
            f'   # US dollars a million tokens\n# [[models.bindings]]\n# channel = "{provider}"\n'
        )
        return
    for name in names:
        yield _model(provider, name, _price(provider, name, prices), taken)


def _price(provider: str, model: str, prices: PriceCatalogue) -> str:
    found = prices.find(provider, model)
    assert found is not None, f"{provider}/{model} has no price"
    return update.toml(model, prices, provider, *found, SystemClock().now()).rstrip("\n")


def _model(channel: str, model: str, price: str, taken: set[str]) -> str:
    """One model; its channel's name goes before its own where another has that already."""
    name = model
    while name in taken:
        name = f"{channel}/{name}"
    taken.add(name)
    theirs = f"\nmodel = {_toml(model)}" if name != model else ""
    return (
        f"[[models]]\nname = {_toml(name)}\n{price}\n"
        f'[[models.bindings]]\nchannel = "{channel}"{theirs}\n'
    )


def _toml(text: str) -> str:
    return msgspec.json.encode(text).decode()  # a JSON string is a TOML basic string


def _write(path: Path, text: str, *, force: bool) -> None:
    """Write the file: over one that is there in one step and if asked to, else never.

    What is replaced keeps its rights, and stays behind the link that leads to it.
    """
    try:
        if not force:
            _create(path, text)
            return
        real = path.resolve()
        fresh = real.with_name(f".{real.name[:200]}.{secrets.token_hex(8)}")
        _create(fresh, text)
        try:
            with contextlib.suppress(FileNotFoundError):
                fresh.chmod(stat.S_IMODE(real.stat().st_mode))
            fresh.replace(real)
        finally:
            fresh.unlink(missing_ok=True)
    except (OSError, RuntimeError) as exc:  # RuntimeError: links that lead in a circle
        why = getattr(exc, "strerror", None) or "its links lead in a circle"
        raise CommandFailed(f"{path} cannot be written: {why}") from None


def _create(path: Path, text: str) -> None:
    """Write a file that is not there yet, whole or not at all."""
    with path.open("x", encoding="utf-8") as file:
        try:
            file.write(text)
            file.flush()
        except OSError:
            path.unlink(missing_ok=True)
            raise


def _next(path: Path, models: list[str], listen: str, *, named: bool) -> str:
    """What to do next, as commands that work when they are pasted."""
    trivium = shlex.quote(command(sys.argv[0]))
    file = f" --config {shlex.quote(str(path))}" if named else ""
    if not models:
        return (
            "There is no model yet. Set the variable of a vendor's key, such as OPENAI_API_KEY, "
            f"and run `{trivium} init --force{file}`; or write one as the examples in {path} show."
        )
    body: dict[str, Any] = {
        "model": models[0],
        "messages": [{"role": "user", "content": "Say hello."}],
    }
    asked = shlex.quote(msgspec.json.encode(body).decode())
    return "\n".join(
        (
            "Next, in this folder:",
            "",
            f"  {trivium} check{file}",
            f"  {trivium} user create me --email me@example.org --credit 10.00{file}",
            f"  export KEY=$({trivium} key create --user me{file})",
            "",
            "Then, in another terminal with the same variables:",
            "",
            f"  {trivium} serve{file}",
            "",
            "And here again:",
            "",
            f'  curl -s http://{listen}/v1/chat/completions -H "authorization: Bearer $KEY" \\',
            f"    -H 'content-type: application/json' -d {asked}",
        )
    )
