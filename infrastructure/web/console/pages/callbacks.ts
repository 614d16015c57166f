import { Effect } from "effect"
import { listCallbacks } from "../../../../application/callbacks/list-callbacks.ts"
import type { CallbackItem } from "../../../../application/views/job.ts"
import { shopNames } from "../../../../application/provisioning/shop-names.ts"
import { type Column, type Content, dash, exact, listTable, markup, redirect, tag } from "../../pages/html.ts"
import { pageOf } from "../../http/operations/page.ts"
import { decodeCallbackFilter } from "../../input/operator-queries.ts"
import { action } from "../action.ts"
import { doneBanner, pager, shopCell, shortId } from "../components.ts"
import { actionForm, confirmedAction } from "../forms.ts"
import { filteredList, filteredPath, type Filters, filtersOf, valueLinks } from "../list-filters.ts"
import { timeView } from "../../pages/times.ts"
import { type PageContext, pathTo } from "../page-context.ts"

/** Failed callbacks first: they need an operator. */
const STATES = ["abandoned", "rejected", "pending", "delivered"] as const

const tones = { abandoned: "bad", rejected: "bad", pending: "plain", delivered: "good", none: "plain" } as const

const REDELIVER = "/console/callbacks/redeliver"

const callbackTable = Effect.fnUntraced(function* (
  context: PageContext,
  filters: Filters,
  items: ReadonlyArray<CallbackItem>
) {
  const { messages } = context
  const { callbacks, common, lists } = messages
  const shops = yield* shopNames(items.map(({ branchId }) => branchId))
  const timeOf = (at: string | null): Content => at === null ? dash : timeView(messages, at)
  const redeliverForm = ({ jobId }: CallbackItem): Content =>
    actionForm(
      context,
      REDELIVER,
      markup`<input type="hidden" name="jobId" value="${jobId}"><input type="hidden" name="back" value="${
        filters["state"] ?? ""
      }">
<button aria-label="${callbacks.redeliver} ${jobId}">${callbacks.redeliver}</button>`
    )
  const columns: ReadonlyArray<Column<CallbackItem>> = [
    [callbacks.last, ({ lastAttemptAt }) => timeOf(lastAttemptAt)],
    [lists.shop, ({ branchId }) => shopCell(branchId, shops.get(branchId))],
    [
      callbacks.host,
      ({ host }) => markup`<a class="any" href="${filteredPath(context, { ...filters, host })}">${host}</a>`
    ],
    [common.state, ({ state }) => state === "none" ? common.none : tag(callbacks.states[state], tones[state])],
    [callbacks.attempts, ({ attempts }) => attempts],
    [callbacks.answer, ({ lastReason, lastStatus }) => {
      const answer = [lastStatus, lastReason].filter((part) => part !== null).join(" · ")
      return markup`<span class="any">${answer === "" ? dash : answer}</span>`
    }],
    [callbacks.next, ({ nextAttemptAt }) => timeOf(nextAttemptAt)],
    [callbacks.job, ({ jobId }) => shortId(context, jobId, pathTo("trail", "job", jobId))],
    ...(context.may(REDELIVER) ? [[callbacks.redeliver, redeliverForm] as const] : [])
  ]
  return listTable(callbacks.title, items, columns, lists.none)
})

/** Callbacks by state, host and days. Pending ones are in the order in which they are due, the others newest first. */
export const callbacksPage = Effect.fnUntraced(function* (context: PageContext) {
  const { exchange, messages: { callbacks, lists } } = context
  const filters = filtersOf(context, ["state", "host", "from", "to"])
  const states: ReadonlyMap<string, string> = new Map(Object.entries(callbacks.states))
  const list = Effect.gen(function* () {
    const { from, host, state, to } = yield* decodeCallbackFilter(filters)
    const order = state === "pending" ? "oldest" : "newest"
    const query = { state, host, from, to, order, ...(yield* pageOf(exchange)) } as const
    const { items, nextCursor } = yield* listCallbacks(query)
    const isFailed = state === "abandoned" || state === "rejected"
    return [
      yield* callbackTable(context, filters, items),
      pager(context, nextCursor),
      isFailed && host !== undefined && items.length > 0
        ? confirmedAction(context, {
          label: callbacks.redeliverAll(host),
          hint: callbacks.redeliverAllHint,
          fields: markup`<input type="hidden" name="host" value="${exact(host)}">`,
          action: "/console/callbacks/redeliver-host"
        })
        : undefined
    ]
  })
  return yield* filteredList(context, {
    title: callbacks.title,
    menu: "callbacks",
    filters,
    banner: doneBanner(context),
    links: valueLinks(context, filters, ["state", callbacks.filter], [
      ["", lists.all],
      ...STATES.map((state) => [state, callbacks.states[state]] as const)
    ]),
    fields: (days) => [{ name: "host", label: callbacks.host, hint: callbacks.hostHint }, ...days],
    shown: { state: states.get(filters["state"] ?? "") },
    list
  })
})

export const callbackActions = {
  /** Resends one callback, and returns to the list that its form was on. */
  "callbacks/redeliver": action("redeliverCallbacks", {
    body: ({ jobId }) => ({ jobId }),
    show: ({ fields: { back } }) => {
      const state = STATES.find((each) => each === back)
      return redirect(`/console/callbacks?${state === undefined ? "" : `state=${state}&`}done=redelivered`)
    }
  }),
  "callbacks/redeliver-host": action("redeliverCallbacks", {
    body: ({ host }) => ({ host }),
    show: () => redirect("/console/callbacks?state=pending&done=redelivered")
  })
}
