import { Clock, Effect } from "effect"
import { addNote } from "../../../../application/notes/add-note.ts"
import type { NoteView } from "../../../../application/views/verification.ts"
import { verificationDetail } from "../../../../application/reading/verification-detail.ts"
import { type TimelineStep, verificationTimeline } from "../../../../application/reading/verification-timeline.ts"
import { findVerification, type Verification } from "../../../../application/verification/verification-view.ts"
import { parseId } from "../../../../domain/ids.ts"
import { Identifiers } from "../../../../ports/identifiers.ts"
import { NoteRequest } from "../../api/requests/slips.ts"
import { decodeFields } from "../../input/decode.ts"
import { type Content, facts, type Html, markup, pageTitled, redirect } from "../../pages/html.ts"
import { timeView } from "../../pages/times.ts"
import { amountText } from "../amounts.ts"
import { actionForm, backLink, doneBanner, fieldView } from "../components.ts"
import { deliveriesOfJob } from "../deliveries-view.ts"
import { formAction, pathTo, requestIdsOf, scoped, type ShopContext } from "../page-context.ts"
import { toneIcon, verificationFacts } from "../verdict-view.ts"
import { toneOf, type Verdict, verdictOf, verdictOfCode } from "../verdict.ts"

/** A time with how long ago it was. */
const timeAgo = ({ messages: { locale } }: ShopContext, iso: string, now: number): Html =>
  timeView({ locale, now }, iso)

/** The answer of the verification: the verdict's word and sentence. */
const answerView = ({ messages: { verdicts } }: ShopContext, { kind }: Verdict): Html => {
  const tone = toneOf(kind)
  return markup`<div class="answer ${tone}">${toneIcon(tone)}<b>${verdicts[kind].title}</b></div><p>${
    verdicts[kind].text
  }</p>`
}

const conditionsCard = (
  { messages: { verification: text } }: ShopContext,
  { acceptance }: Verification
): Content => {
  if (acceptance === undefined) return undefined
  const { accepted, reasons } = acceptance
  return markup`<section class="card"><h2>${text.conditions}</h2>${
    accepted
      ? markup`<p>${text.met}</p>`
      : markup`<ul>${reasons.map(({ code }) => markup`<li>${text.reasons[code]}</li>`)}</ul>`
  }</section>`
}

const noteView = (context: ShopContext, { at, keyId, text: note }: NoteView, now: number): Html => {
  const { verification: text } = context.messages
  return markup`<li>${
    note === null ? markup`<p class="soft">${text.erasedNote}</p>` : markup`<p>${note}</p>`
  }<span class="hint">${timeAgo(context, at, now)} · ${text.by(keyId)}</span></li>`
}

/** The id of the next note: sending the form twice adds one note. */
const noteId = Effect.fnUntraced(function* ({ fields, issues }: ShopContext) {
  const sent = issues.length > 0 ? fields["noteId"] : undefined
  return typeof sent === "string" ? sent : (yield* Identifiers).random()
})

interface Notes {
  readonly verificationId: string
  readonly notes: ReadonlyArray<NoteView>
  /** The id of the next note. */
  readonly nextId: string
}

const notesCard = (context: ShopContext, { nextId, notes, verificationId }: Notes, now: number): Html => {
  const { verification: text } = context.messages
  const form = context.may("verify")
    ? actionForm(
      context,
      pathTo("verifications", verificationId, "notes"),
      markup`<input type="hidden" name="noteId" value="${nextId}">`,
      fieldView(context, { name: "text", label: text.note, hint: text.noteHint, kind: "lines", isRequired: true }),
      markup`<p><button>${text.addNote}</button></p>`
    )
    : undefined
  return markup`<section class="card" id="notes"><h2>${text.notes}</h2>${
    notes.length === 0
      ? markup`<p class="soft">${text.noNotes}</p>`
      : markup`<ul class="notes">${notes.map((note) => noteView(context, note, now))}</ul>`
  }${form}</section>`
}

