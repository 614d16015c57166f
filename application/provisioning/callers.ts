import { Clock, Context, Data, Effect, Layer } from "effect"
import {
  type AccountRow,
  branchesModel,
  type BranchRow,
  ownerOfKey,
  type ServiceRow
} from "../../projections/models/branches.ts"
import type { ReadModels, ReadModelsError } from "../../ports/read-models.ts"
import { Vault } from "../../ports/vault.ts"
import { type Readiness, whenReady } from "../../projections/engine/readiness.ts"

/** Who an API key stands for. */
export interface Caller {
  readonly branchId: string
  readonly branch: BranchRow
  readonly serviceId: string
  readonly service: ServiceRow
  readonly account: AccountRow
}

/** Why a key is refused, in the order in which it is looked at (docs/spec/http.md, "Order of checks"). */
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

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/iu

/** How long another process's change of a branch may go unnoticed. */
const CACHE_MILLIS = 500
const CACHE_ENTRIES = 10_000

const judge = (caller: Caller, now: number): Refusal | undefined => {
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

/** Turns API keys into callers. */
export class Callers extends Context.Service<Callers, {
  /** The caller that a key stands for, if it may call at all; the caller's address is not looked at here. */
  readonly authenticate: (apiKey: string) => Effect.Effect<Caller, CallerRefused | ReadModelsError>
  /** Forgets what is cached, after a change that this process made itself. */
  readonly forget: Effect.Effect<void>
}>()("sliptrail/application/Callers") {
  static readonly layer = Layer.effect(
    Callers,
    Effect.gen(function* () {
      const vault = yield* Vault
      const services = yield* Effect.context<ReadModels | Readiness>()
      const cache = new Map<string, { readonly caller: Caller | undefined; readonly until: number }>()
      /** Raised by every change that is to be seen at once. */
      let generation = 0

      const lookUp = Effect.fnUntraced(function* (apiKey: string, now: number) {
        const cached = cache.get(apiKey)
        if (cached !== undefined && cached.until > now) return cached.caller
        yield* whenReady(branchesModel)
        const begun = generation
        const caller: Caller | undefined = yield* ownerOfKey(vault.digest("api-key", apiKey))
        // What was looked up while it changed may be old: good enough for this request, not to be kept for the next.
        if (begun !== generation) return caller
        if (cache.size >= CACHE_ENTRIES) cache.clear()
        cache.set(apiKey, { caller, until: now + CACHE_MILLIS })
        return caller
      }, Effect.provideContext(services))

      return Callers.of({
        authenticate: Effect.fnUntraced(function* (apiKey) {
          if (!UUID_V4.test(apiKey)) return yield* new CallerRefused({ reason: "unknown-key" })
          const now = yield* Clock.currentTimeMillis
          const caller = yield* lookUp(apiKey.toLowerCase(), now)
          if (caller === undefined) return yield* new CallerRefused({ reason: "unknown-key" })
          const reason = judge(caller, now)
          if (reason !== undefined) return yield* new CallerRefused({ reason })
          return caller
        }),
        forget: Effect.sync(() => {
          generation++
          cache.clear()
        })
      })
    })
  )
}
