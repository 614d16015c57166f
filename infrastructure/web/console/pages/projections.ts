import { Effect } from "effect"
import { type Content, listTable, markup, pageTitled, tag } from "../../pages/html.ts"
import { done, formAction } from "../action.ts"
import { doneBanner } from "../components.ts"
import { actionForm, confirmed, dangerousAction } from "../forms.ts"
import type { Messages } from "../messages.ts"
import { type PageContext, pathTo, requestIdsOf } from "../page-context.ts"

/** How far a read model is behind the log. */
export const lagTag = (
  { overview, projections }: Messages,
  { isAhead, lag }: { readonly isAhead: boolean; readonly lag: number }
) => {
  if (isAhead) return tag(projections.ahead, "bad")
  return lag === 0 ? tag(overview.upToDate, "good") : tag(overview.behind(lag))
}

const difference = (label: string, lines: ReadonlyArray<string>): Content =>
  lines.length === 0
    ? undefined
    : markup`<h2>${label}</h2><pre tabindex="0" aria-label="${label}">${lines.join("\n")}</pre>`

/** Read models: their positions, rebuild, and comparison with a replay. */
export const projectionsPage = Effect.fnUntraced(function* (context: PageContext) {
  const { projections, service: { actions } } = context.messages
  const compareForm = (name: string) => {
    const to = pathTo("projections", name, "compare")
    const { compare: label, compareHint: hint } = projections
    return context.may(to)
      ? confirmed(label, {
        content: [
          markup`<p>${hint}</p>`,
          actionForm(context, to, markup`<button aria-label="${label} ${name}">${label}</button>`)
        ]
      })
      : undefined
  }
  const rebuildForm = (name: string) =>
    dangerousAction(context, {
      label: projections.rebuild,
      hint: projections.rebuildHint,
      action: pathTo("projections", name, "rebuild"),
      name
    })
  const list = listTable(projections.title, yield* context.maintenance.positions, [
    [projections.model, ({ model, name }) => markup`<strong>${name}</strong> <code class="soft">${model}</code>`],
    [projections.lag, (position) => lagTag(context.messages, position)],
    [projections.checkpoint, ({ checkpoint }) => markup`<code>${checkpoint}</code>`],
    [projections.head, ({ head }) => markup`<code>${head}</code>`],
    [actions, ({ name }) => markup`<div class="row">${compareForm(name)}${rebuildForm(name)}</div>`]
  ])
  return pageTitled(
    projections.title,
    "projections"
  )`<h1>${projections.title}</h1><p class="lead">${projections.lead}</p>${doneBanner(context)}${list}`
})

const nameOf = ({ params: [name = ""] }: PageContext): string => name

const rebuild = (context: PageContext) =>
  Effect.map(
    context.maintenance.rebuild(nameOf(context), requestIdsOf(context)),
    () => done("rebuilt")(context)
  )

const compare = Effect.fnUntraced(function* (context: PageContext) {
  const { maintenance, messages: { errors, projections } } = context
  const { isSame, lines, missing, name, position, surplus } = yield* maintenance.compare(
    nameOf(context),
    requestIdsOf(context)
  )
  const title = `${projections.compare}: ${name}`
  return pageTitled(title, "projections")`<h1>${title}</h1><p class="banner ${isSame ? "good" : "bad"}" role="status">${
    isSame ? projections.same(lines) : projections.differs
  }</p><p>${projections.checkpoint}: <code>${position}</code></p>${
    difference(projections.surplus(surplus.count), surplus.lines)
  }${
    difference(projections.missing(missing.count), missing.lines)
  }<p><a class="button" href="/console/projections">${errors.back}</a></p>`
})

export const projectionActions = {
  "projections/:/rebuild": formAction("rebuildProjection", rebuild, {
    page: projectionsPage,
    typed: (context) => Effect.succeed(nameOf(context))
  }),
  "projections/:/compare": formAction("compareProjection", compare)
}
