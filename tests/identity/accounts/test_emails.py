"""Letters are admitted by the desk, and their links lead to us and nowhere else."""

import pytest

from trivium.identity.accounts.emails import AccountEmails
from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.accounts.throttle_policy import LETTERS_TO
from trivium.identity.service import Identity
from trivium.mail.templates import wordings

ORIGIN = "https://gateway.example"


@pytest.mark.parametrize("kind", wordings()["en"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_link_is_ours(kind, language):
    """It is made of the settings' address, in any language."""
    letter = AccountEmails(None, None, None, ORIGIN).letter(
        kind, language, "ada@example.com", "/x/t0ken"
    )
    links = [word for word in letter.text.split() if "://" in word]
    assert links in ([], [f"{ORIGIN}/x/t0ken"])


@pytest.mark.asyncio
async def test_a_closed_desk_takes_nothing(database, clock, visitor):
    """Asking fails, telling is left out."""
    emails = AccountEmails(database, clock, None, ORIGIN)
    emails.notify("password_changed", "en", "ada@example.com")
    for work in (lambda: emails.send("reset", "en", "a@example.com"), emails.check):
        with pytest.raises(AccountError) as caught:
            work()
        assert AccountRefusal.MAIL_OFF is caught.value.why
    with pytest.raises(AccountError):
        await emails.admit(visitor)


def test_a_full_outbox_is_told(database, clock):
    """And what is only told is left out, as the change it tells of stands anyway."""

    class Full:
        def put(self, write):
            return False

    emails = AccountEmails(database, clock, Full(), ORIGIN)
    with pytest.raises(AccountError) as caught:
        emails.send("invitation", "en", "ada@example.com")
    assert AccountRefusal.BUSY is caught.value.why
    emails.notify("password_changed", "en", "ada@example.com")


@pytest.mark.asyncio
async def test_a_theft_is_told_to_its_user_in_bounds(accounts, user, letters, visitor):
    """What an application causes fills no mailbox and uses up nobody's password reset."""
    ada = await user()
    for _ in range(LETTERS_TO.free + 2):
        accounts.emails.tokens_stolen(ada.id, "zh")
    sent = await letters.all()
    assert LETTERS_TO.free == len(sent)
    assert (ada.email, wordings()["zh"]["tokens_stolen"]["subject"]) == (
        sent[0].to,
        sent[0].subject,
    )
    assert f"\n{ORIGIN}/account/applications\n" in sent[0].text
    await accounts.recovery.ask_reset(ada.name, visitor)
    assert f"{ORIGIN}/password/reset/" in (await letters.last()).text


@pytest.mark.asyncio
async def test_nobody_is_told_of_a_theft_who_is_not_there(accounts, user, database, clock, letters):
    """Or may not use the account any more, or when no letters are sent."""
    ada = await user()
    await Identity(database, clock).disable_user(ada.name)
    for user_id in (ada.id, 999):
        accounts.emails.tokens_stolen(user_id, "en")
    AccountEmails(database, clock, None, ORIGIN).tokens_stolen(ada.id, "en")
    assert [] == await letters.all()
