import type { Outcome } from "../../../../application/trail/outcomes.ts"
import { v2Failures } from "../../api/failures.ts"
import { type Content, type Html, markup, tag, type Tone } from "../../pages/html.ts"
import type { Messages } from "../messages.ts"

/** How a verdict looks. A duplicate is neither: its receiver decides. */
const tones: Readonly<Record<Outcome["verdict"], Tone>> = { first: "good", duplicate: "plain", failed: "bad" }

/** Whether the answer says that the slip does not fit the order, although it is genuine. */
const isUnfit = ({ acceptance, isAmountMatched }: Outcome): boolean =>
  isAmountMatched === false || acceptance?.accepted === false

const toneOfOutcome = (outcome: Outcome): Tone => isUnfit(outcome) ? "bad" : tones[outcome.verdict]

export const verdictTag = ({ overview, answer }: Messages, outcome: Outcome): Html =>
  tag(isUnfit(outcome) ? answer.unfit : overview.verdict[outcome.verdict], toneOfOutcome(outcome))

/** The HTTP answer of v2, as one line: `200`, or `404 SLIP_NOT_FOUND`. */
export const answerLine = ({ code }: Outcome): string => code === null ? "200" : `${v2Failures[code].status} ${code}`

/** The meaning of the answer, in sentences. */
export const answerSentences = ({ answer }: Messages, outcome: Outcome): ReadonlyArray<string> => {
  const { acceptance, code, expectedAmount, isAmountMatched, verdict } = outcome
  if (code !== null) return [answer.codes[code]]
  return [
    verdict === "duplicate" ? answer.duplicate : answer.first,
    ...(isAmountMatched === false && expectedAmount !== null ? [answer.amountDiffers(expectedAmount.toFixed(2))] : []),
    ...(acceptance === null
      ? []
      : acceptance.accepted
      ? [answer.accepted]
      : [answer.notAccepted, ...acceptance.reasons.map((reason) => answer.reasons[reason.code])])
  ]
}

/** The verdict, the HTTP answer and its meaning, at the top of a summary. */
export const answerView = (messages: Messages, outcome: Outcome, isJob: boolean): Content => {
  const { answer } = messages
  return markup`<p class="verdict">${verdictTag(messages, outcome)} <span class="answer-title">${answer.title}</span> ${
    isJob ? answer.result : markup`<code>HTTP ${answerLine(outcome)}</code>`
  }${isJob && outcome.code !== null ? markup` <code>${outcome.code}</code>` : undefined}</p>
<p class="answer">${answerSentences(messages, outcome).join(" ")}</p>${
    outcome.verdict === "duplicate" && !isJob ? markup`<p class="hint">${answer.duplicateV1}</p>` : undefined
  }`
}
