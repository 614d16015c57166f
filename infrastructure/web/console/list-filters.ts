import { Clock, Effect } from "effect"
import { Directory } from "../../../application/provisioning/directory.ts"
import { bangkokDay, parseTimeInBangkok } from "../../../domain/time.ts"
import type { Issue } from "../api/failures.ts"
import { InvalidInput } from "../input/decode.ts"
import { type Field, labelled } from "../pages/forms.ts"
import { type Content, exact, type Html, markup, pageTitled, raw } from "../pages/html.ts"
import { issueText, issueView } from "./error-pages.ts"
import type { Menu, Page, PageContext } from "./page-context.ts"
import { withQuery } from "../pages/paths.ts"

/** The filters of a list as they stand in the page's address, without empty ones. */
export type Filters = Readonly<Record<string, string>>

/** The filters with these names that the address of the page has. */
export const filtersOf = ({ query }: PageContext, names: ReadonlyArray<string>): Filters =>
  Object.fromEntries([...query].filter(([name, value]) => names.includes(name) && value.trim() !== ""))

/** The page with other filters, from its first page on. An empty value removes a filter. */
export const filteredPath = ({ path }: PageContext, filters: Filters): string => withQuery(path, filters)

/** One choice of a group of filter links: the filters that it sets. An empty value removes a filter. */
interface Choice {
  readonly label: string
  readonly filters: Filters
}

const isActive = (filters: Filters, choice: Filters): boolean =>
  Object.entries(choice).every(([name, value]) => (filters[name] ?? "") === value)

/** A group of links, each of which sets or removes filters and keeps the others. */
const filterLinks = (
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

/** Links that set one filter. An empty value removes it. */
export const valueLinks = (
  context: PageContext,
  filters: Filters,
  [name, label]: readonly [name: string, label: string],
  values: ReadonlyArray<readonly [value: string, label: string]>
): Html =>
  filterLinks(context, filters, label, values.map(([value, text]) => ({ label: text, filters: { [name]: value } })))

/** Links for usual days of Bangkok. `now` is in milliseconds since 1970. */
const dayLinks = (context: PageContext, filters: Filters, now: number): Html => {
  const { lists } = context.messages
  const [today = "", yesterday = "", weekAgo = ""] = [0, 1, 6].map((days) => bangkokDay(now - days * DAY_MILLIS))
  const choices = [
    [lists.anyTime, "", ""],
    [lists.today, today, today],
    [lists.yesterday, yesterday, yesterday],
    [lists.week, weekAgo, today]
  ] as const
  return filterLinks(
    context,
    filters,
    lists.days,
    choices.map(([label, from, to]) => ({ label, filters: { from, to } }))
  )
}

/** A filter that a person enters. */
interface FilterField extends Pick<Field, "name" | "label" | "hint"> {
  readonly kind?: "date"
}

/** The filters of a list by days. */
const dayFields = ({ messages: { lists } }: PageContext): ReadonlyArray<FilterField> => [
  { name: "from", label: lists.filters.from, kind: "date", hint: lists.bangkok },
  { name: "to", label: lists.filters.to, kind: "date", hint: lists.untilEnd }
]

const isDay = (value: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/u.test(value) && parseTimeInBangkok(value, "first") !== undefined

const inputOf = (
  { messages }: PageContext,
  filters: Filters,
  field: FilterField,
  issues: ReadonlyArray<Issue>
): Html => {
  const { kind, name } = field
  const value = filters[name] ?? ""
  // A date picker shows no other value: a time, or a date that does not exist, stays visible as text.
  const type = kind === "date" && (value === "" || isDay(value)) ? "date" : "text"
  return labelled(
    { ...field, id: name },
    issues,
    (issue) => issueText(messages, issue),
    (aria) =>
      markup`<input id="${name}" name="${name}" type="${type}" value="${
        exact(value)
      }" maxlength="255" autocomplete="off" spellcheck="false"${aria}>`
  )
}

/** A folded form for filters that a person enters. It is open when one of them is active or wrong. */
const filterForm = (
  context: PageContext,
  filters: Filters,
  fields: ReadonlyArray<FilterField>,
  issues: ReadonlyArray<Issue>
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

type Shown = Readonly<Record<string, string | undefined>>

/** The active filters. Each is a link to the list without it. `shown` names their values. */
const activeFilters = (
  context: PageContext,
  filters: Filters,
  shown: Shown
): Content => {
  const { lists } = context.messages
  const labels: Readonly<Record<string, string>> = lists.filters
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

/** The names of the service and the branch in the filters. */
const scopeNames = Effect.fnUntraced(function* ({ branch, service }: Filters) {
  const directory = yield* Directory
  return {
    branch: branch === undefined ? undefined : (yield* directory.branch(branch.toLowerCase()))?.name,
    service: service === undefined ? undefined : (yield* directory.service(service.toLowerCase()))?.name
  }
})

/** A link from a row to the list of its branch. Nothing in the list of a branch. */
export const narrowLink = (context: PageContext, filters: Filters, branchId: string): Content =>
  filters["branch"] === undefined
    ? markup` <a class="narrow" href="${
      filteredPath(context, { ...filters, branch: branchId })
    }">${context.messages.lists.only}</a>`
    : undefined

interface FilteredList<E, R> {
  readonly title: string
  readonly menu: Menu
  readonly filters: Filters
  /** Above the filters. */
  readonly banner?: Content
  /** Groups of links that set filters. */
  readonly links: Content
  /** What a person may enter, with the fields of days. */
  readonly fields?: (days: ReadonlyArray<FilterField>) => ReadonlyArray<FilterField>
  /** The words for the values of filters. Services and branches have their names. */
  readonly shown: Shown
  readonly list: Effect.Effect<Content, E | InvalidInput, R>
}

/** A list with its filters. For filters that are not valid it shows the errors in place of the list. */
export const filteredList = Effect.fnUntraced(function* <E, R>(
  context: PageContext,
  { banner, fields = (days) => days, filters, links, list, menu, shown, title }: FilteredList<E, R>
) {
  const { messages } = context
  const now = yield* Clock.currentTimeMillis
  const words = { ...(yield* scopeNames(filters)), ...shown }
  const page = (issues: ReadonlyArray<Issue>, content: Content): Page =>
    pageTitled(
      title,
      menu
    )`<h1>${title}</h1>${banner}<section class="card filterbar" aria-label="${messages.lists.filterLabel}">${links}${
      dayLinks(context, filters, now)
    }${filterForm(context, filters, fields(dayFields(context)), issues)}${
      activeFilters(context, filters, words)
    }</section>${content}`
  return yield* Effect.map(list, (content) => page([], content)).pipe(
    Effect.catchIf((error) => error instanceof InvalidInput, ({ issues }) => {
      const errors = issues.map((issue) => issueView(messages, issue))
      return Effect.succeed({
        ...page(issues, markup`<div class="banner bad" role="alert">${errors}</div>`),
        status: 400
      })
    })
  )
})
