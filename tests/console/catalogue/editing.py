"""An administrator's browser before an empty catalogue, and what tests do with it."""

import contextlib
import re
from html import unescape
from pathlib import Path

import msgspec

from console.visiting import Seen, console_over, user_of, visiting
from trivium.catalogue.model import ChangeAuthor, EntryName
from trivium.catalogue.service import EntryEdit
from trivium.clock import FixedClock
from trivium.console.gateway import GatewayState
from trivium.identity.model import UserRole
from trivium.routing.reload import FileWatch, SettingsReader
from trivium.storage.root_key import RootKeys
from trivium.wiring.catalogue import StoredParts, seal_of

CANARY = "sk-canary-0123456789"
CHANNEL = {"provider": "openai", "api_key": CANARY}
MODEL = {"price": {"input": "1.25", "output": "10"}, "bindings": [{"channel": "main"}]}
FILE = """\
[routing]
repeats = 1
[groups]
students = "0.8"
[[channels]]
name = "filed"
provider = "openai"
api_key = "sk-canary-of-the-file"
[[models]]
name = "filed-model"
free = true
bindings = [{ channel = "filed" }]
"""


class Editor:
    """What an administrator does."""

    def __init__(self, visitor, console, user):
        self.visitor, self.console, self.user = visitor, console, user

    async def put(self, kind, name, document):
        """An entry, without the pages."""
        _, entries = await self.console.catalogue.everything()
        known = entries.get(EntryName(kind, name))
        edit = EntryEdit(at=EntryName(kind, name), document=document)
        await self.console.catalogue.change(
            [edit], ChangeAuthor(user_id=self.user.id), together=True,
            read_at=None if known is None else (await self.console.catalogue.everything())[0].value,
        )  # fmt: skip

    async def document(self, kind, name):
        """What the database has; ``None``: nothing."""
        _, entries = await self.console.catalogue.everything()
        found = entries.get(EntryName(kind, name))
        return None if found is None else found.body.document

    async def secrets(self, kind, name):
        """The credentials of an entry by their places."""
        at = EntryName(kind, name)
        body = (await self.console.catalogue.everything())[1][at].body
        return self.console.catalogue._snapshot.values_of(at, body)

    async def get(self, path):
        answer = await self.visitor.get(path)
        assert 200 == answer.status_code, (path, answer.status_code, answer.text[:400])
        return answer

    async def filled(self, path, **changed):
        """The form of a page as a browser would send it, with these fields changed."""
        return fields(await self.get(path)) | changed

    async def send(self, path, status=303, **sent):
        """Send a form; what is seen."""
        answer = await self.visitor.post(path, **sent)
        assert status == answer.status_code, Seen(answer.text).text[:2000]
        return answer


def fields(answer):
    """Fields of the main form of a page, as they are filled in."""
    seen = Seen(answer.text)
    found = {}
    for tag, attrs in seen.elements:
        name = attrs.get("name")
        if tag == "input" and name and name not in ("csrf", "q"):
            kind = attrs.get("type")
            if kind in ("checkbox", "radio"):
                if "checked" in attrs:
                    found[name] = attrs.get("value", "")
            else:
                found[name] = attrs.get("value") or ""
    for name, text in re.findall(
        r'<textarea[^>]*name="([^"]*)"[^>]*>([^<]*)</textarea>', answer.text
    ):
        found[name] = unescape(text)
    for name, inner in re.findall(
        r'<select[^>]*name="([^"]*)"[^>]*>(.*?)</select>', answer.text, re.DOTALL
    ):
        chosen = re.search(r'value="([^"]*)" selected', inner)
        found[name] = unescape(chosen[1]) if chosen else ""
    return found


@contextlib.asynccontextmanager
async def editing(database, *, file="", folder=None, clock=None):
    """An administrator's browser; ``file``: the text of a settings file in this folder."""
    clock = clock or FixedClock()
    path = None
    if file:
        path = Path(folder) / "trivium.toml"
        path.write_text(file)
    reader = SettingsReader(path, {})
    current = reader.read()
    held = [current]
    parts = StoredParts(
        database,
        seal_of(RootKeys(b"k" * 32)),
        reader,
        FileWatch(reader, current, lambda *taken: held.append(taken)),
    )
    console = msgspec.structs.replace(
        console_over(database, clock),
        catalogue=parts.service(clock),
        models=lambda: tuple(held[-1][1].models.values()),
        gateway=GatewayState(channels=lambda: tuple(held[-1][1].channels.values())),
    )
    async with visiting(database, console) as visitor:
        user = await user_of(console, "eve", UserRole.ADMIN)
        await visitor.log_in(user)
        yield Editor(visitor, console, user)
