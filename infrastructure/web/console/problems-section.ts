import { Effect } from "effect"
import { pausedHosts } from "../../../application/callbacks/paused-hosts.ts"
import { activeBranches, usedUpQuotas } from "../../../application/reading/active-branches.ts"
import { GatewayStatuses } from "../../../ports/gateway-status.ts"
import { callbackSets } from "../../../projections/models/callbacks.ts"
import { jobSets } from "../../../projections/models/jobs.ts"
import { missing } from "../http/server/health.ts"
import type { Maintenance } from "../http/operations/maintenance.ts"
import { type Content, dash, type Html, markup, tag, type Tone } from "../pages/html.ts"
import { count } from "../pages/numbers.ts"
import type { Messages } from "./messages.ts"
import { pathTo } from "./page-context.ts"

/** Something that an operator must look at, and the page that shows more. */
interface Problem {
  readonly text: string
  readonly path?: string
}

/** A check that fails, for example while a store is unavailable, is left out: `missing` reports the store. */
const orNothing = <A, E, R>(check: Effect.Effect<A, E, R>) => Effect.orElseSucceed(check, () => undefined)

/** Reads once what problems and the health strip show. */
export const readHealth = Effect.fnUntraced(function* ({ positions }: Maintenance) {
  return {
    faults: yield* missing,
    models: yield* orNothing(positions),
    gateways: yield* (yield* GatewayStatuses).all,
    hosts: yield* orNothing(pausedHosts),
    quotas: yield* orNothing(Effect.flatMap(activeBranches, usedUpQuotas)),
    waitingJobs: yield* orNothing(jobSets.open.count()),
    waitingCallbacks: yield* orNothing(callbackSets.due.count()),
    abandoned: yield* orNothing(callbackSets.ended("abandoned").count())
  }
})

export type Health = Effect.Success<ReturnType<typeof readHealth>>

const problemsOf = (messages: Messages, health: Health): ReadonlyArray<Problem> => {
  const { gateways: { paused }, problems } = messages
  const { faults, gateways, hosts = [], models = [], quotas = [] } = health
  return [
    ...faults.map((text) => ({ text })),
    ...models.filter(({ isAhead }) => isAhead).map(({ name }) => ({
      text: problems.ahead(name),
      path: "/console/projections"
    })),
    ...gateways.flatMap(({ name, pause }) =>
      pause === undefined ? [] : [{ text: `${problems.gateway(name)}: ${paused[pause.cause]}`, path: "#gateways" }]
    ),
    ...hosts.map(({ failures, host }) => ({
      text: problems.host(host, failures),
      path: `/console/callbacks?state=pending&host=${encodeURIComponent(host)}`
    })),
    ...quotas.map(({ branchId, name, quota, serviceName }) => ({
      text: problems.quota(`${serviceName} · ${name}`, count(messages, quota)),
      path: pathTo("branches", branchId)
    }))
  ]
}

/** What is wrong now, in red. */
export const problemsSection = (messages: Messages, health: Health): Html => {
  const { problems } = messages
  const found = problemsOf(messages, health)
  if (found.length === 0) return markup`<p>${tag(problems.none, "good")}</p>`
  return markup`<section class="banner bad problems" aria-labelledby="problems"><h2 id="problems">${problems.title}</h2><ul>${
    found.map(({ path, text }) => markup`<li>${path === undefined ? text : markup`<a href="${path}">${text}</a>`}</li>`)
  }</ul></section>`
}

type Part = readonly [label: string, value: Content, tone: Tone, path?: string]

/** One line: the stores, the read models, the gateways, callbacks and jobs. */
export const healthStrip = (messages: Messages, health: Health): Html => {
  const { overview, strip } = messages
  const { abandoned, faults, gateways, models, waitingCallbacks, waitingJobs } = health
  const lag = models?.reduce((most, model) => Math.max(most, model.lag), 0)
  const usable = gateways.filter(({ pause }) => pause === undefined).length
  const numberOf = (value: number | undefined): Content => value === undefined ? dash : count(messages, value)
  const isReady = faults.length === 0
  const parts: ReadonlyArray<Part> = [
    [strip.service, isReady ? overview.ready : overview.notReady, isReady ? "good" : "bad"],
    [
      overview.models,
      lag === undefined ? dash : lag === 0 ? overview.upToDate : overview.behind(lag),
      lag === 0 ? "good" : "plain",
      "/console/projections"
    ],
    [
      messages.gateways.title,
      strip.usable(usable, gateways.length),
      usable === gateways.length ? "good" : "bad",
      "#gateways"
    ],
    [strip.callbacks, numberOf(waitingCallbacks), "plain", "/console/callbacks?state=pending"],
    [strip.abandoned, numberOf(abandoned), "plain", "/console/callbacks?state=abandoned"],
    [strip.jobs, numberOf(waitingJobs), "plain"]
  ]
  return markup`<dl class="strip">${
    parts.map(([label, value, tone, path]) =>
      markup`<div><dt>${
        path === undefined ? label : markup`<a href="${path}">${label}</a>`
      }</dt><dd><span class="tag ${tone}">${value}</span></dd></div>`
    )
  }</dl>`
}
