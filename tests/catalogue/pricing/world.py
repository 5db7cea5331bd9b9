"""A gateway's prices without the gateway: a file, a database, vendors that say what a test wants."""

from types import SimpleNamespace

import msgspec

from trivium.catalogue.model import ChangeAuthor, EntryName
from trivium.catalogue.pricing.looks import PriceLooks
from trivium.catalogue.pricing.service import PriceChoice, PriceService
from trivium.catalogue.service import Condition, EntryEdit
from trivium.clock import FixedClock
from trivium.ledger.suggestions.model import PriceList, Suggestion, read
from trivium.ledger.suggestions.vendor import VendorList, VendorOffer
from trivium.routing.reload import FileWatch, SettingsReader
from trivium.storage.root_key import RootKeys
from trivium.wiring.catalogue import StoredParts, seal_of

ADA = ChangeAuthor(user_id=3, address="198.51.100.7")
SUGGESTED = {
    "format": 1,
    "source": "a list",
    "date": "2026-11-10",
    "licence": "none",
    "providers": {
        "openai": {
            "gpt-x": {
                "left_out": ["web searches"],
                "lists": [
                    {"price": {"input": "1.25", "output": "10"}},
                    {"since": "2027-01-01", "price": {"input": "2", "output": "20"}},
                ],
            },
            "gpt-y": {"lists": [{"price": {"input": "1", "output": "2"}}]},
        }
    },
}
FILE = """
[[channels]]
name = "filed"
provider = "openai"
api_key = "sk-vendor-0123456789"
[[models]]
name = "in-file"
price = { input = "3", output = "4" }
bindings = [{ channel = "filed", model = "gpt-y" }]
"""
CHANNEL = {"provider": "openrouter", "api_key": "sk-vendor-0123456789"}
OPENAI = {"provider": "openai", "api_key": "sk-vendor-0123456789"}
NIGHT = 20_000 * 86_400 + 3 * 3600


def model(upstream="gpt-x", channel="main", price=("1", "10"), **more):
    """A model's document; ``price``: input and output, or ``None``."""
    said = {} if price is None else {"price": {"input": price[0], "output": price[1]}}
    return {"bindings": [{"channel": channel, "model": upstream}], **said, **more}


def offered(**models):
    """A vendor's whole list: (input, output) by model; ``None``: listed without a price."""
    return VendorList(
        at=NIGHT,
        listed=len(models),
        models={
            name.replace("_", "-"): VendorOffer()
            if price is None
            else VendorOffer(
                suggestion=Suggestion(
                    lists=(PriceList(price={"input": price[0], "output": price[1]}),)
                )
            )
            for name, price in models.items()
        },
    )


class PriceWorld:
    """One worker's services."""

    def __init__(self, db, folder, file="", clock=None):
        self.db = db
        self.clock = clock or FixedClock(NIGHT)
        path = folder / "trivium.toml"
        path.write_text(file)
        reader = SettingsReader(path, {})
        first = reader.read()
        self.models = first[1].models
        watch = FileWatch(reader, first, self.swap)
        self.parts = StoredParts(db, seal_of(RootKeys(b"k" * 32)), reader, watch)
        self.catalogue = self.parts.service(self.clock)
        self.suggested = read(msgspec.json.encode(SUGGESTED))
        bundled = SimpleNamespace(now=lambda: self.suggested)
        self.prices = PriceService(db, self.clock, self.catalogue, self.served, bundled)
        self.lists = {}
        self.asked = []
        self.looks = PriceLooks(db, self.clock, self.prices, self.served, self.listed)

    def served(self):
        """The models in force."""
        return self.models.values()

    def swap(self, settings, catalogue):
        """Put in force what was read."""
        del settings
        self.models = catalogue.models

    async def listed(self, channel, wanted):
        """What the vendor of a channel says."""
        self.asked.append((channel.name, wanted))
        found = self.lists.get(channel.name, VendorList(at=NIGHT, is_whole=False, why="no list"))
        return found() if callable(found) else found

    async def put(self, **models):
        """Make these models what their documents say, and the channels that they need."""
        _, entries = await self.catalogue.everything()
        edits = []
        documents = {("model", name.replace("_", "-")): each for name, each in models.items()}
        for (kind, name), document in {
            ("channel", "main"): OPENAI, ("channel", "router"): CHANNEL, **documents
        }.items():  # fmt: skip
            at = EntryName(kind, name)
            known = entries.get(at)
            if known is not None and kind == "channel":
                continue
            condition = Condition() if known is None else Condition(version=known.version)
            edits.append(EntryEdit(at=at, document=document, condition=condition))
        await self.catalogue.change(edits, ADA)

    async def document(self, name):
        """A model of the database as it is stored."""
        _, entries = await self.catalogue.everything()
        return entries[EntryName("model", name)].body.document

    async def standing(self, name):
        """A model's row of the sheet."""
        sheet = await self.prices.sheet()
        return next(each for each in sheet.standings if each.name == name)

    async def adopt(self, *names, replaces=False, **more):
        """Adopt the best known offer of these models, or of all."""
        choices = [PriceChoice(model=name, replaces=replaces) for name in names] or None
        return await self.prices.adopt(choices, ADA, **more)

    async def open(self):
        """(model, changes) of proposals that are open, oldest first."""
        return [
            (each.model, [(line.kind, line.now, line.then) for line in each.lines])
            for each in reversed(await self.prices.proposals())
        ]
