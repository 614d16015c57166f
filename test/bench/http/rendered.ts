import { fromBaht } from "../../../domain/money.ts"
import { Option } from "effect"
import { makeSandboxSlip, nonceOf } from "../../../infrastructure/gateways/sandbox/sandbox-slip.ts"
import type { LapRequest } from "./messages.ts"

/** The QR text of a slip of the sandbox bank; every number below 2 176 782 336 gives another. */
export const payloadOf = (number: number): string =>
  makeSandboxSlip({
    amount,
    bank: "004",
    receiver: 0,
    outcome: "found",
    at: startedAt,
    nonce: nonceOf(number)
  }).payload

/** Requests ready for the wire, one behind the other, so that sending costs the load as little as can be. */
export const renderRequests = ({ apiKey, count, from, port }: LapRequest): ReadonlyArray<Buffer> =>
  Array.from({ length: count }, (_, index) => {
    const body = JSON.stringify({ payload: payloadOf(from + index) })
    return Buffer.from(
      `POST /v2/verify/bank HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${apiKey}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    )
  })

const amount = Option.getOrThrow(fromBaht(1500.5))
const startedAt = Date.now()
