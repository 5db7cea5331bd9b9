"""The prices' part of the admin API: what others say, proposals, adopting."""

from typing import Final

from trivium.edge.openapi.admin_catalogue import SCHEMAS as _CATALOGUE
from trivium.edge.openapi.row import operations
from trivium.edge.openapi.schema import parameters, schemas

SCHEMAS: Final = schemas(
    """
said = {success!: bool, message!: text "Empty."}
second = int "Seconds since the epoch."
dollars = text "US dollars: tokens by the million, everything else each."
source = 'vendor' | 'bundled' "The vendor's own list, or the catalogue of suggestions."
whose = {source!: source, day!: text "Of the list.", place!: text "The channel or the provider, and
  its name for the model."} | null
priced = {*: dollars}
list = {
  since!: text | null "The first day.", price!: priced "By kind.",
  tiers!: {above!: int "Input tokens.", price!: priced}[]
}
stated = dollars | null
line = {
  kind!: text, above!: int "Input tokens above which it holds.", set!: stated, offered!: stated,
  difference: stated
}
offer = {
  channel!: text, source!: source, day!: text, place!: text,
  digest!: text "Of what is offered; sent back, it is what is adopted.",
  differs!: bool "Now.", lists!: list[], left_out!: text[] "Charges that no price can say.",
  lines!: line[]
}
vendor = {
  channel!: text, provider!: text, model!: text "Its own name.", read_at!: second | null,
  listed!: bool | null "None where nobody knows.", free!: bool, left_out!: text[],
  why!: text | null "Why the list is not known."
}
share = num | null "Part of the income."
margin = {
  kind!: text, income!: dollars, cost!: dollars, margin!: text, share!: share,
  channel!: text "The dearest.", basis!: 'set' | 'vendor' | 'bundled' "Who says the cost."
}
earned = {
  requests!: int, income!: text, known!: text "By channels whose cost is known.", cost!: text,
  margin!: text, share!: share
} | null
AdminModelPrice = {
  model!: text,
  origin!: {source!: 'file' | 'database', version: int, place: text},
  by_hand!: bool "Somebody made the price; it is replaced by name only.", adopted!: whose,
  state!: 'free' | 'unknown' | 'same' | 'scheduled' | 'differs',
  kept!: text | null "Why nothing can be adopted.",
  price!: priced | null, changes_at!: second[], offers!: offer[] "The best known first.",
  vendors!: vendor[], margins!: margin[], earned!: earned
}
AdminPricesAnswer = {...said, data!: {
  revision!: int, suggestions!: {source!: text, date!: text}, looked_at!: second | null,
  group!: text, days!: int "Over which earned is.", models!: AdminModelPrice[],
  after!: text | null "Where the next page begins; none on the last."
}}
why = text(maxLength 500) "Kept with the change."
since = text | null "The day from which it holds; none: now."
AdminPriceAdoption = closed {
  models: (closed {
    model!: text, channel: text | null, source: 'vendor' | 'bundled' | null,
    digest: text | null "Of the offer that was looked at.",
    version: int | null "Of the model that was looked at.", replace_by_hand: bool
  })[..5000],
  all: bool "All that differ and were not made by hand, instead of models.", since: since,
  reason: why
}
AdminProposalAdoption = closed {
  proposals!: int[1..200], replace_by_hand: bool, since: since, reason: why
}
AdminDismissedProposals = closed {proposals!: int[1..200]}
AdminWantedLook = closed {}
AdminPriceResult = {...said, data!: {
  dry_run!: bool, revision!: int | null, change_id!: int | null "None where nothing differs.",
  models!: text[], skipped!: ({model!: text, why!: text})[], entries!: diff[]
}}
AdminPriceLook = {...said, data!: {
  proposed!: int "New.", open!: int, unreached!: text[] "Channels whose turn did not come.",
  channels!: ({
    channel!: text, listed!: int, unread!: int, whole!: bool, models!: text[], why!: text | null
  })[]
}}
AdminPriceProposals = {...said, data!: {
  proposals!: ({
    id!: int, model!: text,
    state!: 'open' | 'adopted' | 'dismissed' | 'replaced' | 'settled',
    channel!: text, source!: source, day!: text, place!: text, digest!: text, by_hand!: bool,
    lines!: line[], lists!: list[], left_out!: text[], found_at!: second,
    decided_at!: second | null, decided_by!: int | null
  })[],
  before!: int | null "Where the next page begins; none on the last."
}}
AdminDismissed = {...said, data!: {dismissed!: int}}
""",
    _CATALOGUE,
)

PARAMETERS: Final = parameters("""
adminPriceGroup = query group: text "Whose margins are told."
adminPriceDays = query days: int 1..400 "Over which it is told what was earned."
adminPriceModel = query model: text "Models with this in their name."
adminPriceDiffering = query differing: bool "Only models whose price could be another."
adminPriceAfter = query after: text "`after` of the page before."
adminPriceLimit = query limit: int 1..500 "Models of one page."
adminProposalState = query state: text "One state, or `all`; open ones where it is left out."
adminProposalBefore = query before: int "`before` of the page before."
""")

OPERATIONS: Final = operations("""
admin
GET /api/admin/catalogue/prices adminListPrices "What models cost, beside what vendors list and what
  is suggested, with margins." answer=AdminPricesAnswer
  parameters=adminPriceGroup|adminPriceDays|adminPriceModel|adminPriceDiffering|adminPriceAfter|adminPriceLimit
POST /api/admin/catalogue/prices/adopt adminAdoptPrices "Adopts prices, all or none."
  answer=AdminPriceResult request=AdminPriceAdoption parameters=adminDryRun
POST /api/admin/catalogue/prices/look adminLookAtPrices "Reads what vendors list now, and proposes
  what differs." answer=AdminPriceLook request=AdminWantedLook
GET /api/admin/catalogue/prices/proposals adminListProposals "Proposals, newest first."
  answer=AdminPriceProposals parameters=adminProposalState|adminProposalBefore|adminLimit
POST /api/admin/catalogue/prices/proposals/adopt adminAdoptProposals "Adopts what proposals say, all
  or none." answer=AdminPriceResult request=AdminProposalAdoption parameters=adminDryRun
POST /api/admin/catalogue/prices/proposals/dismiss adminDismissProposals "Leaves prices as
  they are."
  answer=AdminDismissed request=AdminDismissedProposals
""")
