"""Catalogues by a seed: all that entries may say, in odd letters and odd numbers."""

import random

from trivium.catalogue.model import EntryName

LETTERS = [
    '"',
    "\\",
    "\n",
    "\t",
    "\x7f",
    "\x01",
    "é",
    "語",
    "🙂",
    "#",
    "'",
    "[",
    "]",
    "=",
    "a",
    " ",
]
PRICES = ["0.000001", "1.25", "10", "0.5"]


class Generator:
    """One of them."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def some(self, **members):
        """A part of these members, each by its maker."""
        return {name: make() for name, make in members.items() if self.random.random() < 0.4}

    def text(self):
        return "".join(self.random.choices(LETTERS, k=self.random.randint(1, 12))) + "x"

    def number(self):
        return self.random.choice([1, 7, 100_000])

    def seconds(self):
        return self.random.choice([1, 0.1, 30.0, 1e-05, 3600])

    def price(self):
        return self.random.choice(PRICES)

    def prices(self):
        return {"input": self.price(), "output": self.price()} | self.some(
            image_input=self.price, per_request=self.price
        )

    def timeouts(self):
        return self.some(connect=self.seconds, first_byte=self.seconds, idle=self.seconds)

    def key(self):
        letters = self.random.choices("abcdefgh0123456789", k=self.random.randint(8, 40))
        return "sk-" + "".join(letters)

    def rates(self):
        return self.some(
            requests_per_minute=self.number,
            tokens_per_minute=self.number,
            max_concurrency=self.number,
        )

    def channel(self, name):
        kind = self.random.choice(["one", "several", "reference", "local", "cloud"])
        found = {"name": name, "provider": "openai"}
        if self.random.random() < 0.4:
            found |= {"max_concurrency": 2, "queue_max": self.number()}
        if kind == "one":
            found["api_key"] = self.key()
        elif kind == "several":
            found["api_keys"] = [self.key(), self.key()]
            found["base_url"] = "https://gateway.example/v1"
        elif kind == "reference":
            found["api_key"] = "env:FIRST_API_KEY"
        elif kind == "local":
            found |= {"provider": "ollama", "base_url": "http://127.0.0.1:11434/v1"}
        else:
            found |= {
                "provider": "bedrock",
                "base_url": "https://bedrock-runtime.eu-central-1.amazonaws.com",
                "credential": {
                    "region": "eu-central-1",
                    "key_id": "AKIA0123",
                    "secret": self.key(),
                },
            }
        found |= self.some(
            requests_per_minute=self.number,
            headers=lambda: {"x-team": self.key(), "x-other": self.key()},
            proxy=lambda: "http://user:word@127.0.0.1:3128",
            queue_s=self.seconds,
            timeouts=self.timeouts,
            probe=lambda: {"every_s": 60, "path": "/v1/models"},
            disabled=lambda: self.random.choice([True, False]),
        )
        return found

    def binding(self, channel):
        return {"channel": channel} | self.some(
            model=lambda: "gpt-5",
            priority=lambda: self.random.randint(-3, 3),
            weight=lambda: self.random.randint(1, 9),
            cost=self.price,
            timeouts=self.timeouts,
            profile=lambda: {"stop_max": 4, "prefill": False},
        )

    def model(self, name, channels, others):
        found = {"name": name, "bindings": [self.binding(each) for each in channels]}
        if self.random.random() < 0.3:
            found["free"] = True
        else:
            found["price"] = self.prices()
            found |= self.some(
                tiers=lambda: [{"above": 200_000, "price": {"input": "9"}}],
                images=lambda: [{"price": "0.04", "size": "1024x1024"}, {"price": "0.05"}],
                price_changes=lambda: [
                    {
                        "since": "2030-01-01",
                        "price": self.prices(),
                        "tiers": [{"above": 1_000, "price": {"output": "3"}}],
                    }
                ],
            )
        if others:
            found |= self.some(fallbacks=lambda: [self.random.choice(others)])
        return (
            found
            | self.rates()
            | self.some(
                title=self.text,
                owned_by=self.text,
                strategy=lambda: self.random.choice(["weight", "latency"]),
                hedge_s=self.seconds,
                context_max=self.number,
                output_max=self.number,
            )
        )

    def catalogue(self):
        """Documents by their names."""
        found = {}
        channels = [f"c{i}" for i in range(self.random.randint(1, 4))]
        for name in channels:
            found[EntryName("channel", name)] = self.channel(name)
        models = []
        for i in range(self.random.randint(0, 5)):
            name = self.random.choice(["m", "vendor/m", "m.1:free"]) + str(i)
            mine = self.random.sample(channels, self.random.randint(1, len(channels)))
            found[EntryName("model", name)] = self.model(name, mine, models)
            models.append(name)
        for name in self.random.sample(
            ["students", "staff", "guests-2"], self.random.randint(0, 3)
        ):
            found[EntryName("group", name)] = self.random.choice(["0.8", "1", "2.5"])
        if self.random.random() < 0.5:
            found[EntryName("routing", "routing")] = self.some(
                attempts_max=lambda: 3, slow_s=lambda: 0.25, wishes=lambda: True
            )
        return found
