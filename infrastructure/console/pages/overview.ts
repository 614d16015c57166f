import { Effect } from "effect"
import {
  activeBranches,
  type LatestVerification,
  latestVerifications
} from "../../../application/reading/active-branches.ts"
import { satang, toBaht } from "../../../domain/money.ts"
import { branchRows } from "../../../projections/models/branches.ts"
import { isDuplicateClass, isSuccessClass } from "../../../projections/models/verifications.ts"
import type { Maintenance } from "../../http/maintenance.ts"
import { dash, table, tag } from "../../pages/elements.ts"
import { type Content, markup } from "../../pages/html.ts"
import { money } from "../../pages/numbers.ts"
import { timeView } from "../../pages/times.ts"
import { orUnavailable } from "../error-pages.ts"
import { confirmedAction } from "../forms.ts"
import { gatewaysSection } from "../gateways-section.ts"
import { type PageContext, type PageResult, pathTo } from "../page-context.ts"
import { healthStrip, problemsSection, readHealth } from "../problems-section.ts"
import { todaySection } from "../today-section.ts"

/** The latest verifications of which the share of failures is shown. */
const MAX_RECENT = 30
/** The verifications among them that are listed. */
const MAX_LISTED = 8

const tones = { first: "good", duplicate: "plain", failed: "bad" } as const

const verdictOf = ({ verificationClass }: LatestVerification): keyof typeof tones => {
  if (!isSuccessClass(verificationClass)) return "failed"
  return isDuplicateClass(verificationClass) ? "duplicate" : "first"
}

/** The names of branches, from the read model. A branch that it does not have yet shows its id. */
const namesOf = (branchIds: ReadonlyArray<string>) =>
  Effect.map(
    Effect.forEach([...new Set(branchIds)], (id) =>
      Effect.map(branchRows.get(id), (row) => [id, row?.name ?? id] as const)),
    (names) =>
      new Map(names)
  )

const recent = Effect.fnUntraced(function* ({ messages }: PageContext) {
  const { common, overview } = messages
  const latest = yield* latestVerifications(yield* activeBranches, MAX_RECENT)
  if (latest.length === 0) return markup`<p>${overview.recentNone}</p>`
  const failed = latest.filter((each) => verdictOf(each) === "failed").length
  const listed = latest.slice(0, MAX_LISTED)
  const names = yield* namesOf(listed.map(({ branchId }) => branchId))
  const rows = listed.map((each): ReadonlyArray<Content> => {
    const { amount, at, branchId, verificationClass, verificationId } = each
    const verdict = verdictOf(each)
    return [
      timeView(messages, new Date(at).toISOString()),
      markup`${tag(overview.verdict[verdict], tones[verdict])}${
        verdict === "failed" ? markup` <code class="any">${verificationClass}</code>` : undefined
      }`,
      typeof amount === "number" ? `${money(messages, toBaht(satang(amount)))} ${common.baht}` : dash,
      markup`<a href="${pathTo("branches", branchId)}">${names.get(branchId) ?? branchId}</a>`,
      markup`<a class="id" href="${pathTo("trail", "verification", verificationId)}">${verificationId}</a>`
    ]
  })
  const headings = [common.time, overview.result, overview.slip, overview.branch, common.id]
  return markup`<p>${overview.failures(failed, latest.length)}</p>${table(overview.recent, headings, rows)}`
})

/** Today's figures, problems, health, the latest verifications and the plots of the last 24 hours. */
export const makeOverview = (maintenance: Maintenance) =>
  Effect.fnUntraced(function* (context: PageContext) {
    const { messages } = context
    const { login, overview, statistics } = messages
    const health = yield* readHealth(maintenance)
    const today = yield* Effect.option(todaySection(messages))
    const unavailable: Content = markup`<p class="banner bad">${messages.errors.unavailable}</p>`
    return {
      _tag: "Page",
      title: overview.title,
      menu: "overview",
      content: markup`<h1>${overview.title}</h1>
<section class="card" aria-labelledby="today"><h2 id="today">${statistics.today}</h2>${
        today._tag === "Some" ? today.value.tiles : unavailable
      }</section>${problemsSection(messages, health)}
<section class="card" aria-label="${overview.health}">${healthStrip(messages, health)}</section>
<section class="card"><h2>${overview.recent}</h2>${yield* orUnavailable(context, recent(context))}</section>
<section class="card" aria-labelledby="plots"><h2 id="plots">${statistics.lastDay}</h2>${
        today._tag === "Some" ? today.value.plots : unavailable
      }</section>
<section class="card" aria-labelledby="gateways"><h2 id="gateways">${messages.gateways.title}</h2>${yield* gatewaysSection(
        messages
      )}</section>
${confirmedAction(context, { action: "/console/logout/all", label: login.logoutAll, hint: login.logoutAllHint })}`
    } satisfies PageResult
  })
