"""Letters are admitted by the desk, and their links lead to us and nowhere else."""

import pytest

from trivium.identity.accounts.errors import AccountError, Refusal
from trivium.identity.accounts.letters import Desk
from trivium.mail.catalogue import wordings

ORIGIN = "https://gateway.example"


@pytest.mark.parametrize("kind", wordings()["en"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_link_is_ours(kind, language):
    """It is made of the settings' address, in any language."""
    letter = Desk(None, None, None, ORIGIN).letter(kind, language, "ada@example.com", "/x/t0ken")
    links = [word for word in letter.text.split() if "://" in word]
    assert links in ([], [f"{ORIGIN}/x/t0ken"])


@pytest.mark.asyncio
async def test_a_closed_desk_takes_nothing(database, clock, visitor):
    """Asking fails, telling is left out."""
    desk = Desk(database, clock, None, ORIGIN)
    desk.tell("password_changed", "en", "ada@example.com")
    for work in (lambda: desk.send("reset", "en", "a@example.com"), desk.check):
        with pytest.raises(AccountError) as caught:
            work()
        assert Refusal.MAIL_OFF is caught.value.why
    with pytest.raises(AccountError):
        await desk.admit(visitor)


def test_a_full_outbox_is_told(database, clock):
    """And what is only told is left out, as the change it tells of stands anyway."""

    class Full:
        def put(self, write):
            return False

    desk = Desk(database, clock, Full(), ORIGIN)
    with pytest.raises(AccountError) as caught:
        desk.send("invitation", "en", "ada@example.com")
    assert Refusal.BUSY is caught.value.why
    desk.tell("password_changed", "en", "ada@example.com")
