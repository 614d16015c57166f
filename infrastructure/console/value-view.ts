import { Schema } from "effect"
import { Sealed } from "../../domain/sealed.ts"
import { type Content, markup } from "../http/html.ts"
import { timeView } from "./time-view.ts"
import { pathTo } from "./page-context.ts"
import type { Words } from "./messages/en.ts"

const isSealed = Schema.is(Sealed)

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/u

/** Somebody may have given a name that is written like a time, and is none. */
const isTime = (value: string): boolean => ISO.test(value) && !Number.isNaN(Date.parse(value))

/** Where a field of that name leads to. */
const places: Readonly<Record<string, (id: string) => string>> = {
  jobId: (id) => pathTo("trail", "job", id),
  batchId: (id) => pathTo("batches", id),
  branchId: (id) => pathTo("branches", id),
  firstBranchId: (id) => pathTo("branches", id),
  branchIds: (id) => pathTo("branches", id),
  serviceId: (id) => pathTo("services", id),
  verificationId: (id) => pathTo("trail", "verification", id),
  firstVerificationId: (id) => pathTo("trail", "verification", id)
}

const termOf = ({ jobStates, overview }: Words, name: string, value: string): string => {
  const terms: Readonly<Record<string, string>> = name === "status"
    ? jobStates
    : name === "verdict"
    ? overview.verdict
    : {}
  return terms[value] ?? value
}

/** A value of an event or of a state; what is sealed is told to be so. */
export const valueView = (words: Words, name: string, value: unknown): Content => {
  const { common } = words
  if (value === null || value === undefined) return markup`<span class="soft">–</span>`
  if (typeof value === "boolean") return value ? common.yes : common.no
  if (typeof value === "number") return value
  if (typeof value === "string") {
    if (isTime(value)) return timeView(words, value, "millisecond")
    const place = places[name]
    return place === undefined
      ? markup`<span class="any">${termOf(words, name, value)}</span>`
      : markup`<a class="id" href="${place(value)}">${value}</a>`
  }
  if (isSealed(value)) return markup`<span class="tag" title="${common.sealedHint}">${common.sealed}</span>`
  if (Array.isArray(value)) {
    const items: ReadonlyArray<unknown> = value
    return items.length === 0
      ? markup`<span class="soft">–</span>`
      : markup`<ul class="values">${items.map((item) => markup`<li>${valueView(words, name, item)}</li>`)}</ul>`
  }
  return typeof value === "object" ? valuesView(words, value, (field) => markup`<code>${field}</code>`) : ""
}

/** Fields and their values; `labelOf` says how a field is called. */
const valuesView = (words: Words, values: object, labelOf: (field: string) => Content): Content =>
  markup`<dl class="values">${
    Object.entries(values).map(([name, value]: [string, unknown]) =>
      markup`<div><dt>${labelOf(name)}</dt><dd>${valueView(words, name, value)}</dd></div>`
    )
  }</dl>`

/** The data of an event, its fields as they stand in the log. */
export const payloadView = (words: Words, data: object): Content =>
  valuesView(words, data, (name) => markup`<code>${name}</code>`)

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** A state, its fields called as people call them. */
export const stateView = (words: Words, state: object): Content => {
  const labels: Readonly<Record<string, string>> = words.fields
  const nested = (name: string, value: unknown): Content => {
    if (Array.isArray(value)) {
      const items: ReadonlyArray<unknown> = value
      return items.some(isObject)
        ? items.map((item) => markup`<div class="nested">${nested(name, item)}</div>`)
        : valueView(words, name, items)
    }
    return isObject(value) ? stateView(words, value) : valueView(words, name, value)
  }
  return markup`<dl class="values">${
    Object.entries(state).filter(([name]) => name !== "kind").map(([name, value]: [string, unknown]) =>
      markup`<div><dt>${labels[name] ?? name}</dt><dd>${nested(name, value)}</dd></div>`
    )
  }</dl>`
}
