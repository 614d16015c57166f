import { Effect, Option } from "effect"
import type { VerificationsQuery } from "../../../application/reading/list-verifications.ts"
import { fromBaht } from "../../../domain/money.ts"
import { parseTimeInBangkok } from "../../../domain/time.ts"
import { invalid } from "../input/decode.ts"
import { amountOf } from "./amounts.ts"
import { withQuery } from "../pages/paths.ts"

export const outcomes = ["verified", "duplicate", "failed"] as const
export type Outcome = (typeof outcomes)[number]

export const searchKinds = ["referenceEnd", "amount", "remark", "reference"] as const
export type SearchKind = (typeof searchKinds)[number]

type Selection = Pick<VerificationsQuery, "minAmount" | "maxAmount" | "remark" | "reference" | "referenceEnd">

/** A text in the search box, and what it is taken for. */
export interface Search {
  readonly text: string
  readonly by: SearchKind
  /** What it could be instead. */
  readonly others: ReadonlyArray<SearchKind>
  readonly selects: Selection
}

/** What a page of the history shows. Days are `yyyy-MM-dd` in Bangkok. */
export interface HistoryFilter {
  readonly from: string | undefined
  readonly to: string | undefined
  readonly outcome: Outcome | undefined
  readonly search: Search | undefined
  /** In milliseconds since 1970, both inclusive. */
  readonly times: Pick<VerificationsQuery, "from" | "to">
}

/** The address of the history with a filter. */
export const filterPath = (
  { from, outcome, search, to }: Pick<HistoryFilter, "from" | "to" | "outcome"> & {
    readonly search: Pick<Search, "text" | "by"> | undefined
  }
): string => withQuery("/app/verifications", { from, to, outcome, q: search?.text, by: search?.by })

const REFERENCE = /^[A-Za-z0-9]{1,64}$/u
const REFERENCE_END = /^[A-Za-z0-9]{6}$/u

/** References have this many characters at least. A shorter text is rather an amount or a remark. */
const MIN_REFERENCE = 14

const selectionOf = (text: string): Readonly<Record<SearchKind, Selection | undefined>> => {
  const baht = amountOf(text)
  const amount = baht === undefined ? undefined : Option.getOrUndefined(fromBaht(baht))
  return {
    referenceEnd: REFERENCE_END.test(text) ? { referenceEnd: text } : undefined,
    amount: amount === undefined ? undefined : { minAmount: amount, maxAmount: amount },
    remark: { remark: text },
    reference: REFERENCE.test(text) ? { reference: { sendingBank: undefined, reference: text } } : undefined
  }
}

const likelyKind = (text: string, selections: ReturnType<typeof selectionOf>): SearchKind => {
  if (selections.referenceEnd !== undefined) return "referenceEnd"
  if (selections.reference !== undefined && text.length >= MIN_REFERENCE) return "reference"
  return selections.amount === undefined ? "remark" : "amount"
}

const MAX_TEXT = 255

const searchOf = (query: URLSearchParams): Search | undefined => {
  const text = (query.get("q") ?? "").trim().slice(0, MAX_TEXT)
  if (text === "") return undefined
  const selections = selectionOf(text)
  const wanted = searchKinds.find((kind) => kind === query.get("by"))
  const by = wanted !== undefined && selections[wanted] !== undefined ? wanted : likelyKind(text, selections)
  const others = searchKinds.filter((kind) => kind !== by && selections[kind] !== undefined)
  return { text, by, others, selects: selections[by] ?? {} }
}

const DAY = /^\d{4}-\d{2}-\d{2}$/u

const dayIn = Effect.fnUntraced(function* (query: URLSearchParams, name: "from" | "to") {
  const text = query.get(name) ?? ""
  if (text === "") return undefined
  const at = DAY.test(text) ? parseTimeInBangkok(text, name === "from" ? "first" : "last")?.at : undefined
  return at === undefined ? yield* invalid({ path: name, message: "Expected a day such as 2026-11-21" }) : { text, at }
})

/** The filter in the address of a page. Fails for days that the calendar does not have. Other wrong parts are ignored. */
export const readFilter = Effect.fnUntraced(function* (query: URLSearchParams) {
  const from = yield* dayIn(query, "from")
  const to = yield* dayIn(query, "to")
  if (from !== undefined && to !== undefined && from.at > to.at) {
    return yield* invalid({ path: "from", message: "Expected a day that is not after the last day" })
  }
  const filter: HistoryFilter = {
    from: from?.text,
    to: to?.text,
    outcome: outcomes.find((outcome) => outcome === query.get("outcome")),
    search: searchOf(query),
    times: { ...(from === undefined ? {} : { from: from.at }), ...(to === undefined ? {} : { to: to.at }) }
  }
  return filter
})
