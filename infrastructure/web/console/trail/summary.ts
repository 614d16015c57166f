import { Effect } from "effect"
import type { JobAt } from "../../../../application/views/trail.ts"
import {
  eventOfVerification,
  latestOutcomesOfSlip,
  type Outcome,
  outcomeOf,
  transferOfVerification
} from "../../../../application/trail/outcomes.ts"
import type { StateAt } from "../../../../application/trail/state-at.ts"
import type { TrailSubject } from "../../../../application/trail/trail.ts"
import { callbackHost } from "../../../../domain/callback.ts"
import type { RecordedEvent } from "../../../../domain/events/recorded-event.ts"
import { type Content, facts, markup, table, tag } from "../../pages/html.ts"
import { durationText, timeView } from "../../pages/times.ts"
import type { Messages } from "../messages.ts"
import { type PageContext, pageOfKind, requestPath } from "../page-context.ts"
import { activeTag, summaryCard } from "../components.ts"
import { shopView } from "./shop-view.ts"
import { slipRows } from "./slip-parts.ts"
import { answerLine, answerSentences, answerView, verdictTag } from "./answer.ts"

type Row = readonly [label: Content, value: Content]

/** Answers that the page of a slip lists. */
const MAX_ANSWERS = 5

export interface SummaryOptions {
  readonly isRevealed: boolean
  readonly revealPath: string
}

const callbackTones = { none: "plain", pending: "plain", delivered: "good", rejected: "bad", abandoned: "bad" } as const

const callbackView = (messages: Messages, { callback }: JobAt): Content => {
  const { callbacks, common, summary } = messages
  const { attempts, lastStatus, state, url } = callback
  if (state === "none" || url === null) return common.none
  const host = callbackHost(url)
  const query = new URLSearchParams({ state, host }).toString()
  return markup`${
    tag(callbacks.states[state], callbackTones[state])
  } <a href="/console/callbacks?${query}">${host}</a> · ${summary.attempts(attempts)}${
    lastStatus === null ? undefined : markup` · <code>HTTP ${lastStatus}</code>`
  }`
}

/** When a job was accepted and answered. */
const jobTimes = (messages: Messages, { acceptedAt, endedAt, nextAttemptAt }: JobAt): ReadonlyArray<Row> => {
  const { summary } = messages
  const next = nextAttemptAt === null
    ? summary.notYet
    : markup`${summary.notYet} · ${summary.nextAttempt} ${timeView(messages, nextAttemptAt)}`
  return [
    [summary.received, timeView(messages, acceptedAt)],
    [
      summary.answered,
      endedAt === null
        ? next
        : markup`${timeView(messages, endedAt)} · ${
          summary.took(durationText(messages, Date.parse(endedAt) - Date.parse(acceptedAt)))
        }`
    ]
  ]
}

const gatewayRow = (messages: Messages, event: RecordedEvent | undefined): Row => {
  const { gateway, gatewayMillis } = event?.data ?? {}
  const isKnown = typeof gateway === "string" && typeof gatewayMillis === "number"
  return [messages.gateways.name, isKnown ? `${gateway} · ${durationText(messages, gatewayMillis)}` : undefined]
}

/** Links to what belongs to a verification: its request, job, batch and the receiving account that matched. */
const relatedRows = (
  { bankAccount, batch, request, subject }: Messages,
  job: JobAt | null,
  isJobPage: boolean,
  event: RecordedEvent | undefined
): ReadonlyArray<Row> => {
  const link = (id: unknown, pathOf: (id: string) => string): Content =>
    typeof id === "string" && id !== "" ? markup`<a class="id" href="${pathOf(id)}">${id}</a>` : undefined
  return [
    [request.title, link(event?.metadata.correlationId, requestPath)],
    [subject.Job, isJobPage ? undefined : link(job?.jobId, pageOfKind.job)],
    [batch.title, link(job?.batchId, pageOfKind.batch)],
    [bankAccount.title, link(event?.data["accountId"], pageOfKind.bankAccount)]
  ]
}

