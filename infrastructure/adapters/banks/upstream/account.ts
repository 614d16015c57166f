import { bangkokDay } from "../../../../domain/time.ts"
import type { VendorAccount } from "../../../../ports/gateway-status.ts"

/** Something about the account at a vendor that the operator must act on. */
export interface AccountWarning {
  /** The same as long as the warning has not become more urgent. */
  readonly key: string
  readonly message: string
}

/** Percent of the package that are left when a warning is due, the most urgent first. */
const LEVELS = [5, 10, 20]

/** The package that is assumed when the vendor tells only how many questions are left. */
export const ASSUMED_LIMIT = 500

/** A package is renewed by hand: three days include a weekend. */
const WARNING_DAYS = 3
const DAY_MILLIS = 86_400_000

/** The warnings about an account: its questions, then its end. `now` in milliseconds since 1970. */
export const accountWarnings = (account: VendorAccount, now: number): ReadonlyArray<AccountWarning> =>
  [quotaWarning(account), endWarning(account, now)].filter((warning) => warning !== undefined)

const quotaWarning = ({ limit, remaining }: VendorAccount): AccountWarning | undefined => {
  if (remaining === null) return undefined
  if (remaining <= 0) return { key: "quota 0", message: "no questions are left in the package" }
  const size = limit ?? ASSUMED_LIMIT
  const level = LEVELS.find((percent) => remaining * 100 <= size * percent)
  if (level === undefined) return undefined
  return {
    key: `quota ${level}`,
    message: `only ${remaining}${limit === null ? "" : ` of ${limit}`} questions are left`
  }
}

const endWarning = ({ expiresAt }: VendorAccount, now: number): AccountWarning | undefined => {
  if (expiresAt === null || expiresAt - now > WARNING_DAYS * DAY_MILLIS) return undefined
  const day = bangkokDay(expiresAt)
  return expiresAt <= now
    ? { key: `ended ${day}`, message: `the package ended on ${day}` }
    : { key: `ends ${day}`, message: `the package ends on ${day}` }
}
