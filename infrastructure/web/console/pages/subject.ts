import { Clock, Effect } from "effect"
import { erase, type ErasureSubject, recordDisclosure } from "../../../../application/erasure/erase-slip.ts"
import { latestOutcomesOfSlip, transferOfVerification } from "../../../../application/trail/outcomes.ts"
import { hasReadableData } from "../../../../application/trail/sealed-fields.ts"
import { type StateAt, stateAt } from "../../../../application/trail/state-at.ts"
import { loggedSubject, trail, type TrailSubject } from "../../../../application/trail/trail.ts"
import { bangkokDateTime, parseTimeInBangkok } from "../../../../domain/time.ts"
import { type Content, type Html, markup, pageTitled } from "../../pages/html.ts"
import { pageOf } from "../../http/operations/page.ts"
import { ReasonRequest } from "../../api/requests/provisioning.ts"
import { decodeFields } from "../../input/decode.ts"
import { done, formAction } from "../action.ts"
import { copyable, doneBanner, pager } from "../components.ts"
import { dangerZone, fieldView, ofForm } from "../forms.ts"
import { timeView } from "../../pages/times.ts"
import type { VaultError } from "../../../../ports/vault.ts"
import { FRAGMENT_HEADER } from "../console-auth.ts"
import { notFoundPage, orUnavailable, rejectedPage } from "../error-pages.ts"
import { timelineCard, timeOf } from "../events-view.ts"
import { type PageContext, type PageResult, pathTo, requestIdsOf } from "../page-context.ts"
import { clustersCard } from "../trail/clusters.ts"
import { actsSection } from "../trail/acts-section.ts"
import { trailSummary } from "../trail/summary.ts"
import { stateView } from "../value-view.ts"

/** Events of a page. They are shown as fewer steps. */
const PAGE = 200

type Kind = TrailSubject["_tag"]

const subjectOf = (kind: Kind, [one = "", other = ""]: ReadonlyArray<string>): TrailSubject =>
  kind === "Slip" ? { _tag: kind, sendingBank: one, transRef: other } : { _tag: kind, id: one.toLowerCase() }

const nameOf = (subject: TrailSubject): string =>
  subject._tag === "Slip" ? `${subject.sendingBank}:${subject.transRef}` : subject.id

/** The latest time that a date and time field can show. */
const MAX_TIME = Date.parse("9999-12-31T23:59:59.999+07:00")

/** The time of `?at=`, in milliseconds since 1970: undefined when it is absent, null when it is not valid. */
const selectedTime = (query: URLSearchParams): number | null | undefined => {
  const text = query.get("at") ?? ""
  if (text === "") return undefined
  const at = parseTimeInBangkok(text, "last")?.at
  return at === undefined || at > MAX_TIME ? null : at
}

/** The content of `#state`, which console.js replaces. */
const statePanel = (
  { messages }: PageContext,
  state: StateAt | undefined,
  at: number | null | undefined,
  now: number
): Html => {
  const { badTime, unknownAt } = messages.subject
  const time: Content = at === null
    ? markup`<p class="error" role="alert">${badTime}</p>`
    : markup`<p class="soft">${timeView(messages, new Date(at ?? now).toISOString(), "millisecond")}</p>`
  return markup`${time}${state === undefined ? markup`<p>${unknownAt}</p>` : stateView(messages, state)}`
}

/** Selects the time: with a slider over the events, or in a field. The slider needs the script. */
const timeForm = (
  { messages: { subject }, pagePath: path }: PageContext,
  times: ReadonlyArray<number>,
  at: number
): Html => {
  const index = Math.max(0, times.findLastIndex((time) => time <= at))
  return markup`<form class="time" action="${path}">
<div class="field slider" hidden><label for="moment">${subject.slider}</label><input id="moment" type="range" min="0" max="${
    Math.max(0, times.length - 1)
  }" step="1" value="${index}" data-times="${JSON.stringify(times)}"></div>
<div class="field"><label for="at">${subject.time}</label><input id="at" name="at" type="datetime-local" step="0.001" value="${
    bangkokDateTime(at)
  }"></div>
<div class="row"><button>${subject.show}</button><a class="button" href="${path}">${subject.now}</a></div>
</form>`
}

/** The path of a subject's page. */
const pathOf = (subject: TrailSubject): string =>
  subject._tag === "Slip"
    ? pathTo("trail", "slip", subject.sendingBank, subject.transRef)
    : pathTo("trail", subject._tag.toLowerCase(), subject.id)

/** What an auditor asks about together with a subject: its verifications and its jobs. */
const relatedSubjects = Effect.fnUntraced(function* (subject: TrailSubject, state: StateAt | undefined) {
  const { id } = yield* loggedSubject(subject)
  if (state?.kind === "verification") return state.job === null ? [id] : [id, state.job.jobId]
  if (state?.kind !== "slip") return [id]
  const { inVain, jobs, services } = state
  const verifications = services.flatMap(({ verifications }) => verifications)
  return [
    id,
    ...[...verifications, ...inVain].map(({ verificationId }) => verificationId),
    ...jobs.map(({ jobId }) => jobId)
  ]
})

/** What can be erased. */
const erasable = (subject: TrailSubject): ErasureSubject | undefined => {
  if (subject._tag === "Slip") return subject
  return subject._tag === "Job" ? { _tag: "Job", jobId: subject.id } : undefined
}

