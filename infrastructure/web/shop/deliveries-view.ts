import { Effect } from "effect"
import { listDeliveries } from "../../../application/callbacks/list-callbacks.ts"
import { type Content, type Html, markup, tag, type Tone } from "../pages/html.ts"
import { timeView } from "../pages/times.ts"
import type { DeliveryOutcome } from "../../../domain/callback.ts"
import { actionForm } from "./components.ts"
import { pathTo, type ShopContext } from "./page-context.ts"

/** An attempt to deliver a callback. */
export type Delivery = Effect.Success<ReturnType<typeof listDeliveries>>["items"][number]

const tones: Readonly<Record<DeliveryOutcome, Tone>> = {
  sent: "plain",
  delivered: "good",
  rejected: "bad",
  failed: "bad"
}

/** Sends the callback of a job again. `back` is the page to return to: the list, or the verification. */
export const resendForm = (context: ShopContext, jobId: string, back: "list" | "verification"): Content =>
  context.may("configure")
    ? actionForm(
      context,
      "/app/settings/deliveries",
      markup`<input type="hidden" name="jobId" value="${jobId}"><input type="hidden" name="back" value="${back}"><button
aria-label="${context.messages.settings.deliveries.resend}: ${jobId}">${context.messages.settings.deliveries.resend}</button>`
    )
    : undefined

/** What the receiver answered, and how long it took. */
const answerOf = (
  { messages: { settings: { deliveries: text } } }: ShopContext,
  { attempt, httpStatus, reason, tookMillis }: Delivery
): string =>
  [
    text.attempt(attempt),
    httpStatus === null ? undefined : String(httpStatus),
    reason ?? undefined,
    tookMillis === null ? undefined : text.took(tookMillis)
  ].filter((part) => part !== undefined).join(" · ")

/** One attempt: its time and outcome, the receiver and its answer, and `actions` below. */
export const deliveryView = (context: ShopContext, delivery: Delivery, actions: Content): Html => {
  const { messages } = context
  const { at, host, status } = delivery
  return markup`<li><p class="line">${timeView(messages, at)}${
    tag(messages.settings.deliveries.states[status], tones[status])
  }</p><p class="any">${host}</p><p class="hint any">${answerOf(context, delivery)}</p>${actions}</li>`
}

/** More attempts of one job are on the page of all callbacks. */
const MOST_OF_JOB = 20

/** The attempts to deliver the callback of a job of the branch, with a button that sends it again. */
export const deliveriesOfJob = Effect.fnUntraced(function* (context: ShopContext, jobId: string) {
  const { caller: { branchId }, messages: { verification: text } } = context
  const query = { branchId, jobId, status: undefined, order: "newest", limit: MOST_OF_JOB } as const
  const { items } = yield* listDeliveries(query)
  return markup`<section class="card"><h2>${text.callbacks}</h2>${
    items.length === 0
      ? markup`<p class="soft">${text.noCallbacks}</p>`
      : markup`<ul class="rows">${items.map((item) => deliveryView(context, item, undefined))}</ul>${
        resendForm(context, jobId, "verification")
      }`
  }</section>`
})

/** The page of a verification, for a job of the list. */
export const verificationPathOf = (jobId: string): string => pathTo("verifications", jobId)
