import { isSealed } from "../../../domain/sealed.ts"
import { type Content, dash, facts, markup } from "../pages/html.ts"
import { timeView } from "../pages/times.ts"
import type { Messages } from "./messages.ts"
import { pageOfKind } from "./page-context.ts"

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/u

/** A name may look like a time that does not exist. */
const isTime = (value: string): boolean => ISO.test(value) && !Number.isNaN(Date.parse(value))

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** The pages that fields with ids link to. */
const links: Readonly<Record<string, (id: string) => string>> = {
  jobId: pageOfKind.job,
  batchId: pageOfKind.batch,
  branchId: pageOfKind.branch,
  firstBranchId: pageOfKind.branch,
  branchIds: pageOfKind.branch,
  serviceId: pageOfKind.service,
  verificationId: pageOfKind.verification,
  firstVerificationId: pageOfKind.verification
}

/** The name of an enumerated value in the language of the page. */
const termOf = ({ jobStates, overview }: Messages, name: string, value: string): string => {
  const terms: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    status: jobStates,
    verdict: overview.verdict
  }
  return terms[name]?.[value] ?? value
}

/** A field's value in an event or a state. Sealed data is shown as "sealed". */
const valueView = (messages: Messages, name: string, value: unknown): Content => {
  const { common } = messages
  if (value === null || value === undefined) return dash
  if (typeof value === "boolean") return value ? common.yes : common.no
  if (typeof value === "number") return value
  if (typeof value === "string") {
    if (isTime(value)) return timeView(messages, value, "millisecond")
    const link = links[name]
    return link === undefined
      ? markup`<span class="any">${termOf(messages, name, value)}</span>`
      : markup`<a class="id" href="${link(value)}">${value}</a>`
  }
  if (isSealed(value)) return markup`<span class="tag" title="${common.sealedHint}">${common.sealed}</span>`
  if (Array.isArray(value)) {
    const items: ReadonlyArray<unknown> = value
    return items.length === 0
      ? dash
      : markup`<ul class="values">${items.map((item) => markup`<li>${valueView(messages, name, item)}</li>`)}</ul>`
  }
  return isObject(value) ? payloadView(messages, value) : ""
}

/** The data of an event, with the stored field names. */
export const payloadView = (messages: Messages, data: object): Content =>
  facts(
    Object.entries(data).map(([name, value]: [string, unknown]) => [
      markup`<code>${name}</code>`,
      valueView(messages, name, value)
    ]),
    "values"
  )

/** A state, with field labels in the language of the page. */
export const stateView = (messages: Messages, state: object): Content => {
  const labels: Readonly<Record<string, string>> = messages.fields
  const nested = (name: string, value: unknown): Content => {
    if (Array.isArray(value)) {
      const items: ReadonlyArray<unknown> = value
      return items.some(isObject)
        ? items.map((item) => markup`<div class="nested">${nested(name, item)}</div>`)
        : valueView(messages, name, items)
    }
    return isObject(value) ? stateView(messages, value) : valueView(messages, name, value)
  }
  return facts(
    Object.entries(state).filter(([name]) => name !== "kind").map(([name, value]: [string, unknown]) => [
      labels[name] ?? name,
      nested(name, value)
    ]),
    "values"
  )
}
