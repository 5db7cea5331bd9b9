"""Codes, payments and people's books in the admin API's part of the description."""

from typing import Final

from trivium.edge.openapi.row import operations
from trivium.edge.openapi.schema import Schema, parameters, schemas

SCHEMAS: Final[dict[str, Schema]] = schemas("""
usd = text "US dollars, with at most nine decimals."
when = int "Unix seconds."
done = {success!: bool, message!: text "Empty."}
kind = 'usage' | 'top_up' | 'redemption' | 'adjustment' | 'refund'
entry = {
  id!: int, user_id!: int, kind!: kind, amount!: usd "Positive adds to the balance.", reason!: text,
  request_id!: text | null "Unique: what it was booked for.", created_at!: when
}
batch = {
  id!: int, amount!: usd "Of each code.", note!: text, codes!: int, redeemed!: int, revoked!: int,
  expires_at!: when | null "`null`: never.", created_at!: when
}
code = {
  id!: int, batch_id!: int, hint!: text "The last characters, which are no secret.", amount!: usd,
  state!: 'open' | 'redeemed' | 'revoked' | 'expired', expires_at!: when | null,
  revoked_at!: when | null, redeemed_at!: when | null,
  user!: text | null "Whose balance it went to."
}
AdminPayment = {
  id!: int, reference!: text "Our own name for it.", user_id!: int, app_id!: int | null,
  provider!: text, session!: text | null, charge!: text | null, amount!: usd,
  refunded!: usd "All that was given back.", currency!: text,
  state!: 'open' | 'processing' | 'paid' | 'failed' | 'expired' | 'held', created_at!: when,
  paid_at!: when | null, disputed_at!: when | null
}
AdminNewBatch = closed {
  amount!: usd "Of each code.", count: int 1..1000 "1 when left out.",
  expires_at: int 0..253402300799 | null "Never when left out.", note: text(maxLength 500)
}
AdminTypedCode = closed {code!: text(minLength 1, maxLength 100) "Case and hyphens do not count."}
AdminOverdraft = closed {amount!: usd "How far the balance may go below zero; 0 ends it."}
AdminBatchAnswer = {...done, data!: batch}
AdminBatchesAnswer = {...done, data!: {
  batches!: batch[] "Newest first.",
  before!: int | null "Leads to the next page; `null` on the last."
}}
AdminNewBatchAnswer = {...done, data!: {...batch, secrets!: text[] "The codes, shown this once."}}
AdminRevokedBatchAnswer = {...done, data!: {
  ...batch, revoked_now!: int "How many were open until this call."
}}
AdminCodeAnswer = {...done, data!: code}
AdminCodesAnswer = {...done, data!: {
  codes!: code[], after!: int | null "Leads to the next page; `null` on the last."
}}
AdminRedeemedAnswer = {...done, data!: {
  entry_id!: int, user_id!: int, amount!: usd, balance!: usd
}}
AdminPaymentAnswer = {...done, data!: AdminPayment}
AdminPaymentsAnswer = {...done, data!: {
  payments!: AdminPayment[] "Newest first.",
  before!: int | null "Leads to the next page; `null` on the last."
}}
AdminEntryAnswer = {...done, data!: {
  ...entry, lines!: {
    meter!: text, quantity!: int, unit_price!: text "US dollars of one.", amount!: usd
  }[] "Of usage: they add up to it."
}}
AdminEntriesAnswer = {...done, data!: {
  entries!: entry[] "Newest first.",
  before!: int | null "Leads to the next page; `null` on the last."
}}
AdminUndoneAnswer = {...done, data!: {
  entry!: entry "The one that takes the other back.", balance!: usd
}}
AdminOverdraftAnswer = {...done, data!: {user_id!: int, amount!: usd, balance!: usd}}
""")

PARAMETERS: Final = parameters("""
adminBatch = path batch: int "Id of a batch of codes."
adminCode = path code: int "Id of a code."
adminPayment = path payment: int "Id of a payment."
adminEntry = path entry: int "Id of an entry."
adminBefore = query before: int 0.. "`before` of the page before."
adminByUser = query user: int "Id of a user."
adminPaymentState = query state: text "open, processing, paid, failed, expired or held."
adminEntryKind = query kind: text "usage, top_up, redemption, adjustment or refund."
""")

OPERATIONS: Final = operations("""
admin
GET /api/admin/users/{user}/entries adminListEntries "A user's entries, newest first."
  answer=AdminEntriesAnswer parameters=adminUser|adminEntryKind|adminLimit|adminBefore
GET /api/admin/users/{user}/entries/{entry} adminShowEntry "One, with the quantities of its bill."
  answer=AdminEntryAnswer parameters=adminUser|adminEntry
POST /api/admin/users/{user}/entries/{entry}/undo adminUndoEntry "Takes back what was booked by
  hand, once." answer=AdminUndoneAnswer parameters=adminUser|adminEntry
GET /api/admin/users/{user}/overdraft adminShowOverdraft "How far a balance may go below zero."
  answer=AdminOverdraftAnswer parameters=adminUser
PUT /api/admin/users/{user}/overdraft adminSetOverdraft "Lets a balance go below zero."
  answer=AdminOverdraftAnswer request=AdminOverdraft parameters=adminUser
POST /api/admin/users/{user}/redeem adminRedeemCode "Books what a code is worth on a balance."
  answer=AdminRedeemedAnswer request=AdminTypedCode parameters=adminUser
GET /api/admin/codes/batches adminListBatches "Batches of redemption codes, newest first."
  answer=AdminBatchesAnswer parameters=adminLimit|adminBefore
POST /api/admin/codes/batches adminCreateBatch "Makes codes and shows them this once."
  answer=AdminNewBatchAnswer request=AdminNewBatch
GET /api/admin/codes/batches/{batch} adminShowBatch "One batch." answer=AdminBatchAnswer
  parameters=adminBatch
DELETE /api/admin/codes/batches/{batch} adminRevokeBatch "Revokes the open codes of a batch."
  answer=AdminRevokedBatchAnswer parameters=adminBatch
GET /api/admin/codes/batches/{batch}/codes adminListCodes "The codes of a batch, without secrets."
  answer=AdminCodesAnswer parameters=adminBatch|adminLimit|adminAfter
POST /api/admin/codes/revoke adminRevokeTypedCode "Revokes a code by itself."
  answer=AdminCodeAnswer request=AdminTypedCode
GET /api/admin/codes/{code} adminShowCode "One code, without its secret." answer=AdminCodeAnswer
  parameters=adminCode
DELETE /api/admin/codes/{code} adminRevokeCode "Revokes a code." answer=AdminCodeAnswer
  parameters=adminCode
GET /api/admin/payments adminListPayments "Payments through a provider, newest first."
  answer=AdminPaymentsAnswer parameters=adminByUser|adminPaymentState|adminLimit|adminBefore
GET /api/admin/payments/{payment} adminShowPayment "One payment." answer=AdminPaymentAnswer
  parameters=adminPayment
""")
