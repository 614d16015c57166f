import { Option, Schema } from "effect"
import { Details } from "../../../../application/sealing/sealed-data.ts"
import type { Json, JsonObject } from "../../../../domain/events/recorded-event.ts"
import { isSealed } from "../../../../domain/sealed.ts"
import { Conditions } from "../../../../domain/slip/conditions.ts"
import { Matching } from "../../../../domain/slip/matching/receiving-account.ts"
import {
  bankShown,
  nameShown,
  numberShown,
  type Receiver,
  type Sender,
  Transfer
} from "../../../../domain/slip/transfer.ts"
import type { EarlierOutcome } from "../../../../domain/slip/gateway-reply.ts"
import { acceptanceOf, earlierGateways, inBaht, isObject, text, timeText } from "../../event-text/event-text.ts"

// Phrases of the English sentences (en.ts).

const decodeDetails = Schema.decodeUnknownOption(Details)
const decodeConditions = Schema.decodeUnknownOption(Conditions)
const decodeMatching = Schema.decodeUnknownOption(Matching)
const decodeTransfer = Schema.decodeUnknownOption(Transfer)

/** An amount of satang in baht. */
export const baht = (satang: unknown): string => {
  const amount = inBaht(satang)
  return amount === undefined ? "an unknown amount" : `${amount} baht`
}

const earlierOutcomes: Readonly<Record<string, string>> = {
  "not-found": "did not know the slip",
  "not-authorised": "refused the account",
  "quota-exhausted": "had no questions left"
} satisfies Readonly<Record<Exclude<EarlierOutcome, "unavailable">, string>>

/** The gateway that answered and its response time, preceded by the gateways that did not decide the answer. */
export const gatewayText = (data: JsonObject): string =>
  earlierGateways(data).map(({ gateway, gatewayMillis, outcome, why }) =>
    `${text(gateway)} ${earlierOutcomes[text(outcome)] ?? "gave no answer"} in ${text(gatewayMillis)} ms (${
      text(why)
    }), `
  ).join("") + `${text(data["gateway"])} answered in ${text(data["gatewayMillis"])} ms`

/** The gateways as a suffix; empty when no bank was asked. */
export const gatewaySuffix = (data: JsonObject): string =>
  data["gateway"] === null || data["gateway"] === undefined ? "" : `; ${gatewayText(data)}`

export const charge = ({ charged }: JsonObject): string => charged === true ? "charged 1 unit" : "free of charge"

export const verdict = (data: JsonObject): string => {
  const { expectedAmount, isAmountMatched } = data
  const amount = typeof expectedAmount !== "number"
    ? ""
    : `; ${baht(expectedAmount)} expected: ${isAmountMatched === true ? "matches" : "does not match"}`
  return charge(data) + amount + matchingSuffix(data) + acceptanceSuffix(data) + remarkSuffix(data)
}

const partyText = (party: Sender | Receiver): string => {
  const account = [bankShown(party), numberShown(party)].filter((part) => part !== "")
  const name = nameShown(party) ?? "unknown name"
  return account.length === 0 ? name : `${name} (${account.join(" ")})`
}

const labelled = (label: string, value: string): string => value === "" ? "" : `, ${label} ${value}`

/** Sender and receiver; empty when the event does not show them. */
export const partiesSuffix = ({ transfer }: JsonObject): string =>
  Option.match(decodeTransfer(transfer), {
    onNone: () =>
      isObject(transfer) && "unreadable" in transfer
        ? `, sender and receiver can't be read (${text(transfer["unreadable"])})`
        : "",
    onSome: ({ fee, receiver, ref1, ref2, ref3, sender, transRef }) =>
      `, from ${partyText(sender)} to ${partyText(receiver)}${labelled("merchant", receiver.merchantId ?? "")}`
      + labelled("reference", transRef)
      + labelled("references", [ref1, ref2, ref3].filter((ref) => ref !== "").join(" "))
      + (fee === 0 ? "" : `, fee ${baht(fee)}`)
  })

const matchingVerdicts = {
  match: "one of them matches",
  no_match: "none of them matches",
  indeterminate: "the slip shows too little to decide"
} as const

const matchingSuffix = ({ matching }: JsonObject): string => {
  if (matching === undefined || matching === null) return ""
  const compared = "; the receiver was compared with the branch's accounts"
  return Option.match(decodeMatching(matching), {
    onNone: () => compared,
    onSome: ({ account, reasons, verdict }) =>
      `${compared}, ${matchingVerdicts[verdict]}`
      + (account === null ? "" : `: ${account.nameTh} (${account.bankCode} ${account.bankNumber})`)
      + reasons.map((reason) => `; ${reason}`).join("")
  })
}

