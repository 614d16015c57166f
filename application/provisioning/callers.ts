import { Clock, Context, Effect, Layer } from "effect"
import { ExpectedError } from "../../domain/expected-error.ts"
import {
  accountRows,
  branchesModel,
  branchesWrites,
  type BranchOwner,
  branchRows,
  type KeyOwner,
  type KeyRow,
  keyRows,
  ownerOfBranch,
  ownerOfKey,
  serviceRows
} from "../../projections/models/branches.ts"
import { KeyUses } from "./key-uses.ts"
import { type Actor, branchActor } from "../../domain/actor.ts"
import { keyIdOf, type KeyLimits } from "../../domain/api-key.ts"
import { CappedMap } from "../../domain/capped-map.ts"
import { parseApiKey } from "../../domain/ids.ts"
import { isoTime } from "../../domain/time.ts"
import { EventStore, type EventStoreError } from "../../ports/event-store.ts"
import type { ReadModels, ReadModelsError } from "../../ports/read-models.ts"
import { Vault } from "../../ports/vault.ts"
import { whenReady } from "../../projections/engine/readiness.ts"
import { streamOf } from "../../domain/events/aggregates.ts"

/** The API key of a request. */
export interface CallerKey extends KeyLimits {
  readonly digest: string
  /** When it expires, in milliseconds since 1970; `Infinity` for never. */
  readonly endsAt: number
}

