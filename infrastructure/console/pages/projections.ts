import { Effect } from "effect"
import { type Content, markup } from "../../http/html.ts"
import type { Maintenance } from "../../http/maintenance.ts"
import { table, tag } from "../parts.ts"
import { actionForm, type Answer, confirmed, doneBanner, pathTo, seeOther, type Visit } from "../page-context.ts"
import type { Words } from "../messages/en.ts"

/** How far behind the log a read model is. */
export const lagTag = (
  { overview, projections }: Words,
  { isAhead, lag }: { readonly isAhead: boolean; readonly lag: number }
) => {
  if (isAhead) return tag(projections.ahead, "bad")
  return lag === 0 ? tag(overview.upToDate, "good") : tag(overview.behind(lag))
}

const difference = (label: string, { lines }: { readonly lines: ReadonlyArray<string> }): Content =>
  lines.length === 0
    ? undefined
    : markup`<h2>${label}</h2><pre tabindex="0" aria-label="${label}">${lines.join("\n")}</pre>`

/** Read models: how far they are, built anew, held against a replay. */
export const makeProjections = ({ compare, positions, rebuild }: Maintenance) => ({
  page: Effect.fnUntraced(function* (visit: Visit) {
    const { words } = visit
    const { projections } = words
    const act = (label: string, hint: string, name: string, action: string) =>
      confirmed(
        label,
        markup`<p>${hint}</p>`,
        actionForm(
          visit,
          pathTo("projections", name, action),
          markup`<button aria-label="${label} ${name}">${label}</button>`
        )
      )
    const rows = (yield* positions).map(({ checkpoint, head, model, name, ...standing }) => [
      markup`<strong>${name}</strong> <code class="soft">${model}</code>`,
      lagTag(words, standing),
      markup`<code>${checkpoint}</code>`,
      markup`<code>${head}</code>`,
      markup`<div class="row">${act(projections.compare, projections.compareHint, name, "compare")}${
        act(projections.rebuild, projections.rebuildHint, name, "rebuild")
      }</div>`
    ])
    const headings = [
      projections.model,
      projections.lag,
      projections.checkpoint,
      projections.head,
      words.service.actions
    ]
    return {
      _tag: "Page",
      title: projections.title,
      menu: "projections",
      content: markup`<h1>${projections.title}</h1><p class="lead">${projections.lead}</p>${doneBanner(visit)}${
        table(projections.title, headings, rows)
      }`
    } satisfies Answer
  }),

  rebuild: Effect.fnUntraced(function* ({ params: [name] }: Visit) {
    yield* rebuild(name)
    return seeOther("/console/projections?done=rebuilt")
  }),

  compare: Effect.fnUntraced(function* ({ params: [asked], words }: Visit) {
    const { isSame, lines, missing, name, position, surplus } = yield* compare(asked)
    const { projections, trouble } = words
    return {
      _tag: "Page",
      title: `${projections.compare}: ${name}`,
      menu: "projections",
      content: markup`<h1>${projections.compare}: ${name}</h1><p class="banner ${
        isSame ? "good" : "bad"
      }" role="status">${
        isSame ? projections.same(lines) : projections.differs
      }</p><p>${projections.checkpoint}: <code>${position}</code></p>${
        difference(projections.surplus(surplus.count), surplus)
      }${
        difference(projections.missing(missing.count), missing)
      }<p><a class="button" href="/console/projections">${trouble.back}</a></p>`
    } satisfies Answer
  })
})
