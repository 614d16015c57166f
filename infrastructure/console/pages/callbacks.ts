import { Effect } from "effect"
import {
  type CallbackItem,
  type CallbackListState,
  listCallbacks
} from "../../../application/callbacks/list-callbacks.ts"
import { redeliver } from "../../../application/callbacks/redeliver-callbacks.ts"
import { type Content, exact, markup, raw } from "../../pages/html.ts"
import { pageOf } from "../../http/page.ts"
import { decodeCallbackFilter, decodeRedelivery } from "../../input/operator-queries.ts"
import { doneBanner, pager } from "../components.ts"
import { table, tag } from "../../pages/elements.ts"
import { timeView } from "../../pages/times.ts"
import { actionForm, confirmedAction } from "../forms.ts"
import { operationOf, type PageContext, type PageResult, pathTo } from "../page-context.ts"
import { redirect } from "../../pages/page-result.ts"

/** Failed callbacks first: they need an operator. */
const STATES = ["abandoned", "rejected", "pending", "delivered"] as const

const tones = { abandoned: "bad", rejected: "bad", pending: "plain", delivered: "good", none: "plain" } as const

const REDELIVER = "/console/callbacks/redeliver"

const listPath = (state: string, host: string | undefined): string =>
  `/console/callbacks?${new URLSearchParams({ state, ...(host === undefined ? {} : { host }) }).toString()}`

const filters = (
  { messages: { callbacks } }: PageContext,
  state: CallbackListState,
  host: string | undefined
): Content => {
  const tabs = STATES.map((tab) =>
    markup`<li><a href="${listPath(tab, host)}"${raw(tab === state ? ' aria-current="page"' : "")}>${
      callbacks.states[tab]
    }</a></li>`
  )
  return markup`<nav aria-label="${callbacks.filter}"><ul class="tabs">${tabs}</ul></nav>
<form class="inline" action="/console/callbacks"><input type="hidden" name="state" value="${state}">
<div class="field"><label for="host">${callbacks.host}</label>
<input id="host" name="host" value="${
    exact(host ?? "")
  }" autocomplete="off" spellcheck="false" aria-describedby="host-hint">
<p class="hint" id="host-hint">${callbacks.hostHint}</p></div><button>${callbacks.apply}</button></form>`
}

const rowOf = (context: PageContext, item: CallbackItem, listState: string): ReadonlyArray<Content> => {
  const { messages } = context
  const { callbacks, common } = messages
  const redeliverForm = actionForm(
    context,
    REDELIVER,
    markup`<input type="hidden" name="jobId" value="${item.jobId}"><input type="hidden" name="back" value="${listState}">
<button aria-label="${callbacks.redeliver} ${item.jobId}">${callbacks.redeliver}</button>`
  )
  const answer = [item.lastStatus, item.lastReason].filter((part) => part !== null).join(" · ")
  return [
    markup`<a class="id" href="${pathTo("trail", "job", item.jobId)}">${item.jobId}</a>`,
    markup`<a href="${listPath(item.state === "none" ? "pending" : item.state, item.host)}">${item.host}</a>`,
    item.state === "none" ? common.none : tag(callbacks.states[item.state], tones[item.state]),
    item.attempts,
    item.lastAttemptAt === null ? "–" : timeView(messages, item.lastAttemptAt),
    markup`<span class="any">${answer === "" ? "–" : answer}</span>`,
    ...(redeliverForm === undefined ? [] : [redeliverForm])
  ]
}

/** Callbacks by state and host: pending ones by due time, the others newest first. */
export const callbacksPage = Effect.fnUntraced(function* (context: PageContext) {
  const { exchange, messages, query } = context
  const { callbacks } = messages
  const filter = Object.fromEntries(
    [...query].filter(([name, value]) => (name === "state" || name === "host") && value !== "")
  )
  const { host, state = "abandoned" } = yield* decodeCallbackFilter(filter)
  const order = state === "pending" ? "oldest" : "newest"
  const { items, nextCursor } = yield* listCallbacks({ state, host, order, ...(yield* pageOf(exchange)) })
  const headings = [
    callbacks.job,
    callbacks.host,
    callbacks.filter,
    callbacks.attempts,
    callbacks.last,
    callbacks.answer,
    ...(context.may(REDELIVER) ? [callbacks.redeliver] : [])
  ]
  const isFailed = state === "abandoned" || state === "rejected"
  return {
    _tag: "Page",
    title: callbacks.title,
    menu: "callbacks",
    content: markup`<h1>${callbacks.title}</h1>${doneBanner(context)}${filters(context, state, host)}${
      items.length === 0
        ? markup`<p>${callbacks.none}</p>`
        : table(callbacks.title, headings, items.map((item) => rowOf(context, item, state)))
    }${pager(context, nextCursor)}${
      isFailed && host !== undefined && items.length > 0
        ? confirmedAction(context, {
          label: callbacks.redeliverAll(host),
          hint: callbacks.redeliverAllHint,
          fields: markup`<input type="hidden" name="host" value="${exact(host)}">`,
          action: "/console/callbacks/redeliver-host"
        })
        : undefined
    }`
  } satisfies PageResult
})

/** Resends one callback, and returns to the list that its form was on. */
const redeliverOne = Effect.fnUntraced(function* (context: PageContext) {
  const { back, jobId } = context.fields
  yield* redeliver(yield* decodeRedelivery({ jobId }), operationOf(context))
  return redirect(
    `/console/callbacks?state=${STATES.find((state) => state === back) ?? "abandoned"}&done=redelivered`
  )
})

const redeliverHost = Effect.fnUntraced(function* (context: PageContext) {
  const { host } = context.fields
  yield* redeliver(yield* decodeRedelivery({ host }), operationOf(context))
  return redirect("/console/callbacks?state=pending&done=redelivered")
})

export const callbackActions = { redeliverOne, redeliverHost }
