"""Handing letters to an SMTP server, by `aiosmtplib`; each over a connection of its own."""

import contextlib
from collections.abc import Iterator
from datetime import UTC, datetime
from email.message import EmailMessage
from typing import TYPE_CHECKING, Any

from trivium.clock import Clock
from trivium.mail.outbox import MailError, MailMessage
from trivium.secret import Secret
from trivium.settings.accounts import MailSettings

if TYPE_CHECKING:
    import ssl


class Smtp:
    """A client of one SMTP server. ``tls``: ``None`` trusts what the system trusts."""

    def __init__(
        self, settings: MailSettings, clock: Clock, tls: "ssl.SSLContext | None" = None
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._tls = tls
        self._password = Secret(settings.password)

    async def send(self, letter: MailMessage) -> None:
        """Send one letter. Raises ``MailError``, whose message names no address."""
        import aiosmtplib

        with _told():
            await aiosmtplib.send(self.message(letter), **self._how())

    async def greet(self) -> None:
        """See whether connecting and logging in works, without a letter. Raises ``MailError``."""
        import aiosmtplib

        with _told():
            async with aiosmtplib.SMTP(**self._how()):
                pass

    def _how(self) -> dict[str, Any]:
        """To which server, and how it is spoken to."""
        settings = self._settings
        return {
            "hostname": settings.host,
            "port": settings.port,
            "use_tls": settings.security == "tls",
            # never "if the server offers it": whoever is on the way could take the offer out
            "start_tls": settings.security == "starttls",
            "username": settings.user or None,
            "password": self._password.reveal() if settings.user else None,
            "tls_context": self._tls,
            "timeout": settings.timeout_s,
        }

    def message(self, letter: MailMessage) -> EmailMessage:
        """Return the letter as the message that is sent."""
        from email.utils import format_datetime, make_msgid, parseaddr

        message = EmailMessage()
        message["From"] = self._settings.sender
        message["To"] = letter.to
        message["Subject"] = letter.subject
        message["Date"] = format_datetime(datetime.fromtimestamp(self._clock.now(), UTC))
        domain = parseaddr(self._settings.sender)[1].rpartition("@")[2]
        message["Message-ID"] = make_msgid(domain=domain or "localhost")
        # RFC 3834: no answering machine answers, no out-of-office note comes back
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(letter.text)
        return message


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """Turn the library's errors into ``MailError``."""
    import aiosmtplib

    try:
        yield
    except aiosmtplib.SMTPRecipientsRefused as error:
        code = max((refused.code for refused in error.recipients), default=0)
        raise _refused(code, "a recipient") from None
    except aiosmtplib.SMTPAuthenticationError as error:
        raise MailError(f"the mail server refuses our name and password ({error.code})") from None
    except aiosmtplib.SMTPResponseException as error:
        raise _refused(error.code, "a letter") from None
    except (aiosmtplib.SMTPException, OSError, TimeoutError) as error:
        raise MailError(f"the mail server cannot be used: {type(error).__name__}") from error


def _refused(code: int, what: str) -> MailError:
    """The error for a reply code; a 4xx may succeed later, a 5xx will not (RFC 5321, 4.2.1)."""
    return MailError(f"the mail server refuses {what} ({code})", is_final=500 <= code <= 599)
