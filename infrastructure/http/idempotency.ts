import { Effect } from "effect"
import { createHash, type Hash } from "node:crypto"
import { type RememberedFailure, runIdempotent } from "../../application/events/run-idempotent.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { Vault } from "../../ports/vault.ts"
import type { Caller } from "../../application/provisioning/callers.ts"
import type { Exchange } from "./endpoint.ts"
import { countKeyed, type KeyedOutcome } from "./http-metrics.ts"
import type { Reply } from "./reply.ts"
import { type Fields, invalid } from "../input/decode.ts"
import { isRemembered, messageOf } from "./api/failures.ts"
import { type Failure, toApiError } from "./application-failures.ts"

/** What an endpoint does, under an id under which it comes out once. */
export interface Deed<E, R, E2, R2> {
  readonly run: (id: string) => Effect.Effect<Reply, E, R>
  /** The answer as the log has it; undefined when it was not done, or not to the end. */
  readonly recall: (id: string) => Effect.Effect<Reply | undefined, E2, R2>
}

/**
 * Does what a request asks for, and with an `Idempotency-Key` once for each key of its branch: the same request again
 * is answered as the first time, byte for byte, another one under the same key is refused (docs/spec/http.md, "Idempotency-Key"). Answers that ask to try again later are not remembered, as they could never come true then.
 */
export const idempotently = <E extends Failure, R, E2 extends Failure, R2>(
  exchange: Exchange,
  caller: Caller,
  fields: Fields,
  deed: Deed<E, R, E2, R2>
) => {
  const key = exchange.headers["idempotency-key"]
  const reply = key === undefined
    ? Effect.flatMap(Identifiers, ({ random }) => deed.run(random()))
    : keyed(key, exchange, caller, fields, deed)
  return Effect.mapError(reply, (failure) => toApiError(failure))
}

const keyed = Effect.fnUntraced(function* <E extends Failure, R, E2 extends Failure, R2>(
  key: string,
  exchange: Exchange,
  { branchId }: Caller,
  fields: Fields,
  { recall, run }: Deed<E, R, E2, R2>
) {
  if (!PRINTABLE.test(key)) {
    return yield* invalid({ path: "Idempotency-Key", message: "Expected 1 to 255 printable ASCII characters" })
  }
  const fingerprint = (yield* Vault).digest("request", contentOf(exchange, fields))
  const request = { branchId, key, fingerprint, correlationId: exchange.requestId }
  const { isReplayed, value } = yield* runIdempotent(request, { run, recall, remember }).pipe(
    Effect.tapErrorTag("RefusedBefore", () => Effect.sync(() => tellReplayed(exchange))),
    Effect.tapError(({ _tag }) => countKeyed(refusedAs[_tag] ?? "done"))
  )
  if (isReplayed) tellReplayed(exchange)
  yield* countKeyed(isReplayed ? "replayed" : "done")
  return value
})

/** How requests end that were not done. */
const refusedAs: Readonly<Partial<Record<string, KeyedOutcome>>> = {
  RefusedBefore: "replayed",
  RequestInProgress: "in_progress",
  KeyReused: "reused"
}

const PRINTABLE = /^[\x20-\x7e]{1,255}$/u

const tellReplayed = ({ answerHeaders }: Exchange) => {
  answerHeaders["idempotent-replayed"] = "true"
}

const remember = (failure: Failure): RememberedFailure => {
  if (failure._tag === "EventStoreError" || failure._tag === "WrongExpectedRevision") return "unknown"
  const error = toApiError(failure)
  return isRemembered(error.code) ? { code: error.code, message: messageOf(error) } : "release"
}

/**
 * A digest of route and fields. Not of the bytes of the body: a form that is sent again has another boundary, and a
 * JSON object may come in another order.
 */
const contentOf = ({ request }: Exchange, fields: Fields): string => {
  const hash = createHash("sha256").update(`${request.method} ${request.url.split("?", 1)[0]}`)
  for (const name of Object.keys(fields).sort()) put(hash, name, fields[name])
  return hash.digest("hex")
}

/** Each part with its length before it, so that no two contents give the same bytes. */
const put = (hash: Hash, name: string, value: unknown) => {
  const content = value instanceof Uint8Array ? value : JSON.stringify(value)
  hash.update(`\n${JSON.stringify(name)} ${content.length} `).update(content)
}
