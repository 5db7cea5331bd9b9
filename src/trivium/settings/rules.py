"""For every setting a line that would be right, and the check its value must pass.

Keys leave list positions out; ``*`` stands for any name in a table of the operator's own.

Values that look like references to secrets kept elsewhere, written as other programs write them,
are refused. Nothing here looks such a reference up: it would travel to the vendor as the key
itself, and be refused there long after ``trivium check`` was content. What is looked up begins as
``REGISTERED`` says. A value that really begins so is put into a variable or a file.
"""

import re
from typing import Final

import msgspec

from trivium.providers.audio import names
from trivium.settings import payments, section, syntax, workloads
from trivium.settings.errors import Path
from trivium.settings.limits import LIMIT_MAX
from trivium.settings.profile import EXAMPLES
from trivium.settings.secret_stores.reference import PREFIXES as STORED
from trivium.settings.secret_stores.reference import parse
from trivium.settings.secrets import REGISTERED
from trivium.settings.syntax import Check, above_zero, between, one_of

_MANAGERS: Final = re.compile(
    r"(?i)(?:vault|openbao|bao|op|1password|bitwarden|bws|doppler|infisical|akeyless|conjur|sops|"
    r"age|gpg|pass|keyring|keychain|keepass|secret|secrets|secretsmanager|awssm|awsssm|aws|ssm|arn|"
    r"gcp|gcpsm|gsm|sm|azure|azurekv|akv|keyvault|k8s|kubernetes|docker|environ|environment|envvar|"
    r"var|variable|ref|valuefrom|path|base64|b64|cmd|exec|command|env|file)\s*:"
)
"""Names under which password managers and other programs' settings know secrets; ``env`` and
``file`` in other letters, or with a blank, are these as well."""
_FORMS: Final = re.compile(
    r"(?i)(?:(?:process\.|os\.)?env(?:iron)?[./\[(]|os\.getenv\b|getenv\(|"
    r"\$\{|\$\(|\$[a-z_][a-z0-9_]*\Z|%[a-z_][a-z0-9_]*%\Z|\{\{|<[a-z][^<>]*>\Z|!(?:secret|env|vault)\b|"
    r"@(?:file|env)\b)"
)
"""Variables as programs and shells write them, and places to be filled in."""
_PATH_LIKE: Final = re.compile(
    r"(?!https?:)[A-Za-z][A-Za-z._+-]{1,20}:(?:[^\s:]*[/#]|[A-Z][A-Z0-9_]*\Z)"
)
"""A word, a colon, and a path or the name of a variable."""
_NOBODYS_SECRET: Final = re.compile(r"arn:aws[a-z-]*:(?:iam|sts)::\d{12}:[\w+=,.@/-]+")
"""Names of roles and users in AWS: other ARNs name secrets that are kept there."""
SHOWN_MAX: Final = 256
"""A reference is no longer than this."""


def unregistered(value: str) -> str | None:
    """What is wrong with a text that was to be a secret or its reference; ``None``: nothing.

    Never holds the value: it may be a secret all the same.
    """
    if value.startswith(STORED):
        try:
            parse(value)
        except ValueError as exc:
            return str(exc)
    if value.startswith(REGISTERED) or len(value) > SHOWN_MAX or _NOBODYS_SECRET.fullmatch(value):
        return None
    if not any(found.match(value.strip()) for found in (_MANAGERS, _FORMS, _PATH_LIKE)):
        return None
    return (
        "looks like a reference to a secret that is kept elsewhere, and only env:NAME, file:PATH, "
        "vault:PATH#FIELD, aws-sm:NAME#FIELD and gcp-sm:NAME#FIELD are looked up; a secret that "
        "really begins so goes into one of these"
    )


def foreign(value: str) -> str | None:
    """Do as ``unregistered`` for a header's value, which may well be a word, a colon and a path."""
    if value.startswith(REGISTERED) or not _FORMS.match(value.strip()):
        return None
    return unregistered(value)


