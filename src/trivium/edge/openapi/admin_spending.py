"""Invoices, and budgets of tags over all keys, in the admin API's part of the description."""

from typing import Final

from trivium.edge.openapi.row import operations
from trivium.edge.openapi.schema import Schema, parameters, schemas

SCHEMAS: Final[dict[str, Schema]] = schemas("""
usd = text "US dollars, with at most nine decimals."
when = int "Unix seconds."
done = {success!: bool, message!: text "Empty."}
AdminNewInvoice = closed {
  account_id!: int "A user or a team.", from!: text "The first day, in UTC.", to!: text "The last.",
  by: text "What has a line, as of a statement; `model` when left out.",
  customer: text(maxLength 200)[..12] "Lines of the address; left out: as last time.",
  taxes: (closed {
    text!: text(minLength 1, maxLength 200), rate: text "Per cent, such as `8.875`.",
    amount: text "US dollars, in cents, instead of a rate."
  })[..10]
}
AdminVoidedInvoice = closed {note: text(maxLength 200)}
invoice = {
  id!: int, number!: text "As it is printed.", account_id!: int, from!: text, to!: text,
  total!: usd, currency!: text, issued_at!: when, voided_at!: when | null, void_note!: text
}
AdminInvoiceAnswer = {...done, data!: {
  ...invoice, date: text, seller: text[], customer: text[], account: text,
  lines: {requests!: int, input_tokens!: int, output_tokens!: int, amount!: usd}[] "The most
    expensive first; each has the values that it is by.",
  rounding: usd "What rounding the sum of the lines to cents gave or took.", subtotal: usd,
  taxes: {text!: text, rate!: text | null, amount!: usd}[], new: bool "Whether it was made now."
}}
AdminInvoicesAnswer = {...done, data!: {
  invoices!: invoice[] "Newest first.",
  before!: int | null "Leads to the next page; `null` on the last."
}}
""")

PARAMETERS: Final = parameters("""
adminInvoice = path invoice: int "Id of an invoice."
adminInvoiceAccount = query account: int "Only of this user or team."
""")

OPERATIONS: Final = operations("""
admin
GET /api/admin/budgets adminListTagBudgets "Budgets of tags over all keys, with what is spent."
  answer=AdminTeamBudgetsAnswer
PUT /api/admin/budgets/{period} adminSetTagBudget "Sets the budget of a tag over all keys."
  answer=AdminTeamBudgetAnswer request=AdminNewTeamBudget parameters=adminPeriod
DELETE /api/admin/budgets/{period} adminClearTagBudget "Ends one." answer=AdminNothingAnswer
  parameters=adminPeriod|adminBudgetTag
GET /api/admin/invoices adminListInvoices "Invoices, newest first: your own, or of a team for
  whoever may see its spending." answer=AdminInvoicesAnswer
  parameters=adminInvoiceAccount|adminBefore|adminLimit
POST /api/admin/invoices adminIssueInvoice "Makes out an invoice, or answers with the one that there
  is of these days. For administrators." answer=AdminInvoiceAnswer request=AdminNewInvoice
GET /api/admin/invoices/{invoice} adminShowInvoice "An invoice with all that is printed."
  answer=AdminInvoiceAnswer parameters=adminInvoice
GET /api/admin/invoices/{invoice}/pdf adminPrintInvoice "It as PDF: the same bytes each time. A
  header `trivium-unprinted` names characters that no font has." files=application/pdf
  parameters=adminInvoice
POST /api/admin/invoices/{invoice}/void adminVoidInvoice "Voids it; its number stays its own."
  answer=AdminInvoiceAnswer request=AdminVoidedInvoice parameters=adminInvoice
""")
