import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { encodeSlipPayload } from "../../../domain/slip/payload.ts"
import type { VendorChanges } from "../../../infrastructure/commands/vendor-mock/plan.ts"
import type { Vendor } from "../../../infrastructure/commands/vendor-mock/vendors.ts"

const folder = new URL("../../fixtures/resellers/", import.meta.url)
const read = (name: string): string => readFileSync(fileURLToPath(new URL(name, folder)), "utf8")

/** What a gateway must make of an answer (`index.json` explains the fields). */
export interface Expected {
  readonly outcome: "Found" | "NotFound" | "Pending" | "Unavailable" | "NotAuthorised" | "QuotaExhausted" | "Quota"
  readonly strength?: "strong" | "weak"
  readonly concerns?: "gateway" | "slip"
  readonly cause?: "key" | "ip" | "account"
  readonly retryable?: boolean
  readonly retryAfterSeconds?: number
  readonly transfer?: object
  readonly remaining?: number | null
  readonly limit?: number | null
}

/** An answer of a vendor. */
export interface Fixture {
  /** `vendor/case.json`. */
  readonly file: string
  /** `easyslip-v1` and `openslipverify` are not gateways. */
  readonly vendor: Vendor | "easyslip-v1" | "openslipverify"
  /** Method, path and fields. */
  readonly request: string
  /** Null for an answer about the quota or a wallet slip. */
  readonly question: { readonly sendingBank: string; readonly transRef: string; readonly payload: string } | null
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly expected: Expected
}

/** Made-up answers of vendors, with the expected outcome of each. */
export const fixtures: ReadonlyArray<Fixture> = JSON.parse(read("index.json")).cases

export const bodyOf = ({ file }: Fixture): string => read(file)

/** The fixture of a file. */
export const fixture = (file: string): Fixture => {
  const found = fixtures.find((each) => each.file === file)
  if (found === undefined) throw new Error(`there is no fixture ${file}`)
  return found
}

/** A fixture about a slip of its own: the vendor's answer and the expectation with another transRef, of the same length. */
export const ofSlip = (given: Fixture, number: number) => {
  const { question } = given
  if (question === null) throw new Error(`${given.file} is not about a bank slip`)
  const { payload, sendingBank, transRef } = question
  const ownRef = transRef.slice(0, -3) + String(number).padStart(3, "0")
  const ownPayload = encodeSlipPayload(sendingBank, ownRef)
  const own = (text: string): string => text.replaceAll(payload, ownPayload).replaceAll(transRef, ownRef)
  const expected: Expected = JSON.parse(own(JSON.stringify(given.expected)))
  return {
    payload: ownPayload,
    expected,
    answer: { status: given.status, headers: given.headers, body: own(bodyOf(given)) }
  }
}

/** Makes a vendor answer with a fixture: to questions about the quota, or about slips. */
export const serving = (given: Fixture): VendorChanges => {
  const answer = { status: given.status, headers: given.headers, body: bodyOf(given) }
  return given.expected.outcome === "Quota" ? { quotaAnswer: answer } : { answer }
}
