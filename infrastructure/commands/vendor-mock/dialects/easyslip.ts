import { toBaht } from "../../../../domain/money.ts"
import { nameShown, numberShown, type Receiver, type Sender, type Transfer } from "../../../../domain/slip/transfer.ts"
import { transactionIdOf } from "../../../../domain/slip/wallet-payload.ts"
import type { AccountState } from "../account.ts"
import { credentials } from "../credentials.ts"
import { type Dialect, isOn, pictureField, type Refusal, textField, type VendorRequest } from "../dialect.ts"

/** EasySlip and Thunder use the same words. */
type Family = "easyslip" | "thunder"

const keys: Readonly<Record<Family, string>> = {
  easyslip: credentials.EASYSLIP_API_KEY,
  thunder: credentials.THUNDER_API_KEY
}

const checkKey = (vendor: Family) => ({ headers }: VendorRequest): "wrong-key" | undefined =>
  headers["authorization"] === `Bearer ${keys[vendor]}` ? undefined : "wrong-key"

const partyOf = ({ account, bank }: Sender | Receiver) => ({ bank: bank.id === "" ? {} : bank, account })

const rawSlip = (transfer: Transfer, payload: string) => ({
  payload,
  transRef: transfer.transRef,
  date: transfer.transferredAt,
  countryCode: transfer.countryCode,
  amount: {
    amount: toBaht(transfer.amount),
    local: transfer.local === undefined
      ? { amount: 0, currency: "" }
      : { ...transfer.local, amount: transfer.local.amount / 100 }
  },
  fee: toBaht(transfer.fee),
  ref1: transfer.ref1,
  ref2: transfer.ref2,
  ref3: transfer.ref3,
  sender: partyOf(transfer.sender),
  receiver: { ...partyOf(transfer.receiver), merchantId: transfer.receiver.merchantId }
})

const rawWallet = ({ amount, receiver, sender, transferredAt, transRef }: Transfer) => ({
  transactionId: transactionIdOf(transRef),
  date: transferredAt,
  amount: toBaht(amount),
  sender: { name: nameShown(sender) },
  receiver: { name: nameShown(receiver), phone: numberShown(receiver) }
})

const found = (amount: number, isDuplicate: boolean, slip: object, message: string) => ({
  status: 200,
  body: { success: true, data: { isDuplicate, matchedAccount: null, amountInSlip: amount, rawSlip: slip }, message }
})

const v2Refusals: Readonly<Record<Refusal, readonly [status: number, code: string, message: string]>> = {
  "not-found": [404, "SLIP_NOT_FOUND", "Slip not found or invalid"],
  "pending": [404, "SLIP_PENDING", "Bank slip is pending, please try again later"],
  "bank-down": [500, "API_SERVER_ERROR", "External API error"],
  "invalid": [400, "VALIDATION_ERROR", "Exactly one of payload, image, base64 or url is required"],
  "no-such-path": [404, "NOT_FOUND", "The requested endpoint does not exist"],
  "wrong-key": [401, "INVALID_API_KEY", "Invalid API key"],
  "wrong-branch": [403, "BRANCH_INACTIVE", "Branch is inactive"],
  "wrong-ip": [403, "IP_NOT_ALLOWED", "IP address not allowed"],
  "expired": [403, "BRANCH_INACTIVE", "Branch is inactive"],
  "quota-exhausted": [403, "QUOTA_EXCEEDED", "Your API quota has been exceeded"],
  "rate-limit": [429, "RATE_LIMIT_EXCEEDED", "Too many requests"],
  "server-error": [500, "INTERNAL_SERVER_ERROR", "Internal server error"]
}

const info = ({ expiresAt, limit, remaining }: AccountState) => {
  const used = limit - remaining
  return {
    application: {
      name: "Demo",
      autoRenew: { expired: false, quota: false, expiresAt },
      quota: { used, max: limit, remaining, totalUsed: used }
    },
    branch: { name: "Main", isActive: true, quota: { used, totalUsed: used } },
    account: { email: "owner@example.com", credit: 0 },
    product: { name: "Start" }
  }
}

