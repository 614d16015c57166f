import { Effect, Result } from "effect"
import type { Transfer } from "../../../../domain/slip/transfer.ts"
import type { SlipQuestion } from "../../../../ports/bank-gateway.ts"
import type { VendorAccount } from "../../../../ports/gateway-status.ts"
import { concernsGateway, evidenceOf, foundAnswer, readJson, wrongZone } from "../upstream/answer.ts"
import type { BankAnswer, GatewayFailure } from "../upstream/gateway.ts"
import type { UpstreamResponse } from "../upstream/https-client.ts"
import { bankIn, fieldsOf, isAboutSlip, partyOf, readTransfer, textOf, zonedTime } from "../upstream/slip-data.ts"
import { accountAnswer, countOf, expiryOf } from "../upstream/vendor-account.ts"
import { meaningsOf, notAccepted, vendorFailure } from "../upstream/vendor-answer.ts"
import type { Vendor } from "../upstream/vendor-gateway.ts"

export const vendor: Vendor = { name: "slip2go", title: "Slip2Go", prefix: "SLIP2GO" }

/**
 * Found; found and accepted by the conditions; found, but another receiver, amount or date; found before. Each counts
 * with the data of the slip only.
 */
const FOUND = ["200000", "200200", "200401", "200402", "200403", "200501"]
const REPEATED = "200501"

/**
 * Not found, and "slip is fraud". Slip2Go has no code for slips that are too new, and sends the second also for genuine
 * slips that it cannot read.
 */
const NOT_FOUND = ["200404", "200500"]

/** The account. */
const ACCOUNT = "200001"

/** Codes of Slip2Go without a definite answer (docs/banks.md, "Slip2Go"). */
const meanings = meaningsOf(
  ["200502", { concerns: "slip", why: "the bank behind Slip2Go gave no answer", retryAfterSeconds: 60 }],
  ["400001 400002 400003 400004 400005 400400", notAccepted("Slip2Go does not accept the request")],
  ["401001 401002", { refusal: "key", why: "the secret is refused; check SLIP2GO_API_SECRET" }],
  ["401003", { refusal: "account", why: "the shop is suspended; ask Slip2Go" }],
  ["401004", { refusal: "account", why: "the package has expired; renew it in Slip2Go's dashboard" }],
  ["401005", { refusal: "quota", why: "no questions are left in the package; buy more" }],
  ["401006", { refusal: "quota", why: "no credit is left; buy more" }],
  ["401007", { refusal: "ip", why: "the address of this server is not allowed; add it in Slip2Go's dashboard" }],
  ["429000", { concerns: "gateway", why: "too many requests; try a lower SLIP2GO_CONCURRENCY" }],
  ["500500", { concerns: "gateway", why: "a server error of Slip2Go" }],
  ["500503", { concerns: "gateway", why: "Slip2Go is under maintenance" }]
)

/** The code and the data of a response. The code is empty when there is none. */
const readEnvelope = ({ text }: UpstreamResponse) => {
  const { code, data } = fieldsOf(readJson(text))
  return { code: textOf(code), data }
}

/** Reads Slip2Go's response to a question about a slip. `now` in milliseconds since 1970. */
export const readSlip2goAnswer = (
  response: UpstreamResponse,
  question: SlipQuestion,
  now: number
): Effect.Effect<BankAnswer, GatewayFailure> => {
  const { code, data } = readEnvelope(response)
  if (concernsGateway(response.status)) return Effect.fail(vendorFailure(vendor, response, now, code, meanings))
  if (FOUND.includes(code)) {
    const transfer = readSlip2goData(data, question)
    return Result.isSuccess(transfer) && isFuture(transfer.success, now)
      ? wrongZone(vendor.title, response)
      : Effect.map(
        foundAnswer(vendor.title, transfer, response),
        (answer) => ({ ...answer, ...(code === REPEATED ? { isCharged: false } : {}) })
      )
  }
  return NOT_FOUND.includes(code)
    ? Effect.succeed({ answer: { _tag: "NotFound", isWeak: true }, upstream: evidenceOf(response) })
    : Effect.fail(vendorFailure(vendor, response, now, code, meanings))
}

/**
 * Whether a time lies in the future. Slip2Go marks times as UTC: if they were times in Bangkok, those of new transfers
 * would.
 */
const isFuture = ({ transferredAt }: Transfer, now: number): boolean =>
  Date.parse(transferredAt) > now + TOLERANCE_MILLIS

/** Clocks differ. */
const TOLERANCE_MILLIS = 300_000

/** Reads Slip2Go's response to the question about the account. `now` in milliseconds since 1970. */
export const readSlip2goAccount = (
  response: UpstreamResponse,
  now: number
): Effect.Effect<VendorAccount, GatewayFailure> => {
  const envelope = readEnvelope(response)
  if (envelope.code !== ACCOUNT) return Effect.fail(vendorFailure(vendor, response, now, envelope.code, meanings))
  const data = fieldsOf(envelope.data)
  const usesCredit = data["checkSlipByCredit"] === true
  return accountAnswer(vendor.title, response, {
    remaining: countOf(data[usesCredit ? "creditRemaining" : "quotaRemaining"]),
    limit: usesCredit ? null : countOf(data["quotaLimit"]) ?? null,
    expiresAt: expiryOf(data["packageExpiredDate"])
  })
}

/** The slip in the words of the other gateways. It has no fee, no local amount and no country. */
const readSlip2goData = (value: unknown, question: SlipQuestion): Result.Result<Transfer, string> => {
  const data = fieldsOf(value)
  return readTransfer(question, {
    isAbout: isAboutSlip(data, question),
    amount: data["amount"],
    at: zonedTime(data["dateTime"]),
    references: data,
    sender: partyIn(data["sender"], question.sendingBank),
    receiver: partyIn(data["receiver"], bankIn(data["receiver"]))
  })
}

/** A party has one name. Account numbers have no type, and the type of an e-wallet is misspelled. */
const partyIn = (party: unknown, bankCode: string) => {
  const { bank, name, proxy } = fieldsOf(fieldsOf(party)["account"])
  const { account, type } = fieldsOf(proxy)
  const number = { type: "BANKAC", account: fieldsOf(bank)["account"] }
  return partyOf(bankCode, [name], number, { type: textOf(type) === "EWALLTID" ? "EWALLETID" : type, account })
}
