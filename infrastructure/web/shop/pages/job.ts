import { Clock } from "effect"
import { verificationOfJob } from "../../../../application/jobs/job-result.ts"
import { visibleJob } from "../../../../application/jobs/load-job.ts"
import type { JobState } from "../../../../domain/job.ts"
import { markup, pageTitled } from "../../pages/html.ts"
import { type Page, scoped, type ShopContext } from "../page-context.ts"
import { toneIcon, verdictPage } from "../verdict-view.ts"
import { verdictOf, verdictOfCode } from "../verdict.ts"

/** The page is loaded again when the next attempt has probably ended. */
const ATTEMPT_SECONDS = 2

const secondsTo = (nextAttemptAt: string | null, now: number): number =>
  nextAttemptAt === null ? 0 : Math.max(0, Math.ceil((Date.parse(nextAttemptAt) - now) / 1_000))

const pendingPage = ({ messages, path, query }: ShopContext, { nextAttemptAt }: JobState, now: number): Page => {
  const { pending } = messages
  const seconds = secondsTo(nextAttemptAt, now)
  const again = query.size === 0 ? path : `${path}?${query.toString()}`
  return pageTitled(
    pending.title,
    "check"
  )`<section class="verdict warn" aria-labelledby="verdict-title"><div class="headline">${
    toneIcon("warn")
  }<h1 id="verdict-title" tabindex="-1" autofocus>${pending.title}</h1><p class="lead">${pending.text}</p>
<p class="countdown" role="timer" id="countdown" data-seconds="${seconds + ATTEMPT_SECONDS}"
data-text="${pending.countdown}" data-now="${pending.now}">${pending.seconds(seconds)}</p></div>
<div class="todo"><h2>${messages.verdict.todo}</h2><ul>${
    pending.todo.map((step) => markup`<li>${step}</li>`)
  }</ul></div>
<p class="next"><a class="button primary wide" href="${again}">${pending.again}</a>
<a class="button wide" href="/app">${messages.verdict.next}</a></p></section>`
}

/** A slip that the bank could not confirm at once: a countdown to the next attempt, then the verdict. */
export const jobPage = scoped("verify", function* (context) {
  const { caller: { branchId }, params: [id = ""], query } = context
  const { state } = yield* visibleJob(id, branchId)
  const { ended } = state
  const keptAmount = query.get("amount")?.slice(0, 20)
  if (ended === null) return pendingPage(context, state, yield* Clock.currentTimeMillis)
  if (ended._tag === "JobSucceeded") {
    return verdictPage(context, verdictOf(yield* verificationOfJob(ended)), keptAmount)
  }
  return verdictPage(context, verdictOfCode(ended.code), keptAmount)
})
