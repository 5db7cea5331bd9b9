"""The OAuth service as the gateway has it."""

import pytest
from structlog.testing import capture_logs

from trivium.clock import FixedClock
from trivium.settings.model import ServerSettings, Settings
from trivium.storage.database import Database
from trivium.storage.root_key import RootKeys
from trivium.wiring.console import oauth_of


def test_origins_come_from_the_settings(tmp_path):
    """And rings differ by purpose."""
    server = ServerSettings(public_url="https://g.example", auth_url="https://login.example/")
    keys = RootKeys(b"k" * 32)
    made = oauth_of(
        Settings(server=server), Database(f"sqlite:///{tmp_path}/x"), FixedClock(), keys
    )
    assert ("https://login.example", "https://g.example") == (
        made.addresses.auth,
        made.addresses.api,
    )


@pytest.mark.parametrize(
    ("server", "events"),
    [
        (ServerSettings(), []),
        (ServerSettings(listen="0.0.0.0:8080"), ["oauth_off"]),
        (ServerSettings(public_url="https://g.example"), ["visitors_look_alike"]),
        (ServerSettings(public_url="https://g.example", trusted_proxies=("10.0.0.0/8",)), []),
        (ServerSettings(public_url="https://g.example", tls_certificate="c", tls_key="k"), []),
    ],
)
def test_what_an_operator_should_know_is_said_at_the_start(tmp_path, server, events):
    """That the service is off, and that a proxy makes all visitors one."""
    database = Database(f"sqlite:///{tmp_path}/x")
    with capture_logs() as logs:
        oauth_of(Settings(server=server), database, FixedClock(), RootKeys(b"k" * 32))
    assert events == [line["event"] for line in logs]
