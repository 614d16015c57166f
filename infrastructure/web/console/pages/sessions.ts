import { Effect } from "effect"
import {
  type EndedSessions,
  endSession,
  listSessions,
  type SessionView
} from "../../../../application/operators/console-sessions.ts"
import { endOperatorSessions, type OperatorsFollower } from "../../../../application/operators/operators.ts"
import { type Content, markup } from "../../pages/html.ts"
import { pageOf } from "../../http/operations/page.ts"
import { AUDIT_PATH, auditPath } from "../audit-path.ts"
import { doneBanner, pager } from "../components.ts"
import { table } from "../../pages/elements.ts"
import { timeView } from "../../pages/times.ts"
import { actionForm, confirmedAction } from "../forms.ts"
import { idOf, type PageContext, type PageResult, pathTo, requestIdsOf } from "../page-context.ts"
import { redirect } from "../../pages/page-result.ts"

const PATH = "/console/sessions"

interface Followers {
  readonly operators: OperatorsFollower
  readonly endedSessions: EndedSessions
}

const rowOf = (context: PageContext, { expiresAt, id, operator, role, source, startedAt }: SessionView) => {
  const { messages } = context
  const { operators, sessions } = messages
  const end = actionForm(
    context,
    pathTo("sessions", id, "end"),
    markup`<button aria-label="${sessions.end} ${operator} ${id}">${sessions.end}</button>`
  )
  const row: ReadonlyArray<Content> = [
    markup`<a href="${PATH}?${new URLSearchParams({ operator }).toString()}">${operator}</a>`,
    operators.roles[role],
    sessions.sources[source],
    timeView(messages, startedAt),
    timeView(messages, expiresAt),
    ...(end === undefined ? [] : [end])
  ]
  return row
}

/** Open sessions of the console, of all operators or of one. */
export const makeSessionPages = ({ endedSessions, operators }: Followers) => ({
  page: Effect.fnUntraced(function* (context: PageContext) {
    const { exchange, messages, query } = context
    const { operators: operatorText, sessions: text } = messages
    const operator = query.get("operator") ?? undefined
    const state = { ended: yield* endedSessions, operators: yield* operators }
    const { items, nextCursor } = yield* listSessions(state, { ...(yield* pageOf(exchange)), operator })
    const mayEnd = context.may(pathTo("sessions", "id", "end"))
    const headings = [
      text.operator,
      operatorText.role,
      text.source,
      text.started,
      text.expires,
      ...(mayEnd ? [text.end] : [])
    ]
    const title = operator === undefined ? text.title : text.titleOf(operator)
    return {
      _tag: "Page",
      title,
      menu: "operators",
      content: markup`<h1>${title}</h1><p class="lead">${text.lead}</p>${doneBanner(context)}${
        items.length === 0
          ? markup`<p>${text.none}</p>`
          : table(title, headings, items.map((item) => rowOf(context, item)))
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
    } satisfies PageResult
  }),

  end: (context: PageContext) =>
    Effect.as(endSession(idOf(context), requestIdsOf(context)), redirect(`${PATH}?done=sessionEnded`)),

  endOfOperator: Effect.fnUntraced(function* (context: PageContext) {
    const [name = ""] = context.params
    yield* endOperatorSessions(yield* operators, name, requestIdsOf(context))
    return redirect(`${PATH}?done=sessionsEnded`)
  })
})