const stepText = ({ messages: { verification: { steps } } }: ShopContext, step: TimelineStep): string => {
  switch (step.kind) {
    case "attempt":
      return steps.attempt(step.attempt)
    case "asked":
      return steps.asked(step.millis)
    case "callback":
      if (step.outcome === "failed") return steps.undelivered(step.reason)
      return step.outcome === "sent" ? steps.sent : steps[step.outcome](step.status)
    default:
      return steps[step.kind]
  }
}

const stepTone = (step: TimelineStep): string => {
  const outcome = step.kind === "callback" ? step.outcome : step.kind
  if (outcome === "verified" || outcome === "delivered") return "good"
  return outcome === "failed" || outcome === "rejected" || outcome === "duplicate" ? "bad" : "plain"
}

const timelineCard = (context: ShopContext, steps: ReadonlyArray<TimelineStep>): Html => {
  const { messages } = context
  return markup`<section class="card"><h2>${messages.verification.timeline}</h2><ol class="steps">${
    steps.map((step) =>
      markup`<li class="${stepTone(step)}">${timeView(messages, step.at, "millisecond")}${stepText(context, step)}</li>`
    )
  }</ol></section>`
}

/** A verification with its answer, its notes and its callbacks (docs/shop-page.md, "History"). */
export const verificationPage = scoped("read", function* (context) {
  const { caller: { branchId }, messages, params: [id = ""] } = context
  const { verification: text } = messages
  const detail = yield* verificationDetail(id, branchId)
  const { at, charged, jobId, notes, outcome, verificationId } = detail
  const steps = yield* verificationTimeline(verificationId, branchId)
  const known = "data" in detail ? yield* findVerification(verificationId) : undefined
  const verdict = known === undefined ? verdictOfCode(outcome) : verdictOf(known)
  const nextId = yield* noteId(context)
  const deliveries = jobId === null ? undefined : yield* deliveriesOfJob(context, jobId)
  const now = yield* Clock.currentTimeMillis
  const about = facts([
    [text.checkedAt, timeAgo(context, at, now)],
    [text.charged, charged ? text.units.one : text.units.none],
    [text.remark, known?.remark === undefined ? undefined : markup`<span class="any">${known.remark}</span>`],
    [text.id, markup`<code class="any">${verificationId}</code>`]
  ])
  const slipCard = known === undefined
    ? undefined
    : markup`<section class="card"><h2>${text.facts}</h2>${
      known.isForgotten ? markup`<p class="banner bad">${text.erased}</p>` : undefined
    }${
      // The record of the slip is this page: a link to it would lead nowhere.
      verificationFacts({ ...context, may: () => false }, known)}</section>`
  return pageTitled(messages.verdicts[verdict.kind].title, "history")`${backLink("/app/verifications", text.back)}${
    doneBanner(context)
  }<h1>${
    known === undefined ? messages.verdicts[verdict.kind].title : amountText(known.transfer.amount)
  }</h1><section class="card"><h2>${text.answer}</h2>${answerView(context, verdict)}${about}</section>${slipCard}${
    known === undefined ? undefined : conditionsCard(context, known)
  }${notesCard(context, { verificationId, notes, nextId }, now)}${timelineCard(context, steps)}${deliveries}`
})

const decodeNote = decodeFields(NoteRequest)

/** Adds the note of the form. */
export const addNoteAction = formAction("verify", verificationPage, function* (context) {
  const { caller: { branchId }, fields, params: [verificationId = ""] } = context
  const { text } = yield* decodeNote({ text: fields["text"] ?? "" })
  const sent = typeof fields["noteId"] === "string" ? parseId(fields["noteId"]) : undefined
  const noteId = sent ?? (yield* Identifiers).random()
  yield* addNote({ noteId, verificationId, branchId, text }, requestIdsOf(context))
  return redirect(context.may("read") ? `${pathTo("verifications", verificationId)}?done=noteAdded#notes` : "/app")
})