/** Version 2 of the API. */
export const easyslipV2 = (vendor: Family): Dialect => ({
  vendor,
  basePath: `/${vendor}/v2`,
  saysPending: true,
  checkCredentials: checkKey(vendor),
  read: ({ fields, method, path }) => {
    const isRepeatFree = isOn(fields["checkDuplicate"])
    const picture = pictureField(fields["image"]) ?? pictureField(fields["base64"])
    switch (`${method} ${path}`) {
      case "POST /verify/bank":
        return { _tag: "BankSlip", slip: { text: textField(fields["payload"]), picture }, isRepeatFree }
      case "POST /verify/truewallet":
        return { _tag: "WalletSlip", slip: { picture }, isRepeatFree }
      case "GET /info":
        return { _tag: "Quota" }
      default:
        return { _tag: "Unknown" }
    }
  },
  found: ({ isRepeat, payload, transfer }) =>
    found(toBaht(transfer.amount), isRepeat, rawSlip(transfer, payload), "Bank slip verified successfully"),
  foundWallet: ({ isRepeat, transfer }) => found(toBaht(transfer.amount), isRepeat, rawWallet(transfer), "OK"),
  refuse: (refusal) => {
    const [status, code, message] = v2Refusals[refusal]
    return { status, body: { success: false, error: { code, message } } }
  },
  quota: (account) => ({ status: 200, body: { success: true, data: info(account), message: "OK" } })
})

const v1Refusals: Readonly<Record<Refusal, readonly [status: number, message: string]>> = {
  "not-found": [404, "slip_not_found"],
  "pending": [404, "slip_pending"],
  "bank-down": [500, "api_server_error"],
  "invalid": [400, "invalid_payload"],
  "no-such-path": [404, "not_found"],
  "wrong-key": [401, "unauthorized"],
  "wrong-branch": [403, "application_deactivated"],
  "wrong-ip": [403, "access_denied"],
  "expired": [403, "application_expired"],
  "quota-exhausted": [403, "quota_exceeded"],
  "rate-limit": [429, "too_many_requests"],
  "server-error": [500, "server_error"]
}

/** A repeat that the client asked about is an error in version 1. It carries the slip. */
const v1Found = (isRepeat: boolean, data: object) =>
  isRepeat
    ? { status: 400, body: { status: 400, message: "duplicate_slip", data } }
    : { status: 200, body: { status: 200, data } }

/** Version 1 of the API. */
export const easyslipV1 = (vendor: Family, basePath: string): Dialect => ({
  vendor,
  basePath,
  saysPending: true,
  checkCredentials: checkKey(vendor),
  read: ({ fields, method, path, query }) => {
    const isRepeatFree = isOn(fields["checkDuplicate"]) || isOn(query.get("checkDuplicate"))
    const picture = pictureField(fields["file"]) ?? pictureField(fields["image"]) ?? pictureField(fields["data"])
    switch (`${method} ${path}`) {
      case "GET /verify":
        return { _tag: "BankSlip", slip: { text: textField(query.get("payload")) }, isRepeatFree }
      case "POST /verify":
        return { _tag: "BankSlip", slip: { picture }, isRepeatFree }
      case "POST /verify/truewallet":
        return { _tag: "WalletSlip", slip: { picture }, isRepeatFree }
      case "GET /me":
        return { _tag: "Quota" }
      default:
        return { _tag: "Unknown" }
    }
  },
  found: ({ isRepeat, payload, transfer }) => v1Found(isRepeat, rawSlip(transfer, payload)),
  foundWallet: ({ isRepeat, transfer }) => v1Found(isRepeat, rawWallet(transfer)),
  refuse: (refusal) => {
    const [status, message] = v1Refusals[refusal]
    return { status, body: { status, message } }
  },
  quota: ({ expiresAt, limit, remaining }) => ({
    status: 200,
    body: {
      status: 200,
      data: {
        application: "Demo",
        usedQuota: limit - remaining,
        maxQuota: limit,
        remainingQuota: remaining,
        expiredAt: expiresAt,
        currentCredit: 0
      }
    }
  })
})