/** The branch of an API key, with its service and account. */
export interface Caller extends BranchOwner {
  readonly key: CallerKey
  /** The actor of the events of its requests. */
  readonly actor: Actor
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

export class CallerRefused extends ExpectedError("CallerRefused")<{ readonly reason: Refusal }> {}

/** A change of a branch by another process takes effect here within this time. */
const CACHE_MILLIS = 500
const CACHE_ENTRIES = 10_000

const DAY_MILLIS = 86_400_000

interface Cached {
  readonly caller: Caller
  /** The last day on which the key was used and that is recorded, or about to be. Counted from 1970. */
  usedDay: number
  readonly generation: number
  /** Milliseconds since 1970. */
  readonly until: number
}

const callerKey = (digest: string, { expiresAt, networks, scopes }: KeyLimits): CallerKey => ({
  digest,
  scopes,
  expiresAt,
  endsAt: expiresAt === null ? Infinity : Date.parse(expiresAt),
  networks
})

const refusalOf = (caller: Caller, now: number): Refusal | undefined => {
  const { account, branch, key, service } = caller
  if (key.endsAt <= now) return "unknown-key"
  if (service.deleted) return "service-deleted"
  if (service.banned) return "service-banned"
  if (account.banned) return "account-banned"
  if (!account.verified) return "account-not-verified"
  if (service.expiresAt !== null && Date.parse(service.expiresAt) <= now) return "service-expired"
  if (!service.active) return "service-deactivated"
  if (!branch.active) return "branch-inactive"
  return undefined
}

type Failure = CallerRefused | ReadModelsError | EventStoreError

/** Authenticates API keys. */
export class Callers extends Context.Service<Callers, {
  /**
   * The caller of a key. Does not check the client's address or the scopes of the key. Fails with `behind` while a read model
   * that was lost, or that this process found at its start, does not have the whole log of that moment: the key may be
   * there. A key that this process issued is then read from the log.
   */
  readonly authenticate: (apiKey: string) => Effect.Effect<Caller, Failure>
  /** The caller of a key, by the key's digest. It makes the same checks, and counts as a use of the key. */
  readonly authenticateDigest: (keyDigest: string) => Effect.Effect<Caller, Failure>
  /** The caller that a branch has when it gets a key with these limits. It makes the same checks, and needs no such key. */
  readonly withKey: (
    branchId: string,
    keyDigest: string,
    limits: KeyLimits
  ) => Effect.Effect<Caller, CallerRefused | ReadModelsError>
  /** Whether the key belonged to a branch when this process last read it. Reads nothing. */
  readonly isKnown: (apiKey: string) => boolean
  /** Notes that this process issued a key of a branch. */
  readonly issued: (keyDigest: string, branchId: string) => Effect.Effect<void>
  /** Makes the next request of each caller read it again, after a change by this process. */
  readonly refresh: Effect.Effect<void>
}>()("sliptrail/application/Callers") {
  static readonly layer = Layer.effect(
    Callers,
    Effect.gen(function* () {
      const vault = yield* Vault
      const services = yield* Effect.context<ReadModels | EventStore>()
      const recordUse = yield* KeyUses
      /** By key, or by digest for sessions. Unknown keys are not cached: a stranger with many of them would replace the callers. */
      const cache = new CappedMap<string, Cached>(CACHE_ENTRIES)
      /** The days that this process has sent to be recorded, by the digest of the key. */
      const sent = new CappedMap<string, number>(CACHE_ENTRIES)
      /** The branches of keys that this process issued, by the digest of the key, until the read model has the key. */
      const issued = new CappedMap<string, string>(CACHE_ENTRIES)
      /** Raised by a change: callers of an earlier generation are read again. */
      let generation = 0

      const usedDayOf = (digest: string, { lastUsedOn }: KeyRow): number =>
        Math.max(sent.get(digest) ?? 0, lastUsedOn === null ? 0 : Date.parse(lastUsedOn) / DAY_MILLIS)

      const ownerOf = Effect.fnUntraced(function* (digest: string) {
        const branchId = issued.get(digest)
        if (branchId === undefined) return yield* Effect.andThen(whenReady(branchesModel), ownerOfKey(digest))
        const found = yield* Effect.orElseSucceed(ownerOfKey(digest), () => undefined)
        if (found === undefined) return yield* ownerInLog(digest, branchId)
        issued.delete(digest)
        return found
      })

      /** `id` is the key or its digest: a key has hyphens, so that no text is both. */
      const load = Effect.fnUntraced(function* (id: string, digest: string, now: number) {
        const startedIn = generation
        const owner = yield* ownerOf(digest)
        if (owner === undefined) {
          cache.delete(id)
          return undefined
        }
        const { key: row, ...owners } = owner
        const key = callerKey(digest, row)
        const actor = branchActor(owners.branchId, row.name === null ? undefined : keyIdOf(digest))
        // A caller that was read during a change may be old. It may serve this request, but not the next one.
        const cached: Cached = {
          caller: { ...owners, key, actor },
          usedDay: usedDayOf(digest, row),
          generation: startedIn,
          until: now + CACHE_MILLIS
        }
        if (key.endsAt <= now) cache.delete(id)
        else cache.set(id, cached)
        return cached
      }, Effect.provideContext(services))

      /** Hot path: merging the context of `load` costs more than a look into the cache. Guarded by `npm run bench -- http`. */
      const lookUp = (id: string, digestOf: (id: string) => string, now: number) => {
        const cached = cache.get(id)
        return cached !== undefined && cached.until > now && cached.generation === generation
          ? Effect.succeed(cached)
          : load(id, digestOf(id), now)
      }

      const noteUse = (cached: Cached, day: number) => {
        const { actor, key: { digest } } = cached.caller
        cached.usedDay = day
        sent.set(digest, day)
        recordUse({
          keyDigest: digest,
          actor,
          day: isoTime(day * DAY_MILLIS).slice(0, 10),
          onFailure: () => {
            if (sent.get(digest) === day) sent.delete(digest)
          }
        })
      }

      const digestOfKey = (apiKey: string): string => vault.digest("api-key", apiKey)
      const asDigest = (keyDigest: string): string => keyDigest

      const authenticate = Effect.fnUntraced(function* (id: string | undefined, digestOf: (id: string) => string) {
        if (id === undefined) return yield* new CallerRefused({ reason: "unknown-key" })
        const now = yield* Clock.currentTimeMillis
        const cached = yield* lookUp(id, digestOf, now)
        if (cached === undefined) return yield* new CallerRefused({ reason: "unknown-key" })
        const reason = refusalOf(cached.caller, now)
        if (reason !== undefined) return yield* new CallerRefused({ reason })
        const day = Math.floor(now / DAY_MILLIS)
        if (day > cached.usedDay) noteUse(cached, day)
        return cached.caller
      })

      const withKey = Effect.fnUntraced(function* (branchId: string, keyDigest: string, limits: KeyLimits) {
        yield* whenReady(branchesModel)
        const owners = yield* ownerOfBranch(branchId)
        if (owners === undefined) return yield* new CallerRefused({ reason: "unknown-key" })
        const caller: Caller = {
          ...owners,
          key: callerKey(keyDigest, limits),
          actor: branchActor(branchId, keyIdOf(keyDigest))
        }
        const reason = refusalOf(caller, yield* Clock.currentTimeMillis)
        return reason === undefined ? caller : yield* new CallerRefused({ reason })
      }, Effect.provideContext(services))

      return Callers.of({
        withKey,
        authenticate: (text) => authenticate(parseApiKey(text), digestOfKey),
        authenticateDigest: (keyDigest) => authenticate(keyDigest, asDigest),
        isKnown: (apiKey) => cache.has(apiKey.toLowerCase()),
        issued: (keyDigest, branchId) => Effect.sync(() => void issued.set(keyDigest, branchId)),
        refresh: Effect.sync(() => {
          generation++
        })
      })
    })
  )
}

/**
 * An API key of a branch with its branch, service and account, as the log has them now. Undefined when the key was revoked,
 * or when the branch has no service. It reads three streams, so it is for keys that the read model may not have yet.
 */
const ownerInLog = Effect.fnUntraced(function* (keyDigest: string, branchId: string) {
  const ofBranch = yield* writesOf(streamOf.branch(branchId))
  const key = keyRows.fold(ofBranch, keyDigest)
  const branch = branchRows.fold(ofBranch, branchId)
  if (key === undefined || key.revoked || branch === undefined) return undefined
  const { serviceId } = branch
  const service = serviceRows.fold(yield* writesOf(streamOf.service(serviceId)))
  const account = service && accountRows.fold(yield* writesOf(streamOf.account(service.accountId)))
  if (service === undefined || account === undefined) return undefined
  return { key, branchId, branch, serviceId, service, account } satisfies KeyOwner
})

const writesOf = (stream: string) =>
  EventStore.use((store) => Effect.map(store.readStream(stream), (events) => events.flatMap(branchesWrites)))
