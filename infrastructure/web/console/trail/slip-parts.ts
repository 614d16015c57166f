import { Effect } from "effect"
import {
  hasReadableData,
  maskedParties,
  openedParties,
  type Parties
} from "../../../../application/trail/sealed-fields.ts"
import type { RecordedEvent } from "../../../../domain/events/recorded-event.ts"
import { findBank } from "../../../../domain/bank.ts"
import { inBaht, text } from "../../event-text/event-text.ts"
import { type Content, markup, tag } from "../../pages/html.ts"
import { timeView } from "../../pages/times.ts"
import { actionForm } from "../forms.ts"
import type { Messages } from "../messages.ts"
import { bankNameIn } from "../../pages/language.ts"
import type { PageContext } from "../page-context.ts"

type Row = readonly [label: Content, value: Content]

/** The vault's reason for personal data whose keys were destroyed. */
const ERASED = "forgotten"

const partyView = (bank: string | undefined, name: string | undefined, account: string | undefined): Content =>
  markup`<span class="any">${
    [bank, name, account].filter((part) => part !== undefined && part !== "").join(" · ")
  }</span>`

const partiesView = ({ common }: Messages, parties: Parties): Content => {
  const { receiverAccount, receiverBank, receiverName, senderAccount, senderBank, senderName } = parties
  if (senderName === ERASED) return tag(common.erased)
  if (senderName === undefined) return markup`<span class="tag" title="${common.sealedHint}">${common.sealed}</span>`
  return markup`${partyView(senderBank, senderName, senderAccount)} <span aria-hidden="true">→</span><span
class="unseen"> ${common.to} </span> ${partyView(receiverBank, receiverName, receiverAccount)}`
}

/** The button that opens sender and receiver. The act is recorded, and its answer shows them once. */
const revealForm = (context: PageContext, revealPath: string): Content => {
  const { summary } = context.messages
  return actionForm(
    context,
    revealPath,
    markup`<button title="${summary.revealHint}">${summary.reveal}</button> <span class="hint">${summary.revealHint}</span>`
  )
}

const bankName = ({ language }: Messages, code: unknown): string => {
  const bank = findBank(text(code))
  return bank === undefined ? text(code) : bankNameIn(language, bank)
}

/** Amount, parties and time of a slip, from the event of its first verification. No rows without one. */
export const slipRows = Effect.fnUntraced(function* (
  context: PageContext,
  transfer: RecordedEvent | undefined,
  { isRevealed, revealPath }: { readonly isRevealed: boolean; readonly revealPath: string }
) {
  if (transfer === undefined) return []
  const { messages } = context
  const { common, summary } = messages
  const { amount, sendingBank, transferredAt } = transfer.data
  const parties = yield* (isRevealed ? openedParties : maskedParties)(transfer)
  const mayReveal = !isRevealed && context.may(revealPath) && (yield* hasReadableData(transfer))
  const rows: ReadonlyArray<Row> = [
    [summary.amount, markup`<strong class="amount">${inBaht(amount) ?? "–"}</strong> ${common.baht}`],
    [
      summary.parties,
      markup`${partiesView(messages, parties)}${mayReveal ? revealForm(context, revealPath) : undefined}${
        isRevealed ? markup`<p class="hint" role="status">${summary.revealed}</p>` : undefined
      }`
    ],
    [summary.sendingBank, markup`${bankName(messages, sendingBank)} <code>${text(sendingBank)}</code>`],
    [summary.transferred, typeof transferredAt === "string" ? timeView(messages, transferredAt) : undefined]
  ]
  return rows
})
