import { Clock, Context, Effect } from "effect"
import { type Caller, Callers } from "../../../../application/provisioning/callers.ts"
import { ApiError, apiError } from "../../api/failures.ts"
import type { RequiredScopes } from "../../api/operation.ts"
import type { Exchange } from "../server/endpoint.ts"
import type { FailureLimiter } from "./failure-limiter.ts"
import { countKeyRefusal } from "../server/http-metrics.ts"
import { addressOf } from "../server/client-address.ts"
import { isWithin, parseAddress, parseRange, type Range } from "../../../platform/ip-address.ts"
import { RateLimiter, type RateLimitStatus } from "../../../../ports/rate-limiter.ts"

/**
 * The credential of an Authorization header; the scheme's case does not matter (docs/spec/http.md, "Order of checks").
 */
export const bearer = (header: string): string => /^bearer +(\S+)\s*$/iu.exec(header)?.[1] ?? ""

type AnswerHeaders = Exchange["answerHeaders"]

/** Sets the headers of the rate limit; fails when the request is refused. */
const report = (
  status: RateLimitStatus | undefined,
  answerHeaders: AnswerHeaders
): Effect.Effect<void, ApiError<"RATE_LIMIT_EXCEEDED">> => {
  if (status === undefined) return Effect.void
  answerHeaders["x-ratelimit-limit"] = String(status.limit)
  answerHeaders["x-ratelimit-remaining"] = String(status.remaining)
  answerHeaders["x-ratelimit-reset"] = String(status.resetSeconds)
  return status.isAdmitted
    ? Effect.void
    : Effect.fail(apiError("RATE_LIMIT_EXCEEDED", { retryAfterSeconds: status.retryAfterSeconds }))
}

/** Counts a request against the branch's rate limit, and sets its headers (docs/spec/http.md, "Limits"). */
const limitRate = (branchId: string, answerHeaders: AnswerHeaders) =>
  RateLimiter.use(({ take }) => Effect.flatMap(take(branchId), (status) => report(status, answerHeaders)))

/** Counts an admitted request as `requests` more. It fails while the branch owes tokens for an earlier one. */
export const chargeRate = Effect.fnUntraced(function* (
  branchId: string,
  requests: number,
  answerHeaders: AnswerHeaders
) {
  if (requests > 0) yield* report(yield* (yield* RateLimiter).takeMore(branchId, requests), answerHeaders)
})

/** A large body that is refused for its structure counts as this many requests: reading it takes as long as they do. */
const REQUESTS_OF_REFUSED_BODY = 20
/** In requests. Each refused body needs a token to be read, so a branch never owes as much. */
const MAX_DEBT = 1_000_000

/** Makes what counts the rest of such a request. */
export const chargeRefusedBody = (branchId: string) =>
  Effect.map(
    RateLimiter,
    ({ takeMore }) => Effect.asVoid(takeMore(branchId, REQUESTS_OF_REFUSED_BODY - 1, MAX_DEBT))
  )

/** Limits the wrong API keys of each address (setting `WRONG_KEYS_PER_MINUTE`); undefined without a limit. */
export const WrongKeyLimiter = Context.Reference<FailureLimiter | undefined>("sliptrail/http/WrongKeyLimiter", {
  defaultValue: () => undefined
})

const countWrongKey = Effect.fnUntraced(function* (limiter: FailureLimiter, address: string, now: number) {
  yield* countKeyRefusal("wrong-key")
  if (limiter.failed(address, now)) {
    yield* Effect.logWarning("Paused an address that sent too many wrong API keys").pipe(
      Effect.annotateLogs({ address })
    )
  }
})

const TOO_MANY_WRONG_KEYS =
  "Too many wrong API keys from this address. Check the key, and wait before you send it again"

/**
 * The caller of a key that this process does not know. Such keys of an address that sent many wrong ones are refused before
 * the key is looked up. Known keys are not limited: honest branches may share the address (docs/security.md, "Wrong API
 * keys").
 */
