import { Clock, Duration, Effect, type Redacted, type Scope } from "effect"
import type { GatewayFailure } from "./gateway.ts"
import { type GatewaySettingError, parseBankCodes, parseBaseUrl, type VendorValues } from "./gateway-settings.ts"
import { makeUpstreamClient, type UpstreamRequest, type UpstreamResponse } from "./https-client.ts"
import { type Bank, makeGateway } from "./make-gateway.ts"
import { sharedIpv4Lookup } from "./shared-lookup.ts"
import type { VendorName } from "./vendor-answer.ts"

export interface Vendor extends VendorName {
  /** The name in `BANK_GATEWAYS`. */
  readonly name: string
}

/** Sends a request to a vendor and reads the response. `now` in milliseconds since 1970. */
type AskVendor = <A>(
  request: UpstreamRequest,
  read: (response: UpstreamResponse, now: number) => Effect.Effect<A, GatewayFailure>
) => Effect.Effect<A, GatewayFailure>

/** What `makeGateway` needs of a vendor. */
type Questions = Pick<Bank, "account" | "ask" | "askWallet" | "traits">

/**
 * Makes the function that makes the gateway of a vendor from its settings. `connect` gets them checked, with the base URL
 * without a trailing slash, and opens the connections, whose answers show none of the secrets.
 *
 * Each request is sent once, from an IPv4 address. A vendor may charge a question as soon as it arrives, even when its
 * connection breaks before the answer.
 */
export const vendorGateway = <Values extends VendorValues>(
  { name, prefix, title }: Vendor,
  connect: (
    values: Values,
    open: (secrets: ReadonlyArray<Redacted.Redacted>) => Effect.Effect<AskVendor, never, Scope.Scope>
  ) => Effect.Effect<Questions, GatewaySettingError, Scope.Scope>
) =>
  Effect.fnUntraced(function* (values: Values, authorities: ReadonlyArray<string> | undefined) {
    const { concurrency, price, timeout } = values
    const baseUrl = yield* Effect.fromResult(parseBaseUrl(`${prefix}_BASE_URL`, values.baseUrl))
    const sendingBanks = yield* Effect.fromResult(parseBankCodes(`${prefix}_SENDING_BANKS`, values.sendingBanks))
    const client = { title, baseUrl, authorities, lookup: sharedIpv4Lookup, isRepeatable: false }
    const questions = yield* connect({ ...values, baseUrl }, (secrets) =>
      Effect.map(makeUpstreamClient({ ...client, secrets }), (send): AskVendor =>
      (request, read) =>
        Effect.flatMap(send(request), (response) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            read(response, now)))))
    // A vendor without a free question shows at the next slip whether it accepts the account again.
    const check = Effect.asVoid(questions.account ?? Effect.void)
    const limits = { concurrency, price, sendingBanks, timeoutMillis: Duration.toMillis(timeout) }
    return makeGateway({ name, title, check, ...questions }, limits)
  })