class Rule(msgspec.Struct, frozen=True):
    """The check of a setting and an example of a valid line."""

    example: str
    """A line of TOML."""
    check: Check | None = None
    names: Check | None = None
    """For tables with names of the operator's choosing: what a name must look like."""
    secret: bool = False
    """The value may be or hold a password: never shown."""
    resolved: bool = False
    """A reference (``REGISTERED``) is replaced by what it names when the file is read.

    A channel's keys and headers are not: they stay references until the catalogue is built.
    """
    given: Check | None = None
    """What the value must be as it is given, before anything is looked up."""


def _audio(value: str) -> str | None:
    """A class of speech or transcription models; the table is read when one is named."""
    return one_of(*names())(value)


_MANY: Final = between(1, 1_000_000)
_RATE: Final = between(1, LIMIT_MAX)
_BYTES: Final = between(1_024, 2**40)
_WAIT: Final = between(0, 1_000_000)
_PRICE: Final = 'price = { input = "1.25", output = "10" }'


def _secret(example: str) -> Rule:
    """Return the rule of a value that is shown to nobody and stands in a file of its own."""
    return Rule(example, syntax.filled, secret=True, resolved=True, given=unregistered)


def _address(example: str, check: Check) -> Rule:
    """Return the rule of an address that may hold a password."""
    return Rule(example, check, secret=True, resolved=True)


_TIMEOUTS: Final = {
    "timeouts": Rule("timeouts = { first_byte = 120 }"),
    "timeouts.connect": Rule("timeouts = { connect = 5 }", above_zero),
    "timeouts.first_byte": Rule("timeouts = { first_byte = 120 }", above_zero),
    "timeouts.idle": Rule("timeouts = { idle = 60 }", above_zero),
    "timeouts.total": Rule("timeouts = { total = 900 }", above_zero),
}
"""Of a channel, and of one model there."""


def _prices(table: str) -> dict[str, Rule]:
    """Return the rules of what a model costs, now or from a day on, in the table of that."""
    return {
        f"{table}.price": Rule(_PRICE, names=syntax.price_kind),
        f"{table}.price.*": Rule(_PRICE, syntax.price),
        f"{table}.tiers": Rule(f"[[{table}.tiers]]"),
        f"{table}.tiers.above": Rule("above = 200000", between(1, 1_000_000_000)),
        f"{table}.tiers.price": Rule(_PRICE, names=syntax.price_kind),
        f"{table}.tiers.price.*": Rule(_PRICE, syntax.price),
        f"{table}.images": Rule(f"[[{table}.images]]"),
        f"{table}.images.price": Rule('price = "0.04"', syntax.price),
        f"{table}.images.size": Rule('size = "1024x1024"'),
        f"{table}.images.quality": Rule('quality = "high"'),
        f"{table}.videos": Rule(f"[[{table}.videos]]"),
        f"{table}.videos.price": Rule('price = "0.10"', syntax.price),
        f"{table}.videos.size": Rule('size = "1280x720"', syntax.filled),
    }


