import { Schema } from "effect"
import { isoTime } from "../../../domain/time.ts"
import type { Vendor } from "./vendors.ts"

export const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

export const accountFields = {
  /** Units of the package. */
  limit: Count,
  /** Units that are left; below 0 when the vendor went on and billed each unit. */
  remaining: Schema.Int,
  /** Units that the vendor bills after the package is used up. */
  overdraft: Count,
  /** ISO 8601 in UTC. */
  expiresAt: Schema.String.check(
    Schema.makeFilter((text: string) => !Number.isNaN(Date.parse(text)) || "Expected a time in ISO 8601")
  ),
  chargesNotFound: Schema.Boolean
}

/** What a vendor knows of its customer. */
export interface AccountState extends Schema.Struct.Type<typeof accountFields> {}

/** What the vendor was asked and what it charged. */
export interface Charges {
  /** Questions about slips. */
  readonly asked: number
  /** Questions about the quota. */
  readonly askedQuota: number
  readonly charged: number
  readonly freeRepeats: number
  /** References of the slips that were charged more than once. */
  readonly chargedTwice: ReadonlyArray<string>
}

/** SlipOK goes on after the quota, up to a credit limit. */
const OVERDRAFT: Partial<Record<Vendor, number>> = { slipok: 400 }
/** Slip2Go charges for slips that it does not find. */
const CHARGES_NOT_FOUND: Partial<Record<Vendor, boolean>> = { slip2go: true }

const UNITS = 1_000
const PACKAGE_MILLIS = 30 * 86_400_000

/** The account of a new customer. `now` in milliseconds since 1970. */
export const newAccountState = (vendor: Vendor, now: number): AccountState => ({
  limit: UNITS,
  remaining: UNITS,
  overdraft: OVERDRAFT[vendor] ?? 0,
  expiresAt: isoTime(now + PACKAGE_MILLIS),
  chargesNotFound: CHARGES_NOT_FOUND[vendor] ?? false
})

export type VendorAccount = ReturnType<typeof makeAccount>

/** The account of the customer at one vendor. */
export const makeAccount = (initial: AccountState) => {
  let state = initial
  let asked = 0
  let askedQuota = 0
  let charged = 0
  let freeRepeats = 0
  const chargesOf = new Map<string, number>()

  const charge = (reference: string): void => {
    charged++
    state = { ...state, remaining: state.remaining - 1 }
    chargesOf.set(reference, (chargesOf.get(reference) ?? 0) + 1)
  }

  return {
    state: () => state,
    change: (changes: Partial<AccountState>): void => {
      state = { ...state, ...changes }
    },
    countQuestion: (): void => void asked++,
    countQuotaQuestion: (): void => void askedQuota++,
    isExhausted: (): boolean => state.remaining + state.overdraft <= 0,
    /** Charges for a slip that was found, unless it is a free repeat. */
    chargeFound: (reference: string, isRepeatFree: boolean) => {
      const isRepeat = isRepeatFree && chargesOf.has(reference)
      if (isRepeat) freeRepeats++
      else charge(reference)
      return { isRepeat, cost: isRepeat ? 0 : 1 }
    },
    chargeNotFound: (reference: string): void => {
      if (state.chargesNotFound) charge(reference)
    },
    charges: (): Charges => ({
      asked,
      askedQuota,
      charged,
      freeRepeats,
      chargedTwice: [...chargesOf].filter(([, count]) => count > 1).map(([reference]) => reference)
    })
  }
}
