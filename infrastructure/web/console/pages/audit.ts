import { Effect } from "effect"
import { type AuditAct, listAudit } from "../../../../application/trail/audit.ts"
import { type AuditSubject, subjectOf } from "../../../../projections/models/audit.ts"
import { eventText } from "../../event-text/event-text.ts"
import { type Content, dash, exact, markup, pageTitled, table } from "../../pages/html.ts"
import { pageOf } from "../../http/operations/page.ts"
import { auditFilterOf, decodeAudit } from "../../input/audit-query.ts"
import { pager } from "../components.ts"
import { LOCAL_TIME } from "../../pages/forms.ts"
import { filtersOf } from "../list-filters.ts"
import { timeView } from "../../pages/times.ts"
import {
  AUDIT_FILTERS,
  AUDIT_PATH,
  type AuditFilterName,
  type AuditFilters,
  auditPath,
  type PageContext,
  pageOfKind,
  requestPath
} from "../page-context.ts"

/** A value that adds a filter to those of the page. */
const narrowing = (filters: AuditFilters, name: AuditFilterName, value: string, shown: Content): Content =>
  markup`<a class="any" href="${auditPath({ ...filters, [name]: value })}">${shown}</a>`

const DAY = /^\d{4}-\d{2}-\d{2}$/u

/** A filter of time is chosen as a day. A time in the address stays a time, in a form that the field can show. */
const inputType = (name: AuditFilterName, value = ""): string => {
  if (name !== "from" && name !== "to") return "text"
  if (value === "" || DAY.test(value)) return "date"
  return LOCAL_TIME.test(value) ? "datetime-local" : "text"
}

const form = ({ messages: { audit } }: PageContext, filters: AuditFilters): Content => {
  const field = (name: AuditFilterName) =>
    markup`<div class="field"><label for="${name}">${
      audit.filters[name]
    }</label><input id="${name}" name="${name}" type="${inputType(name, filters[name])}" value="${
      exact(filters[name] ?? "")
    }" maxlength="200" autocomplete="off" spellcheck="false" aria-describedby="${name}-hint"><p class="hint" id="${name}-hint">${
      audit.hints[name]
    }</p></div>`
  return markup`<form class="inline" action="${AUDIT_PATH}">${
    AUDIT_FILTERS.map(field)
  }<button>${audit.apply}</button></form>`
}

/** The filters in force. Each links to the list without it. */
const inForce = ({ messages: { audit } }: PageContext, filters: AuditFilters): Content => {
  const names = AUDIT_FILTERS.filter((name) => filters[name] !== undefined)
  return names.length === 0 ? undefined : markup`<ul class="tabs">${
    names.map((name) => {
      const { [name]: value = "", ...others } = filters
      return markup`<li><a href="${auditPath(others)}" title="${audit.remove}">${
        audit.filters[name]
      }: ${value} ×</a></li>`
    })
  }</ul>`
}

/** Subjects that have a page. */
const linked = ["branch", "service", "bankAccount", "job", "verification", "request"] as const

const subjectView = ({ messages: { audit } }: PageContext, filters: AuditFilters, about: AuditSubject): Content => {
  const { id, kind } = about
  const page = linked.find((one) => one === kind)
  const names: Readonly<Record<string, string>> = audit.subjects
  const name = Object.hasOwn(names, kind) ? names[kind] ?? kind : kind
  return markup`${page === undefined ? name : markup`<a href="${pageOfKind[page](id)}">${name}</a>`} ${
    narrowing(filters, "subject", id, markup`<span class="id">${id}</span>`)
  }`
}

const rowOf = (context: PageContext, filters: AuditFilters, { event, operator }: AuditAct): ReadonlyArray<Content> => {
  const { messages } = context
  const { metadata: { actor, at, correlationId }, type } = event
  const about = subjectOf(event)
  return [
    timeView(messages, at),
    narrowing(filters, "operator", operator, markup`<span class="operator">${operator}</span>`),
    actor.id,
    markup`${eventText(messages.eventTexts, event)} ${narrowing(filters, "kind", type, markup`<code>${type}</code>`)}`,
    about === undefined ? dash : subjectView(context, filters, about),
    markup`<a class="id" href="${requestPath(correlationId)}">${correlationId.slice(0, 8)}</a>`
  ]
}

/** What operators did, newest first. Each value links to the list with it as a filter. */
export const auditPage = Effect.fnUntraced(function* (context: PageContext) {
  const { exchange, messages } = context
  const { audit } = messages
  const filters: AuditFilters = filtersOf(context, AUDIT_FILTERS)
  const filter = yield* auditFilterOf(yield* decodeAudit(filters))
  const { items, nextCursor } = yield* listAudit({ ...filter, ...(yield* pageOf(exchange)) })
  const headings = [audit.at, audit.filters.operator, audit.surface, audit.what, audit.filters.subject, audit.request]
  return pageTitled(audit.title, "audit")`<h1>${audit.title}</h1><p class="soft">${audit.lead}</p>${
    form(context, filters)
  }${inForce(context, filters)}${
    items.length === 0
      ? markup`<p>${nextCursor === null ? audit.none : audit.noneYet}</p>`
      : table(audit.title, headings, items.map((act) => rowOf(context, filters, act)))
  }${pager(context, nextCursor)}`
})
