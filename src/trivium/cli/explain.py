"""``trivium explain``: what would become of a request, without making it."""

import sys
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
import typer

from trivium.cli import config, served
from trivium.cli.output import CommandFailed, as_json, table
from trivium.faults import Fault
from trivium.routing.catalogue import catalogue_of
from trivium.routing.explain import explain as explain_route
from trivium.routing.router import Router
from trivium.wire.operation import Operation
from trivium.wire.peek import members

HEADS: Final = ("", "CHANNEL", "PROVIDER", "THEIR MODEL", "CALL", "WHY")
_EVEN: Final = 0.5
"""Every draw alike: within a priority the heaviest binding comes first."""


def explain(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE]",
            help="A request body, - for standard input; with --model alone only the route is told.",
        ),
    ] = None,
    *,
    shape: Annotated[
        Operation,
        typer.Option(metavar="SHAPE", help="What is asked for: chat, responses, messages, …"),
    ] = Operation.CHAT,
    model: Annotated[
        str | None, typer.Option(metavar="M", help="Instead of the body's own model.")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse what would be left out, as strict keys do.")
    ] = False,
    config_: config.ConfigOption = None,
    json: config.JsonOption = False,
) -> None:
    """Show what would become of a request.

    The channels that would be tried, the body each would be sent and what would be lost. Nothing is
    sent, held or booked. Fails when the request would be refused.
    """
    body = None if file is None else _read(file)
    name = model or _model_of(file, body)
    loaded, _ = served.read(config_)
    fetches = loaded.settings.fetch.enabled
    router = Router(catalogue_of(loaded), lambda: _EVEN)
    if name not in router.catalogue.models:
        raise _unknown(router, name)
    found = (
        explain_route(router, shape, name)
        if body is None
        else _rehearse(router, shape, body, name, strict=strict, fetches=fetches)
    )
    if json:
        as_json(found)
    else:
        print(_page(found))
    if found["refused"]:
        raise CommandFailed(found["refused"]["message"])


def _read(file: Path) -> bytes:
    try:
        return sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    except OSError as exc:
        raise CommandFailed(f"{file}: cannot be read: {exc.strerror}") from None


def _model_of(file: Path | None, body: bytes | None) -> str:
    if body is None:
        raise CommandFailed("give a request body, or --model", code=2)
    try:
        name = members(body).string("model")
    except Fault as fault:
        raise CommandFailed(f"{file}: {fault.message}") from None
    if not name:
        raise CommandFailed(f"{file}: the body names no model; give --model")
    return name


def _unknown(router: Router, name: str) -> CommandFailed:
    try:
        router.find(name)
    except Fault as fault:
        close = get_close_matches(name, router.catalogue.models, n=1)
        hint = f" Did you mean {close[0]}?" if close else ""
        return CommandFailed(f"{fault.message}{hint}")
    raise AssertionError("asked about a model that is known")


def _rehearse(
    router: Router, shape: Operation, body: bytes, model: str, *, strict: bool, fetches: bool
) -> dict[str, Any]:
    """The rehearsal that the gateway would give a key without limits."""
    # the codecs are most of the code there is: whoever asks for the route alone does not wait
    from trivium.cli.dry_run import explain_offline

    told = explain_offline(router, shape, body, model, strict=strict, fetches=fetches)
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(told))
    return plain


def _page(found: dict[str, Any]) -> str:
    """A rehearsal for people: what would be called, the alternatives, what each is sent."""
    title = f"{found['model']}, asked for {found['asked_for']}:"
    parts = [_plan(title, found)]
    if found.get("price"):
        parts.append(f"at most ${found['price']['usd']}")
    for number, step in enumerate(found["steps"], 1):
        parts += _told(number, step)
    for other in found["fallbacks"]:
        title = f"then {other['model']}, in its place:"
        parts.append(f"\n{_plan(title, other)}")
        if other.get("price"):
            parts.append(f"at most ${other['price']['usd']}")
        if other["refused"]:
            parts.append(f"refused: {other['refused']['message']}")
        for number, step in enumerate(other["steps"], 1):
            parts += _told(number, step)
    return "\n".join(parts)


def _plan(title: str, found: dict[str, Any]) -> str:
    """Steps in the order they would be tried, then what was passed over, below a title."""
    rows = [
        (
            f"{number}.",
            step["channel"],
            step["provider"],
            step["upstream_model"],
            f"POST {step['path']}" if step["path"] else "refused",
            step["why"],
        )
        for number, step in enumerate(found["steps"], 1)
    ]
    rows += [
        ("skipped", skip["channel"], skip["provider"], skip["upstream_model"], "", skip["why"])
        for skip in found["skipped"]
    ]
    return f"{title}\n{table(HEADS, rows)}" if rows else f"{title} no channel"


def _told(number: int, step: dict[str, Any]) -> list[str]:
    """Return the lines for one channel: what it would be sent, and what would not reach it."""
    if "lane" not in step:
        return []
    if step["refused"]:
        return [f"\n{number}. {step['channel']}: refused: {step['refused']['message']}"]
    out = [f"\n{number}. {step['channel']}, {step['lane']}:"]
    out += [f"   fetched and sent as bytes: {url}" for url in step["fetched"]]
    out += [f"   {one['act']} {one['member']}: {one['why']}" for one in step["dropped"]]
    out += [f"   kept for the record only: {member}" for member in step["kept"]]
    out += [f"   repaired {one['what']} at {one['where']}" for one in step["repaired"]]
    text = msgspec.json.format(msgspec.json.encode(step["body"]), indent=2).decode()
    return [*out, text]
