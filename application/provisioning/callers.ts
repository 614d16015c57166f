import { Clock, Context, Data, Effect, Layer } from "effect"
import {
  type AccountRow,
  branchesModel,
  type BranchRow,
  ownerOfKey,
  type ServiceRow
} from "../../projections/models/branches.ts"
import { CappedMap } from "../../domain/capped-map.ts"
import { parseApiKey } from "../../domain/ids.ts"
import type { ReadModels, ReadModelsError } from "../../ports/read-models.ts"
import { Vault } from "../../ports/vault.ts"
import { whenReady } from "../../projections/engine/readiness.ts"

/** The branch of an API key, with its service and account. */
export interface Caller {
  readonly branchId: string
  readonly branch: BranchRow
  readonly serviceId: string
  readonly service: ServiceRow
  readonly account: AccountRow
}

/** Why a key is refused, in the order of the checks (docs/spec/http.md, "Order of checks"). */
export type Refusal =
  | "unknown-key"
  | "service-deleted"
  | "service-banned"
  | "account-banned"
  | "account-not-verified"
  | "service-expired"
  | "service-deactivated"
  | "branch-inactive"

export class CallerRefused extends Data.TaggedError("CallerRefused")<{ readonly reason: Refusal }> {}

/** A change of a branch by another process takes effect here within this time. */
const CACHE_MILLIS = 500
const CACHE_ENTRIES = 10_000

interface Cached {
  readonly caller: Caller
  readonly generation: number
  /** Milliseconds since 1970. */
  readonly until: number
}

const refusalOf = (caller: Caller, now: number): Refusal | undefined => {
  const { account, branch, service } = caller
  if (service.deleted) return "service-deleted"
  if (service.banned) return "service-banned"
  if (account.banned) return "account-banned"
  if (!account.verified) return "account-not-verified"
  if (service.expiresAt !== null && Date.parse(service.expiresAt) <= now) return "service-expired"
  if (!service.active) return "service-deactivated"
  if (!branch.active) return "branch-inactive"
  return undefined
}

/** Authenticates API keys. */
export class Callers extends Context.Service<Callers, {
  /** The caller of a key. Does not check the client's address. */
  readonly authenticate: (apiKey: string) => Effect.Effect<Caller, CallerRefused | ReadModelsError>
  /** Whether the key belonged to a branch when this process last read it. Reads nothing. */
  readonly isKnown: (apiKey: string) => boolean
  /** Makes the next request of each caller read it again, after a change by this process. */
  readonly forget: Effect.Effect<void>
}>()("sliptrail/application/Callers") {
  static readonly layer = Layer.effect(
    Callers,
    Effect.gen(function* () {
      const vault = yield* Vault
      const services = yield* Effect.context<ReadModels>()
      /** By key. Unknown keys are not cached: a stranger with many of them would replace the callers. */
      const cache = new CappedMap<string, Cached>(CACHE_ENTRIES)
      /** Raised by a change: callers of an earlier generation are read again. */
      let generation = 0

      const load = Effect.fnUntraced(function* (apiKey: string, now: number) {
        yield* whenReady(branchesModel)
        const startedIn = generation
        const caller: Caller | undefined = yield* ownerOfKey(vault.digest("api-key", apiKey))
        // A caller that was read during a change may be old. It may serve this request, but not the next one.
        if (caller === undefined) cache.delete(apiKey)
        else cache.set(apiKey, { caller, generation: startedIn, until: now + CACHE_MILLIS })
        return caller
      }, Effect.provideContext(services))

      /** Without the context of `load`: merging contexts costs more than a look into the cache. */
      const lookUp = (apiKey: string, now: number) => {
        const cached = cache.get(apiKey)
        return cached !== undefined && cached.until > now && cached.generation === generation
          ? Effect.succeed(cached.caller)
          : load(apiKey, now)
      }

      return Callers.of({
        authenticate: Effect.fnUntraced(function* (text) {
          const apiKey = parseApiKey(text)
          if (apiKey === undefined) return yield* new CallerRefused({ reason: "unknown-key" })
          const now = yield* Clock.currentTimeMillis
          const caller = yield* lookUp(apiKey, now)
          if (caller === undefined) return yield* new CallerRefused({ reason: "unknown-key" })
          const reason = refusalOf(caller, now)
          if (reason !== undefined) return yield* new CallerRefused({ reason })
          return caller
        }),
        isKnown: (apiKey) => cache.has(apiKey.toLowerCase()),
        forget: Effect.sync(() => {
          generation++
        })
      })
    })
  )
}
