import { Clock, Effect, Option } from "effect"
import { listVerifications } from "../../../../application/reading/list-verifications.ts"
import type { VerificationItem } from "../../../../application/views/verification.ts"
import { usage } from "../../../../application/reading/usage.ts"
import { fromBaht } from "../../../../domain/money.ts"
import { bangkokDay } from "../../../../domain/time.ts"
import { usageDays } from "../../input/verification-queries.ts"
import { type Content, exact, type Html, markup, pageTitled, raw, tag } from "../../pages/html.ts"
import { clockTime, dayView } from "../../pages/times.ts"
import { amountText } from "../amounts.ts"
import { tabs } from "../../pages/frame.ts"
import { doneBanner, pageIn, pager } from "../components.ts"
import { filterPath, type HistoryFilter, type Outcome, outcomes, readFilter } from "../history-filter.ts"
import { scoped, type ShopContext } from "../page-context.ts"

const DAY_MILLIS = 86_400_000

const periods = (context: ShopContext, filter: HistoryFilter, now: number): Html => {
  const { history: text } = context.messages
  const today = bangkokDay(now)
  const yesterday = bangkokDay(now - DAY_MILLIS)
  const entries = [
    [text.all, undefined, undefined],
    [text.today, today, today],
    [text.yesterday, yesterday, yesterday],
    [text.week, bangkokDay(now - 6 * DAY_MILLIS), today]
  ] as const
  return tabs(
    text.period,
    entries.map(([label, from, to]) => [
      label,
      filterPath({ ...filter, from, to }),
      filter.from === from && filter.to === to
    ])
  )
}

const results = ({ messages: { history: text } }: ShopContext, filter: HistoryFilter): Html =>
  tabs(text.outcome, [
    [text.every, filterPath({ ...filter, outcome: undefined }), filter.outcome === undefined],
    ...outcomes.map((outcome): readonly [string, string, boolean] => [
      text.outcomes[outcome],
      filterPath({ ...filter, outcome }),
      filter.outcome === outcome
    ])
  ])

const hidden = (name: string, value: string | undefined): Content =>
  value === undefined ? undefined : markup`<input type="hidden" name="${name}" value="${exact(value)}">`

const days = ({ messages: { history: text } }: ShopContext, { from, outcome, search, to }: HistoryFilter): Html => {
  const day = (name: "from" | "to", value: string | undefined): Html =>
    markup`<div class="field"><label for="${name}">${
      text[name]
    }</label><input id="${name}" name="${name}" type="date" value="${value ?? ""}"></div>`
  return markup`<details class="filters"${
    raw(from === undefined && to === undefined ? "" : " open")
  }><summary>${text.days}</summary><form action="/app/verifications">${hidden("outcome", outcome)}${
    hidden("q", search?.text)
  }${hidden("by", search?.by)}${day("from", from)}${day("to", to)}<button>${text.show}</button></form></details>`
}

const searchBox = ({ messages: { history: text } }: ShopContext, filter: HistoryFilter): Html => {
  const { from, outcome, search, to } = filter
  const instead = search?.others.map((by) =>
    markup` <a href="${filterPath({ ...filter, search: { ...search, by } })}">${text.searchBy[by]}</a>`
  )
  return markup`<form class="search-form" role="search" action="/app/verifications">${hidden("from", from)}${
    hidden("to", to)
  }${
    hidden("outcome", outcome)
  }<label class="unseen" for="q">${text.searchLabel}</label><input id="q" name="q" type="search" maxlength="255"
autocomplete="off" spellcheck="false" placeholder="${text.searchHint}" value="${
    exact(search?.text ?? "")
  }"><button>${text.search}</button></form>${
    search === undefined
      ? undefined
      : markup`<p class="hint">${text.searched[search.by](search.text)} ${
        instead === undefined || instead.length === 0 ? undefined : markup`${text.instead}${instead}`
      } · <a href="${filterPath({ ...filter, search: undefined })}">${text.clear}</a></p>`
  }`
}

