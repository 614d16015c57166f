import { Effect } from "effect"
import { redeliver } from "../../../application/callbacks/redeliver-callbacks.ts"
import {
  type CallbackItem,
  callbackList,
  type CallbackStanding
} from "../../../application/callbacks/list-callbacks.ts"
import { type Content, markup, raw } from "../../http/html.ts"
import { pageOf } from "../../http/page.ts"
import { pager, table, tag } from "../parts.ts"
import { timeView } from "../time-view.ts"
import {
  actionForm,
  type Answer,
  confirmed,
  doneBanner,
  operationOf,
  pathTo,
  seeOther,
  type Visit
} from "../page-context.ts"
import { decodeCallbackFilter, decodeRedelivery } from "../../input/operator-queries.ts"

/** In the order of their interest. */
const STATES = ["abandoned", "rejected", "pending", "delivered"] as const

const moods = { abandoned: "bad", rejected: "bad", pending: "plain", delivered: "good", none: "plain" } as const

const listOf = (state: string, host: string | undefined): string =>
  `/console/callbacks?${new URLSearchParams({ state, ...(host === undefined ? {} : { host }) }).toString()}`

const filters = ({ words: { callbacks } }: Visit, state: CallbackStanding, host: string | undefined): Content => [
  markup`<nav aria-label="${callbacks.filter}"><ul class="tabs">${
    STATES.map((one) =>
      markup`<li><a href="${listOf(one, host)}"${raw(one === state ? ' aria-current="page"' : "")}>${
        callbacks.states[one]
      }</a></li>`
    )
  }</ul></nav>`,
  markup`<form class="inline" action="/console/callbacks"><input type="hidden" name="state" value="${state}">
<div class="field"><label for="host">${callbacks.host}</label>
<input id="host" name="host" value="${host ?? ""}" autocomplete="off" spellcheck="false" aria-describedby="host-hint">
<p class="hint" id="host-hint">${callbacks.hostHint}</p></div><button>${callbacks.apply}</button></form>`
]

const rowOf = (visit: Visit, item: CallbackItem, back: string): ReadonlyArray<Content> => {
  const { words } = visit
  const { callbacks, common } = words
  const answer = item.lastStatus === null
    ? item.lastReason ?? "–"
    : `${item.lastStatus}${item.lastReason === null ? "" : ` · ${item.lastReason}`}`
  return [
    markup`<a class="id" href="${pathTo("trail", "job", item.jobId)}">${item.jobId}</a>`,
    markup`<a href="${listOf(item.state === "none" ? "pending" : item.state, item.host)}">${item.host}</a>`,
    item.state === "none" ? common.none : tag(callbacks.states[item.state], moods[item.state]),
    item.attempts,
    item.lastAttemptAt === null ? "–" : timeView(words, item.lastAttemptAt),
    markup`<span class="any">${answer}</span>`,
    actionForm(
      visit,
      "/console/callbacks/redeliver",
      markup`<input type="hidden" name="jobId" value="${item.jobId}"><input type="hidden" name="back" value="${back}">
<button aria-label="${callbacks.redeliver} ${item.jobId}">${callbacks.redeliver}</button>`
    )
  ]
}

/** Deliveries by what came of them, the dead ones first of all. */
export const callbacksPage = Effect.fnUntraced(function* (visit: Visit) {
  const { exchange, query, words } = visit
  const { callbacks } = words
  const given = Object.fromEntries(
    [...query].filter(([name, value]) => (name === "state" || name === "host") && value !== "")
  )
  const { host, state = "abandoned" } = yield* decodeCallbackFilter(given)
  const { items, nextCursor } = yield* callbackList({ state, host, ...(yield* pageOf(exchange)) })
  const headings = [
    callbacks.job,
    callbacks.host,
    callbacks.filter,
    callbacks.attempts,
    callbacks.last,
    callbacks.answer,
    callbacks.redeliver
  ]
  const isDead = state === "abandoned" || state === "rejected"
  return {
    _tag: "Page",
    title: callbacks.title,
    menu: "callbacks",
    content: markup`<h1>${callbacks.title}</h1>${doneBanner(visit)}${filters(visit, state, host)}${
      items.length === 0
        ? markup`<p>${callbacks.none}</p>`
        : table(callbacks.title, headings, items.map((item) => rowOf(visit, item, state)))
    }${pager(visit, nextCursor)}${
      isDead && host !== undefined && items.length > 0
        ? confirmed(
          callbacks.redeliverAll(host),
          markup`<p>${callbacks.redeliverAllHint}</p>`,
          actionForm(
            visit,
            "/console/callbacks/redeliver-host",
            markup`<input type="hidden" name="host" value="${host}"><button class="danger">${callbacks.redeliver}</button>`
          )
        )
        : undefined
    }`
  } satisfies Answer
})

/** Where a form of the list came from. */
const backTo = ({ fields: { back } }: Visit): string => STATES.find((state) => state === back) ?? "abandoned"

export const redeliverOne = Effect.fnUntraced(function* (visit: Visit) {
  const { jobId } = visit.fields
  yield* redeliver(yield* decodeRedelivery({ jobId }), operationOf(visit))
  return seeOther(`/console/callbacks?state=${backTo(visit)}&done=redelivered`)
})

export const redeliverAll = Effect.fnUntraced(function* (visit: Visit) {
  const { host } = visit.fields
  yield* redeliver(yield* decodeRedelivery({ host }), operationOf(visit))
  return seeOther("/console/callbacks?state=pending&done=redelivered")
})
