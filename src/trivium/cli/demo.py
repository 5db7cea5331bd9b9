"""``trivium demo``: a gateway with a small real model inside; no vendor account needed."""

import asyncio
import contextlib
import secrets
import shutil
import socket
import sys
from pathlib import Path
from threading import Thread
from typing import Annotated, Final

import typer

from trivium.cli import config
from trivium.cli.account import people
from trivium.cli.output import CommandFailed, note
from trivium.cli.worker import run_worker, unlistenable
from trivium.demo import install
from trivium.demo.engine import Engine, EngineError
from trivium.demo.first_question import QUESTION, GreetingFailed, ask, page, reachable, spoken
from trivium.demo.home import Home, HomeError
from trivium.demo.llama import MODEL
from trivium.identity import keys
from trivium.identity.model import UserRole
from trivium.routing.catalogue import catalogue_of
from trivium.settings.load import Loaded, environment, load_with_source
from trivium.settings.syntax import host_port

LISTEN: Final = "127.0.0.1:8080"
USER: Final = "demo"
SPEECH: Final = "trivium.demo.speech"


def demo(
    *,
    folder: Annotated[
        Path, typer.Option("--dir", metavar="FOLDER", help="Where the demo keeps its data.")
    ] = Path("demo"),
    listen: config.ListenOption = None,
    no_install: Annotated[
        bool, typer.Option("--no-install", help="Fail instead of downloading the engine.")
    ] = False,
    speech: Annotated[
        bool, typer.Option("--speech", help="Also speak and listen, by models of their own.")
    ] = False,
) -> None:
    """Run a gateway with a small model inside.

    No vendor account is needed. The first start downloads the model's engine (about 130 MB,
    Apache-2.0 and MIT).
    """
    # settings meant for another gateway, its database above all, are not the demo's
    environ = {k: v for k, v in environment().items() if not k.startswith("TRIVIUM_")}
    flags = {} if listen is None else {"server.listen": listen}
    home = Home(folder)
    try:
        home.prepare(listen or LISTEN)
        with contextlib.ExitStack() as stack:
            stack.enter_context(home.alone())
            loaded = load_with_source(home.config, environ, flags=flags)
            free(loaded.settings.server.listen)
            _engine_installed(no_install=no_install)
            if speech and install.speech_missing():
                raise CommandFailed(install.SPEECH)
            note("starting the local engine")
            engine = stack.enter_context(Engine.start(home.log, environ))
            home.point_at(engine.address, engine.key)
            if speech:
                note("starting the models of speech")
                heard = Engine.start(home.speech_log, environ, module=SPEECH)
                stack.enter_context(heard)
                home.speak_at(heard.address, heard.key)
            code = _serve(home, load_with_source(home.config, environ, flags=flags), speech=speech)
    except (HomeError, EngineError, install.InstallError) as exc:
        raise CommandFailed(str(exc)) from None
    raise typer.Exit(code)


def command(started: str) -> str:
    """How a shell finds the command that was ``started``: by name if it is on the path."""
    path = Path(started)
    found = shutil.which(path.name)
    # uvx puts the environments of its cache on the path of what it runs, and of nothing else
    if found is not None and Path(found).resolve() == path.resolve() and _UVX not in path.parts:
        return path.name
    return str(path.resolve())


_UVX: Final = "archive-v0"
"""The folder of uv's cache in which those environments are."""


def free(listen: str) -> None:
    """Make sure, before anything slow, that the port is free. Raises Failed."""
    host, port = host_port(listen)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except OSError as exc:
        raise unlistenable(exc, listen) from None


def _engine_installed(*, no_install: bool) -> None:
    if not install.missing():
        return
    if no_install:
        raise CommandFailed(f"the demo's engine is not installed. {install.INSTEAD}")
    install.install(install.command(shutil.which("uv")), note)


def _serve(home: Home, loaded: Loaded, *, speech: bool = False) -> int:
    """Make a key if there is none, serve, and greet once the port is open."""
    key, password = asyncio.run(_people(home, loaded))
    model = catalogue_of(loaded).models.get(MODEL)
    operations = model.operations() if model else frozenset()

    def greet(origin: str) -> None:
        with contextlib.suppress(BrokenPipeError):  # the reader has left, the callers have not
            show(origin)

    def show(origin: str) -> None:
        if MODEL in (entry.name for entry in loaded.settings.models):
            print(f"\nAsked: {QUESTION}", flush=True)
            try:
                print(f"{MODEL} says: {ask(origin, key, MODEL)}\n", flush=True)
            except GreetingFailed as exc:
                note(f"the first request failed: {exc} (engine's log: {home.log})")
        told = page(
            origin,
            key,
            MODEL,
            operations,
            folder=home.folder,
            config=home.config,
            user=USER,
            password=password,
            command=command(sys.argv[0]),
        )
        print(told, flush=True)
        if speech:
            print(spoken(origin), flush=True)

    def ready(origins: list[str]) -> None:
        note(f"trivium is listening on {', '.join(origins)}")
        # a caller like any other: its answer comes over the loop this function holds up
        Thread(target=greet, args=(reachable(origins[0]),), daemon=True).start()

    return run_worker(loaded.settings, home.config, ready=ready)


async def _people(home: Home, loaded: Loaded) -> tuple[str, str]:
    """Return the demo user's key, and their password if it has just been made, else an empty text.
    An earlier start's key is used as long as it is good.
    """
    password = secrets.token_urlsafe(9)
    async with people(loaded.settings) as (accounts, identity, database):
        from trivium.identity.accounts import store

        if USER not in [user.name for user in await identity.list_users()]:
            await identity.create_user(USER, f"{USER}@localhost", UserRole.ADMIN, unlimited=True)
        user = await identity.find_user(USER)
        async with database.read() as conn:
            account = await store.account(conn, user_id=user.id)
        is_new = account is not None and account.password_hash is None
        if is_new:
            await accounts.recovery.set_password(user, password)
        kept = home.key()
        good = [key.hint for key in await identity.list_keys(USER) if not key.disabled]
        if kept is None or keys.hint(kept) not in good:
            kept = (await identity.create_key(USER, USER))[1]
    home.keep_key(kept)
    return kept, password if is_new else ""
