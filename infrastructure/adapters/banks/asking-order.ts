import { CappedMap } from "../../../domain/capped-map.ts"
import type { GatewayAnswer } from "../../../ports/bank-gateway.ts"
import type { Gateway } from "./upstream/gateway.ts"

/** How gateways are ordered: as in `BANK_GATEWAYS`, or by the price of each question. */
export type AskingOrder = "configured" | "price"

/** A gateway that may be asked, and what this question costs there. */
export interface Candidate {
  /** Whether its circuit is open, so that it is not asked. */
  readonly isPaused: boolean
  /** Whether the vendor may have charged this slip already, and charges no repeat. */
  readonly isFreeRepeat: boolean
  /** In baht. */
  readonly price: number
  readonly chargesNotFound: boolean
}

/**
 * Orders gateways by the price of one question: free repeats, then the price, then whether an unknown slip is charged. Ties
 * keep their order.
 *
 * Paused gateways are first: they answer at once that they were not asked, which costs nothing. Without this answer, the
 * `NotFound` of another gateway would be believed although the paused gateway might know the slip.
 */
export const byPrice = (one: Candidate, other: Candidate): number =>
  Number(other.isPaused) - Number(one.isPaused)
  || Number(other.isFreeRepeat) - Number(one.isFreeRepeat)
  || one.price - other.price
  || Number(one.chargesNotFound) - Number(other.chargesNotFound)

/** The most slips of which a process remembers which vendors may have charged them. */
const MAX_SLIPS = 10_000

interface Turn {
  readonly gateway: Gateway
  readonly isPaused: boolean
}

/** Orders the gateways for each question. The memory of charged slips is that of the process. */
export const makeAskingOrder = (gateways: ReadonlyArray<Gateway>, order: AskingOrder) => {
  const configured = gateways.map((gateway): Turn => ({ gateway, isPaused: false }))
  const chargedBy = new CappedMap<string, ReadonlySet<Gateway>>(MAX_SLIPS)

  const candidate = (gateway: Gateway, slip: string, now: number): Candidate & Turn => {
    const { pause, price = 0 } = gateway.status(now)
    const { charges } = gateway.traits
    return {
      gateway,
      isPaused: pause !== undefined && pause.leftMillis > 0,
      isFreeRepeat: charges?.repeat === false && chargedBy.get(slip)?.has(gateway) === true,
      price,
      chargesNotFound: charges?.notFound === true
    }
  }

  return {
    forSlip: (slip: string, now: number): ReadonlyArray<Turn> =>
      order === "configured" ? configured : gateways.map((gateway) => candidate(gateway, slip, now)).sort(byPrice),
    /** Remembers a question that the vendor may have charged: a timeout does not show whether it did. */
    asked: ({ gateway, isPaused }: Turn, slip: string, answer: GatewayAnswer): void => {
      const mayBeCharged = answer._tag === "Found" || (answer._tag === "Unavailable" && answer.concerns === "gateway")
      if (order === "configured" || isPaused || !mayBeCharged || gateway.traits.charges?.repeat !== false) return
      chargedBy.set(slip, new Set(chargedBy.get(slip)).add(gateway))
    }
  }
}
