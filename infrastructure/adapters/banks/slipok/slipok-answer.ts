import { Effect, Result } from "effect"
import type { Transfer } from "../../../../domain/slip/transfer.ts"
import { parseTimeInBangkok } from "../../../../domain/time.ts"
import type { SlipQuestion } from "../../../../ports/bank-gateway.ts"
import type { VendorAccount } from "../../../../ports/gateway-status.ts"
import { concernsGateway, evidenceOf, foundAnswer, readJson } from "../upstream/answer.ts"
import type { BankAnswer, GatewayFailure } from "../upstream/gateway.ts"
import type { UpstreamResponse } from "../upstream/https-client.ts"
import { fieldsOf, readSlipData, textOf } from "../upstream/slip-data.ts"
import { accountAnswer, countOf, expiryOf } from "../upstream/vendor-account.ts"
import { meaningsOf, notAccepted, vendorFailure } from "../upstream/vendor-answer.ts"
import type { Vendor } from "../upstream/vendor-gateway.ts"

export const vendor: Vendor = { name: "slipok", title: "SlipOK", prefix: "SLIPOK" }

/** A repeated slip, another amount, another receiver: each with the data of the slip. */
const FOUND = ["1012", "1013", "1014"]
/** No such transfer, or one that is too old. */
const NOT_FOUND = "1011"
/** The bank does not know new transfers yet. */
const TOO_EARLY = "1010"

/** Codes of SlipOK without a definite answer (docs/banks.md, "SlipOK"). */
const meanings = meaningsOf(
  ["1000 1005 1006 1007 1008", notAccepted("SlipOK does not accept the question")],
  ["1001", { refusal: "account", why: "there is no such branch; check SLIPOK_BRANCH_ID" }],
  ["1002", { refusal: "key", why: "the key is refused; check SLIPOK_API_KEY" }],
  ["1003", { refusal: "account", why: "the package has expired; renew it at SlipOK" }],
  ["1004", { refusal: "quota", why: "the package and the credit are used up; buy more" }],
  ["1009", { concerns: "slip", why: "the bank gives SlipOK no answers at the moment", retryAfterSeconds: 300 }],
  ["1015", { refusal: "account", why: "the branch has no package; buy one at SlipOK" }]
)

/** The code and the data of a response. `isSuccess` means that SlipOK states success and sends no code. */
const readEnvelope = ({ text }: UpstreamResponse) => {
  const { code, data, success } = fieldsOf(readJson(text))
  return { code: textOf(code), data, isSuccess: success === true && (code === undefined || code === null) }
}

/** Reads SlipOK's response to a question about a slip. `now` in milliseconds since 1970. */
export const readSlipokAnswer = (
  response: UpstreamResponse,
  question: SlipQuestion,
  now: number
): Effect.Effect<BankAnswer, GatewayFailure> => {
  const { code, data, isSuccess } = readEnvelope(response)
  const upstream = evidenceOf(response)
  if (concernsGateway(response.status)) return Effect.fail(vendorFailure(vendor, response, now, code, meanings))
  if (isSuccess || FOUND.includes(code)) {
    return foundAnswer(vendor.title, readSlipokData(data, question), response)
  }
  if (code === NOT_FOUND) return Effect.succeed({ answer: { _tag: "NotFound" }, upstream })
  if (code === TOO_EARLY) {
    const retryAfterSeconds = secondsOf(fieldsOf(data)["delay"])
    return Effect.succeed({ answer: { _tag: "Pending", retryAfterSeconds }, upstream })
  }
  return Effect.fail(vendorFailure(vendor, response, now, code, meanings))
}

/**
 * Reads SlipOK's response to the question about the account. With `overQuota`, a package that is used up is no limit:
 * SlipOK bills further questions. `now` in milliseconds since 1970.
 */
export const readSlipokAccount = (
  response: UpstreamResponse,
  overQuota: boolean,
  now: number
): Effect.Effect<VendorAccount, GatewayFailure> => {
  const { code, data, isSuccess } = readEnvelope(response)
  if (!isSuccess) return Effect.fail(vendorFailure(vendor, response, now, code, meanings))
  const { endDate, quota, specialQuota } = fieldsOf(data)
  const left = countOf(quota)
  // Both are what is left.
  const remaining = left === undefined ? undefined : left + (countOf(specialQuota) ?? 0)
  return accountAnswer(vendor.title, response, {
    remaining: overQuota && remaining !== undefined && remaining <= 0 ? null : remaining,
    limit: null,
    expiresAt: expiryOf(endDate)
  })
}

/** Seconds to wait. SlipOK states minutes. */
const secondsOf = (minutes: unknown): number => {
  const seconds = Math.ceil((countOf(minutes) ?? 0) * 60)
  return seconds > 0 ? Math.min(seconds, MAX_SECONDS) : DEFAULT_SECONDS
}

const MAX_SECONDS = 300
const DEFAULT_SECONDS = 120

/** Both state the same second in the documentation. */
const TOLERANCE_MILLIS = 300_000

const isSameTime = (one: number, other: number): boolean => Math.abs(one - other) <= TOLERANCE_MILLIS

/** Reads SlipOK's slip data: that of the banks, and the time a second time, with its zone. */
const readSlipokData = (value: unknown, question: SlipQuestion): Result.Result<Transfer, string> => {
  const { success, transTimestamp } = fieldsOf(value)
  if (success === false) return Result.fail("did not confirm the slip")
  const timestamp = parseTimeInBangkok(textOf(transTimestamp), "first")?.at
  return Result.flatMap(
    readSlipData(value, question),
    (transfer) =>
      timestamp === undefined || isSameTime(timestamp, Date.parse(transfer.transferredAt))
        ? Result.succeed(transfer)
        : Result.fail("found the slip, but with two times that contradict each other")
  )
}