const identifyUnknown = Effect.fnUntraced(function* (exchange: Exchange, apiKey: string, limiter: FailureLimiter) {
  return yield* limitGuesses(
    exchange,
    limiter,
    (yield* Callers).authenticate(apiKey),
    (failure) => failure._tag === "CallerRefused" && failure.reason === "unknown-key"
  )
})

/** Runs a check of a secret, unless the address sent many wrong ones. A failure for which `isWrong` holds counts. */
export const limitGuesses = Effect.fnUntraced(function* <A, E, R>(
  exchange: Exchange,
  limiter: FailureLimiter,
  check: Effect.Effect<A, E, R>,
  isWrong: (failure: E) => boolean
) {
  const address = yield* addressOf(exchange)
  const now = yield* Clock.currentTimeMillis
  const retryAfterSeconds = limiter.secondsToWait(address, now)
  if (retryAfterSeconds > 0) {
    yield* countKeyRefusal("paused")
    exchange.answerHeaders["connection"] = "close"
    return yield* new ApiError({ code: "RATE_LIMIT_EXCEEDED", message: TOO_MANY_WRONG_KEYS, retryAfterSeconds })
  }
  return yield* Effect.tapError(
    check,
    (failure) => isWrong(failure) ? countWrongKey(limiter, address, now) : Effect.void
  )
})

/** The caller of a key. Guesses are limited. Does not check the client's address or the scopes of the key. */
export const callerOfKey = (exchange: Exchange, apiKey: string) =>
  Callers.use(({ authenticate, isKnown }) =>
    isKnown(apiKey) ? authenticate(apiKey) : Effect.flatMap(
      WrongKeyLimiter,
      (limiter) => limiter === undefined ? authenticate(apiKey) : identifyUnknown(exchange, apiKey, limiter)
    )
  )

/** Checks the client's address, and counts the request against the rate limit of the branch. */
export const admitCaller = (exchange: Exchange, { branch: { ipWhitelist }, branchId, key: { networks } }: Caller) => {
  const limited = limitRate(branchId, exchange.answerHeaders)
  return ipWhitelist.includes("*") && networks === null
    ? limited
    : Effect.flatMap(addressOf(exchange), (address) =>
      isWhitelisted(address, ipWhitelist) && (networks === null || isIn(address, networks))
        ? limited
        : Effect.fail(new ApiError({ code: "IP_NOT_ALLOWED" })))
}

/**
 * The caller of a request to an operation that needs one of these scopes. Fails with the first failed check, in the order
 * of docs/spec/http.md, "Order of checks".
 */
export const identify = (exchange: Exchange, scopes: RequiredScopes) => {
  const { authorization } = exchange.headers
  if (authorization === undefined) return Effect.fail(new ApiError({ code: "MISSING_API_KEY" }))
  return callerOfKey(exchange, bearer(authorization)).pipe(
    Effect.tap((caller) => admitCaller(exchange, caller)),
    Effect.tap(({ key }) => checkScope(key.scopes, scopes))
  )
}

const checkScope = (scopes: ReadonlyArray<string>, required: RequiredScopes) => {
  if (required === "every-key" || required.some((scope) => scopes.includes(scope))) return Effect.void
  const message = `The API key may not do this: a key with the scope ${required.join(" or ")} may`
  return Effect.fail(new ApiError({ code: "SCOPE_MISSING", message }))
}

/** Whether a whitelist allows a caller's address. */
export const isWhitelisted = (address: string, whitelist: ReadonlyArray<string>): boolean =>
  whitelist.includes("*") || isIn(address, whitelist)

const isIn = (address: string, networks: ReadonlyArray<string>): boolean =>
  isWithin(parseAddress(address), rangesOf(networks))

/** Of the lists of cached callers, so that not every request parses them. */
const ranges = new WeakMap<ReadonlyArray<string>, ReadonlyArray<Range>>()

const rangesOf = (networks: ReadonlyArray<string>): ReadonlyArray<Range> => {
  const known = ranges.get(networks)
  if (known !== undefined) return known
  const parsed = networks.map(parseRange).filter((range) => range !== undefined)
  ranges.set(networks, parsed)
  return parsed
}
