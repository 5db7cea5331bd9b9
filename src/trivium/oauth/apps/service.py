"""Registering, changing and recognising applications. Each call is one transaction."""

import hmac
from collections.abc import Callable
from typing import Final

import msgspec

from trivium.clock import Clock
from trivium.identity.revocation import LogAct
from trivium.oauth import credential
from trivium.oauth.apps import registration, store
from trivium.oauth.apps.model import App, AppStatus, GrantType, OwnSecret
from trivium.oauth.credential import CredentialKind
from trivium.oauth.errors import OAuthError, RegistrationError
from trivium.oauth.part import NOBODY, OAuthPart, RequestOrigin
from trivium.observe.audit.model import COMMAND_LINE, ActKind, Detail
from trivium.observe.audit.service import Audit
from trivium.storage.database import Connection, Database

SECRET_GRACE_S: Final = 86_400
"""How long a replaced secret still opens: a day to bring the new one to every machine."""
HOUR_S: Final = 3600

_KINDS: Final = {
    None: ActKind.APP_CHANGED,
    AppStatus.ACTIVE: ActKind.APP_RESUMED,
    AppStatus.SUSPENDED: ActKind.APP_SUSPENDED,
    AppStatus.BLOCKED: ActKind.APP_SUSPENDED,
}
_NOBODY: Final = credential.digest("")
_OPERATOR: Final = RequestOrigin(agent=COMMAND_LINE)


