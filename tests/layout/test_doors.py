"""Things that have one door each: SQL, credentials, vendors' differences, log events."""

import ast

import pytest

SQL = frozenset({"sqlalchemy", "alembic", "asyncpg", "aiosqlite", "sqlite3"})
LOGGERS = frozenset({"log", "_log", "logger", "_logger", "LOG", "_LOG"})
LEVELS = frozenset({"debug", "info", "warning", "error", "critical", "exception", "log", "msg"})
REVEALERS = {
    "ledger.payments.stripe": "the payment provider asks for a key of its own, and signs with one",
    "identity.accounts.sso.provider": "a provider of logins asks for a password of its own",
    "mail.smtp": "the mail server asks for a password of its own",
    "routing.catalogue": "an operator's own header may be written env:NAME; it is sent as it is",
    "shared.state": "the shared state asks for a password of its own",
}
"""Modules outside ``upstream/`` that take a secret out, and why."""

VENDORS = frozenset({"provider", "vendor"})


def sql(source):
    """Imports of the database outside ``storage/`` and ``*/store.py``."""
    parts = source.module.split(".")
    if parts[0] == "storage" or source.path.name == "store.py":
        return []
    return [
        f"{source.where}:{line} imports {name}"
        for line, name in modules(source.tree)
        if name.split(".")[0] in SQL
    ]


def modules(tree):
    """(line, module) of every absolute import."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.lineno, node.module or ""


def reveals(source):
    """Credentials taken out of their ``Secret`` anywhere but on the way to the vendor."""
    if source.module.split(".")[0] == "upstream":
        return []
    found = [
        f"{source.where}:{node.lineno} reveals a secret"
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Attribute) and node.attr == "reveal"
    ]
    if source.module in REVEALERS:
        return [] if found else [f"the exception for {source.module} is stale"]
    return found


def vendor_branches(source):
    """``if provider == "x"`` outside ``providers/``: a difference that should be a row."""
    if source.module.split(".")[0] == "providers":
        return []
    found = []
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(map(names_vendor, sides)) and any(map(constant, sides)):
                found.append(f"{source.where}:{node.lineno} compares a provider")
        elif isinstance(node, ast.Match) and names_vendor(node.subject):
            found.append(f"{source.where}:{node.lineno} matches a provider")
        elif looks_into(node):
            found.append(f"{source.where}:{node.lineno} looks into a provider's name")
    return found


def looks_into(node):
    """Whether a node asks how a provider's name begins or ends."""
    return (
        isinstance(node, ast.Attribute)
        and node.attr in ("startswith", "endswith")
        and names_vendor(node.value)
    )


def names_vendor(node):
    """Whether an expression is a provider or its name."""
    if isinstance(node, ast.Attribute):
        return node.attr in VENDORS or (node.attr == "name" and names_vendor(node.value))
    return isinstance(node, ast.Name) and node.id in VENDORS


def constant(node):
    """Whether an expression is a text, or a collection of texts, written out."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return any(map(constant, node.elts))
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def log_calls(source):
    """Log calls whose event is not a plain text: they cannot be searched or counted."""
    found = []
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call) and logs(node.func):
            said = node.args[1:] if node.func.attr == "log" else node.args  # after the level
            event = said[0] if said else None
            if not (isinstance(event, ast.Constant) and isinstance(event.value, str)):
                found.append(f"{source.where}:{node.lineno} logs a made-up event")
            elif any(isinstance(part, ast.JoinedStr) for part in ast.walk(node)):
                found.append(f"{source.where}:{node.lineno} logs an f-string")
    return found


def logs(function):
    """Whether a call's function is a logger's method."""
    return (
        isinstance(function, ast.Attribute)
        and function.attr in LEVELS
        and (
            (isinstance(function.value, ast.Name) and function.value.id in LOGGERS)
            or (isinstance(function.value, ast.Attribute) and function.value.attr in LOGGERS)
        )
    )


RULES = {"sql": sql, "secrets": reveals, "vendors": vendor_branches, "logs": log_calls}


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_everything_goes_through_its_door(sources, rule):
    """SQL in stores, secrets in upstream, vendors in providers, events written out."""
    found = [line for source in sources for line in rule(source)]
    assert [] == found, "\n".join(found)


@pytest.mark.parametrize(
    ("rule", "where", "text"),
    [
        ("sql", "ledger/service.py", "import sqlalchemy"),
        (
            "sql",
            "edge/x.py",
            "def f():\n    from sqlalchemy.ext.asyncio import create_async_engine",
        ),
        ("sql", "routing/x.py", "import asyncpg"),
        ("secrets", "edge/x.py", "secret.reveal()"),
        ("secrets", "routing/catalogue.py", "no_longer = True"),
        ("secrets", "observe/x.py", "f = channel.credentials[0].reveal"),
        ("vendors", "pipeline/x.py", "if provider == 'openai': pass"),
        ("vendors", "pipeline/x.py", "if 'openai' != channel.provider.name: pass"),
        ("vendors", "routing/x.py", "ok = binding.channel.provider.name in ('openai', 'azure')"),
        ("vendors", "upstream/x.py", "match provider.name:\n    case 'openai': pass"),
        ("vendors", "edge/x.py", "provider.name.startswith('open')"),
        ("logs", "edge/x.py", "log.info(f'request {x}')"),
        ("logs", "edge/x.py", "self._log.warning('request %s' % x)"),
        ("logs", "edge/x.py", "log.info('request', text=f'{x}')"),
        ("logs", "edge/x.py", "logger.error(event)"),
        ("logs", "edge/x.py", "logger.error()"),
        ("logs", "edge/x.py", "log.log(level, event)"),
    ],
)
def test_a_way_round_the_door_is_caught(invent, rule, where, text):
    """Each rule can fail."""
    assert RULES[rule](invent.of(f"src/trivium/{where}", text))


@pytest.mark.parametrize(
    ("rule", "where", "text"),
    [
        ("sql", "ledger/store.py", "import sqlalchemy"),
        ("sql", "storage/engine.py", "from sqlalchemy import text"),
        ("secrets", "upstream/headers.py", "secret.reveal()"),
        ("vendors", "providers/openai.py", "if provider == 'openai': pass"),
        ("vendors", "routing/x.py", "if channel.provider is other.provider: pass"),
        ("logs", "edge/x.py", "log.info('request_done', status=200)"),
        ("logs", "edge/x.py", "math.log(x)"),
        ("logs", "observe/x.py", "log.log(level, 'library', message=text)"),
    ],
)
def test_the_door_itself_is_open(invent, rule, where, text):
    """No rule fails on what is allowed."""
    assert [] == RULES[rule](invent.of(f"src/trivium/{where}", text))