/** The verdict on the conditions; empty without conditions. */
const acceptanceSuffix = (data: JsonObject): string => {
  const acceptance = acceptanceOf(data)
  if (acceptance === undefined) return ""
  const { accepted, policyVersion, reasons } = acceptance
  return (accepted ? "; accepted" : `; not accepted: ${reasons.map(({ code }) => code).join(", ")}`)
    + (policyVersion === null ? "" : `, under version ${policyVersion} of the policy`)
}

const parts = (...sentences: ReadonlyArray<string | undefined>): string =>
  sentences.filter((part) => part !== undefined).join(", ")

const receiverTexts = { registered: "to a registered bank account", listed: "to an account of the request" } as const

/** Conditions as a phrase. */
export const conditionsText = (value: Json | undefined): string =>
  Option.match(decodeConditions(value), {
    onNone: () => "unknown conditions",
    onSome: ({ amount = {}, duplicate, receivers, sendingBanks, transferredAt = {} }) =>
      parts(
        amount.equals === undefined ? undefined : `exactly ${baht(amount.equals)}`,
        amount.atLeast === undefined ? undefined : `at least ${baht(amount.atLeast)}`,
        amount.atMost === undefined ? undefined : `at most ${baht(amount.atMost)}`,
        transferredAt.after === undefined ? undefined : `transferred after ${text(transferredAt.after)}`,
        transferredAt.before === undefined ? undefined : `transferred before ${text(transferredAt.before)}`,
        transferredAt.withinMinutes === undefined
          ? undefined
          : `transferred at most ${transferredAt.withinMinutes} minutes ago`,
        receivers === undefined ? undefined : receiverTexts[receivers],
        sendingBanks === undefined ? undefined : `from bank ${sendingBanks.map(text).join(" or ")}`,
        duplicate === "allow" ? "duplicates allowed" : "no duplicate"
      )
  })

export const conditionsSuffix = ({ conditions, policyVersion }: JsonObject): string =>
  (conditions === undefined ? "" : `; accepted if ${conditionsText(conditions)}`)
  + (typeof policyVersion === "number" ? `, under version ${policyVersion} of the policy` : "")

/** The caller's remark; empty when the event does not show it. */
export const remarkSuffix = ({ remark }: JsonObject): string =>
  typeof remark === "string" ? `; remark ${JSON.stringify(remark)}` : ""

export const batchSuffix = ({ batchId, batchIndex, batchSize }: JsonObject): string =>
  typeof batchIndex === "number" ? `, number ${batchIndex + 1} of ${text(batchSize)} in batch ${text(batchId)}` : ""

/** The slip source that the caller sent; empty when the event does not show it. */
export const sourceSuffix = ({ accounts, source }: JsonObject): string =>
  (isObject(source) && !isSealed(source) ? `; source ${JSON.stringify(source)}` : "")
  + (isObject(accounts) ? "; the receiver will be compared with the branch's accounts" : "")

/** The job's result; empty when the event does not show it. */
export const resultSuffix = ({ result }: JsonObject): string =>
  isObject(result) && !isSealed(result) ? `; result ${JSON.stringify(result)}` : ""

export const nextAttempt = ({ nextAttemptAt }: JsonObject): string =>
  nextAttemptAt === null ? "no further attempt" : `next attempt due ${timeText(nextAttemptAt)}`

export const callbackAnswer = ({ attempt, host, status, tookMillis }: JsonObject): string =>
  `with attempt ${text(attempt)}: ${text(host)} answered ${text(status)} in ${text(tookMillis)} ms`

/** A bank account's number and holder; undefined when the event does not show them. */
export const accountDetails = ({ details }: JsonObject): string | undefined =>
  Option.getOrUndefined(
    Option.map(
      decodeDetails(details),
      ({ bankNumber, merchantId, nameTh, ref1 }) =>
        `${[bankNumber, ref1, merchantId].filter((number) => number).join(" ")} of ${nameTh}`
    )
  )

export const accountNumber = (data: JsonObject): string => {
  const details = accountDetails(data)
  return `at bank ${text(data["bankCode"])}${details === undefined ? "" : `, ${details}`}`
}

/** The selected part of the log: a slip is named by its digest. */
export const exportedSubject = (subject: Json | undefined): string =>
  isObject(subject) ? `Trail of ${text(subject["kind"])} ${text(subject["id"])}` : "Log"

/** The kind and the id of what a proof is about. */
export const provenSubject = (subject: Json | undefined): string =>
  isObject(subject) ? `${text(subject["kind"])} ${text(subject["id"])}` : "an unknown subject"
