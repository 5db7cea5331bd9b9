"""``trivium explain``: where a request would go, and why, without sending it."""

import sys
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from trivium.cli import config
from trivium.cli.output import Failed, as_json, table
from trivium.faults import Fault
from trivium.routing.catalogue import catalogue_of
from trivium.routing.explain import explain as explain_route
from trivium.routing.router import Router
from trivium.wire.operation import Operation
from trivium.wire.peek import members

HEADS: Final = ("", "CHANNEL", "PROVIDER", "THEIR MODEL", "CALL", "WHY")


def explain(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE]",
            help="A request body, - for standard input; not needed with --model.",
            show_default=False,
        ),
    ] = None,
    *,
    shape: Annotated[
        Operation,
        typer.Option(metavar="SHAPE", help="What is asked for: chat, responses, messages, …"),
    ] = Operation.CHAT,
    model: Annotated[
        str | None,
        typer.Option(metavar="M", help="Instead of the body's own model.", show_default=False),
    ] = None,
    config_: config.ConfigOption = None,
    json: config.JsonOption = False,
) -> None:
    """Show where a request would go, and why.

    Nothing is sent: the channels that would be tried, in their order. Fails when there is none.
    """
    name = model or _model_of(file)
    loaded, _ = config.read(config_)
    router = Router(catalogue_of(loaded), lambda: 0.0)
    try:
        found = explain_route(router, shape, name)
    except Fault as fault:
        close = get_close_matches(name, router.catalogue.models, n=1)
        hint = f" Did you mean {close[0]}?" if close else ""
        raise Failed(f"{fault.message}{hint}") from None
    if json:
        as_json(found)
    else:
        print(_page(found))
    if found["refused"]:
        raise Failed(found["refused"]["message"])


def _model_of(file: Path | None) -> str:
    if file is None:
        raise Failed("give a request body, or --model", code=2)
    try:
        body = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    except OSError as exc:
        raise Failed(f"{file}: cannot be read: {exc.strerror}") from None
    try:
        name = members(body).string("model")
    except Fault as fault:
        raise Failed(f"{file}: {fault.message}") from None
    if not name:
        raise Failed(f"{file}: the body names no model; give --model")
    return name


def _page(found: dict[str, Any]) -> str:
    """The plan for people: steps in the order they would be tried, then what was passed over."""
    rows = [
        (
            f"{number}.",
            step["channel"],
            step["provider"],
            step["upstream_model"],
            f"POST {step['path']}",
            step["why"],
        )
        for number, step in enumerate(found["steps"], 1)
    ]
    rows += [
        ("skipped", skip["channel"], skip["provider"], skip["upstream_model"], "", skip["why"])
        for skip in found["skipped"]
    ]
    title = f"{found['model']}, asked for {found['asked_for']}:"
    return f"{title}\n{table(HEADS, rows)}" if rows else f"{title} no channel"
