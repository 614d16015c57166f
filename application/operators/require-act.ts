import { Clock, Data, Effect } from "effect"
import { CappedMap } from "../../domain/capped-map.ts"
import { refusedAttempts, streamOf } from "../../domain/events/aggregates.ts"
import type { OperatorRole } from "../../domain/operators.ts"
import type { RefusedAttemptEvent } from "../../domain/refused-attempt.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { handleOperatorCommand } from "../provisioning/operator-command.ts"
import type { RequestIds } from "../events/handle-command.ts"
import { type Act, isAllowed, permissions } from "../../domain/permissions.ts"

/** Who sends a request of the admin API, or has a session of the console. */
export interface Operator {
  readonly name: string
  readonly role: OperatorRole
}

/** The role of the operator may not do this. */
export class RoleMissing extends Data.TaggedError("RoleMissing")<{
  readonly role: OperatorRole
  /** The roles that may do it. */
  readonly needed: ReadonlyArray<OperatorRole>
  readonly act: Act
}> {}

const WINDOW_MILLIS = 60_000
/** Refusals of one operator that a process records within a minute. Further ones are only counted by a metric. */
const MAX_RECORDED = 60
/** More operators than a process has refused within a minute. */
const MAX_OPERATORS = 1_000

/** Bounds how many refusals are recorded, so that an operator cannot fill the log. Times are in milliseconds. */
const makeRecordLimit = () => {
  const windows = new CappedMap<string, { readonly since: number; readonly count: number }>(MAX_OPERATORS)
  return (operator: string, now: number): boolean => {
    const before = windows.get(operator)
    const isNew = before === undefined || now - before.since >= WINDOW_MILLIS
    const after = isNew ? { since: now, count: 1 } : { ...before, count: before.count + 1 }
    windows.set(operator, after)
    return after.count <= MAX_RECORDED
  }
}

/** What an operator was refused. */
interface Refusal {
  /** The operator's name. */
  readonly operator: string
  /** An act of the table of permissions, or `signIn`. */
  readonly operation: Act | "signIn"
  readonly surface: RefusedAttemptEvent["surface"]
  /** The subject of the account at the OpenID Connect provider. */
  readonly subject?: string | undefined
  readonly reason?: RefusedAttemptEvent["reason"]
}

/** Records refusals in the log. An event store that is away changes nothing in the answer to the operator. */
const makeRecordRefusal = Effect.sync(() => {
  const mayRecord = makeRecordLimit()
  /** `countedFor` stands for the operators that share one limit. */
  return Effect.fn("recordRefusal")(function* (refusal: Refusal, countedFor: string, ids: RequestIds) {
    if (!mayRecord(countedFor, yield* Clock.currentTimeMillis)) return
    const refusalId = (yield* Identifiers).newId()
    const record = (at: string) => ({ _tag: "RecordRefusal", refusalId, ...refusal, at }) as const
    yield* handleOperatorCommand(refusedAttempts, streamOf.refusedAttempt(refusalId), record, ids).pipe(
      Effect.catch((error) => Effect.logWarning("A refused attempt of an operator was not recorded", error))
    )
  })
})

/** Makes the check of the table of permissions. It fails with `RoleMissing`, and records the attempt in the log. */
export const makeRequireAct = Effect.map(
  makeRecordRefusal,
  (recordRefusal) =>
    Effect.fn("requireAct")(function* (
      { name, role }: Operator,
      act: Act,
      surface: RefusedAttemptEvent["surface"],
      ids: RequestIds
    ) {
      if (isAllowed(role, act)) return
      yield* recordRefusal({ operator: name, operation: act, surface }, name, ids)
      return yield* new RoleMissing({ role, act, needed: permissions[act] })
    })
)

/**
 * Makes the record of accounts of the OpenID Connect provider that cannot sign in: they have no role here, or the name of
 * another account. They share one limit, because the provider can have any number of accounts.
 */
export const makeRecordRefusedSignIn = Effect.map(
  makeRecordRefusal,
  (recordRefusal) =>
  (
    { name, ...account }: { readonly name: string } & Pick<Refusal, "reason" | "subject">,
    ids: RequestIds
  ) =>
    recordRefusal(
      { operator: name, operation: "signIn", surface: "console", ...account },
      "all",
      ids
    )
)
