"""Operators set passwords, invite people and help those who lost a way in."""

import io

import pytest
from aiosmtpd.controller import Controller

from ports import free_port

PASSWORD = "a horse, a battery"


@pytest.fixture
def ada(migrated, trivium):
    """A user there is already."""
    assert trivium("user", "create", "ada", "--email", "ada@example.com").code == 0
    return "ada"


@pytest.fixture
def types(monkeypatch):
    """What comes on standard input."""

    def typed(text):
        monkeypatch.setattr("sys.stdin", io.StringIO(text))

    return typed


@pytest.fixture
def invites(folder):
    """Settings that let people in by invitation."""
    (folder / "trivium.toml").write_text('[accounts]\nsignup = "invitation"\n')


def test_a_password_is_set(trivium, ada, types):
    """From standard input; it is neither printed nor kept."""
    types(f"{PASSWORD}\n")
    done = trivium("user", "password", "ada", "--password-stdin")
    assert (0, "") == (done.code, done.out)
    assert "ended their logins" in done.err
    assert PASSWORD not in done.err
    acts = trivium("audit", "list", "--json").data
    assert "password_changed" == acts[0]["kind"]
    assert PASSWORD not in str(acts)


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("short\n", 1, "too short"),
        ("password\n", 1, "first to be guessed"),
        ("x" * 300, 1, "too long"),
        ("\n", 2, "no password"),
        ("", 2, "no password"),
    ],
)
def test_a_bad_password_is_refused(trivium, ada, types, text, code, says):
    """By the rules that hold on the pages, too."""
    types(text)
    done = trivium("user", "password", "ada", "--password-stdin")
    assert code == done.code
    assert says in done.err
    assert 1 == done.err.count("trivium: ")


def test_nobody_is_asked_where_nobody_is(trivium, ada, types):
    """A script is told what to do."""
    types(f"{PASSWORD}\n")
    done = trivium("user", "password", "ada")
    assert 2 == done.code
    assert "--password-stdin" in done.err


def test_an_unknown_user_is_said(trivium, types):
    """As with every other command."""
    types(f"{PASSWORD}\n")
    done = trivium("user", "password", "nobody", "--password-stdin")
    assert (1, True) == (done.code, "nobody" in done.err)


def test_a_user_is_made_with_a_password(trivium, types):
    """Or not at all, when it is no good."""
    types("password1\n")
    made = trivium("user", "create", "ada", "--email", "a@example.com", "--password-stdin")
    assert 1 == made.code
    assert [] == trivium("user", "list", "--json").data
    types(f"{PASSWORD}\n")
    made = trivium("user", "create", "ada", "--email", "a@example.com", "--password-stdin")
    assert 0 == made.code
    kinds = [act["kind"] for act in trivium("audit", "list", "--json").data]
    assert ["password_changed", "user_created"] == kinds


def test_an_invitation_is_a_link(trivium, invites):
    """Alone on standard output; it can be listed and withdrawn."""
    done = trivium("user", "invite", "--email", "bob@example.com", "--admin", "--days", "2")
    assert 0 == done.code
    assert done.out.startswith("http://127.0.0.1:8080/invitation/")
    assert 43 == len(done.out.strip().rpartition("/")[2])
    (listed,) = trivium("user", "invitations", "--json").data
    assert ("bob@example.com", "admin") == (listed["email"], listed["role"])
    assert 2 * 86_400 == listed["expires_at"] - listed["created_at"]
    assert "bob@example.com" in trivium("user", "invitations").out
    assert 0 == trivium("user", "withdraw", str(listed["id"])).code
    assert 1 == trivium("user", "withdraw", str(listed["id"])).code
    told = [act["kind"] for act in trivium("audit", "list", "--json").data]
    assert ["invitation_withdrawn", "invitation"] == told
    assert [] == trivium("user", "invitations", "--json").data


@pytest.mark.parametrize(
    ("argv", "code", "says"),
    [
        (["--mail"], 2, "--email"),
        (["--days", "0"], 2, "--days"),
        (["--email", "bob"], 1, "no e-mail address"),
        (["--email", "bob@example.com", "--mail"], 1, "mail.host"),
    ],
)
def test_what_an_invitation_needs(trivium, invites, argv, code, says):
    """Said in one line."""
    done = trivium("user", "invite", *argv)
    assert (code, "") == (done.code, done.out)
    assert says in done.err


def test_nobody_is_invited_through_a_closed_door(trivium):
    """The link would not work."""
    done = trivium("user", "invite")
    assert 1 == done.code
    assert "accounts.signup" in done.err


def test_an_invitation_by_letter(trivium, folder, unused):
    """Sent before the command ends; a server that is away is said."""
    arrived = []

    class Mailbox:
        async def handle_DATA(self, server, session, envelope):
            arrived.append(envelope)
            return "250 taken"

    port = unused
    (folder / "trivium.toml").write_text(
        '[accounts]\nsignup = "invitation"\n[mail]\nhost = "127.0.0.1"\nsecurity = "none"\n'
        f'port = {port}\nsender = "t@gateway.example"\n'
    )
    argv = ("user", "invite", "--email", "bob@example.com", "--mail", "--language", "zh")
    done = trivium(*argv)
    assert 1 == done.code
    assert "not sent" in done.err
    server = Controller(Mailbox(), hostname="127.0.0.1", port=port)
    server.start()
    try:
        done = trivium(*argv)
    finally:
        server.stop()
    assert (0, "") == (done.code, done.out)
    (envelope,) = arrived
    assert ["bob@example.com"] == envelope.rcpt_tos


@pytest.fixture
def unused():
    """A port that nobody listens on."""

    return free_port()


def test_a_role_is_changed(trivium, ada):
    """And told."""
    assert 0 == trivium("user", "role", "ada", "admin").code
    assert "admin" == trivium("user", "list", "--json").data[0]["role"]
    assert 0 == trivium("user", "role", "ada", "user").code
    assert "user_role" == trivium("audit", "list", "--json").data[0]["kind"]
    assert 2 == trivium("user", "role", "ada", "emperor").code


def test_logins_are_ended_and_factors_switched_off(trivium, ada):
    """For whoever lost a phone."""
    done = trivium("user", "log-out", "ada")
    assert (0, True) == (done.code, "ended 0 logins of ada" in done.err)
    assert 0 == trivium("user", "factor-off", "ada").code
    kinds = [act["kind"] for act in trivium("audit", "list", "--json").data]
    assert ["second_factor_off", "logout_everywhere"] == kinds[:2]


def test_letters_about_budgets_are_switched(migrated, settings, trivium):
    """And the list of users shows it to programs."""
    assert trivium("user", "create", "ada", "--email", "ada@example.org").code == 0
    assert "no" in trivium("user", "letters", "ada", "--no-budgets").err
    (ada,) = trivium("user", "list", "--json").data
    assert False is ada["budget_letters"]
    assert trivium("user", "letters", "ada", "--budgets").code == 0
