"""Prints what two_nodes.py has measured."""

from typing import Any

NODES = 2


def row(name: str, value: float, unit: str = "") -> None:
    """Print one line."""
    shown = f"{value:,.0f}" if value >= 1000 or value == int(value) else f"{value:,.3g}"
    print(f"{name:52} {shown:>12} {unit}")


def show(idle: dict[str, Any], before: dict[str, Any], after: dict[str, Any], asked: int) -> None:
    """Print what a request took, and what is asked without one."""
    workers = NODES * 2
    idle_s = before["at"] - idle["at"]
    print(f"-- without requests, {idle_s:.0f} s, of each of {workers} workers")
    row("transactions a second", (before["committed"] - idle["committed"]) / idle_s / workers)
    calls = sum(each["calls"] for each in before["statements"].values())
    calls -= sum(each["calls"] for each in idle["statements"].values())
    row("statements a second", calls / idle_s / workers)
    row("connections to PostgreSQL", (after["connections"] - 2) / workers)
    for name in ("workers", "database"):
        spent = (before[f"{name}_ns"] - idle[f"{name}_ns"]) / idle_s / 1e6 / workers
        row(f"processor time, {name}", spent, "ms a second")
    print(f"-- a request, of {asked:,}")
    for name in ("workers", "database", "valkey"):
        row(
            f"processor time, {name}",
            (after[f"{name}_ns"] - before[f"{name}_ns"]) / asked / 1000,
            "us",
        )
    row("transactions", (after["committed"] - before["committed"]) / asked)
    calls = sum(each["calls"] for each in after["statements"].values())
    calls -= sum(each["calls"] for each in before["statements"].values())
    row("statements", calls / asked)
    row("log of PostgreSQL", (after["log"] - before["log"]) / asked, "bytes")
    row(
        "calls of scripts",
        (after["scripts"].get("calls", 0) - before["scripts"].get("calls", 0)) / asked,
    )
    usec = after["scripts"].get("usec", 0) - before["scripts"].get("usec", 0)
    calls = after["scripts"].get("calls", 0) - before["scripts"].get("calls", 0)
    row("one call of a script, in Valkey", usec / max(1, calls), "us")
    print(
        f"{'table':22} {'inserted':>9} {'updated':>9} {'in place':>9} {'deleted':>9} {'heap':>9} {'indexes':>9}"
    )
    for name, now in sorted(after["tables"].items()):
        then = before["tables"][name]
        more = [(now[column] - then[column]) / asked for column in range(1, 7)]
        if any(more[:4]):
            counts = " ".join(f"{each:9.3f}" for each in more[:4])
            print(f"{name:22} {counts} {more[4]:9.0f} {more[5]:9.0f}")


def show_statements(before: dict[str, Any], after: dict[str, Any]) -> None:
    """Print what the database was busy with, waiting for locks included."""
    found = []
    for query, now in after["statements"].items():
        then = before["statements"].get(query)
        calls = now["calls"] - (then["calls"] if then else 0)
        took_ms = now["total_exec_time"] - (then["total_exec_time"] if then else 0.0)
        found.append((took_ms, calls, " ".join(query.split())[:90]))
    for took_ms, calls, query in sorted(found, reverse=True)[:10]:
        print(f"{took_ms:9.0f} ms {calls:7} times  {query}")


def counted(
    rig: Any, before: dict[str, Any], after: dict[str, Any], took: float
) -> dict[str, float]:
    """What a simulation has by the same names."""

    def calls(*marks: str) -> int:
        return sum(
            each["calls"]
            - (before["statements"][query]["calls"] if query in before["statements"] else 0)
            for query, each in after["statements"].items()
            if all(mark in query for mark in marks)
        )

    def rows(table: str, *columns: str) -> int:
        now, then = after["tables"][table], before["tables"][table]
        return sum(now[column] - then[column] for column in columns)

    of_leases = rows("leases", "n_tup_ins", "n_tup_upd", "n_tup_del")
    turns = calls("FROM accounts", "FOR UPDATE")
    return {
        "requests": sum(rig.counts.values()),
        "served": rig.counts[200],
        "entries": rows("entries", "n_tup_ins"),
        "too low, rightly": rig.counts[429],
        "try again, rightly": rig.counts[503],
        "turns a second": turns / took,
        "rows of leases written a second": of_leases / took,
        "rows of leases": rig.samples[-1][0] if rig.samples else 0,
        "leased and idle, $": rig.samples[-1][1] / 1e9 if rig.samples else 0,
    }
