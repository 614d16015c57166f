import { Clock, Effect } from "effect"
import { type BranchView, Directory } from "../../../application/provisioning/directory.ts"
import { satang, toBaht } from "../../../domain/money.ts"
import { bangkokDay } from "../../../domain/time.ts"
import { membersOfAll } from "../../../projections/engine/page.ts"
import { whenReady } from "../../../projections/engine/readiness.ts"
import { callbackSets } from "../../../projections/models/callbacks.ts"
import { jobSets } from "../../../projections/models/jobs.ts"
import {
  isDuplicateClass,
  isSuccessClass,
  parseEntry,
  verificationsModel,
  verificationsOf
} from "../../../projections/models/verifications.ts"
import { missing } from "../../http/health.ts"
import { type Content, markup } from "../../pages/html.ts"
import type { Maintenance } from "../../http/maintenance.ts"
import { dash, facts, table, tag } from "../../pages/elements.ts"
import { timeView } from "../../pages/times.ts"
import { confirmedAction } from "../forms.ts"
import { gatewaysSection } from "../gateways-section.ts"
import { orUnavailable } from "../error-pages.ts"
import { type PageContext, type PageResult, pathTo } from "../page-context.ts"
import { lagTag } from "./projections.ts"

const health = Effect.fnUntraced(function* ({ messages: { overview } }: PageContext) {
  const faults = yield* missing
  const state = faults.length === 0 ? tag(overview.ready, "good") : tag(overview.notReady, "bad")
  return markup`<p class="big">${state}</p>${faults.map((fault) => markup`<p class="error">${fault}</p>`)}`
})

const lags = ({ messages }: PageContext, { positions }: Maintenance) =>
  Effect.map(positions, (models): Content => facts(models.map((model) => [model.name, lagTag(messages, model)])))

/** Jobs are counted up to this number. */
const MAX_COUNT = 1_000

const numbers = Effect.fnUntraced(function* ({ messages: { overview } }: PageContext) {
  const today = Date.parse(`${bangkokDay(yield* Clock.currentTimeMillis)}T00:00:00+07:00`)
  const open = yield* jobSets.open.count()
  const notFound = yield* jobSets.inState("not_found").members({ from: today, limit: MAX_COUNT })
  const waiting = yield* callbackSets.due.count()
  const abandoned = yield* callbackSets.ended("abandoned").count()
  const rejected = yield* callbackSets.ended("rejected").count()
  const tile = (label: string, value: Content, path?: string): Content =>
    markup`<li>${
      path === undefined
        ? markup`<span class="label">${label}</span>`
        : markup`<a class="label" href="${path}">${label}</a>`
    }<span class="number">${value}</span></li>`
  const failedState = abandoned === 0 && rejected > 0 ? "rejected" : "abandoned"
  return markup`<ul class="tiles">${[
    tile(overview.openJobs, open),
    tile(overview.notFoundToday, notFound.length === MAX_COUNT ? `${MAX_COUNT}+` : notFound.length),
    tile(overview.waiting, waiting, "/console/callbacks?state=pending"),
    tile(overview.failedCallbacks, abandoned + rejected, `/console/callbacks?state=${failedState}`)
  ]}</ul>`
})

/** The latest verifications of which the share of failures is shown. */
const MAX_RECENT = 30
/** The verifications among them that are listed. */
const MAX_LISTED = 12

const MAX_SERVICES = 200

/** The latest verifications of a branch, from the read model alone. Amounts are in baht. */
const latestOf = Effect.fnUntraced(function* (branch: BranchView) {
  const members = yield* membersOfAll(verificationsOf(branch.id), { limit: MAX_RECENT, reverse: true })
  return members.map(({ member, score: at }) => {
    const { amount, verificationClass, verificationId: id } = parseEntry(member)
    const isFailed = !isSuccessClass(verificationClass)
    const ofSlip = isDuplicateClass(verificationClass) ? "duplicate" as const : "first" as const
    return {
      id,
      at,
      branch,
      verdict: isFailed ? "failed" as const : ofSlip,
      code: isFailed ? verificationClass : null,
      amount: typeof amount === "number" ? toBaht(satang(amount)) : null
    }
  })
})

/** The latest verifications of all branches, newest first. */
const latestVerifications = Effect.gen(function* () {
  yield* whenReady(verificationsModel)
  const directory = yield* Directory
  const { items } = yield* directory.services({ limit: MAX_SERVICES })
  const branches = (yield* Effect.forEach(items, ({ id }) => directory.branchesOf(id))).flat()
  const found = (yield* Effect.forEach(branches, latestOf)).flat()
  return found.sort((one, other) => other.at - one.at).slice(0, MAX_RECENT)
})

const tones = { first: "good", duplicate: "plain", failed: "bad" } as const

const recent = Effect.fnUntraced(function* ({ messages }: PageContext) {
  const { common, overview } = messages
  const latest = yield* latestVerifications
  if (latest.length === 0) return markup`<p>${overview.recentNone}</p>`
  const failed = latest.filter(({ verdict }) => verdict === "failed").length
  const rows = latest.slice(0, MAX_LISTED).map(({ amount, at, branch, code, id, verdict }) => [
    timeView(messages, new Date(at).toISOString()),
    markup`${tag(overview.verdict[verdict], tones[verdict])}${
      code === null ? undefined : markup` <code class="any">${code}</code>`
    }`,
    amount === null ? dash : `${amount.toFixed(2)} ${common.baht}`,
    markup`<a href="${pathTo("branches", branch.id)}">${branch.name}</a>`,
    markup`<a class="id" href="${pathTo("trail", "verification", id)}">${id}</a>`
  ])
  const headings = [common.time, overview.result, overview.slip, overview.branch, common.id]
  return markup`<p>${overview.failures(failed, latest.length)}</p>${table(overview.recent, headings, rows)}`
})

/** Numbers, health, lags, gateways and the latest verifications. */
export const makeOverview = (maintenance: Maintenance) =>
  Effect.fnUntraced(function* (context: PageContext) {
    const { login, overview } = context.messages
    return {
      _tag: "Page",
      title: overview.title,
      menu: "overview",
      content: markup`<h1>${overview.title}</h1>
<section class="card" aria-labelledby="numbers"><h2 id="numbers">${overview.numbers}</h2>${yield* orUnavailable(
        context,
        numbers(context)
      )}</section><div class="cards"><section class="card"><h2>${overview.health}</h2>${yield* health(
        context
      )}</section>
<section class="card"><h2>${overview.models}</h2>${yield* orUnavailable(
        context,
        lags(context, maintenance)
      )}</section></div>
<section class="card"><h2>${context.messages.gateways.title}</h2>${yield* gatewaysSection(context.messages)}</section>
<section class="card"><h2>${overview.recent}</h2>${yield* orUnavailable(context, recent(context))}</section>
${confirmedAction(context, { action: "/console/logout/all", label: login.logoutAll, hint: login.logoutAllHint })}`
    } satisfies PageResult
  })
