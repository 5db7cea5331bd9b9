"""The OAuth service as the gateway has it."""

from trivium.clock import FixedClock
from trivium.settings.model import Server, Settings
from trivium.storage.database import Database
from trivium.storage.root_key import RootKeys
from trivium.wiring.oauth import oauth_of


def test_origins_come_from_the_settings(tmp_path):
    """And rings differ by purpose."""
    server = Server(public_url="https://g.example", auth_url="https://login.example/")
    keys = RootKeys(b"k" * 32)
    made = oauth_of(
        Settings(server=server), Database(f"sqlite:///{tmp_path}/x"), FixedClock(), keys
    )
    assert ("https://login.example", "https://g.example") == (
        made.addresses.auth,
        made.addresses.api,
    )
