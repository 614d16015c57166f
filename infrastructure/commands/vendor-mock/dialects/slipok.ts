import { Result } from "effect"
import { findBank } from "../../../../domain/bank.ts"
import { parseSlipPayload } from "../../../../domain/slip/payload.ts"
import type { Transfer } from "../../../../domain/slip/transfer.ts"
import { bangkokDay, isoTime } from "../../../../domain/time.ts"
import { credentials } from "../credentials.ts"
import { type Dialect, isOn, page, pictureField, type Refusal, textField } from "../dialect.ts"
import { inBankWords } from "./bank-words.ts"

/** Without an entry, the vendor has no code for it. */
const refusals: Readonly<Partial<Record<Refusal, readonly [status: number, code: number, message: string]>>> = {
  "not-found": [400, 1011, "QR code expired, or no such transaction"],
  "pending": [400, 1010, "please wait about 5 minutes"],
  "bank-down": [400, 1009, "bank data temporarily unavailable, try again in 15 minutes"],
  "invalid": [400, 1008, "not a payment slip"],
  "wrong-key": [401, 1002, "wrong authorization header"],
  "wrong-branch": [400, 1001, "no such branch"],
  "expired": [400, 1003, "package expired"],
  "quota-exhausted": [400, 1004, "over quota"]
}

const statuses: Partial<Record<Refusal, number>> = { "no-such-path": 404, "rate-limit": 429, "wrong-ip": 403 }

const DELAY_MINUTES = 5

const slipData = (transfer: Transfer) => ({
  success: true,
  message: "✅",
  rqUID: "000_20261122_v1",
  ...inBankWords(transfer),
  transTimestamp: isoTime(Date.parse(transfer.transferredAt))
})

const pendingData = (payload: string) =>
  Result.match(parseSlipPayload(payload), {
    onFailure: () => ({}),
    onSuccess: ({ sendingBank }) => ({
      qrcodeData: payload,
      bankCode: sendingBank,
      bankName: findBank(sendingBank)?.nameTh ?? "",
      delay: DELAY_MINUTES
    })
  })

/** SlipOK. The branch id is part of the path. A repeat is free only with `log`, and then carries a code. */
export const slipok: Dialect = {
  vendor: "slipok",
  basePath: "/slipok/api/line/apikey",
  saysPending: true,
  checkCredentials: ({ headers, path }) => {
    if (path.split("/")[1] !== credentials.SLIPOK_BRANCH_ID) return "wrong-branch"
    return headers["x-authorization"] === credentials.SLIPOK_API_KEY ? undefined : "wrong-key"
  },
  read: ({ fields, method, path }) => {
    const isRepeatFree = isOn(fields["log"])
    const slip = { text: textField(fields["data"]), picture: pictureField(fields["files"]) }
    const [, , endpoint, ...more] = path.split("/")
    if (more.length > 0) return { _tag: "Unknown" }
    if (method === "POST" && endpoint === undefined) return { _tag: "BankSlip", slip, isRepeatFree }
    return method === "GET" && endpoint === "quota" ? { _tag: "Quota" } : { _tag: "Unknown" }
  },
  found: ({ isRepeat, transfer }) => {
    const data = slipData(transfer)
    return isRepeat
      ? { status: 400, body: { success: false, code: 1012, message: "repeated slip", data } }
      : { status: 200, body: { success: true, data } }
  },
  refuse: (refusal, payload) => {
    const [status, code, message] = refusals[refusal] ?? []
    if (status === undefined) return page(statuses[refusal] ?? 500)
    const data = refusal === "pending" ? { data: pendingData(payload) } : {}
    return { status, body: { success: false, code, message, ...data } }
  },
  quota: ({ expiresAt, remaining }) => ({
    status: 200,
    body: {
      success: true,
      data: {
        quota: Math.max(remaining, 0),
        specialQuota: 0,
        overQuota: Math.max(-remaining, 0),
        endDate: bangkokDay(Date.parse(expiresAt)),
        specialEndDate: null
      }
    }
  })
}
