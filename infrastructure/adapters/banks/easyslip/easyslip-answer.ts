import { Effect, type Result } from "effect"
import type { Transfer } from "../../../../domain/slip/transfer.ts"
import type { NotFound, SlipQuestion, WalletQuestion } from "../../../../ports/bank-gateway.ts"
import type { VendorAccount } from "../../../../ports/gateway-status.ts"
import { concernsGateway, evidenceOf, foundAnswer, readJson, readRetryAfter } from "../upstream/answer.ts"
import type { BankAnswer, GatewayFailure } from "../upstream/gateway.ts"
import type { UpstreamResponse } from "../upstream/https-client.ts"
import { type Fields, fieldsOf, textOf } from "../upstream/slip-data.ts"
import { accountAnswer, countOf, expiryOf } from "../upstream/vendor-account.ts"
import { meaningsOf, notAccepted, vendorFailure, type VendorName } from "../upstream/vendor-answer.ts"
import { readWalletData } from "../upstream/wallet-data.ts"
import { readEasySlipData } from "./easyslip-slip.ts"

const NOT_FOUND = "SLIP_NOT_FOUND"
const PENDING = "SLIP_PENDING"
/** The slip was sent before. The answer holds it, except at one version of Thunder. */
const DUPLICATE = "DUPLICATE_SLIP"

/** The vendors state no delay for a slip that is too new. */
const PENDING_SECONDS = 60

/** How the answers of one endpoint are read. */
interface Endpoint {
  /** Reads the slip, or fails with the reason, which quotes nothing of it. */
  readonly readSlip: (slip: unknown) => Result.Result<Transfer, string>
  /** The meaning of a code that denies the slip; undefined for every other code. */
  readonly denial: (code: string) => NotFound | undefined
}

/**
 * Reads a response of EasySlip or Thunder to a question about a slip (docs/banks.md, "EasySlip and Thunder"). The code
 * in the body decides: a wrong path and an unknown slip are both HTTP 404. `now` in milliseconds since 1970.
 */
export const readEasySlipAnswer = (
  vendor: VendorName,
  response: UpstreamResponse,
  question: SlipQuestion,
  now: number
): Effect.Effect<BankAnswer, GatewayFailure> =>
  readAnswer(vendor, response, now, {
    readSlip: (slip) => readEasySlipData(slip, question),
    denial: (code) => code === NOT_FOUND ? { _tag: "NotFound" } : undefined
  })

/**
 * The same for a question about a TrueMoney slip. Every denial is weak: the vendor reads the text of the picture, and
 * compares it with the record of the wallet.
 */
export const readEasySlipWalletAnswer = (
  vendor: VendorName,
  response: UpstreamResponse,
  question: WalletQuestion,
  now: number
): Effect.Effect<BankAnswer, GatewayFailure> =>
  readAnswer(vendor, response, now, {
    readSlip: (slip) => readWalletData(slip, question),
    denial: (code) => code === NOT_FOUND || MISREAD.test(code) ? { _tag: "NotFound", isWeak: true } : undefined
  })

/** A text of the picture differs from the record of the wallet: the picture was edited, or read wrongly. */
const MISREAD = /^INVALID_(TRANSACTION_ID|AMOUNT|SENDER_NAME|RECEIVER_NAME|RECEIVER_PHONE)$/u

const readAnswer = (
  vendor: VendorName,
  response: UpstreamResponse,
  now: number,
  { denial, readSlip }: Endpoint
): Effect.Effect<BankAnswer, GatewayFailure> => {
  const upstream = evidenceOf(response)
  const body = fieldsOf(readJson(response.text))
  const code = codeOf(body)
  const slip = slipOf(body)
  const hasSlip = code === DUPLICATE && slip !== undefined
  if (hasSlip || (code === undefined && isSuccess(response, body))) {
    return foundAnswer(vendor.title, readSlip(slip), response)
  }
  if (!concernsGateway(response.status)) {
    const denied = code === undefined ? undefined : denial(code)
    if (denied !== undefined) return Effect.succeed({ answer: denied, upstream })
    if (code === PENDING) {
      const { retryAfter } = response
      const retryAfterSeconds = retryAfter === undefined ? PENDING_SECONDS : readRetryAfter(retryAfter, now)
      return Effect.succeed({ answer: { _tag: "Pending", retryAfterSeconds }, upstream })
    }
  }
  return Effect.fail(vendorFailure(vendor, response, now, code, meaningsFor(vendor)))
}

