"""The table of every setting in docs/operate/settings.md, made from the model's own docstrings.

``python -m trivium.settings.reference docs/operate/settings.md`` rewrites it; a test fails while
it is out of date.
"""

import ast
import inspect
import sys
from pathlib import Path
from typing import Final

import msgspec

from trivium.settings import accounts, entries, model, payments, profile, section, workloads
from trivium.settings.environment import variables
from trivium.settings.prices import KINDS

BEGIN: Final = "<!-- settings: made by trivium.settings.reference; do not edit -->"
END: Final = "<!-- end of settings -->"

_TABLES: Final[dict[str, type[msgspec.Struct]]] = {
    "[server]": model.ServerSettings,
    "[storage]": model.StorageSettings,
    "[shared]": model.SharedSettings,
    "[upstream]": model.UpstreamSettings,
    "[routing]": model.RoutingSettings,
    "[records]": model.RecordsSettings,
    "[audit]": section.AuditSettings,
    "[responses]": model.ResponsesSettings,
    "[idempotency]": model.IdempotencySettings,
    "[ledger]": model.LedgerSettings,
    "[payments]": payments.PaymentsSettings,
    "[prices]": model.PricesSettings,
    "[traces]": model.TracesSettings,
    "[fetch]": section.FetchSettings,
    "[oauth]": section.OAuthSettings,
    "[secrets]": section.SecretsSettings,
    "[logs]": model.LogsSettings,
    "[metrics]": section.MetricsSettings,
    "[assets]": section.AssetsSettings,
    "[images]": section.ImagesSettings,
    "[jobs]": section.JobsSettings,
    "[accounts]": accounts.AccountsSettings,
    "[mail]": accounts.MailSettings,
    "[plugins]": section.PluginsSettings,
    "[[logins]]": accounts.LoginEntry,
    "[[workloads]]": workloads.WorkloadEntry,
    "[[logins.teams]]": accounts.ClaimedTeam,
    "[[channels]]": entries.ChannelEntry,
    "[channels.timeouts]": entries.Timeouts,
    "[channels.probe]": entries.Probe,
    "[[models]]": entries.ModelEntry,
    "[[models.bindings]]": entries.BindingEntry,
    "[[models.tiers]]": entries.TierEntry,
    "[[models.images]]": entries.ImageEntry,
    "[[models.videos]]": entries.VideoEntry,
    "[[models.price_changes]]": entries.PriceChange,
    "[models.bindings.timeouts]": entries.Timeouts,
    "[models.bindings.profile]": profile.Profile,
}


def meanings() -> dict[tuple[str, str], str]:
    """The docstring of every field by struct and field name, on one line, as Markdown."""
    out: dict[tuple[str, str], str] = {}
    for kind in _statements():
        if not isinstance(kind, ast.ClassDef):
            continue
        for field, doc in zip(kind.body, kind.body[1:], strict=False):
            if (
                isinstance(field, ast.AnnAssign)
                and isinstance(field.target, ast.Name)
                and isinstance(doc, ast.Expr)
                and isinstance(doc.value, ast.Constant)
            ):
                text = (
                    " ".join(str(doc.value.value).split())
                    .replace("``", "`")
                    .replace("`None`", "none")
                )
                out[kind.name, field.target.id] = text
    return out


def _statements() -> list[ast.stmt]:
    modules = {inspect.getmodule(kind) for kind in _TABLES.values()}
    return [
        statement
        for module in modules
        if module is not None
        for statement in ast.parse(inspect.getsource(module)).body
    ]


def reference() -> str:
    """Every setting by table, as Markdown."""
    docs = meanings()
    names = {path: name for name, path in variables().items()}
    parts = [BEGIN, ""]
    for title, kind in _TABLES.items():
        section = title.strip("[]")
        overridden = (section, kind.__struct_fields__[0]) in names
        intro = f" Environment: `TRIVIUM_{section.upper()}__NAME`." if overridden else ""
        parts += [f"## `{title}`", "", f"{_first_line(kind)}{intro}", ""]
        parts += ["| Setting | Default | Meaning |", "|---|---|---|"]
        parts += [
            f"| `{field.name}` | {_default(field)} | {docs.get((kind.__name__, field.name), '')} |"
            for field in msgspec.structs.fields(kind)
        ]
        parts.append("")
    parts += ["## Kinds of price", "", "| Kind | US dollars for |", "|---|---|"]
    parts += [f"| `{kind}` | {unit} |" for kind, unit in KINDS.items()]
    return "\n".join([*parts, "", END])


def _first_line(kind: type[msgspec.Struct]) -> str:
    text = (kind.__doc__ or "").split("\n\n", maxsplit=1)[0]
    return text.replace("``", "`").replace("`None`", "none")


def _default(field: msgspec.structs.FieldInfo) -> str:
    if field.required:
        return "required"
    value = field.default
    if value is None or value is msgspec.NODEFAULT or isinstance(value, msgspec.Struct):
        return "none"
    if isinstance(value, tuple):
        return "`[]`"
    return f"`{msgspec.json.encode(value).decode()}`"


def renewed(page: str) -> str:
    """A page with the text between the two marks made anew. Raises ValueError without marks."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError("the page lacks the marks around its settings")
    return before + reference() + after


def renew(page: Path) -> None:
    """Rewrite a page in place. Raises as :func:`renewed`, and OSError."""
    page.write_text(renewed(page.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    renew(Path(sys.argv[1]))