_RULES: Final[dict[str, Rule]] = {
    "server.listen": Rule('listen = "127.0.0.1:8080"', syntax.listen_address),
    "server.workers": Rule("workers = 1", between(1, 1024)),
    "server.admin_listen": Rule('admin_listen = "127.0.0.1:8081"', syntax.listen_address),
    "server.public_url": Rule('public_url = "https://gateway.example"', syntax.outside_url),
    "server.auth_url": Rule('auth_url = "https://login.gateway.example"', syntax.outside_url),
    "server.api_url": Rule('api_url = "https://api.gateway.example"', syntax.outside_url),
    "server.tls_certificate": Rule('tls_certificate = "tls/server.pem"', syntax.filled),
    "server.tls_key": Rule('tls_key = "tls/server.key"', syntax.filled),
    "server.backlog": Rule("backlog = 2048", _MANY),
    "server.connections_max": Rule("connections_max = 20000", _MANY),
    "server.header_bytes_max": Rule("header_bytes_max = 65536", _BYTES),
    "server.headers_max": Rule("headers_max = 200", _MANY),
    "server.body_bytes_max": Rule("body_bytes_max = 33554432", _BYTES),
    "server.bodies_bytes_max": Rule("bodies_bytes_max = 536870912", _BYTES),
    "server.objects_max": Rule("objects_max = 100000", _MANY),
    "server.upload_bytes_max": Rule("upload_bytes_max = 268435456", _BYTES),
    "server.upload_memory_bytes": Rule("upload_memory_bytes = 1048576", between(0, 2**30)),
    "server.upload_folder": Rule('upload_folder = "/var/tmp"', syntax.filled),
    "server.uploads_bytes_max": Rule("uploads_bytes_max = 8589934592", _BYTES),
    "server.header_timeout_s": Rule("header_timeout_s = 15.0", above_zero),
    "server.body_timeout_s": Rule("body_timeout_s = 60.0", above_zero),
    "server.keepalive_s": Rule("keepalive_s = 75.0", _WAIT),
    "server.pipeline_max": Rule("pipeline_max = 16", _MANY),
    "server.write_high_bytes": Rule("write_high_bytes = 65536", _BYTES),
    "server.drain_s": Rule("drain_s = 30.0", _WAIT),
    "server.drain_notice_s": Rule("drain_notice_s = 2.0", _WAIT),
    "server.drain_idle_s": Rule("drain_idle_s = 5.0", _WAIT),
    "server.half_closed": Rule('half_closed = "cancel"', one_of("cancel", "answer")),
    "server.cors_origins.*": Rule('cors_origins = ["https://app.example"]', syntax.browser_origin),
    "server.query_key": Rule("query_key = true"),
    "server.heartbeat_s": Rule("heartbeat_s = 10.0", _WAIT),
    "server.trusted_proxies.*": Rule('trusted_proxies = ["10.0.0.0/8"]', syntax.network),
    "server.explain_headers": Rule("explain_headers = true"),
    "storage.url": _address('url = "sqlite:///trivium.db"', syntax.storage_url),
    "storage.journal": Rule('journal = "journal/"', syntax.filled),
    "storage.pool": Rule("pool = 5", between(1, 1000)),
    "storage.poll_s": Rule("poll_s = 1.0", above_zero),
    "shared.url": _address('url = "redis://127.0.0.1:6379/0"', syntax.shared_url),
    "upstream.connect_timeout_s": Rule("connect_timeout_s = 10.0", above_zero),
    "upstream.first_byte_timeout_s": Rule("first_byte_timeout_s = 600.0", above_zero),
    "upstream.idle_timeout_s": Rule("idle_timeout_s = 300.0", above_zero),
    "upstream.total_timeout_s": Rule("total_timeout_s = 3600.0", above_zero),
    "upstream.keepalive_s": Rule("keepalive_s = 20.0", _WAIT),
    "upstream.connections_max": Rule("connections_max = 2048", _MANY),
    "upstream.wait_s": Rule("wait_s = 5.0", _WAIT),
    "upstream.answer_bytes_max": Rule("answer_bytes_max = 134217728", _BYTES),
    "upstream.header_bytes_max": Rule("header_bytes_max = 131072", _BYTES),
    "upstream.dns_ttl_s": Rule("dns_ttl_s = 30.0", _WAIT),
    "upstream.proxy": _address('proxy = "http://127.0.0.1:3128"', syntax.proxy_url),
    "upstream.ca_file": Rule('ca_file = "tls/vendors.pem"', syntax.filled),
    "routing.attempts_max": Rule("attempts_max = 5", between(1, 100)),
    "routing.attempts_s": Rule("attempts_s = 120.0", above_zero),
    "routing.slow_s": Rule("slow_s = 30.0", above_zero),
    "routing.repeats": Rule("repeats = 1", between(0, 10)),
    "routing.repeat_pause_s": Rule("repeat_pause_s = 0.5", between(0.01, 60)),
    "routing.wishes": Rule("wishes = true"),
    "routing.failures": Rule("failures = 5", between(1, 1_000_000)),
    "routing.failures_ratio": Rule("failures_ratio = 0.5", between(0.01, 1)),
    "routing.window_s": Rule("window_s = 30.0", above_zero),
    "routing.cooldown_s": Rule("cooldown_s = 5.0", above_zero),
    "routing.cooldown_max_s": Rule("cooldown_max_s = 60.0", above_zero),
    "routing.recheck_s": Rule("recheck_s = 600.0", above_zero),
    "audit.retention_days": Rule("retention_days = 400", section.retention),
    "payments.provider": Rule('provider = "stripe"', one_of("", *payments.PROVIDERS)),
    "payments.secret_key": _secret('secret_key = "env:STRIPE_SECRET_KEY"'),
    "payments.webhook_secret": _secret('webhook_secret = "env:STRIPE_WEBHOOK_SECRET"'),
    "payments.amounts.*": Rule('amounts = ["10", "25", "50", "100"]', payments.dollars),
    "payments.minimum": Rule('minimum = "5"', payments.dollars),
    "payments.maximum": Rule('maximum = "500"', payments.dollars),
    "payments.base_url": Rule('base_url = "http://127.0.0.1:12111"', syntax.web_url),
    "payments.page_url": Rule('page_url = "https://checkout.stripe.com"', syntax.web_url),
    "payments.contact": Rule('contact = "billing@gateway.example"'),
    "records.flush_s": Rule("flush_s = 1.0", above_zero),
    "records.queue_max": Rule("queue_max = 100000", between(1, 100_000_000)),
    "records.retention_days": Rule("retention_days = 90", between(0, 100_000)),
    "records.attribution_days": Rule("attribution_days = 400", between(0, 100_000)),
    "records.traffic_days": Rule("traffic_days = 400", between(0, 100_000)),
    "records.hash_end_users": Rule("hash_end_users = true"),
    "records.hash_sessions": Rule("hash_sessions = true"),
    "responses.store": Rule("store = true"),
    "responses.retention_days": Rule("retention_days = 30", between(1, 100_000)),
    "responses.response_bytes_max": Rule("response_bytes_max = 33554432", between(1024, 2**30)),
    "idempotency.hours": Rule("hours = 24", between(0, 720)),
    "idempotency.answer_bytes_max": Rule("answer_bytes_max = 4194304", between(1024, 2**30)),
    "idempotency.user_keys_max": Rule("user_keys_max = 10000", between(1, 2**40)),
    "idempotency.user_bytes_max": Rule("user_bytes_max = 268435456", between(1024, 2**50)),
    "invoices.seller": Rule('seller = "Example Ltd"', syntax.printed_line),
    "invoices.address": Rule('address = ["1 High Street", "London"]', syntax.printed_line),
    "invoices.prefix": Rule('prefix = "INV-"', syntax.number_prefix),
    "invoices.fonts": Rule('fonts = ["/usr/share/fonts/a.ttf"]', syntax.filled),
    "responses.user_bytes_max": Rule("user_bytes_max = 1073741824", between(1024, 2**50)),
    "traces.retention_days": Rule("retention_days = 7", between(0, 100_000)),
    "traces.trace_bytes_max": Rule("trace_bytes_max = 1048576", between(1024, 2**30)),
    "traces.memory_bytes_max": Rule("memory_bytes_max = 33554432", between(1024, 2**40)),
    "oauth.code_s": Rule("code_s = 60", between(1, 600)),
    "oauth.family_days": Rule("family_days = 365", between(30, 3650)),
    "oauth.strict_state": Rule("strict_state = false"),
    "oauth.allow_insecure_redirect": Rule("allow_insecure_redirect = false"),
    "oauth.userinfo_sub": Rule("userinfo_sub = true"),
    "oauth.balance_decimals": Rule("balance_decimals = 2", between(2, 6)),
    "oauth.spend": Rule("spend = false"),
    "oauth.apps_max": Rule("apps_max = 20", _MANY),
    "oauth.apps_per_hour": Rule("apps_per_hour = 10", _MANY),
    "oauth.authorize_per_minute": Rule("authorize_per_minute = 600", _MANY),
    "oauth.token_per_minute": Rule("token_per_minute = 60", _MANY),
    "oauth.failures_per_minute": Rule("failures_per_minute = 20", _MANY),
    "secrets.refresh_s": Rule("refresh_s = 300.0", _WAIT),
    "secrets.references.*": Rule('references = ["env:*_API_KEY"]', syntax.reference_pattern),
    "secrets.reference_hosts.*": Rule(
        'reference_hosts = ["*.openai.azure.com"]', syntax.host_pattern
    ),
    "logs.level": Rule('level = "info"', one_of("debug", "info", "warning", "error")),
    "logs.format": Rule('format = "auto"', one_of("auto", "json", "text")),
    "metrics.enabled": Rule("enabled = true"),
    "metrics.token": Rule(
        'token = "env:METRICS_TOKEN"', secret=True, resolved=True, given=unregistered
    ),
    "images.legacy_model": Rule('legacy_model = "dall-e-2"', syntax.model_name),
    "images.gpt_model": Rule('gpt_model = "gpt-image-2"', syntax.model_name),
    "jobs.look_s": Rule("look_s = 5.0", above_zero),
    "jobs.look_max_s": Rule("look_max_s = 60.0", above_zero),
    "jobs.age_max_s": Rule("age_max_s = 86400.0", above_zero),
    "jobs.retention_days": Rule("retention_days = 90", between(0, 36_500)),
    "jobs.at_once": Rule("at_once = 8", between(1, 1_000)),
    "jobs.keep_days": Rule("keep_days = 7", between(0, 3_650)),
    "jobs.keep_bytes_max": Rule("keep_bytes_max = 2147483648", _BYTES),
    "assets.url": Rule('url = "s3://bucket/prefix"', syntax.assets_url),
    "assets.endpoint": Rule('endpoint = "http://127.0.0.1:3900"', syntax.web_url),
    "assets.region": Rule('region = "eu-central-1"', syntax.filled),
    "assets.access_key": _secret('access_key = "env:S3_ACCESS_KEY"'),
    "assets.secret_key": _secret('secret_key = "env:S3_SECRET_KEY"'),
    "accounts.signup": Rule('signup = "invitation"', one_of("open", "invitation", "closed")),
    "accounts.idle_hours": Rule("idle_hours = 12.0", between(0.1, 8_760)),
    "accounts.session_days": Rule("session_days = 14.0", between(0.01, 365)),
    "accounts.invitation_days": Rule("invitation_days = 7.0", between(0.01, 365)),
    "mail.host": Rule('host = "smtp.example.com"', syntax.host_name),
    "mail.port": Rule("port = 587", between(1, 65_535)),
    "mail.security": Rule('security = "starttls"', one_of("starttls", "tls", "none")),
    "mail.user": Rule('user = "trivium"'),
    "mail.password": _secret('password = "env:MAIL_PASSWORD"'),
    "mail.sender": Rule('sender = "Trivium <trivium@example.com>"', syntax.mailbox),
    "mail.timeout_s": Rule("timeout_s = 20.0", between(1, 600)),
    "mail.queue_max": Rule("queue_max = 1000", _MANY),
    "logins": Rule("[[logins]]"),
    "logins.name": Rule('name = "company"', syntax.login_name),
    "logins.title": Rule('title = "Example Company"', syntax.filled),
    "logins.issuer": Rule('issuer = "https://login.example.com"', syntax.web_url),
    "logins.client_id": Rule('client_id = "trivium"', syntax.filled),
    "logins.client_secret": _secret('client_secret = "env:COMPANY_LOGIN_SECRET"'),
    "logins.scopes.*": Rule('scopes = ["openid", "email", "profile"]', syntax.scope),
    "logins.trust_email": Rule("trust_email = true"),
    "logins.signup": Rule("signup = true"),
    "logins.teams_claim": Rule('teams_claim = "groups"'),
    "logins.teams_without_claim": Rule('teams_without_claim = "keep"', one_of("keep", "remove")),
    "logins.teams": Rule("[[logins.teams]]"),
    "logins.teams.value": Rule('value = "gateway-research"', syntax.filled),
    "logins.teams.team": Rule('team = "acme/research"', syntax.filled),
    "logins.teams.role": Rule('role = "member"', one_of("owner", "manager", "member", "billing")),
    "workloads": Rule("[[workloads]]"),
    "workloads.name": Rule('name = "deploy"', syntax.login_name),
    "workloads.issuer": Rule(
        'issuer = "https://token.actions.githubusercontent.com"', syntax.web_url
    ),
    "workloads.audience": Rule('audience = "trivium-admin"', syntax.filled),
    "workloads.scopes.*": Rule('scopes = ["read", "catalogue"]', one_of(*workloads.SCOPE_WORDS)),
    "workloads.claims": Rule('claims = { repository = "acme/infra" }', names=syntax.filled),
    "workloads.claims.*": Rule('claims = { repository = "acme/infra" }', workloads.claim_value),
    "ledger.flush_s": Rule("flush_s = 1.0", between(0.01, 60)),
    "ledger.fsync_ms": Rule("fsync_ms = 50", between(0, 60_000)),
    "ledger.abandoned": Rule('abandoned = "cancel"', one_of("cancel", "finish")),
    "ledger.interrupted": Rule('interrupted = "input"', one_of("free", "input", "hold")),
    "ledger.ahead_s": Rule("ahead_s = 360.0", between(0, 3_600)),
    "ledger.lease_s": Rule("lease_s = 900.0", between(10, 86_400)),
    "prices.source": Rule('source = "https://prices.example/catalogue.json"', syntax.web_url),
    "prices.nightly": Rule("nightly = true"),
    "prices.public_key": Rule(
        'public_key = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="', syntax.public_key
    ),
    "plugins.enabled.*": Rule('enabled = ["trivium-northwind"]', syntax.filled),
    "groups": Rule('groups = { students = "0.8" }', names=syntax.group_name),
    "groups.*": Rule('groups = { students = "0.8" }', syntax.factor),
    "channels": Rule("[[channels]]"),
    "channels.name": Rule('name = "openai-main"', syntax.channel_name),
    "channels.provider": Rule('provider = "openai"', syntax.filled),
    "channels.api_key": Rule(
        'api_key = "env:OPENAI_API_KEY"', syntax.filled, secret=True, given=unregistered
    ),
    "channels.api_keys.*": Rule(
        'api_keys = ["env:KEY_ONE", "file:keys/two"]',
        syntax.filled,
        secret=True,
        given=unregistered,
    ),
    "channels.base_url": Rule('base_url = "https://api.openai.com/v1"', syntax.web_url),
    "channels.credential": Rule('credential = { region = "eu-central-1" }'),
    "channels.credential.*": Rule(
        'credential = { key_id = "env:VENDOR_KEY_ID" }',
        syntax.filled,
        secret=True,
        given=unregistered,
    ),
    "channels.headers": Rule('headers = { x-team = "research" }', names=syntax.header_name),
    "channels.headers.*": Rule(
        'headers = { x-team = "research" }', syntax.header_value, secret=True, given=foreign
    ),
    "channels.proxy": _address('proxy = "http://127.0.0.1:3128"', syntax.proxy_url),
    "channels.requests_per_minute": Rule("requests_per_minute = 500", _RATE),
    "channels.tokens_per_minute": Rule("tokens_per_minute = 200000", _RATE),
    "channels.max_concurrency": Rule("max_concurrency = 64", _MANY),
    "channels.queue_max": Rule("queue_max = 100", between(0, 1_000_000)),
    "channels.queue_s": Rule("queue_s = 5.0", above_zero),
    **{f"channels.{name}": each for name, each in _TIMEOUTS.items()},
    "channels.probe": Rule("probe = { every_s = 60 }"),
    "channels.probe.every_s": Rule("probe = { every_s = 60 }", _WAIT),
    "channels.probe.kind": Rule('probe = { kind = "models" }', one_of("models", "answer")),
    "channels.probe.model": Rule('probe = { kind = "answer", model = "m" }', syntax.model_name),
    "channels.probe.path": Rule('probe = { path = "/v1/models" }', syntax.url_path),
    "channels.disabled": Rule("disabled = true"),
    "models": Rule("[[models]]"),
    "models.name": Rule('name = "gpt-5"', syntax.model_name),
    "models.bindings": Rule("[[models.bindings]]"),
    "models.bindings.channel": Rule('channel = "openai-main"', syntax.filled),
    "models.bindings.model": Rule('model = "gpt-5-2026-08-01"', syntax.filled),
    "models.bindings.shape": Rule(
        'shape = "chat"',
        one_of("chat", "responses", "messages", "generate", "converse", "cohere", "vendor"),
    ),
    "models.bindings.priority": Rule("priority = 0", between(-1_000_000, 1_000_000)),
    "models.bindings.weight": Rule("weight = 1", between(0, 1_000_000)),
    "models.bindings.cost": Rule('cost = "2.50"', syntax.price),
    **{f"models.bindings.{name}": each for name, each in _TIMEOUTS.items()},
    "models.bindings.audio": Rule('audio = "whisper"', _audio),
    "models.bindings.profile": Rule("[models.bindings.profile]"),
    **{
        f"models.bindings.profile.{name}": Rule(example, check)
        for name, (example, check) in EXAMPLES.items()
    },
    **_prices("models"),
    "models.price_changes": Rule("[[models.price_changes]]"),
    "models.price_changes.since": Rule('since = "2027-01-01"', syntax.since),
    **_prices("models.price_changes"),
    "models.price_origin": Rule(
        'price_origin = "bundled 2026-11-10 0f3c9a7be21d4c58 openai/gpt-5"', syntax.price_origin
    ),
    "fetch.enabled": Rule("enabled = true"),
    "fetch.timeout_s": Rule("timeout_s = 15.0", above_zero),
    "fetch.bytes_max": Rule("bytes_max = 20971520", _BYTES),
    "fetch.files_max": Rule("files_max = 16", between(1, 100)),
    "fetch.redirects_max": Rule("redirects_max = 3", between(0, 10)),
    "fetch.kept_s": Rule("kept_s = 3600.0", _WAIT),
    "fetch.kept_bytes_max": Rule("kept_bytes_max = 67108864", _BYTES),
    "fetch.networks.*": Rule('networks = ["10.20.0.0/16"]', syntax.network),
    "models.free": Rule("free = true"),
    "models.strategy": Rule('strategy = "latency"', one_of("weight", "latency", "price")),
    "models.hedge_s": Rule("hedge_s = 5.0", _WAIT),
    "models.fallbacks.*": Rule('fallbacks = ["gpt-5-mini"]', syntax.model_name),
    "models.title": Rule('title = "GPT-5"', syntax.filled),
    "models.owned_by": Rule('owned_by = "trivium"', syntax.filled),
    "models.context_max": Rule("context_max = 400000", between(1, 1_000_000_000)),
    "models.image_class": Rule(
        'image_class = "gpt"', one_of("legacy_a", "legacy_b", "gpt", "gpt_sizes", "open")
    ),
    "models.output_max": Rule("output_max = 128000", between(1, 1_000_000_000)),
    "models.requests_per_minute": Rule("requests_per_minute = 500", _RATE),
    "models.tokens_per_minute": Rule("tokens_per_minute = 200000", _RATE),
    "models.max_concurrency": Rule("max_concurrency = 64", _MANY),
}
RULES: Final[dict[str, Rule]] = {
    **{top: Rule(f"[{top}]") for top in dict.fromkeys(name.split(".")[0] for name in _RULES)},
    **{name[:-2]: Rule(item.example) for name, item in _RULES.items() if name.endswith(".*")},
    **_RULES,
}
"""A table needs nothing beside its settings, and a list nothing beside its items."""


def rule(path: Path) -> Rule | None:
    """The rule of a setting; ``None`` where there is no such setting."""
    names = ".".join(step for step in path if isinstance(step, str))
    if isinstance(path[-1], int):
        return RULES.get(f"{names}.*") or RULES.get(names)
    return RULES.get(names) or RULES.get(f"{names.rpartition('.')[0]}.*")