const resultTag = ({ messages: { history: text } }: ShopContext, { accepted, outcome }: VerificationItem): Html => {
  if (outcome === "duplicate") return tag(text.outcomes.duplicate, "bad")
  if (outcome !== "verified") return tag(text.outcomes.failed, "bad")
  return accepted === false ? tag(text.conditions, "bad") : tag(text.outcomes.verified, "good")
}

const sumOf = ({ messages: { history: text } }: ShopContext, amount: number | null): Html => {
  const satang = amount === null ? undefined : Option.getOrUndefined(fromBaht(amount))
  return satang === undefined
    ? markup`<span class="sum none">${text.noSlip}</span>`
    : markup`<span class="sum">${amountText(satang)}</span>`
}

const entryView = (context: ShopContext, item: VerificationItem): Html =>
  markup`<li><a href="/app/verifications/${item.verificationId}"><time datetime="${item.at}">${
    clockTime(context.messages, item.at)
  }</time>${sumOf(context, item.amount)}${resultTag(context, item)}${
    item.remark === null ? undefined : markup`<span class="remark">${item.remark}</span>`
  }</a></li>`

/** More days on one page are shown without their counts: each day costs reads. */
const MOST_DAYS_COUNTED = 7

/** What was checked on each of some days, in words. */
const countsOf = Effect.fnUntraced(function* (context: ShopContext, shown: ReadonlyArray<string>) {
  const { caller: { branchId }, messages: { history: text } } = context
  if (shown.length > MOST_DAYS_COUNTED) return new Map<string, string>()
  const days = (yield* Effect.forEach(shown, (day) => usageDays({ from: day, to: day }, 0))).flat()
  const counted = yield* usage({ branchId, days: days.toReversed(), order: "newest" })
  return new Map(counted.map(({ day, duplicates, failures, verified }) => {
    const failed = Object.values(failures).reduce((sum, count) => sum + count, 0)
    return [day, text.counts(verified, duplicates, failed)]
  }))
})

const entriesView = Effect.fnUntraced(function* (
  context: ShopContext,
  items: ReadonlyArray<VerificationItem>,
  hasCounts: boolean
) {
  const byDay = new Map<string, ReadonlyArray<VerificationItem>>()
  for (const item of items) {
    const day = bangkokDay(Date.parse(item.at))
    byDay.set(day, [...byDay.get(day) ?? [], item])
  }
  const counts = yield* countsOf(context, hasCounts ? [...byDay.keys()] : [])
  return [...byDay].map(([day, entries]) => {
    const count = counts.get(day)
    return markup`<h2 class="day">${dayView(context.messages, day)}</h2>${
      count === undefined ? undefined : markup`<p class="day-counts">${count}</p>`
    }<ul class="entries">${entries.map((item) => entryView(context, item))}</ul>`
  })
})

const emptyText = ({ messages: { history: text } }: ShopContext, filter: HistoryFilter, hasMore: boolean): string => {
  if (hasMore) return text.noneOnPage
  const { from, outcome, search, to } = filter
  return [from, outcome, search, to].every((part) => part === undefined) ? text.noneYet : text.none
}

const outcomeOf = (outcome: Outcome | undefined) => outcome === undefined ? {} : { outcome }

/** What the branch checked, the newest first, by day (docs/shop-page.md, "History"). */
export const historyPage = scoped("read", function* (context) {
  const { caller: { branchId, serviceId }, messages: { history: text } } = context
  const filter = yield* readFilter(context.query)
  const selected = { ...outcomeOf(filter.outcome), ...filter.times, ...filter.search?.selects }
  const page = yield* pageIn(context, selected)
  const { items, nextCursor } = yield* listVerifications({
    branchId,
    serviceId,
    order: "newest",
    ...selected,
    ...page
  })
  const entries = items.length === 0
    ? markup`<p>${emptyText(context, filter, nextCursor !== null)}</p>`
    : yield* entriesView(context, items, filter.search === undefined)
  const pages = yield* pager(context, selected, nextCursor, text)
  const now = yield* Clock.currentTimeMillis
  return pageTitled(text.title, "history")`<h1>${text.title}</h1>${
    doneBanner(context)
  }<p class="lead">${text.lead}</p>${searchBox(context, filter)}${periods(context, filter, now)}${
    results(context, filter)
  }${days(context, filter)}${entries}${pages}`
})
