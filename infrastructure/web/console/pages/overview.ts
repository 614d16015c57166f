import { Effect } from "effect"
import { listAllVerifications } from "../../../../application/reading/list-all-verifications.ts"
import { type Content, markup, pageTitled } from "../../pages/html.ts"
import { orUnavailable } from "../error-pages.ts"
import { confirmedAction } from "../forms.ts"
import { gatewaysSection } from "../gateways-section.ts"
import { type PageContext } from "../page-context.ts"
import { healthStrip, problemsSection, readHealth } from "../problems-section.ts"
import { todaySection } from "../today-section.ts"
import { verificationTable } from "./verifications.ts"

/** The latest verifications that are shown. */
const MOST_LATEST = 8

const latest = Effect.fnUntraced(function* (context: PageContext) {
  const { overview } = context.messages
  const { items } = yield* listAllVerifications({ limit: MOST_LATEST, order: "newest" })
  if (items.length === 0) return markup`<p>${overview.recentNone}</p>`
  return [
    yield* verificationTable(context, items),
    markup`<p><a href="/console/verifications">${overview.recentAll}</a></p>`
  ]
})

/** Today's figures, problems, health, the latest verifications and the plots of the last 24 hours. */
export const overviewPage = Effect.fnUntraced(function* (context: PageContext) {
  const { messages } = context
  const { login, overview, statistics } = messages
  const health = yield* readHealth(context.maintenance)
  const today = yield* Effect.option(todaySection(messages))
  const recent = yield* orUnavailable(context, latest(context))
  const gateways = yield* gatewaysSection(messages)
  const unavailable: Content = markup`<p class="banner bad">${messages.errors.unavailable}</p>`
  return pageTitled(overview.title, "overview")`<h1>${overview.title}</h1>
<section class="card" aria-labelledby="today"><h2 id="today">${statistics.today}</h2>${
    today._tag === "Some" ? today.value.tiles : unavailable
  }</section>${problemsSection(messages, health)}
<section class="card" aria-label="${overview.health}">${healthStrip(messages, health)}</section>
<section class="card"><h2>${overview.recent}</h2>${recent}</section>
<section class="card" aria-labelledby="plots"><h2 id="plots">${statistics.lastDay}</h2>${
    today._tag === "Some" ? today.value.plots : unavailable
  }</section>
<section class="card" aria-labelledby="gateways"><h2 id="gateways">${messages.gateways.title}</h2>${gateways}</section>
${confirmedAction(context, { action: "/console/logout/all", label: login.logoutAll, hint: login.logoutAllHint })}`
})
