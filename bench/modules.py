"""Where processor time and memory of a start go: modules by their own share, those of a pattern added up.

usage: modules.py [pattern]    (in a folder with a trivium.toml; from a checkout with the
development environment)

Starts `trivium serve` in this process, waits until it has imported all that it imports by itself,
prints and ends it. Time of the processor counts, so a busy machine disturbs little. Memory is what
was resident after a module had been loaded and not before, by package.
"""

import importlib._bootstrap as loading
import os
import re
import sys
import threading
import time
from collections import Counter
from pathlib import Path

CLOUDS = (
    r"bedrock|converse|cohere|vertex|identities|signature_v4|event_stream|wrapping|wrapped|framed"
    r"|surface|hosted|upstream\.(tokens|finding|thread_client|token_request)|azure|cloud|aws_errors"
)
"""What is there for Bedrock, Vertex AI, Azure's tokens and Cohere, on either side."""
AFTER_S = 45
"""Of a start: by then the pages are imported too."""
ROWS = 40
PACKAGES = 25

own = {}
kept = Counter()
"""KiB by package; of our own by folder."""
_inner = []
_inside = []
_load = loading._load_unlocked  # noqa: SLF001 - there is no other place that sees every import


def timed(spec):
    """Load a module, and book what it took apart from the modules that it imports itself."""
    begun, before = time.process_time(), resident()
    _inner.append(0.0)
    _inside.append(0)
    try:
        return _load(spec)
    finally:
        took = time.process_time() - begun
        own[spec.name] = own.get(spec.name, 0.0) + took - _inner.pop()
        grown = resident() - before
        folders = spec.name.split(".")
        kept[".".join(folders[: 1 + (folders[0] == "trivium")])] += grown - _inside.pop()
        if _inner:
            _inner[-1] += took
            _inside[-1] += grown


def resident():
    """Memory of this process, in KiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024


def report(pattern):
    """Print the figures and end the process."""
    time.sleep(AFTER_S)
    named = re.compile(pattern)
    rows = {k: v for k, v in own.items() if k.startswith("trivium") and named.search(k)}
    print(
        f"{sum(rows.values()) * 1e3:.1f} ms of {sum(own.values()) * 1e3:.1f}, {len(rows)} modules"
    )
    for name, took in sorted(rows.items(), key=lambda row: -row[1])[:ROWS]:
        print(f"{took * 1e3:8.2f}  {name}")
    for name, size in kept.most_common(PACKAGES):
        print(f"{size / 1024:8.2f}  {name}")
    print(f"{resident() / 1024:.1f} MiB resident", flush=True)
    os._exit(0)


if __name__ == "__main__":
    pattern = sys.argv[1] if len(sys.argv) > 1 else CLOUDS
    loading._load_unlocked = timed  # noqa: SLF001 - as above
    threading.Thread(target=report, args=(pattern,), daemon=True).start()
    sys.argv = ["trivium", "serve"]
    from trivium.cli.main import main

    main()
