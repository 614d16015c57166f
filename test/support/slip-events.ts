import { randomBytes, randomUUID } from "node:crypto"
import { slips, streamOf } from "../../domain/events/aggregates.ts"
import type { NewEvent } from "../../domain/events/recorded-event.ts"
import { satang } from "../../domain/money.ts"
import type { SlipVerified } from "../../domain/slip/slip.ts"
import { branchActor } from "../../domain/actor.ts"
import { someEvent } from "./event-fixtures.ts"

/** The first event of a stream. */
export interface FirstEvent {
  readonly stream: string
  readonly event: NewEvent
}

/** Size of the sealed transfer in a real verification. */
const SEALED_BYTES = 800

const serviceId = randomUUID()
const branchId = randomUUID()
const at = new Date().toISOString()
const sealed = randomBytes(SEALED_BYTES).toString("base64")

/** The first verification of a new, random slip. */
export const slipVerified = (): FirstEvent => {
  const verificationId = randomUUID()
  const verified: SlipVerified = {
    _tag: "SlipVerified",
    verificationId,
    branchId,
    at,
    month: at.slice(0, 7),
    charged: true,
    remark: null,
    expectedAmount: null,
    isAmountMatched: null,
    serviceId,
    sendingBank: "004",
    amount: satang(150_050),
    transferredAt: at,
    transfer: { k: "m-00000000", n: "AAAAAAAAAAAAAAAA", c: sealed },
    gateway: "sandbox",
    gatewayMillis: 0
  }
  const { data, type } = slips.codec.encode(verified)
  const actor = branchActor(branchId)
  const metadata = { at, correlationId: randomUUID(), causationId: verificationId, actor }
  return {
    stream: streamOf.slip(serviceId, randomBytes(16).toString("hex")),
    event: someEvent(randomUUID(), type, data, metadata)
  }
}

export const slipEvents = (count: number): ReadonlyArray<FirstEvent> => Array.from({ length: count }, slipVerified)
