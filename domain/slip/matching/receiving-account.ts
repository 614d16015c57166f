/** An account that a branch receives money on, as it is compared with a slip. */
export interface ReceivingAccount {
  readonly id: string
  /** A code of the bank list. */
  readonly bankCode: string
  /** Digits alone. */
  readonly bankNumber: string
  readonly nameTh: string
  readonly nameEn: string | null
  /** One of the bank's `extraVerify` values; null where the bank has none. */
  readonly extraVerify: string | null
}

/** Which of the branch's accounts are compared, and how; both absent: all of them, each in its own way. */
export interface AccountQuestion {
  readonly bankCode: string | undefined
  readonly extraVerify: string | undefined
}

/** `indeterminate`: what the slip shows neither proves nor rules out any account. */
export type AccountVerdict = "match" | "no_match" | "indeterminate"
