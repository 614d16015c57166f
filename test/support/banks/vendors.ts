import { Duration, type Effect, Redacted, Result, type Scope } from "effect"
import { parseSlipPayload } from "../../../domain/slip/payload.ts"
import {
  type EasySlipValues,
  makeEasySlipGateway,
  makeThunderGateway
} from "../../../infrastructure/adapters/banks/easyslip/easyslip-gateway.ts"
import { makeRdcwGateway } from "../../../infrastructure/adapters/banks/rdcw/rdcw-gateway.ts"
import { makeSlip2goGateway } from "../../../infrastructure/adapters/banks/slip2go/slip2go-gateway.ts"
import { makeSlipokGateway } from "../../../infrastructure/adapters/banks/slipok/slipok-gateway.ts"
import type { Gateway } from "../../../infrastructure/adapters/banks/upstream/gateway.ts"
import type { GatewaySettingError } from "../../../infrastructure/adapters/banks/upstream/gateway-settings.ts"
import { type Fields, fieldsOf, textOf } from "../../../infrastructure/adapters/banks/upstream/slip-data.ts"
import type { SlipQuestion } from "../../../ports/bank-gateway.ts"
import type { RecordedRequest } from "../loopback-server.ts"
import { testAuthority } from "../tls.ts"
import { type LocalBank, type Reply, slipKey, startLocalBank } from "./local-bank.ts"
import { easySlipData, kbankSlipData, slip2goSlipData } from "./slip-data.ts"

/** A vendor for tests: its server on loopback, and its gateway. */
export interface TestVendor {
  readonly name: string
  readonly title: string
  /** The beginning of the names of its settings. */
  readonly prefix: string
  /** Vendors of one family have the same source. */
  readonly family: string
  /** Texts that must not leave the gateway. */
  readonly secrets: ReadonlyArray<string>
  /** Whether a single "not found" of the vendor is not believed. */
  readonly isWeak: boolean
  readonly makeGateway: (baseUrl: string) => Effect.Effect<Gateway, GatewaySettingError, Scope.Scope>
  readonly kindOf: (request: RecordedRequest) => "slip" | "account" | undefined
  readonly isAuthorised: (request: RecordedRequest) => boolean
  readonly payloadOf: (body: Fields) => unknown
  readonly found: (slip: object) => Reply
  readonly slipData: (question: Pick<SlipQuestion, "sendingBank" | "transRef">, changes?: object) => object
  readonly notFound: Reply
  readonly wrongKey: Reply
  readonly usedUp: Reply
  /** Absent where the vendor has no free question about the account. */
  readonly account?: (remaining: number) => Reply
}

const common = {
  timeout: Duration.seconds(5),
  concurrency: 20,
  sendingBanks: [],
  price: undefined
}
const authorities = [testAuthority.certificate]

const EASYSLIP_KEY = "0ea57511-0000-4000-8000-0000000000aa"

export const easySlipValues = (baseUrl: string, changes: Partial<EasySlipValues> = {}): EasySlipValues => ({
  ...common,
  baseUrl,
  apiKey: Redacted.make(EASYSLIP_KEY),
  ...changes
})

export const easyslip: TestVendor = {
  name: "easyslip",
  family: "easyslip",
  title: "EasySlip",
  prefix: "EASYSLIP",
  secrets: [EASYSLIP_KEY],
  isWeak: false,
  makeGateway: (baseUrl) => makeEasySlipGateway(easySlipValues(baseUrl), authorities),
  kindOf: ({ method, url }) => {
    if (method === "POST" && url === "/verify/bank") return "slip"
    return method === "GET" && url === "/info" ? "account" : undefined
  },
  isAuthorised: ({ headers }) => headers.authorization === `Bearer ${EASYSLIP_KEY}`,
  payloadOf: ({ payload }) => payload,
  found: (rawSlip) => ({ status: 200, body: { success: true, data: { isDuplicate: false, rawSlip } } }),
  slipData: easySlipData,
  notFound: { status: 404, body: { success: false, error: { code: "SLIP_NOT_FOUND", message: "no such slip" } } },
  wrongKey: { status: 401, body: { success: false, error: { code: "INVALID_API_KEY", message: "wrong key" } } },
  usedUp: { status: 403, body: { success: false, error: { code: "QUOTA_EXCEEDED", message: "used up" } } },
  account: (remaining) => ({
    status: 200,
    body: { success: true, data: { application: { quota: { max: 250, remaining }, autoRenew: {} } } }
  })
}

export const thunder: TestVendor = {
  ...easyslip,
  name: "thunder",
  title: "Thunder",
  prefix: "THUNDER",
  makeGateway: (baseUrl) => makeThunderGateway(easySlipValues(baseUrl), authorities)
}

export const SLIPOK_BRANCH_ID = "48151623"
const SLIPOK_KEY = "SLIPOKKEYOFATEST"

const slipokGateway = (baseUrl: string, overQuota: boolean) =>
  makeSlipokGateway(
    { ...common, baseUrl, branchId: SLIPOK_BRANCH_ID, apiKey: Redacted.make(SLIPOK_KEY), overQuota },
    authorities
  )

