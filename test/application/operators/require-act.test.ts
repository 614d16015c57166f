import { assert, it } from "../../support/it.ts"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { makeRequireAct, type Operator } from "../../../application/operators/require-act.ts"
import { refusedAttempts } from "../../../domain/events/aggregates.ts"
import { beginning } from "../../../domain/events/recorded-event.ts"
import { EventStore, EventStoreError } from "../../../ports/event-store.ts"
import { noFaults } from "../../support/faulty-event-store.ts"
import { layerPorts } from "../../support/ports.ts"

const test = it.effect.with(() => layerLog)

const nok: Operator = { name: "nok", role: "support" }
const lek: Operator = { name: "lek", role: "auditor" }

const requestIdsOf = ({ name }: Operator) =>
  ({ actor: { kind: "admin", id: "api", operator: name }, correlationId: "request-1" }) as const

/** The refused attempts in the log. */
const recorded = Effect.map(
  EventStore.use((store) => store.readAll({ after: beginning, limit: 1_000 })),
  (events) => events.map((event) => ({ ...refusedAttempts.codec.decode(event), by: event.metadata.actor.operator }))
)

const faults = noFaults()
const layerLog = layerPorts(faults)

test("a role that may do something is not refused, and nothing is recorded", function* () {
  const requireAct = yield* makeRequireAct
  yield* requireAct(nok, "redeliverCallbacks", "api", requestIdsOf(nok))
  yield* requireAct(lek, "revealPersonalData", "api", requestIdsOf(lek))
  assert.deepStrictEqual(yield* recorded, [])
})

test("a refused attempt is recorded with operator, act and surface", function* () {
  const requireAct = yield* makeRequireAct
  const refused = yield* Effect.flip(requireAct(nok, "banService", "console", requestIdsOf(nok)))
  assert.deepInclude(refused, { _tag: "RoleMissing", role: "support", act: "banService" })
  const [event] = yield* recorded
  assert.deepInclude(event, { operator: "nok", operation: "banService", surface: "console", by: "nok" })
})

test("refusals are recorded up to 60 a minute for each operator, and all of them are refused", function* () {
  const requireAct = yield* makeRequireAct
  const refuse = (who: Operator) => Effect.flip(requireAct(who, "banService", "api", requestIdsOf(who)))
  const countOf = (name: string) =>
    Effect.map(recorded, (events) => events.filter(({ operator }) => operator === name).length)
  for (let count = 0; count < 100; count++) assert.strictEqual((yield* refuse(nok))._tag, "RoleMissing")
  yield* refuse(lek)
  assert.deepStrictEqual([yield* countOf("nok"), yield* countOf("lek")], [60, 1])
  yield* TestClock.adjust("59 seconds")
  yield* refuse(nok)
  assert.strictEqual(yield* countOf("nok"), 60)
  yield* TestClock.adjust("1 second")
  yield* refuse(nok)
  assert.strictEqual(yield* countOf("nok"), 61)
})

test("an attempt is refused although the event store is away", function* () {
  const requireAct = yield* makeRequireAct
  const before = faults.before
  faults.before = () => Effect.fail(new EventStoreError({ operation: "append", reason: "unavailable" }))
  const attempt = yield* Effect.forkChild(Effect.flip(requireAct(nok, "banService", "api", requestIdsOf(nok))))
  // The append is tried for 1.8 seconds.
  yield* TestClock.adjust("2 seconds")
  assert.strictEqual((yield* Fiber.join(attempt))._tag, "RoleMissing")
  faults.before = before
})
