import { Effect } from "effect"
import { parseTimeInBangkok } from "../../../../domain/time.ts"
import type { VendorAccount } from "../../../../ports/gateway-status.ts"
import { evidenceOf } from "./answer.ts"
import { gatewayFailed, type GatewayFailure } from "./gateway.ts"
import type { UpstreamResponse } from "./https-client.ts"
import { textOf } from "./slip-data.ts"

/** A count that is a number or text; undefined for anything else. */
export const countOf = (value: unknown): number | undefined => {
  const count = typeof value === "string" && value.trim() !== "" ? Number(value) : value
  return typeof count === "number" && Number.isFinite(count) ? count : undefined
}

/** The end of a package in milliseconds since 1970; null when it is unreadable. A day counts until its end. */
export const expiryOf = (value: unknown): number | null => parseTimeInBangkok(textOf(value), "last")?.at ?? null

/** The account, when the response says what is left of the package. */
export const accountAnswer = (
  title: string,
  response: UpstreamResponse,
  { expiresAt, limit, remaining }: Omit<VendorAccount, "remaining"> & { readonly remaining: number | null | undefined }
): Effect.Effect<VendorAccount, GatewayFailure> =>
  remaining === undefined
    ? Effect.fail(
      gatewayFailed(`${title} answered about the account, but not how many questions are left`, evidenceOf(response))
    )
    : Effect.succeed({ remaining, limit, expiresAt })
