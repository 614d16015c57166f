import type { Outcome } from "../../../../application/trail/outcomes.ts"
import { v2Failures } from "../../api/failures.ts"
import { type Content, type Html, markup } from "../../pages/html.ts"
import { tag, type Tone } from "../../pages/elements.ts"
import type { Messages } from "../messages.ts"

/** How a verdict looks. A duplicate is neither: its receiver decides. */
const tones: Readonly<Record<Outcome["verdict"], Tone>> = { first: "good", duplicate: "plain", failed: "bad" }

/** Whether the answer says that the slip does not fit the order, although it is genuine. */
const isUnfit = ({ acceptance, isAmountMatched }: Outcome): boolean =>
  isAmountMatched === false || acceptance?.accepted === false

const toneOfOutcome = (outcome: Outcome): Tone => isUnfit(outcome) ? "bad" : tones[outcome.verdict]

export const verdictTag = ({ overview, told }: Messages, outcome: Outcome): Html =>
  tag(isUnfit(outcome) ? told.unfit : overview.verdict[outcome.verdict], toneOfOutcome(outcome))

/** The HTTP answer of v2, as one line: `200`, or `404 SLIP_NOT_FOUND`. */
export const answerLine = ({ code }: Outcome): string => code === null ? "200" : `${v2Failures[code].status} ${code}`

/** The meaning of the answer, in sentences. */
export const toldSentences = ({ told }: Messages, outcome: Outcome): ReadonlyArray<string> => {
  const { acceptance, code, expectedAmount, isAmountMatched, verdict } = outcome
  if (code !== null) return [told.codes[code]]
  return [
    verdict === "duplicate" ? told.duplicate : told.first,
    ...(isAmountMatched === false && expectedAmount !== null ? [told.amountDiffers(expectedAmount.toFixed(2))] : []),
    ...(acceptance === null
      ? []
      : acceptance.accepted
      ? [told.accepted]
      : [told.notAccepted, ...acceptance.reasons.map((reason) => told.reasons[reason.code])])
  ]
}

/** The verdict, the HTTP answer and its meaning, at the top of a summary. */
export const toldView = (messages: Messages, outcome: Outcome, isJob: boolean): Content => {
  const { told } = messages
  return markup`<p class="verdict">${verdictTag(messages, outcome)} <span class="told-title">${told.title}</span> ${
    isJob ? told.result : markup`<code>HTTP ${answerLine(outcome)}</code>`
  }${isJob && outcome.code !== null ? markup` <code>${outcome.code}</code>` : undefined}</p>
<p class="told">${toldSentences(messages, outcome).join(" ")}</p>${
    outcome.verdict === "duplicate" && !isJob ? markup`<p class="hint">${told.duplicateV1}</p>` : undefined
  }`
}