/** Reads a response of `/info`, or `/me` of version 1. */
export const readEasySlipAccount = (
  vendor: VendorName,
  response: UpstreamResponse,
  now: number
): Effect.Effect<VendorAccount, GatewayFailure> => {
  const body = fieldsOf(readJson(response.text))
  const code = codeOf(body)
  if (code !== undefined || !isSuccess(response, body)) {
    return Effect.fail(vendorFailure(vendor, response, now, code, meaningsFor(vendor)))
  }
  const data = fieldsOf(body["data"])
  const application = fieldsOf(data["application"])
  const { max, remaining } = fieldsOf(application["quota"])
  return accountAnswer(
    vendor.title,
    response,
    "remainingQuota" in data
      ? accountOf(data["remainingQuota"], data["maxQuota"], data["expiredAt"])
      : accountOf(remaining, max, fieldsOf(application["autoRenew"])["expiresAt"])
  )
}

/** Nothing is left only when the vendor states a number: null means that there is no limit. */
const accountOf = (remaining: unknown, limit: unknown, expiresAt: unknown) => ({
  remaining: remaining === null ? null : countOf(remaining),
  limit: countOf(limit) ?? null,
  expiresAt: expiryOf(expiresAt)
})

/** Version 2 says `success: true`, version 1 `status: 200`. */
const isSuccess = ({ status }: UpstreamResponse, body: Fields): boolean =>
  status >= 200 && status <= 299 && (body["success"] === true || body["status"] === 200)

/** The code of an answer in the words of version 2: `error.code`, or `message` of version 1 in small letters. */
const codeOf = (body: Fields): string | undefined => {
  const code = textOf(fieldsOf(body["error"])["code"])
  if (code !== "") return code.toUpperCase()
  const { message, status } = body
  const isFailure = typeof status === "number" && status !== 200
  return isFailure && typeof message === "string" && message !== "" ? message.toUpperCase() : undefined
}

/** `data.rawSlip` of version 2, or `data` of version 1. */
const slipOf = (body: Fields): Fields | undefined => {
  const data = fieldsOf(body["data"])
  const slip = "rawSlip" in data ? fieldsOf(data["rawSlip"]) : data
  return Object.keys(slip).length === 0 ? undefined : slip
}

/** Codes without a definite answer, of both versions (docs/banks.md, "EasySlip and Thunder"). */
const meaningsFor = ({ prefix, title }: VendorName) => {
  const inactive = (what: string) => ({ refusal: "account", why: `${what}; look into the portal of ${title}` }) as const
  return meaningsOf(
    [NOT_FOUND, { concerns: "gateway", why: "no such slip, but with the status of a failure" }],
    [PENDING, { concerns: "gateway", why: "a slip that is too new, but with the status of a failure" }],
    [DUPLICATE, { concerns: "slip", why: `${title} had this slip before, and does not send it again` }],
    ["QRCODE_NOT_FOUND INVALID_PAYLOAD", notAccepted(`${title} does not read the QR text of the slip`)],
    ["VALIDATION_ERROR", notAccepted(`${title} does not accept the request`)],
    ["NOT_FOUND", { concerns: "gateway", why: `no such path; check ${prefix}_BASE_URL` }],
    ["MISSING_API_KEY INVALID_API_KEY UNAUTHORIZED", {
      refusal: "key",
      why: `${title} refuses the key; check ${prefix}_API_KEY`
    }],
    ["IP_NOT_ALLOWED ACCESS_DENIED", {
      refusal: "ip",
      why: `${title} refuses the address of this machine; add its IPv4 address in the portal of ${title}`
    }],
    ["BRANCH_INACTIVE", inactive("the branch is not active")],
    ["SERVICE_BANNED", inactive("the service is blocked")],
    ["SERVICE_DELETED", inactive("the service was deleted")],
    ["USER_BANNED", inactive("the account is blocked")],
    ["ACCOUNT_NOT_VERIFIED", inactive("the account is not verified")],
    ["APPLICATION_EXPIRED", inactive("the package has ended")],
    ["APPLICATION_DEACTIVATED", inactive("the application is not active")],
    ["QUOTA_EXCEEDED", { refusal: "quota", why: `the package of ${title} is used up; buy more` }],
    ["RATE_LIMIT_EXCEEDED", { concerns: "gateway", why: `too many requests; try a lower ${prefix}_CONCURRENCY` }],
    ["API_SERVER_ERROR", { concerns: "source", why: `a bank behind ${title} gave no answer` }],
    ["INTERNAL_SERVER_ERROR SERVER_ERROR", { concerns: "gateway", why: `a server error of ${title}` }]
  )
}
