import type { Charges, GatewayTraits } from "./gateway.ts"

const MINUTE_MILLIS = 60_000
const DAY_MILLIS = 86_400_000

/** Banks whose transfers vendors may see late: Bangkok Bank and SCB. */
const LATE_BANKS: ReadonlyArray<string> = ["002", "014"]
const LATE_MILLIS = 5 * MINUTE_MILLIS
const WINDOW_MILLIS = 2 * MINUTE_MILLIS

/** Banks that answer vendors about transfers of the last 30 days. The others are only known to answer for 7 days. */
const LONG_RECORDS: ReadonlyArray<string> = ["002", "004", "006", "022", "024", "033", "034", "067", "088"]
const LONG_RECORD_MILLIS = 30 * DAY_MILLIS
const RECORD_MILLIS = 7 * DAY_MILLIS

/**
 * What can be believed of a vendor (docs/banks.md, "Vendors"). Vendors of one family ask the same source, and count as
 * one voice.
 */
export const vendorTraits = (family: string, charges: Charges): GatewayTraits => ({
  family,
  knowsAllSlips: true,
  charges,
  windowMillis: (sendingBank) => LATE_BANKS.includes(sendingBank) ? LATE_MILLIS : WINDOW_MILLIS,
  recordMillis: (sendingBank) => LONG_RECORDS.includes(sendingBank) ? LONG_RECORD_MILLIS : RECORD_MILLIS
})
