import { Effect } from "effect"
import { listSessions, type SessionView } from "../../../../application/operators/console-sessions.ts"
import { type Column, type Content, listTable, markup, pageTitled } from "../../pages/html.ts"
import { pageOf } from "../../http/operations/page.ts"
import { OperatorAccess } from "../../operators/operator-access.ts"
import { action, done } from "../action.ts"
import { doneBanner, pager } from "../components.ts"
import { actionForm, confirmedAction } from "../forms.ts"
import { timeView } from "../../pages/times.ts"
import { AUDIT_PATH, auditPath, type PageContext, pathTo } from "../page-context.ts"

const PATH = "/console/sessions"

const columnsOf = (context: PageContext): ReadonlyArray<Column<SessionView>> => {
  const { messages } = context
  const { operators, sessions } = messages
  const endForm = ({ id, operator }: SessionView): Content =>
    actionForm(
      context,
      pathTo("sessions", id, "end"),
      markup`<button aria-label="${sessions.end} ${operator} ${id}">${sessions.end}</button>`
    )
  return [
    [
      sessions.operator,
      ({ operator }) => markup`<a href="${PATH}?${new URLSearchParams({ operator }).toString()}">${operator}</a>`
    ],
    [operators.role, ({ role }) => operators.roles[role]],
    [sessions.source, ({ source }) => sessions.sources[source]],
    [sessions.started, ({ startedAt }) => timeView(messages, startedAt)],
    [sessions.expires, ({ expiresAt }) => timeView(messages, expiresAt)],
    ...(context.may(pathTo("sessions", "id", "end")) ? [[sessions.end, endForm] as const] : [])
  ]
}

/** Open sessions of the console, of all operators or of one. */
export const sessionsPage = Effect.fnUntraced(function* (context: PageContext) {
  const { exchange, messages, query } = context
  const { operators: operatorText, sessions: text } = messages
  const operator = query.get("operator") ?? undefined
  const { endedSessions, operators } = yield* OperatorAccess
  const state = { ended: yield* endedSessions, operators: yield* operators }
  const { items, nextCursor } = yield* listSessions(state, { ...(yield* pageOf(exchange)), operator })
  const title = operator === undefined ? text.title : text.titleOf(operator)
  return pageTitled(title, "operators")`<h1>${title}</h1><p class="lead">${text.lead}</p>${doneBanner(context)}${
    listTable(title, items, columnsOf(context), text.none)
  }${pager(context, nextCursor)}${
    operator === undefined ? undefined : confirmedAction(context, {
      label: text.endAll(operator),
      hint: text.endAllHint,
      action: pathTo("operators", operator, "end-sessions")
    })
  }<p class="row"><a class="button" href="/console/operators">${operatorText.title}</a>${
    operator === undefined || !context.may(AUDIT_PATH)
      ? undefined
      : markup`<a class="button" href="${auditPath({ operator })}">${messages.audit.title}</a>`
  }</p>`
})

export const sessionActions = {
  "sessions/:/end": action("endSession", { show: done("sessionEnded") }),
  "operators/:/end-sessions": action("endOperatorSessions", { show: done("sessionsEnded", () => PATH) })
}
