import type { Verification } from "../../../application/verification/verification-view.ts"
import { satang } from "../../../domain/money.ts"
import { bankShown, nameShown, numberShown, type Transfer } from "../../../domain/slip/transfer.ts"
import { type Content, facts, type Html, markup, raw } from "../pages/html.ts"
import { timeView } from "../pages/times.ts"
import { amountText } from "./amounts.ts"
import type { Page, ShopContext } from "./page-context.ts"
import { type Tone, toneOf, type Verdict } from "./verdict.ts"

const paths: Readonly<Record<Tone, string>> = {
  good: "M5 13l5 5L20 7",
  bad: "M6 6l12 12M18 6L6 18",
  warn: "M12 4v10M12 19v.5"
}

/** The sign of a verdict. Its word follows in text, so that the sign is decoration. */
export const toneIcon = (tone: Tone): Html =>
  raw(`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="${paths[tone]}"/></svg>`)

const partyView = (party: Transfer["sender"] | Transfer["receiver"]): Content => {
  const rest = [bankShown(party), numberShown(party)].filter((part) => part !== "").join(" · ")
  const name = nameShown(party)
  if (name === undefined || name === "") return rest === "" ? undefined : rest
  return markup`<span class="any">${name}</span>${
    rest === "" ? undefined : markup`<br><span class="soft any">${rest}</span>`
  }`
}

type Row = readonly [label: string, value: Content]

const amountRows = (
  { messages: { verdict } }: ShopContext,
  { expectedAmount: expected, transfer: { amount: paid } }: Verification
): ReadonlyArray<Row> => {
  if (expected === undefined || expected === paid) return []
  const isLess = paid < expected
  return [
    [verdict.expected, markup`<b>${amountText(expected)}</b>`],
    [
      isLess ? verdict.missing : verdict.tooMuch,
      markup`<b>${amountText(satang(isLess ? expected - paid : paid - expected))}</b>`
    ]
  ]
}

const duplicateRows = ({ messages }: ShopContext, { duplicate }: Verification): ReadonlyArray<Row> => {
  if (duplicate === null) return []
  const { verdict } = messages
  return [
    [verdict.firstChecked, timeView(messages, duplicate.firstVerifiedAt)],
    [verdict.checkedAt, duplicate.sameBranch ? verdict.thisBranch : verdict.otherBranch],
    [verdict.times, String(duplicate.count)]
  ]
}

const rowsOf = (context: ShopContext, verification: Verification): ReadonlyArray<Row> => {
  const { messages } = context
  const { verdict } = messages
  const { transfer, verificationId } = verification
  return [
    ...amountRows(context, verification),
    ...duplicateRows(context, verification),
    [verdict.from, partyView(transfer.sender)],
    [verdict.to, partyView(transfer.receiver)],
    [verdict.transferredAt, timeView(messages, transfer.transferredAt)],
    [verdict.reference, markup`<code class="any">${transfer.transRef}</code>`],
    [
      verdict.record,
      context.may("read")
        ? markup`<a class="any" href="/app/verifications/${verificationId}">${verdict.open}</a>`
        : undefined
    ]
  ]
}

/** The facts of a verified slip, as the answer of v2 has them. */
export const verificationFacts = (context: ShopContext, verification: Verification): Html =>
  facts(rowsOf(context, verification))

/** The path of the page on which the next slip is checked. A kept amount is filled in again. */
const nextPath = (keptAmount: string | undefined): string =>
  keptAmount === undefined ? "/app" : `/app?${new URLSearchParams({ amount: keptAmount }).toString()}`

/** A verdict that fills the screen. `keptAmount` is the expected amount that the clerk keeps for the next slip. */
export const verdictPage = (context: ShopContext, verdict: Verdict, keptAmount: string | undefined): Page => {
  const { messages } = context
  const { kind, others, retryAfterSeconds, sendAgain, status, verification } = verdict
  const { text, title, todo } = messages.verdicts[kind]
  const tone = toneOf(kind)
  const amount: Content = verification === undefined
    ? undefined
    : markup`<p class="amount">${amountText(verification.transfer.amount)}</p>`
  const further: Content = others.length === 0
    ? undefined
    : markup`<p class="further">${messages.verdict.also} ${
      others.map((other) => messages.verdicts[other].title).join(" · ")
    }</p>`
  const wait: Content = retryAfterSeconds === undefined || tone !== "warn"
    ? undefined
    : markup`<p>${messages.verdict.retryAfter(retryAfterSeconds)}</p>`
  const again: Content = sendAgain === undefined
    ? undefined
    : markup`<a class="button primary wide" href="${nextPath(sendAgain.amount)}">${messages.verdict.sendAgain}</a>
`
  return {
    _tag: "Page",
    title,
    menu: "check",
    status,
    content: markup`<section class="verdict ${tone}" aria-labelledby="verdict-title"><div class="headline">${
      toneIcon(tone)
    }<h1 id="verdict-title" tabindex="-1" autofocus>${title}</h1>${amount}<p class="lead">${text}</p>${further}</div>
<div class="todo"><h2>${messages.verdict.todo}</h2><ul>${todo.map((step) => markup`<li>${step}</li>`)}</ul>${wait}</div>
<p class="next">${again}<a class="button ${again === undefined ? "primary " : ""}wide" href="${
      nextPath(keptAmount)
    }">${messages.verdict.next}</a></p></section>${
      verification === undefined
        ? undefined
        : markup`<section class="card"><h2>${messages.verdict.details}</h2>${
          verificationFacts(context, verification)
        }</section>`
    }`
  }
}
