import { Effect } from "effect"
import { bangkokDay, parseTimeInBangkok } from "../../../domain/time.ts"
import { InvalidInput } from "../input/decode.ts"
import type { Issue } from "../api/failures.ts"
import { type Content, exact, type Html, markup, raw } from "../pages/html.ts"
import { issueText, issueView } from "./error-pages.ts"
import type { Page, PageContext } from "./page-context.ts"

/** The filters of a list as they stand in the page's address, without empty ones. */
export type Filters = Readonly<Record<string, string>>

/** The filters with these names that the address of the page has. */
export const filtersOf = ({ query }: PageContext, names: ReadonlyArray<string>): Filters =>
  Object.fromEntries([...query].filter(([name, value]) => names.includes(name) && value.trim() !== ""))

/** The page with other filters, from its first page on. An empty value removes a filter. */
export const filteredPath = ({ path }: PageContext, filters: Filters): string => {
  const query = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== "")).toString()
  return query === "" ? path : `${path}?${query}`
}

/** One choice of a group of filter links: the filters that it sets. An empty value removes a filter. */
export interface Choice {
  readonly label: string
  readonly filters: Filters
}

const isActive = (filters: Filters, choice: Filters): boolean =>
  Object.entries(choice).every(([name, value]) => (filters[name] ?? "") === value)

/** A group of links, each of which sets or removes filters and keeps the others. */
export const filterLinks = (
  context: PageContext,
  filters: Filters,
  label: string,
  choices: ReadonlyArray<Choice>
): Html =>
  markup`<nav class="filters" aria-label="${label}"><span class="soft" aria-hidden="true">${label}</span><ul>${
    choices.map((choice) =>
      markup`<li><a href="${filteredPath(context, { ...filters, ...choice.filters })}"${
        raw(isActive(filters, choice.filters) ? ' aria-current="true"' : "")
      }>${choice.label}</a></li>`
    )
  }</ul></nav>`

const DAY_MILLIS = 86_400_000

/** Links for usual days of Bangkok. `now` is in milliseconds since 1970. */
export const dayLinks = (context: PageContext, filters: Filters, now: number): Html => {
  const { lists } = context.messages
  const [today, yesterday, weekAgo] = [0, 1, 6].map((days) => bangkokDay(now - days * DAY_MILLIS))
  return filterLinks(context, filters, lists.days, [
    { label: lists.anyTime, filters: { from: "", to: "" } },
    { label: lists.today, filters: { from: today ?? "", to: today ?? "" } },
    { label: lists.yesterday, filters: { from: yesterday ?? "", to: yesterday ?? "" } },
    { label: lists.week, filters: { from: weekAgo ?? "", to: today ?? "" } }
  ])
}

/** A filter that a person enters. */
export interface FilterField {
  readonly name: string
  readonly label: string
  readonly kind?: "date" | "text"
  readonly hint?: string
}

const isDay = (value: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/u.test(value) && parseTimeInBangkok(value, "first") !== undefined

const inputOf = (
  { messages }: PageContext,
  filters: Filters,
  { hint, kind = "text", label, name }: FilterField,
  issues: ReadonlyArray<Issue>
): Html => {
  const value = filters[name] ?? ""
  const faults = issues.filter(({ path }) => path === name).map((issue) => issueText(messages, issue))
  const describedBy = [...(faults.length > 0 ? [`${name}-error`] : []), ...(hint === undefined ? [] : [`${name}-hint`])]
  // A date picker shows no other value: a time, or a date that does not exist, stays visible as text.
  const type = kind === "date" && (value === "" || isDay(value)) ? "date" : "text"
  return markup`<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" type="${type}" value="${
    exact(value)
  }" maxlength="255" autocomplete="off" spellcheck="false"${
    describedBy.length === 0 ? undefined : markup` aria-describedby="${describedBy.join(" ")}"`
  }${raw(faults.length > 0 ? ' aria-invalid="true"' : "")}>${
    faults.length === 0 ? undefined : markup`<p class="error" id="${name}-error">${[...new Set(faults)].join(" ")}</p>`
  }${hint === undefined ? undefined : markup`<p class="hint" id="${name}-hint">${hint}</p>`}</div>`
}

/** A folded form for filters that a person enters. It is open when one of them is active or wrong. */
export const filterForm = (
  context: PageContext,
  filters: Filters,
  fields: ReadonlyArray<FilterField>,
  issues: ReadonlyArray<Issue> = []
): Html => {
  const { lists } = context.messages
  const names = fields.map(({ name }) => name)
  const isOpen = names.some((name) => filters[name] !== undefined)
  const kept = Object.entries(filters).filter(([name]) => !names.includes(name))
  return markup`<details class="more"${
    raw(isOpen ? " open" : "")
  }><summary>${lists.more}</summary><form class="inline" action="${context.path}">${
    kept.map(([name, value]) => markup`<input type="hidden" name="${name}" value="${exact(value)}">`)
  }${fields.map((field) => inputOf(context, filters, field, issues))}<button>${lists.apply}</button></form></details>`
}

/** The active filters. Each is a link to the list without it. `shown` names their values. */
export const activeFilters = (
  context: PageContext,
  filters: Filters,
  labels: Readonly<Record<string, string>>,
  shown: Readonly<Record<string, string | undefined>> = {}
): Content => {
  const { lists } = context.messages
  const names = Object.keys(filters)
  if (names.length === 0) return undefined
  const chips = names.map((name) => {
    const text = `${labels[name] ?? name}: ${shown[name] ?? filters[name] ?? ""}`
    return markup`<li><a class="chip" href="${filteredPath(context, { ...filters, [name]: "" })}" aria-label="${
      lists.remove(text)
    }">${text} <span aria-hidden="true">×</span></a></li>`
  })
  return markup`<div class="active"><span class="soft" id="active-filters">${lists.active}</span><ul aria-labelledby="active-filters">${chips}</ul>${
    names.length === 1 ? undefined : markup`<a href="${context.path}">${lists.removeAll}</a>`
  }</div>`
}

/** The errors of filters in place of the list. */
export const issuesBanner = ({ messages }: PageContext, issues: ReadonlyArray<Issue>): Html =>
  markup`<div class="banner bad" role="alert">${issues.map((issue) => issueView(messages, issue))}</div>`

/** Runs a list. For filters that are not valid, shows the page with its filters and the errors instead of the list. */
export const orShowIssues = <E, R>(
  list: Effect.Effect<Page, E | InvalidInput, R>,
  withIssues: (issues: ReadonlyArray<Issue>) => Page
) =>
  Effect.catchIf(
    list,
    (error) => error instanceof InvalidInput,
    ({ issues }) => Effect.succeed({ ...withIssues(issues), status: 400 })
  )
