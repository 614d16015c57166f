import { randomUUID } from "node:crypto"
import { toBaht } from "../../../../domain/money.ts"
import type { Receiver, Sender, Transfer } from "../../../../domain/slip/transfer.ts"
import { isoTime } from "../../../../domain/time.ts"
import { credentials } from "../credentials.ts"
import { type Dialect, isOn, pictureField, type Question, type Refusal, textField } from "../dialect.ts"

const refusals: Readonly<Record<Refusal, readonly [status: number, code: string, message: string]>> = {
  "not-found": [200, "200404", "Slip Not Found"],
  "pending": [200, "200404", "Slip Not Found"],
  "bank-down": [200, "200502", "Bank error, please try again"],
  "invalid": [400, "400001", "QR Code incorrect"],
  "no-such-path": [404, "404", "Cannot find this path"],
  "wrong-key": [401, "401001", "Token is incorrect"],
  "wrong-branch": [401, "401002", "Shop is incorrect"],
  "wrong-ip": [401, "401007", "IP is not allowed"],
  "expired": [401, "401004", "Package expired"],
  "quota-exhausted": [401, "401005", "Quota exceeded"],
  "rate-limit": [429, "429000", "Too many requests"],
  "server-error": [500, "500500", "Internal server error"]
}

const partyOf = ({ account: { bank: number, name }, bank }: Sender | Receiver) => ({
  account: { name: name.th ?? name.en ?? "", bank: { account: number?.account ?? null } },
  bank: { id: bank.id === "" ? null : bank.id, name: bank.id === "" ? null : bank.name }
})

/** The vendor spells one type differently. */
const proxyOf = ({ account: { proxy } }: Receiver) =>
  proxy === undefined ? null : { ...proxy, type: proxy.type === "EWALLETID" ? "EWALLTID" : proxy.type }

const orNull = (ref: string): string | null => ref === "" ? null : ref

const slipData = (transfer: Transfer, payload: string) => {
  const receiver = partyOf(transfer.receiver)
  return {
    referenceId: randomUUID(),
    decode: payload,
    transRef: transfer.transRef,
    dateTime: isoTime(Date.parse(transfer.transferredAt)),
    amount: toBaht(transfer.amount),
    ref1: orNull(transfer.ref1),
    ref2: orNull(transfer.ref2),
    ref3: orNull(transfer.ref3),
    receiver: { ...receiver, account: { ...receiver.account, proxy: proxyOf(transfer.receiver) } },
    sender: partyOf(transfer.sender)
  }
}

const objectOf = (value: unknown): Readonly<Record<string, unknown>> => {
  if (typeof value === "string") {
    try {
      return objectOf(JSON.parse(value))
    } catch {
      return {}
    }
  }
  return typeof value === "object" && value !== null ? { ...value } : {}
}

/** Slip2Go. The conditions stand inside `payload`, or beside it. */
export const slip2go: Dialect = {
  vendor: "slip2go",
  basePath: "/slip2go/api",
  saysPending: false,
  checkCredentials: ({ headers }) =>
    headers["authorization"] === `Bearer ${credentials.SLIP2GO_API_SECRET}` ? undefined : "wrong-key",
  read: ({ fields, method, path }) => {
    const payload = objectOf(fields["payload"])
    const conditions = objectOf(payload["checkCondition"] ?? fields["checkCondition"])
    const isRepeatFree = isOn(conditions["checkDuplicate"])
    const bankSlip = (
      slip: { readonly text?: string | undefined; readonly picture?: Uint8Array | undefined }
    ): Question => ({ _tag: "BankSlip", slip, isRepeatFree })
    switch (`${method} ${path}`) {
      case "POST /verify-slip/qr-code/info":
        return bankSlip({ text: textField(payload["qrCode"]) })
      case "POST /verify-slip/qr-image/info":
        return bankSlip({ picture: pictureField(fields["file"]) })
      case "POST /verify-slip/qr-base64/info":
        return bankSlip({ picture: pictureField(payload["imageBase64"]) })
      case "GET /account/info":
        return { _tag: "Quota" }
      default:
        return { _tag: "Unknown" }
    }
  },
  found: ({ isRepeat, payload, transfer }) => ({
    status: 200,
    body: isRepeat
      ? { code: "200501", message: "Slip is Duplicated", data: slipData(transfer, payload) }
      : { code: "200000", message: "Slip found", data: slipData(transfer, payload) }
  }),
  refuse: (refusal) => {
    const [status, code, message] = refusals[refusal]
    return { status, body: { code, message } }
  },
  quota: ({ expiresAt, limit, remaining }) => ({
    status: 200,
    body: {
      code: "200001",
      message: "Get Info Success",
      data: {
        shopName: "Demo",
        package: "BASIC-1",
        packageExpiredDate: expiresAt,
        quotaLimit: limit,
        quotaRemaining: remaining,
        creditRemaining: 0,
        autoRenewalPackage: false,
        checkSlipByCredit: false
      }
    }
  })
}
