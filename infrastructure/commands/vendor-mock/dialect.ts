import type { Transfer } from "../../../domain/slip/transfer.ts"
import type { AccountState } from "./account.ts"
import type { Vendor } from "./vendors.ts"

/** A request, as the dialects read it. */
export interface VendorRequest {
  readonly method: string
  /** After the base path of the dialect. Begins with a slash. */
  readonly path: string
  readonly query: URLSearchParams
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The fields of a JSON body or a form. A picture that is the whole body is the field `file`. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** The slip of a request: its QR text or its picture. Neither is there when the request has none. */
export interface SentSlip {
  readonly text?: string | undefined
  readonly picture?: Uint8Array | undefined
}

/** What a request asks for. */
export type Question =
  | { readonly _tag: "BankSlip"; readonly slip: SentSlip; readonly isRepeatFree: boolean }
  | { readonly _tag: "WalletSlip"; readonly slip: SentSlip; readonly isRepeatFree: boolean }
  | { readonly _tag: "Quota" }
  | { readonly _tag: "Unknown" }

/** A slip that the vendor found. */
export interface FoundSlip {
  readonly transfer: Transfer
  readonly payload: string
  /** The customer asked about it before, in a way that makes the repeat free. */
  readonly isRepeat: boolean
  /** What the question cost, in units of the quota. */
  readonly cost: number
}

/** Every other statement of a vendor. */
export type Refusal =
  | "not-found"
  | "pending"
  | "bank-down"
  | "invalid"
  | "no-such-path"
  | "wrong-key"
  | "wrong-branch"
  | "wrong-ip"
  | "expired"
  | "quota-exhausted"
  | "rate-limit"
  | "server-error"

/** A response. A body that is not text is sent as JSON. */
export interface Reply {
  readonly status: number
  readonly body: unknown
}

/** The words of one version of a vendor's API. */
export interface Dialect {
  readonly vendor: Vendor
  /** The path of its base URL at the test server. */
  readonly basePath: string
  /** Whether the vendor has a code for a slip that is too new. Without one, it says "not found". */
  readonly saysPending: boolean
  /** Undefined when the credentials are right. */
  readonly checkCredentials: (request: VendorRequest) => "wrong-key" | "wrong-branch" | undefined
  readonly read: (request: VendorRequest) => Question
  readonly found: (slip: FoundSlip, account: AccountState) => Reply
  /** Undefined when the vendor does not verify wallet slips. */
  readonly foundWallet?: (slip: FoundSlip, account: AccountState) => Reply
  /** `payload` is that of the question; empty without a readable slip. */
  readonly refuse: (refusal: Refusal, payload: string) => Reply
  /** Undefined when the vendor has no endpoint for the quota. */
  readonly quota?: (account: AccountState) => Reply
}

/** A response without a code of the vendor, such as the page of a proxy in front of it. */
export const page = (status: number): Reply => ({ status, body: `<html><body>${status}</body></html>` })

/** The text of a field; undefined for anything else. */
export const textField = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined

/** An option of a JSON body or of a form. */
export const isOn = (value: unknown): boolean => value === true || value === "true" || value === "1"

/** The picture of a field: a file, base64, or a data URI. */
export const pictureField = (value: unknown): Uint8Array | undefined => {
  if (value instanceof Uint8Array) return value
  const text = textField(value)
  return text === undefined ? undefined : new Uint8Array(Buffer.from(text.replace(/^data:[^,]*,/u, ""), "base64"))
}
