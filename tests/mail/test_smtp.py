"""Letters reach a real SMTP server, or it is said whether trying again helps."""

import asyncio
import email
import email.policy
import socket
import ssl
from datetime import UTC, datetime, timedelta

import pytest
import pytest_asyncio
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from ports import free_port
from trivium.mail.outbox import MailError, MailMessage
from trivium.mail.smtp import Smtp
from trivium.settings.accounts import MailSettings

LETTER = MailMessage(
    to="ada@example.com",
    subject="重新设置密码",
    text="链接\n\nhttps://x.example/" + "t" * 90 + "\n",
)


class Mailbox:
    """What arrived, and how the next recipient is answered."""

    def __init__(self):
        self.arrived = []
        self.answer = "250 OK"

    async def handle_RCPT(self, server, session, envelope, address, options):
        if self.answer[0] == "2":
            envelope.rcpt_tos.append(address)
        return self.answer

    async def handle_DATA(self, server, session, envelope):
        self.arrived.append((envelope, session.ssl is not None, session.authenticated))
        return "250 taken"


def authenticator(server, session, envelope, mechanism, data):
    """One user with one password."""
    right = LoginPassword(b"trivium", b"s3cret")
    return AuthResult(success=data == right, handled=False)


@pytest.fixture(scope="module")
def tls(tmp_path_factory):
    """A certificate for 127.0.0.1: the server's context and the client's."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path_factory.mktemp("tls") / "server.pem"
    pem = serialization.Encoding.PEM
    file.write_bytes(
        certificate.public_bytes(pem)
        + key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.load_cert_chain(file)
    return server, ssl.create_default_context(cafile=file)


@pytest_asyncio.fixture(autouse=True)
async def settled():
    """The loop turns on until the connections that a test closed are gone."""
    yield
    for _ in range(10):
        await asyncio.sleep(0.01)


@pytest.fixture
def mailbox():
    return Mailbox()


@pytest.fixture
def serve(mailbox):
    """Starts a server: its port."""
    running = []

    def start(security="none", context=None, **more):
        if security == "tls":
            # it knows of STARTTLS alone
            more = {**more, "auth_require_tls": False, "auth_required": False}

        class Server(Controller):
            def factory(self):
                given = {"tls_context": context} if security == "starttls" else {}
                return SMTP(self.handler, loop=self.loop, enable_SMTPUTF8=True, **given, **more)

        port = free_port()
        over = {"ssl_context": context} if security == "tls" else {}
        server = Server(mailbox, hostname="127.0.0.1", port=port, **over)
        server.start()
        running.append(server)
        return port

    yield start
    for server in running:
        server.stop(no_assert=True)


def smtp(clock, port, tls=None, **settings):
    """The client under test."""
    plain = {"host": "localhost", "security": "none", "sender": "Trivium <t@gateway.example>"}
    return Smtp(MailSettings(port=port, timeout_s=5.0, **{**plain, **settings}), clock, tls)


@pytest.mark.asyncio
async def test_a_letter_arrives_whole(serve, mailbox, clock):
    """Any language in subject and text, a link that no line break tears, and headers that keep
    answering machines quiet."""
    await smtp(clock, serve()).send(LETTER)
    ((envelope, _, _),) = mailbox.arrived
    assert ("t@gateway.example", ["ada@example.com"]) == (envelope.mail_from, envelope.rcpt_tos)
    message = email.message_from_bytes(envelope.content, policy=email.policy.default)
    assert LETTER.subject == message["Subject"]
    assert LETTER.text == message.get_content().replace("\r\n", "\n")
    assert "Trivium <t@gateway.example>" == message["From"]
    assert "auto-generated" == message["Auto-Submitted"]
    assert clock.now() == message["Date"].datetime.timestamp()
    assert message["Message-ID"].endswith("@gateway.example>")


@pytest.mark.asyncio
@pytest.mark.parametrize("security", ["starttls", "tls"])
async def test_a_letter_travels_encrypted_and_with_a_password(serve, mailbox, clock, tls, security):
    """By either way of TLS, to a server whose certificate is verified."""
    server, client = tls
    port = serve(security, server, authenticator=authenticator, auth_required=True)
    who = {"user": "trivium", "password": "s3cret", "security": security}
    await smtp(clock, port, client, **who).send(LETTER)
    ((_, encrypted, authenticated),) = mailbox.arrived
    assert authenticated
    assert encrypted or security == "tls"
    with pytest.raises(MailError, match="cannot be used") as caught:
        await smtp(clock, port, None, **who).send(LETTER)
    assert not caught.value.is_final
    assert 1 == len(mailbox.arrived)


@pytest.mark.asyncio
async def test_a_server_without_starttls_gets_no_letter(serve, mailbox, clock):
    """Somebody on the way may have taken the offer out."""
    with pytest.raises(MailError) as caught:
        await smtp(clock, serve(), security="starttls").send(LETTER)
    assert not caught.value.is_final
    assert [] == mailbox.arrived


@pytest.mark.asyncio
async def test_a_wrong_password_may_become_right(serve, clock, tls):
    """The operator mends it while letters wait; neither name nor password is in the message."""
    server, client = tls
    port = serve("starttls", server, authenticator=authenticator, auth_required=True)
    who = {"user": "trivium", "password": "wr0ng", "security": "starttls"}
    with pytest.raises(MailError, match="name and password") as caught:
        await smtp(clock, port, client, **who).send(LETTER)
    assert not caught.value.is_final
    assert "wr0ng" not in str(caught.value)


@pytest.mark.asyncio
@pytest.mark.parametrize(("answer", "final"), [("550 no such mailbox", True), ("451 later", False)])
async def test_a_refusal_says_whether_it_is_final(serve, mailbox, clock, answer, final):
    """By the first digit, and without the address."""
    mailbox.answer = answer
    with pytest.raises(MailError) as caught:
        await smtp(clock, serve()).send(LETTER)
    assert final is caught.value.is_final
    assert "ada" not in str(caught.value)


@pytest.mark.asyncio
async def test_a_server_that_is_not_there_may_come_back(clock):
    """Nobody listens."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        with pytest.raises(MailError) as caught:
            await smtp(clock, found.getsockname()[1]).send(LETTER)
    assert not caught.value.is_final


@pytest.mark.asyncio
async def test_a_server_that_says_nothing_is_left(clock):
    """After the time limit."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        where = {"host": "127.0.0.1", "port": silent.getsockname()[1]}
        settings = MailSettings(security="none", sender="t@x.example", timeout_s=1.0, **where)
        with pytest.raises(MailError):
            await asyncio.wait_for(Smtp(settings, clock).send(LETTER), 5)


def test_no_header_can_be_smuggled_in(clock):
    """Whatever gets into an address or a subject."""
    client = smtp(clock, 25)
    for odd in (
        MailMessage(to="ada@example.com\r\nBcc: eve@example.com", subject="x", text="x"),
        MailMessage(to="ada@example.com", subject="x\r\nBcc: eve@example.com", text="x"),
    ):
        with pytest.raises(ValueError):
            client.message(odd)
