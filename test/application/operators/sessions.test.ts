import { assert, describe } from "@effect/vitest"
import { Clock, Effect } from "effect"
import {
  endAllConsoleSessions,
  endSession,
  listSessions,
  makeEndedSessions,
  type NewSession,
  recordSignIn
} from "../../../application/operators/console-sessions.ts"
import {
  addOperator,
  issueOperatorToken,
  makeOperatorsFollower,
  removeOperator,
  setOperatorRole
} from "../../../application/operators/operators.ts"
import type { OperatorRole } from "../../../domain/operators.ts"
import { live } from "../given-application.ts"

const operation = { actor: { kind: "admin", id: "api", operator: "ann" }, correlationId: "request-1" } as const
const HOUR = 3_600_000
const idOf = (number: number): string => `00000000-0000-4000-8000-00000000000${number}`

/** Two processes, and the sessions that each of them lists. */
const given = Effect.gen(function* () {
  yield* addOperator({ name: "nok", role: "support" }, operation)
  yield* addOperator({ name: "lek", role: "admin" }, operation)
  const now = yield* Clock.currentTimeMillis
  const [operators, ended] = [yield* makeOperatorsFollower, yield* makeEndedSessions]
  const state = Effect.gen(function* () {
    return { ended: yield* ended, operators: yield* operators }
  })
  const list = (operator?: string) =>
    Effect.flatMap(state, (known) => listSessions(known, { limit: 10, operator })).pipe(
      Effect.map(({ items }) => items.map(({ id, role }) => `${id.at(-1)} ${role}`))
    )
  const signIn = (number: number, name: string, role: OperatorRole, fields: Partial<NewSession> = {}) =>
    Effect.flatMap(state, (known) =>
      recordSignIn({
        id: idOf(number),
        operator: name,
        role,
        source: "token",
        epoch: known.ended.epoch,
        startedAt: now,
        expiresAt: now + 8 * HOUR + number,
        ...fields
      }, operation))
  return { list, now, signIn }
})

describe("the sessions of the console", () => {
  live("are listed until they expire, those that expire last first", function* () {
    const { list, now, signIn } = yield* given
    yield* signIn(1, "nok", "support")
    yield* signIn(2, "lek", "admin")
    yield* signIn(3, "nok", "support", { expiresAt: now + 9 * HOUR })
    yield* signIn(4, "nok", "support", { startedAt: now - 9 * HOUR, expiresAt: now - HOUR })
    assert.deepStrictEqual(yield* list(), ["3 support", "2 admin", "1 support"])
    assert.deepStrictEqual(yield* list("nok"), ["3 support", "1 support"])
  })

  live("end one by one, by operator, and all together, and stay ended", function* () {
    const { list, signIn } = yield* given
    yield* signIn(1, "nok", "support")
    yield* signIn(2, "lek", "admin")
    yield* signIn(3, "nok", "support")
    yield* endSession(idOf(3), operation)
    yield* endSession(idOf(3), operation)
    assert.deepStrictEqual(yield* list(), ["2 admin", "1 support"])
    yield* endAllConsoleSessions({ operator: "nok" }, operation)
    assert.deepStrictEqual(yield* list(), ["2 admin"])
    yield* signIn(4, "nok", "support")
    assert.deepStrictEqual(yield* list(), ["4 support", "2 admin"])
    yield* endAllConsoleSessions({}, operation)
    assert.deepStrictEqual(yield* list(), [])
    assert.strictEqual((yield* Effect.flip(endSession(idOf(9), operation)))._tag, "SessionNotFound")
  })

  live("of an operator end with its token, and do not come back with another operator of the same name", function* () {
    const { list, signIn } = yield* given
    yield* signIn(1, "nok", "support")
    yield* issueOperatorToken("nok", operation)
    assert.deepStrictEqual(yield* list(), [])
    yield* signIn(2, "nok", "support")
    yield* removeOperator({ name: "nok", hasOtherAdmin: false }, operation)
    assert.deepStrictEqual(yield* list(), [])
    yield* addOperator({ name: "nok", role: "admin" }, operation)
    assert.deepStrictEqual(yield* list(), [])
  })

  live("have the role that counts now, and those of a provider the role that it gave", function* () {
    const { list, signIn } = yield* given
    yield* signIn(1, "nok", "support")
    yield* signIn(2, "oidc:nok@shop.example", "support", { source: "oidc" })
    yield* setOperatorRole({ name: "nok", role: "auditor", hasOtherAdmin: false }, operation)
    assert.deepStrictEqual(yield* list(), ["2 support", "1 auditor"])
  })
})
