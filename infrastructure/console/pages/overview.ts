import { Clock, Effect, Metric } from "effect"
import { callbackSets } from "../../../projections/models/callbacks.ts"
import { jobSets } from "../../../projections/models/jobs.ts"
import { slipTime } from "../../../domain/time.ts"
import { missing } from "../../http/health.ts"
import { type Content, markup } from "../../http/html.ts"
import type { Maintenance } from "../../http/maintenance.ts"
import { facts, table, tag } from "../parts.ts"
import { recentVerifications } from "../recent.ts"
import { timeView } from "../time-view.ts"
import { orAway } from "../error-pages.ts"
import { type Answer, pathTo, type Visit } from "../page-context.ts"
import { lagTag } from "./projections.ts"

/** Verifications that are shown, and how many of the latest the share of failures is told of. */
const SHOWN = 12

const circuits = ({ words: { overview } }: Visit) =>
  Effect.map(Metric.snapshot, (metrics): Content => {
    const gauges = metrics.filter(({ id }) => id === "sliptrail_gateway_circuit_open")
    return facts(gauges.map((gauge) => {
      const isOpen = gauge.type === "Gauge" && Number(gauge.state.value) === 1
      return [gauge.attributes?.["gateway"] ?? "", isOpen ? tag(overview.open, "bad") : tag(overview.closed, "good")]
    }))
  })

const health = Effect.fnUntraced(function* ({ words: { overview } }: Visit) {
  const faults = yield* missing
  const said = faults.length === 0 ? tag(overview.ready, "good") : tag(overview.notReady, "bad")
  return markup`<p class="big">${said}</p>${faults.map((fault) => markup`<p class="wrong">${fault}</p>`)}`
})

const standings = ({ words }: Visit, { positions }: Maintenance) =>
  Effect.map(positions, (found): Content => facts(found.map((one) => [one.name, lagTag(words, one)])))

/** Midnight in Bangkok. */
const beginningOfDay = (now: number): number => Date.parse(`${slipTime(now).slice(0, 10)}T00:00:00+07:00`)

const MOST_COUNTED = 1_000

const numbers = Effect.fnUntraced(function* ({ words: { overview } }: Visit) {
  const from = beginningOfDay(yield* Clock.currentTimeMillis)
  const open = yield* jobSets.open.count()
  const notFound = yield* jobSets.inState("not_found").members({ from, limit: MOST_COUNTED })
  const waiting = yield* callbackSets.due.count()
  const abandoned = yield* callbackSets.ended("abandoned").count()
  const rejected = yield* callbackSets.ended("rejected").count()
  const tile = (label: string, value: Content, to?: string): Content =>
    markup`<li>${
      to === undefined
        ? markup`<span class="label">${label}</span>`
        : markup`<a class="label" href="${to}">${label}</a>`
    }<span class="number">${value}</span></li>`
  return markup`<ul class="tiles">${[
    tile(overview.openJobs, open),
    tile(overview.notFoundToday, notFound.length === MOST_COUNTED ? `${MOST_COUNTED}+` : notFound.length),
    tile(overview.waiting, waiting, "/console/callbacks?state=pending"),
    tile(
      overview.dead,
      abandoned + rejected,
      `/console/callbacks?state=${abandoned === 0 && rejected > 0 ? "rejected" : "abandoned"}`
    )
  ]}</ul>`
})

const moods = { first: "good", duplicate: "plain", failed: "bad", pending: "plain" } as const

const recent = Effect.fnUntraced(function* ({ words }: Visit) {
  const { common, overview } = words
  const found = yield* recentVerifications
  if (found.length === 0) return markup`<p>${overview.recentNone}</p>`
  const failed = found.filter(({ result }) => result === "failed").length
  const rows = found.slice(0, SHOWN).map(({ amount, at, branch, code, id, result }) => [
    timeView(words, at),
    markup`${tag(overview.verdict[result], moods[result])}${
      code === null ? undefined : markup` <code class="any">${code}</code>`
    }`,
    amount === null ? markup`<span class="soft">–</span>` : `${amount.toFixed(2)} ${common.baht}`,
    markup`<a href="${pathTo("branches", branch.id)}">${branch.name}</a>`,
    markup`<a class="id" href="${pathTo("trail", "verification", id)}">${id}</a>`
  ])
  const headings = [common.time, overview.result, overview.slip, overview.branch, common.id]
  return markup`<p>${overview.failures(failed, found.length)}</p>${table(overview.recent, headings, rows)}`
})

/** How everything is, at a glance. */
export const makeOverview = (maintenance: Maintenance) =>
  Effect.fnUntraced(function* (visit: Visit) {
    const { overview } = visit.words
    return {
      _tag: "Page",
      title: overview.title,
      menu: "overview",
      content: markup`<h1>${overview.title}</h1>
<section class="card" aria-labelledby="numbers"><h2 id="numbers">${overview.numbers}</h2>${yield* orAway(
        visit,
        numbers(visit)
      )}</section>
<div class="cards"><section class="card"><h2>${overview.health}</h2>${yield* health(visit)}</section>
<section class="card"><h2>${overview.models}</h2>${yield* orAway(visit, standings(visit, maintenance))}</section>
<section class="card"><h2>${overview.gateways}</h2>${yield* circuits(visit)}</section></div>
<section class="card"><h2>${overview.recent}</h2>${yield* orAway(visit, recent(visit))}</section>`
    } satisfies Answer
  })