/** The summary of a verification, or of a job with its verification. */
const verificationSummary = Effect.fnUntraced(function* (
  context: PageContext,
  id: string,
  job: JobAt | null,
  isJobPage: boolean,
  { options, events }: { readonly options: SummaryOptions; readonly events: ReadonlyArray<RecordedEvent> }
) {
  const { messages } = context
  const { summary, answer } = messages
  const event = yield* eventOfVerification(id)
  const outcome = event === undefined ? undefined : outcomeOf(event)
  const branchId = outcome?.branchId ?? job?.branchId
  const transfer = yield* transferOfVerification(id)
  const head = outcome === undefined
    ? markup`<p class="verdict">${
      tag(messages.jobStates.pending)
    } <span class="answer-title">${answer.title}</span> <code>HTTP 202</code></p>
<p class="answer">${answer.pending}</p>`
    : answerView(messages, outcome, job !== null)
  const rows: ReadonlyArray<Row> = [
    ...yield* slipRows(context, transfer, options),
    [summary.shop, branchId === undefined ? undefined : yield* shopView(branchId)],
    ...(job === null
      ? [[summary.answered, outcome === undefined ? undefined : timeView(messages, outcome.at)] as const]
      : jobTimes(messages, job)),
    gatewayRow(messages, event),
    [messages.callbacks.title, job === null ? undefined : callbackView(messages, job)],
    ...relatedRows(messages, job, isJobPage, event ?? events[0])
  ]
  return summaryCard(messages, [head, facts(rows)])
})

const answerRow = Effect.fnUntraced(function* (messages: Messages, outcome: Outcome) {
  const { branchId, verificationId } = outcome
  return [
    timeView(messages, outcome.at),
    yield* shopView(branchId),
    markup`${verdictTag(messages, outcome)} <code>HTTP ${answerLine(outcome)}</code><br>${
      answerSentences(messages, outcome).join(" ")
    }`,
    markup`<a class="id" href="${pageOfKind.verification(verificationId)}">${verificationId.slice(0, 8)}</a>`
  ] as const
})

/** The summary of a slip: what it is, and what each shop received as an answer, newest first. */
const slipSummary = Effect.fnUntraced(function* (
  context: PageContext,
  { sendingBank, transRef }: Extract<TrailSubject, { readonly _tag: "Slip" }>,
  state: StateAt | undefined,
  options: SummaryOptions
) {
  const { messages } = context
  const { audit, overview, subject, summary, answer } = messages
  const { outcomes, transfer } = yield* latestOutcomesOfSlip(sendingBank, transRef, MAX_ANSWERS)
  const [latest] = outcomes
  const services = state?.kind === "slip" ? state.services : []
  const times = services.reduce((sum, { times }) => sum + times, 0)
  const firstAt = transfer?.metadata.at
  const rows: ReadonlyArray<Row> = [
    ...yield* slipRows(context, transfer, options),
    [messages.fields.firstVerifiedAt, firstAt === undefined ? undefined : timeView(messages, firstAt)],
    [summary.times, summary.verified(times, services.length)],
    gatewayRow(messages, transfer)
  ]
  const answers = yield* Effect.forEach(outcomes, (outcome) => answerRow(messages, outcome))
  return [
    summaryCard(messages, [
      latest === undefined
        ? markup`<p class="verdict">${tag(messages.jobStates.pending)}</p><p class="answer">${answer.pending}</p>`
        : answerView(messages, latest, false),
      facts(rows)
    ]),
    answers.length === 0
      ? undefined
      : markup`<section class="card" aria-labelledby="answers"><h2 id="answers">${answer.each}</h2>${
        table(answer.each, [audit.at, summary.shop, overview.result, subject.Verification], answers)
      }</section>`
  ]
})

const branchSummary = Effect.fnUntraced(function* (context: PageContext, id: string, state: StateAt | undefined) {
  const { messages } = context
  const { common, summary } = messages
  const isActive = state?.kind === "branch" ? state.isActive : undefined
  return summaryCard(messages, [
    facts([
      [summary.shop, yield* shopView(id)],
      [common.state, isActive === undefined ? undefined : activeTag(messages, isActive)]
    ])
  ])
})

/** The summary at the top of a trail: the verdict and what the shop received as an answer, the slip, the shop, times and links. */
export const trailSummary = (
  context: PageContext,
  subject: TrailSubject,
  state: StateAt | undefined,
  events: ReadonlyArray<RecordedEvent>,
  options: SummaryOptions
) => {
  switch (subject._tag) {
    case "Slip":
      return slipSummary(context, subject, state, options)
    case "Branch":
      return branchSummary(context, subject.id, state)
    case "Job":
      return verificationSummary(context, subject.id, state?.kind === "job" ? state : null, true, { options, events })
    case "Verification": {
      const job = state?.kind === "verification" ? state.job : null
      return verificationSummary(context, subject.id, job, false, { options, events })
    }
  }
}