class Apps(OAuthPart):
    """Applications in the database. Storage faults pass through as they are."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        audit: Audit,
        *,
        apps_max: int,
        apps_per_hour: int,
        allow_insecure_redirect: bool,
    ) -> None:
        """``apps_max``: of one user; ``apps_per_hour``: registered by one user."""
        super().__init__(db, clock, audit)
        self._apps_max = apps_max
        self._apps_per_hour = apps_per_hour
        self._allow_insecure_redirect = allow_insecure_redirect

    async def create(
        self,
        user_id: int,
        name: str,
        description: str,
        redirect_uri: str,
        sender: RequestOrigin = NOBODY,
    ) -> tuple[App, str]:
        """A new application and its secret, which is nowhere to be had again.

        Raises RegistrationError (``name``, ``description``, ``redirect_uri``, ``limit``, ``user``).
        """
        now = self._now()
        app = App(
            id=0,
            user_id=user_id,
            name=registration.name(name),
            description=registration.description(description),
            client_id=credential.issue(CredentialKind.CLIENT_ID),
            redirect_uri=self._redirect_uri(redirect_uri),
            created_at=now,
            changed_at=now,
        )
        secret = credential.issue(CredentialKind.CLIENT_SECRET)
        async with self._db.write() as conn:
            if await store.hold_user(conn, user_id) is not False:
                raise RegistrationError("user", "this account is disabled")
            if await store.count(conn, user_id) >= self._apps_max:
                raise RegistrationError(
                    "limit", f"an account has at most {self._apps_max} applications"
                )
            if await store.count(conn, user_id, now - HOUR_S + 1) >= self._apps_per_hour:
                raise RegistrationError(
                    "rate", f"at most {self._apps_per_hour} applications are registered an hour"
                )
            app = msgspec.structs.replace(app, id=await store.insert(conn, app))
            await store.add_secret(
                conn, app.id, credential.digest(secret), credential.hint(secret), now, now
            )
            await self._tell_of(conn, ActKind.APP_CREATED, app, sender)
        return app, secret

    async def owned_by(self, user_id: int) -> list[App]:
        """A user's applications, oldest first."""
        async with self._db.read() as conn:
            return await store.owned_by(conn, user_id)

    async def owned(self, user_id: int, app_id: int) -> tuple[App, list[OwnSecret]]:
        """A user's own application and its secrets. Raises RegistrationError (``app``)."""
        async with self._db.read() as conn:
            app = _known(await store.owned(conn, user_id, app_id))
            return app, await store.own_secrets(conn, app_id, self._now())

    async def edit(
        self,
        user_id: int,
        app_id: int,
        *,
        name: str,
        description: str,
        redirect_uri: str,
        grants: frozenset[GrantType],
        rotate_refresh: bool,
        send_iss: bool,
        sender: RequestOrigin = NOBODY,
    ) -> App:
        """Change an application; neither consent given before a change of what people were shown
        nor the operator's trust holds without a question any more.

        Raises RegistrationError (``app``, ``name``, ``description``, ``redirect_uri``).
        """
        new_name = registration.name(name)
        new_description = registration.description(description)

        def change(app: App) -> App:
            # an address that was registered under other settings may stay
            same = redirect_uri == app.redirect_uri
            shown = (new_name, new_description, redirect_uri)
            is_same = shown == (app.name, app.description, app.redirect_uri)
            return msgspec.structs.replace(
                app,
                name=new_name,
                description=new_description,
                redirect_uri=redirect_uri if same else self._redirect_uri(redirect_uri),
                grants=grants,
                rotate_refresh=rotate_refresh,
                send_iss=send_iss,
                trusted=app.trusted and is_same,
                changed_at=app.changed_at if is_same else self._now(),
            )

        return await self._change(user_id, app_id, change, ActKind.APP_CHANGED, sender)

    async def set_status(
        self, user_id: int, app_id: int, status: AppStatus, sender: RequestOrigin = NOBODY
    ) -> App:
        """Suspend an application or resume it. Raises RegistrationError (``app``; ``status``: the
        operator has blocked it).
        """

        def change(app: App) -> App:
            if app.status is AppStatus.BLOCKED:
                raise RegistrationError("status", "the operator has blocked this application")
            return msgspec.structs.replace(app, status=status)

        return await self._change(user_id, app_id, change, _KINDS[status], sender)

    async def everything(self) -> list[App]:
        """Return all applications, oldest first."""
        async with self._db.read() as conn:
            return await store.everything(conn)

    async def page(
        self,
        after: int = 0,
        limit: int = 50,
        *,
        user_id: int | None = None,
        status: AppStatus | None = None,
    ) -> list[App]:
        """At most so many applications after an id, oldest first; of an owner, in a state."""
        async with self._db.read() as conn:
            return await store.page(conn, after, limit, user_id, status)

    async def operate(
        self,
        client_id: str,
        *,
        trusted: bool | None = None,
        status: AppStatus | None = None,
        log_act: LogAct | None = None,
    ) -> App:
        """Set the operator's decisions about an application: whether it skips the question, whether
        it works. ``log_act``: of whoever decides, for whom what is so already is not told again;
        ``None``: the command line. Raises RegistrationError (``app``).
        """
        async with self._db.write() as conn:
            before = _known(await store.by_client_id(conn, client_id, hold=True))
            app = msgspec.structs.replace(
                before,
                trusted=before.trusted if trusted is None else trusted,
                status=status or before.status,
            )
            if log_act is not None and app == before:
                return app
            await store.replace(conn, app)
            detail: Detail = {"name": app.name, "trusted": app.trusted}
            await self._operated(conn, _KINDS[status], app, app.user_id, detail, log_act)
        return app

    async def _operated(
        self,
        conn: Connection,
        kind: ActKind,
        app: App,
        subject: int,
        detail: Detail,
        log_act: LogAct | None,
    ) -> None:
        what = f"app:{app.id}"
        if log_act is not None:
            await log_act(conn, kind, subject, what, detail)
        else:
            await self._tell(conn, kind, subject, what, _OPERATOR, detail, by_user=False)

    async def transfer(self, client_id: str, user_id: int, log_act: LogAct | None = None) -> App:
        """The operator's word that an application is another's from now on, as where its developer
        has left. Its tokens stay; users are asked again, since they are shown whose it is.
        ``log_act``: as of ``operate``.

        Raises RegistrationError (``app``; ``user``: there is none, or they are disabled).
        """
        async with self._db.write() as conn:
            app = _known(await store.by_client_id(conn, client_id, hold=True))
            if await store.hold_user(conn, user_id) is not False:
                raise RegistrationError("user", "this account is disabled")
            before = app.user_id
            if log_act is not None and before == user_id:
                return app
            now = self._now()
            app = msgspec.structs.replace(
                app, user_id=user_id, owner_disabled=False, changed_at=now
            )
            await store.replace(conn, app)
            detail: Detail = {"name": app.name, "from": before, "to": user_id}
            kind = ActKind.APP_TRANSFERRED
            # both of them read it in their own log
            for subject in (before, user_id):
                await self._operated(conn, kind, app, subject, detail, log_act)
        return app

    async def rotate_secret(
        self, user_id: int, app_id: int, sender: RequestOrigin = NOBODY
    ) -> tuple[App, str]:
        """A new secret; the former opens for another day. Raises RegistrationError (``app``)."""
        now = self._now()
        secret = credential.issue(CredentialKind.CLIENT_SECRET)
        async with self._db.write() as conn:
            app = _known(await store.owned(conn, user_id, app_id, hold=True))
            await store.add_secret(
                conn,
                app_id,
                credential.digest(secret),
                credential.hint(secret),
                now,
                now + SECRET_GRACE_S,
            )
            await self._tell_of(conn, ActKind.SECRET_ROTATED, app, sender)
        return app, secret

    async def end_old_secrets(self, user_id: int, app_id: int) -> int:
        """Refuse replaced secrets at once; how many there were. Raises RegistrationError."""
        async with self._db.write() as conn:
            _known(await store.owned(conn, user_id, app_id, hold=True))
            return await store.end_old_secrets(conn, app_id)

    async def delete(self, user_id: int, app_id: int, sender: RequestOrigin = NOBODY) -> App:
        """Delete an application with every consent and token. Raises RegistrationError."""
        async with self._db.write() as conn:
            app = _known(await store.owned(conn, user_id, app_id, hold=True))
            await store.remove(conn, app_id)
            await self._tell_of(conn, ActKind.APP_DELETED, app, sender)
        return app

    async def find(self, client_id: str) -> App | None:
        """The application of a client id, suspended ones too."""
        if not credential.is_client_id(client_id):
            return None
        async with self._db.read() as conn:
            return await store.by_client_id(conn, client_id)

    async def authenticate(self, client_id: str, secret: str) -> App:
        """The active application that these credentials belong to.

        Unknown client, wrong secret and suspended application are told alike and cost the same.
        Raises OAuthError (``invalid_client``).
        """
        presented = credential.digest(secret)
        async with self._db.read() as conn:
            is_one = credential.is_client_id(client_id)
            app = await store.by_client_id(conn, client_id) if is_one else None
            stored = await store.digests(conn, app.id if app else 0, self._now())
        # every one is compared, and one where there is none
        same = [hmac.compare_digest(presented, digest) for digest in (*stored, _NOBODY)]
        if app is None or not any(same[:-1]) or not app.works:
            raise OAuthError("invalid_client", "the client id or the client secret is wrong", 401)
        return app

    async def _change(
        self,
        user_id: int,
        app_id: int,
        change: Callable[[App], App],
        kind: ActKind,
        sender: RequestOrigin,
    ) -> App:
        async with self._db.write() as conn:
            app = _known(await store.owned(conn, user_id, app_id, hold=True))
            app = change(app)
            await store.replace(conn, app)
            await self._tell_of(conn, kind, app, sender)
        return app

    async def _tell_of(
        self, conn: Connection, kind: ActKind, app: App, sender: RequestOrigin
    ) -> None:
        detail: Detail = {"name": app.name, "redirect_uri": app.redirect_uri}
        await self._tell(conn, kind, app.user_id, f"app:{app.id}", sender, detail)

    def _redirect_uri(self, text: str) -> str:
        return registration.redirect_uri(text, allow_insecure=self._allow_insecure_redirect)


def _known(app: App | None) -> App:
    if app is None:
        raise RegistrationError("app", "there is no such application of yours")
    return app