export const slipok: TestVendor = {
  name: "slipok",
  family: "slipok",
  title: "SlipOK",
  prefix: "SLIPOK",
  secrets: [SLIPOK_KEY],
  isWeak: false,
  makeGateway: (baseUrl) => slipokGateway(baseUrl, false),
  kindOf: ({ method, url }) => {
    if (method === "POST" && url === `/${SLIPOK_BRANCH_ID}`) return "slip"
    return method === "GET" && url === `/${SLIPOK_BRANCH_ID}/quota` ? "account" : undefined
  },
  isAuthorised: ({ headers }) => headers["x-authorization"] === SLIPOK_KEY,
  payloadOf: ({ data }) => data,
  found: (slip) => ({ status: 200, body: { success: true, data: slip } }),
  slipData: (question, changes) => kbankSlipData(question, { transTimestamp: "2026-11-21T08:45:00.000Z", ...changes }),
  notFound: { status: 400, body: { success: false, code: 1011, message: "no such transaction" } },
  wrongKey: { status: 401, body: { success: false, code: 1002, message: "wrong key" } },
  usedUp: { status: 400, body: { success: false, code: 1004, message: "over quota" } },
  account: (remaining) => ({ status: 200, body: { success: true, data: { quota: remaining, overQuota: 0 } } })
}

/** SlipOK with the setting `SLIPOK_OVER_QUOTA`. */
export const slipokOverQuota: TestVendor = { ...slipok, makeGateway: (baseUrl) => slipokGateway(baseUrl, true) }

const SLIP2GO_SECRET = "slip2go-secret-of-a-test+/="

export const slip2go: TestVendor = {
  name: "slip2go",
  family: "slip2go",
  title: "Slip2Go",
  prefix: "SLIP2GO",
  secrets: [SLIP2GO_SECRET],
  isWeak: true,
  makeGateway: (baseUrl) =>
    makeSlip2goGateway({ ...common, baseUrl, apiSecret: Redacted.make(SLIP2GO_SECRET) }, authorities),
  kindOf: ({ method, url }) => {
    if (method === "POST" && url === "/verify-slip/qr-code/info") return "slip"
    return method === "GET" && url === "/account/info" ? "account" : undefined
  },
  isAuthorised: ({ headers }) => headers.authorization === `Bearer ${SLIP2GO_SECRET}`,
  payloadOf: ({ payload }) => fieldsOf(payload)["qrCode"],
  found: (slip) => ({ status: 200, body: { code: "200000", message: "Slip found", data: slip } }),
  // The clock of tests stands at the beginning of 1970, and times in the future are refused.
  slipData: (question, changes) => slip2goSlipData(question, { dateTime: "1969-12-31T23:45:00.000Z", ...changes }),
  notFound: { status: 200, body: { code: "200404", message: "Slip Not Found" } },
  wrongKey: { status: 200, body: { code: "401001", message: "Token Mismatch" } },
  usedUp: { status: 401, body: { code: "401005", message: "Insufficient Quota" } },
  account: (quotaRemaining) => ({ status: 200, body: { code: "200001", data: { quotaLimit: 400, quotaRemaining } } })
}

const RDCW_ID = "rdcw-id-of-a-test"
const RDCW_SECRET = "rdcw-secret-of-a-test"
const RDCW_BASIC = Buffer.from(`${RDCW_ID}:${RDCW_SECRET}`).toString("base64")

export const rdcw: TestVendor = {
  name: "rdcw",
  family: "rdcw",
  title: "RDCW",
  prefix: "RDCW",
  secrets: [RDCW_BASIC, RDCW_SECRET, RDCW_ID],
  isWeak: true,
  makeGateway: (baseUrl) =>
    makeRdcwGateway(
      { ...common, baseUrl, clientId: Redacted.make(RDCW_ID), clientSecret: Redacted.make(RDCW_SECRET) },
      authorities
    ),
  kindOf: ({ method, url }) => method === "POST" && url === "/inquiry" ? "slip" : undefined,
  isAuthorised: ({ headers }) => headers.authorization === `Basic ${RDCW_BASIC}`,
  payloadOf: ({ payload }) => payload,
  found: (slip) => ({ status: 200, body: { valid: true, data: slip, quota: { cost: 1, usage: 120, limit: 500 } } }),
  slipData: kbankSlipData,
  notFound: { status: 400, body: { code: 2006, message: "no data from the bank" } },
  wrongKey: { status: 400, body: { code: 1001, message: "authentication failed" } },
  usedUp: { status: 400, body: { code: 1007, message: "usage exceeded" } }
}

/** The vendor's server on loopback over TLS. `slips` holds its data by `slipKey`; other slips are unknown. */
export const startVendor = (
  vendor: TestVendor,
  slips: ReadonlyMap<string, object>,
  remaining = 100
): Effect.Effect<LocalBank, never, Scope.Scope> => {
  const { account, found, isAuthorised, kindOf, notFound, payloadOf, wrongKey } = vendor
  return startLocalBank({
    kindOf,
    answerSlip: (request) => {
      if (!isAuthorised(request)) return wrongKey
      const question = Result.getOrThrow(parseSlipPayload(textOf(payloadOf(fieldsOf(JSON.parse(request.body))))))
      const slip = slips.get(slipKey(question))
      return slip === undefined ? notFound : found(slip)
    },
    ...(account === undefined
      ? {}
      : { answerAccount: (request) => isAuthorised(request) ? account(remaining) : wrongKey })
  })
}
