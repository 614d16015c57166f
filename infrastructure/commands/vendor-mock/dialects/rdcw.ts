import type { AccountState } from "../account.ts"
import { credentials } from "../credentials.ts"
import { type Dialect, type FoundSlip, page, pictureField, type Refusal, type Reply, textField } from "../dialect.ts"
import { inBankWords } from "./bank-words.ts"

const AUTHORIZATION = `Basic ${
  Buffer.from(`${credentials.RDCW_CLIENT_ID}:${credentials.RDCW_CLIENT_SECRET}`).toString("base64")
}`

/** The status of a refusal for which the vendor has no code. */
const statuses: Partial<Record<Refusal, number>> = {
  "no-such-path": 404,
  "rate-limit": 429,
  "wrong-key": 401,
  "wrong-branch": 401,
  "expired": 403
}

type Codes = Readonly<Partial<Record<Refusal, readonly [code: number, message: string]>>>

/** The vendor answers 400 with each of its codes. */
const refusing = (codes: Codes, envelope: object) => (refusal: Refusal): Reply => {
  const [code, message] = codes[refusal] ?? []
  return code === undefined ? page(statuses[refusal] ?? 502) : { status: 400, body: { ...envelope, code, message } }
}

const refuseV2 = refusing({
  "not-found": [2006, "no data from the bank"],
  "bank-down": [2002, "bank API error"],
  "invalid": [1005, "slip not readable"],
  "wrong-key": [1001, "authentication failed"],
  "wrong-ip": [1003, "IP not allowed"],
  "expired": [1008, "subscription expired"],
  "quota-exhausted": [1007, "usage exceeded"]
}, {})

const refuseV1 = refusing({
  "bank-down": [20001, "bank API error"],
  "invalid": [10001, "slip not readable"],
  "wrong-ip": [40000, "IP not allowed"],
  "quota-exhausted": [21001, "Please renew your subscription before using API"]
}, { success: false })

/** RDCW states the quota with each slip. */
const answer = ({ cost, isRepeat, transfer }: FoundSlip, data: object, { limit, remaining }: AccountState) => ({
  discriminator: `${transfer.sendingBank}.${transfer.transRef}`,
  valid: true,
  data,
  quota: { cost, usage: limit - remaining, limit },
  subscription: { id: 1, postpaid: false },
  isCached: isRepeat
})

const dialect = (basePath: string, words: Pick<Dialect, "found" | "refuse">): Dialect => ({
  vendor: "rdcw",
  basePath,
  saysPending: false,
  checkCredentials: ({ headers }) => headers["authorization"] === AUTHORIZATION ? undefined : "wrong-key",
  read: ({ fields, method, path }) =>
    method === "POST" && path === "/inquiry"
      ? {
        _tag: "BankSlip",
        slip: { text: textField(fields["payload"]), picture: pictureField(fields["file"]) },
        isRepeatFree: true
      }
      : { _tag: "Unknown" },
  ...words
})

export const rdcwV2: Dialect = dialect("/rdcw/v2", {
  found: (slip, account) => ({ status: 200, body: answer(slip, inBankWords(slip.transfer), account) }),
  refuse: refuseV2
})

/** Version 1 passes the whole envelope of the bank on. */
export const rdcwV1: Dialect = dialect("/rdcw/v1", {
  found: (slip, account) => {
    const envelope = {
      data: inBankWords(slip.transfer),
      rqUID: "000",
      kbankTxnId: "0",
      statusCode: "0000",
      statusMessage: "SUCCESS"
    }
    return { status: 200, body: { success: true, ...answer(slip, envelope, account) } }
  },
  refuse: (refusal) =>
    refusal === "not-found" ? { status: 200, body: { success: true, valid: false, data: null } } : refuseV1(refusal)
})