const eraseZone = (context: PageContext, subject: TrailSubject): Content => {
  if (erasable(subject) === undefined) return undefined
  const { erasure, service } = context.messages
  const action = `${pathOf(subject)}/erase`
  const fields = fieldView(ofForm(context, action), { name: "reason", label: service.reason })
  return dangerZone(context, [{ action, label: erasure.label, hint: erasure.hint, name: nameOf(subject), fields }])
}

const showSubject = Effect.fnUntraced(function* (context: PageContext, subject: TrailSubject, isRevealed: boolean) {
  const { exchange, messages, query } = context
  const { subject: text } = messages
  const selected = selectedTime(query)
  const now = yield* Clock.currentTimeMillis
  const at = selected ?? undefined
  const { cursor } = yield* pageOf(exchange)
  const found = yield* trail(subject, { cursor, limit: PAGE, upTo: undefined }).pipe(
    Effect.catchTag(["TrailEmpty", "CursorUnknown"], () => Effect.undefined)
  )
  if (found === undefined) return notFoundPage(context, text.unknown)
  const { events, nextCursor } = found
  const current = yield* stateAt(subject, now)
  const state = at === undefined ? current : yield* stateAt(subject, at)
  const times = [...new Set(events.map(timeOf))].sort((one, other) => one - other)
  const name = nameOf(subject)
  const branchLink = subject._tag === "Branch"
    ? markup`<p><a href="${pathTo("branches", name)}">${messages.branch.edit}</a></p>`
    : undefined
  const hints = nextCursor === null ? [] : [text.more]
  const isFirst = cursor === undefined
  const summary = isFirst
    ? yield* orUnavailable(
      context,
      trailSummary(context, subject, current, events, { isRevealed, revealPath: `${pathOf(subject)}/reveal` })
    )
    : undefined
  const acts = isFirst
    ? yield* orUnavailable(
      context,
      Effect.flatMap(relatedSubjects(subject, current), (subjects) => actsSection(context, name, subjects))
    )
    : undefined
  return pageTitled(`${text[subject._tag]} ${name}`)`<h1>${text[subject._tag]} ${
    copyable(context, name)
  }</h1>${branchLink}${doneBanner(context)}${summary}${
    timelineCard(messages, events, at)
  }<div class="columns"><section class="card state" aria-labelledby="state-title"><h2 id="state-title">${text.stateTitle}</h2>${
    timeForm(context, times, at ?? now)
  }<div id="state" aria-live="polite">${statePanel(context, state, selected, now)}</div></section>${
    clustersCard(messages, events, { at, hints })
  }</div>${pager(context, nextCursor)}${acts}${isFirst ? eraseZone(context, subject) : undefined}`
})

/** The summary of a subject, its timeline, its state at a time, its events, and who looked at it. */
export const subjectPage = (kind: Kind) =>
  Effect.fnUntraced(function* (context: PageContext) {
    const subject = subjectOf(kind, context.params)
    if (context.exchange.headers[FRAGMENT_HEADER] === undefined) return yield* showSubject(context, subject, false)
    const selected = selectedTime(context.query)
    const now = yield* Clock.currentTimeMillis
    const state = yield* stateAt(subject, selected ?? now)
    return { _tag: "Fragment", content: statePanel(context, state, selected, now) } satisfies PageResult
  })

/** Records a disclosure, and answers with the page that shows sender and receiver. A reload asks again. */
export const revealAction = (kind: Kind) =>
  Effect.fnUntraced(function* (context: PageContext) {
    const subject = subjectOf(kind, context.params)
    const transfer = subject._tag === "Slip"
      ? (yield* latestOutcomesOfSlip(subject.sendingBank, subject.transRef, 1)).transfer
      : yield* transferOfVerification(subject.id)
    // What cannot be opened is not shown, so there is no disclosure to record.
    if (transfer === undefined || !(yield* hasReadableData(transfer))) {
      return yield* showSubject(context, subject, false)
    }
    yield* recordDisclosure({
      command: "console",
      from: null,
      to: null,
      branchId: null,
      subject: yield* loggedSubject(subject)
    }, requestIdsOf(context))
    return yield* showSubject(context, subject, true)
  })

/** The answer when the keys of personal data were not destroyed. The event of the erasure may be recorded. */
const keysNotDestroyed = (context: PageContext) => (error: VaultError) =>
  Effect.as(
    Effect.logError("the subject keys of a slip could not be destroyed", error),
    rejectedPage(
      context,
      error.reason === "unknown-key" ? context.messages.erasure.noKeys : context.messages.erasure.again
    )
  )

const decodeReason = decodeFields(ReasonRequest)

/** Erases the personal data of a slip or a job, after its name was typed. */
export const eraseAction = (kind: "Slip" | "Job") => {
  const erased = Effect.fnUntraced(function* (context: PageContext) {
    const target = erasable(subjectOf(kind, context.params))
    if (target === undefined) return notFoundPage(context)
    const { reason = null } = yield* decodeReason(context.fields)
    return yield* erase(target, reason, requestIdsOf(context)).pipe(
      Effect.map(() => done("erased")(context)),
      Effect.catchTags({
        NothingToErase: () => Effect.succeed(notFoundPage(context, context.messages.subject.unknown)),
        VaultError: keysNotDestroyed(context)
      })
    )
  })
  return formAction("eraseSlip", erased, {
    page: subjectPage(kind),
    typed: ({ params }) => Effect.succeed(nameOf(subjectOf(kind, params)))
  })
}
