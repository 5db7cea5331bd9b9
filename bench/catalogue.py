"""What taking up a changed entry costs, of 500 channels and 5,000 models in the database.

Prints the processor time of the first reading, of one with an edited model and of one with an
edited channel, all off the event loop, and how long the loop itself is held by the swap.
"""

import argparse
import gc
import resource
import time
from pathlib import Path

import structlog

from trivium.routing.reload import FileWatch, SettingsReader
from trivium.routing.router import Router
from trivium.settings.stored import StoredEntry
from trivium.wiring.serve import GC_THRESHOLD


def entries(channels: int, models: int) -> list[StoredEntry]:
    """As many, each model bound to two channels."""
    found = [
        StoredEntry(
            table="channels", name=f"c{i}", version=1,
            document={
                "name": f"c{i}", "provider": "openai", "api_key": f"sk-{i:032d}",
                "base_url": f"https://host-{i % 50}.example/v1",
            },
        )
        for i in range(channels)
    ]  # fmt: skip
    found += [
        StoredEntry(
            table="models", name=f"m{i}", version=1,
            document={
                "name": f"m{i}", "price": {"input": "1.25", "output": "10"},
                "fallbacks": [f"m{(i + 1) % models}"],
                "bindings": [
                    {"channel": f"c{i % channels}", "model": "gpt-5"},
                    {"channel": f"c{(i * 7 + 1) % channels}", "priority": 1},
                ],
            },
        )
        for i in range(models)
    ]  # fmt: skip
    return found


def edited(entry: StoredEntry, **members: object) -> StoredEntry:
    """The entry with other members."""
    document = {**entry.document, **members}
    return StoredEntry(table=entry.table, name=entry.name, version=2, document=document)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--channels", type=int, default=500)
    parser.add_argument("--models", type=int, default=5_000)
    asked = parser.parse_args()
    reader = SettingsReader(None, {})
    held: list[float] = []

    def swap(*new: object) -> None:
        began = time.perf_counter()
        Router(new[1], lambda: 0.0)  # type: ignore[arg-type] # a catalogue
        held.append(time.perf_counter() - began)

    watch = FileWatch(reader, reader.read(), swap)
    now = entries(asked.channels, asked.models)
    model, channel = asked.channels, 0
    steps = {
        "first reading": now,
        "nothing changed": now,
        "a model edited": [*now[:model], edited(now[model], title="M"), *now[model + 1 :]],
        "a channel edited": [edited(now[channel], queue_s=9.0), *now[1:]],
    }
    structlog.configure(processors=[lambda *_: (_ for _ in ()).throw(structlog.DropEvent)])
    gc.set_threshold(GC_THRESHOLD)
    for name, given in steps.items():
        reader.entries = given
        began = time.process_time()
        found = watch._compared(anew=False)  # noqa: SLF001 - what the thread does
        cpu_ms = (time.process_time() - began) * 1000
        began = time.perf_counter()
        watch._take(*found, quiet=True)  # noqa: SLF001 - what the loop does
        loop_ms = (time.perf_counter() - began) * 1000
        if given is now:  # as a worker does once it serves
            gc.collect()
            gc.freeze()
        print(f"{name:18} {cpu_ms:7.0f} ms off the loop, {loop_ms:6.2f} ms on it")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{len(now)} entries, {peak} MiB, {Path(__file__).name}")


if __name__ == "__main__":
    main()
