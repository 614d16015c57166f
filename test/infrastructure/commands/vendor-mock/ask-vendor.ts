import { Effect, Layer } from "effect"
import {
  makeSandboxSlip,
  type SandboxSlipOptions
} from "../../../../infrastructure/adapters/banks/sandbox/sandbox-slip.ts"
import { satang } from "../../../../domain/money.ts"
import { credentials } from "../../../../infrastructure/commands/vendor-mock/credentials.ts"
import type { VendorMock } from "../../../../infrastructure/commands/vendor-mock/mock.ts"
import { SlipReader, SlipReaderError } from "../../../../ports/slip-reader.ts"

/** Finds these QR texts in each picture. */
export const layerReading = (...texts: ReadonlyArray<string>) =>
  Layer.succeed(
    SlipReader,
    SlipReader.of({
      read: () => Effect.succeed({ format: "png", width: 1, height: 1, slips: [], texts, tookMillis: 0 })
    })
  )

/** For tests without pictures. */
export const layerNoSlipReader = Layer.succeed(
  SlipReader,
  SlipReader.of({ read: () => Effect.fail(new SlipReaderError({ reason: "unavailable" })) })
)

let made = 0

/** A new slip that the vendors know. */
export const newSlip = (changes: Partial<SandboxSlipOptions> = {}) =>
  makeSandboxSlip({
    amount: satang(150_050),
    bank: "004",
    receiver: 0,
    outcome: "found",
    at: Date.parse("2026-11-22T10:15:00+07:00"),
    nonce: String(++made).padStart(6, "0"),
    ...changes
  })

const basic = Buffer.from(`${credentials.RDCW_CLIENT_ID}:${credentials.RDCW_CLIENT_SECRET}`).toString("base64")

interface Protocol {
  readonly headers: Readonly<Record<string, string>>
  /** Method, path and body of a question about a slip. With `free`, a repeat costs nothing. */
  readonly slip: (payload: string, free: boolean) => readonly [method: string, url: string, body?: object]
  /** The path of the quota. */
  readonly quota?: string
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const slipokPath = `/slipok/api/line/apikey/${credentials.SLIPOK_BRANCH_ID}`

/** How a client asks each vendor, by the folder of the fixtures; `rdcw-v1` has none. */
export const protocols = {
  "easyslip": {
    headers: bearer(credentials.EASYSLIP_API_KEY),
    slip: (payload, checkDuplicate) => ["POST", "/easyslip/v2/verify/bank", { payload, checkDuplicate }],
    quota: "/easyslip/v2/info"
  },
  "easyslip-v1": {
    headers: bearer(credentials.EASYSLIP_API_KEY),
    slip: (payload, free) => ["GET", `/easyslip/api/v1/verify?payload=${payload}&checkDuplicate=${free}`],
    quota: "/easyslip/api/v1/me"
  },
  "thunder": {
    headers: bearer(credentials.THUNDER_API_KEY),
    slip: (payload, checkDuplicate) => ["POST", "/thunder/v2/verify/bank", { payload, checkDuplicate }],
    quota: "/thunder/v2/info"
  },
  "slipok": {
    headers: { "x-authorization": credentials.SLIPOK_API_KEY },
    slip: (data, log) => ["POST", slipokPath, { data, log }],
    quota: `${slipokPath}/quota`
  },
  "slip2go": {
    headers: bearer(credentials.SLIP2GO_API_SECRET),
    slip: (qrCode, free) => [
      "POST",
      "/slip2go/api/verify-slip/qr-code/info",
      { payload: { qrCode, ...free ? { checkCondition: { checkDuplicate: true } } : {} } }
    ],
    quota: "/slip2go/api/account/info"
  },
  "rdcw": {
    headers: { authorization: `Basic ${basic}` },
    slip: (payload) => ["POST", "/rdcw/v2/inquiry", { payload }]
  },
  "rdcw-v1": {
    headers: { authorization: `Basic ${basic}` },
    slip: (payload) => ["POST", "/rdcw/v1/inquiry", { payload }]
  }
} as const satisfies Record<string, Protocol>

export type ProtocolName = keyof typeof protocols

const send = Effect.fnUntraced(function* (
  mock: VendorMock,
  headers: Readonly<Record<string, string>>,
  [method, url, body]: readonly [method: string, url: string, body?: object]
) {
  const answered = yield* mock.answer({
    method,
    url,
    headers: { "content-type": "application/json", ...headers },
    body: Buffer.from(body === undefined ? "" : JSON.stringify(body))
  })
  if (answered === undefined) return yield* Effect.die(new Error(`${url} belongs to no vendor`))
  return answered.answer
})

/** Asks about a slip. */
export const askSlip = (mock: VendorMock, name: ProtocolName, payload: string, free = false) =>
  send(mock, protocols[name].headers, protocols[name].slip(payload, free))

/** Asks about the quota. */
export const askQuota = (mock: VendorMock, name: Exclude<ProtocolName, "rdcw" | "rdcw-v1">) =>
  send(mock, protocols[name].headers, ["GET", protocols[name].quota])

/** Sends any request. */
export const ask = send
