import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { listAudit } from "../../../application/trail/audit.ts"
import type { Actor } from "../../../domain/actor.ts"
import {
  branches,
  callbacks,
  consoleSessions,
  disclosures,
  erasures,
  streamOf
} from "../../../domain/events/aggregates.ts"
import { beginning, type JsonObject, type RecordedEvent } from "../../../domain/events/recorded-event.ts"
import { isoTime } from "../../../domain/time.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { ReadModels } from "../../../ports/read-models.ts"
import { MOST_EXAMINED } from "../../../projections/engine/page.ts"
import { modelName } from "../../../projections/engine/model-name.ts"
import { handlesStream } from "../../../projections/engine/projection.ts"
import {
  type AuditFilter,
  auditModel,
  auditPage,
  auditProjection,
  auditSets,
  operatorOf,
  subjectOf
} from "../../../projections/models/audit.ts"
import { recordedEvent, someEvent } from "../../support/event-fixtures.ts"
import { numbersFrom, type Random } from "../../support/random.ts"
import { projected, recorded } from "../given-events.ts"
import { layerPorts } from "../../support/ports.ts"

const test = it.effect.with(layerPorts)

const at = "2026-11-21T08:45:00.000Z"

const by = (actor: Actor, event: RecordedEvent): RecordedEvent => ({
  ...event,
  metadata: { ...event.metadata, actor }
})

const api: Actor = { kind: "admin", id: "api" }
const somchai: Actor = { kind: "admin", id: "console", operator: "Somchai" }

const renamed = recorded(streamOf.branch("b-1"), branches, { _tag: "BranchRenamed", name: "Silom" }, at)
const reveal = (subject: { readonly kind: "slip"; readonly id: string } | null, branchId: string | null) =>
  recorded(streamOf.disclosure("r-1"), disclosures, {
    _tag: "PersonalDataRevealed",
    revealId: "r-1",
    by: "somying",
    command: "trail show",
    from: null,
    to: null,
    branchId,
    subject,
    at
  }, at)

/** An event of a type that this version does not know. */
const unknown = (stream: string, type: string, data: JsonObject) => recordedEvent(type, data, { stream })

describe("the audit", () => {
  it("has the events of operators, and no others", () => {
    const { members } = projected(
      auditProjection,
      renamed,
      by({ kind: "branch", id: "b-1" }, renamed),
      by(somchai, renamed)
    )
    assert.deepStrictEqual(Object.keys(members(auditSets.all)), [
      "00000000000000000000 branch-b-1 0 BranchRenamed Somchai"
    ])
  })

  it("finds an event by operator, type and subject, names and ids in any case", () => {
    const { members, sets } = projected(auditProjection, by(somchai, renamed))
    assert.deepStrictEqual(sets, [
      auditSets.all.set,
      auditSets.byKind("BranchRenamed").set,
      auditSets.byOperator("SOMCHAI").set,
      auditSets.bySubject("B-1").set
    ])
    for (const set of sets) assert.lengthOf(Object.keys(members(auditSets.all)), 1, set)
  })

  it("lists old events under the interface, and old disclosures under their person", () => {
    assert.strictEqual(operatorOf(by(api, renamed)), "api")
    assert.strictEqual(operatorOf(by(api, reveal(null, null))), "somying")
    assert.strictEqual(operatorOf(by(somchai, reveal(null, null))), "Somchai")
  })

  it("names what an event is about", () => {
    const callback = recorded(streamOf.callback("j-1"), callbacks, {
      _tag: "CallbackRedeliveryRequested",
      jobId: "j-1",
      branchId: "b-1",
      host: "shop.example",
      at,
      nextAttemptAt: at
    }, at)
    const erasure = recorded(streamOf.erasure("d-1"), erasures, {
      _tag: "PersonalDataForgotten",
      slipDigest: "d-1",
      jobIds: ["j-1"],
      reason: null,
      at
    }, at)
    const session = recorded(streamOf.consoleSessions(), consoleSessions, {
      _tag: "ConsoleSessionEnded",
      sessionId: "s-1",
      expiresAt: at,
      at
    }, at)
    const sessions = recorded(streamOf.consoleSessions(), consoleSessions, {
      _tag: "ConsoleSessionsEnded",
      epoch: 1,
      at
    }, at)
    const expected: ReadonlyArray<readonly [RecordedEvent, object | undefined]> = [
      [renamed, { kind: "branch", id: "b-1" }],
      [callback, { kind: "job", id: "j-1" }],
      [erasure, { kind: "slip", id: "d-1" }],
      [reveal({ kind: "slip", id: "d-1" }, null), { kind: "slip", id: "d-1" }],
      [reveal(null, "b-1"), { kind: "branch", id: "b-1" }],
      [reveal(null, null), undefined],
      [session, { kind: "session", id: "s-1" }],
      [sessions, undefined],
      [unknown("operators", "OperatorAdded", { name: "Somchai", operatorId: "o-1" }), {
        kind: "operator",
        id: "Somchai"
      }],
      [unknown("refusal-1", "OperatorRefused", { operation: "banService" }), { kind: "operation", id: "banService" }],
      [unknown("session-s-1", "OperatorSignedIn", {}), { kind: "session", id: "s-1" }]
    ]
    for (const [event, subject] of expected) assert.deepStrictEqual(subjectOf(event), subject, event.type)
    const { members } = projected(auditProjection, by(api, erasure), by(api, callback))
    assert.lengthOf(Object.keys(members(auditSets.bySubject("j-1"))), 2)
  })

  it("has event types of later versions by themselves", () => {
    const { members } = projected(auditProjection, by(somchai, unknown("operators", "OperatorPromoted", { name: "x" })))
    assert.lengthOf(Object.keys(members(auditSets.byKind("OperatorPromoted"))), 1)
  })
})

const pick = <A>(random: Random, from: readonly [A, ...ReadonlyArray<A>]): A =>
  from[Math.floor(random() * from.length)] ?? from[0]

const operators = ["Somchai", "somying", "os:ops user"] as const
const types = ["BranchRenamed", "QuotaSet", "IpWhitelistSet"] as const
const subjects = ["b-1", "b-2", "b-3"] as const
const start = Date.parse(at)

/** Appends random acts of operators among other events, and projects them. */
const givenActs = Effect.fnUntraced(function* (seed: number, count: number) {
  const random = numbersFrom(seed)
  const store = yield* EventStore
  const revisions = new Map<string, number>()
  for (let index = 0; index < count; index++) {
    const stream = `branch-${pick(random, subjects)}`
    const revision = revisions.get(stream) ?? -1
    revisions.set(stream, revision + 1)
    const event = someEvent(`event-${seed}-${index}`, pick(random, types), { name: "x" })
    const actor: Actor = random() < 0.2
      ? { kind: "branch", id: "b-1" }
      : { kind: "admin", id: "api", operator: pick(random, operators) }
    // Several events have the same time.
    const time = isoTime(start + Math.floor(random() * count / 2))
    yield* store.append(stream, revision === -1 ? "no-stream" : revision, [
      { ...event, metadata: { ...event.metadata, at: time, actor } }
    ])
  }
  const events = yield* store.readAll({ after: beginning, limit: count })
  const writes = events.filter(({ stream }) => handlesStream(auditProjection, stream)).flatMap(auditProjection.when)
  const head = yield* store.head
  const models = yield* ReadModels
  // Twice: the second time changes nothing.
  for (const upTo of [head, head]) {
    const after = yield* models.checkpoint(modelName(auditModel))
    yield* models.apply(modelName(auditModel), { after, upTo, writes })
  }
  return { events, random }
})

const matches = (filter: AuditFilter) => (event: RecordedEvent): boolean => {
  const { metadata: { actor, at: time }, stream, type } = event
  const millis = Date.parse(time)
  return actor.kind === "admin"
    && (filter.operator === undefined || actor.operator?.toLowerCase() === filter.operator.toLowerCase())
    && (filter.kind === undefined || type === filter.kind)
    && (filter.subject === undefined || stream === `branch-${filter.subject.toLowerCase()}`)
    && millis >= (filter.from ?? -Infinity) && millis <= (filter.to ?? Infinity)
}

describe("the list of what operators did", () => {
  test("is that of a naive filter over the log, for all filters, orders and sizes of pages", function* () {
    const { events, random } = yield* givenActs(7, 160)
    const options = <A>(values: ReadonlyArray<A>) => [undefined, ...values] as const
    for (let round = 0; round < 60; round++) {
      const filter: AuditFilter = {
        operator: pick(random, options([...operators, "SOMCHAI", "stranger"])),
        kind: pick(random, options([...types, "Nothing"])),
        subject: pick(random, options(["B-1", "b-2", "none"])),
        from: pick(random, options([start + 20])),
        to: pick(random, options([start + 60]))
      }
      const order = pick(random, ["oldest", "newest", undefined] as const)
      const limit = pick(random, [1, 7, 500])
      const found: Array<string> = []
      let cursor: string | undefined
      do {
        const page = yield* listAudit({ ...filter, order, limit, cursor })
        assert.isAtMost(page.items.length, limit)
        found.push(...page.items.map(({ event }) => event.id))
        cursor = page.nextCursor ?? undefined
      } while (cursor !== undefined)
      const inOrder = [...events].filter(matches(filter)).sort((one, other) =>
        Date.parse(one.metadata.at) - Date.parse(other.metadata.at)
        || Number(one.position.commit - other.position.commit)
      ).map(({ id }) => id)
      assert.deepStrictEqual(found, order === "oldest" ? inOrder : inOrder.reverse(), JSON.stringify(filter))
    }
  })

  test("reads a bounded number of entries for a page, however few match", function* () {
    const [operator] = operators
    const models = yield* ReadModels
    yield* (yield* EventStore).append("branch-b-1", "no-stream", [someEvent("first", "BranchRenamed")])
    const count = MOST_EXAMINED + 500
    const writes = Array.from({ length: count }, (_, index) =>
      auditProjection.when(by({ ...api, operator }, {
        ...renamed,
        // Only the oldest entry is of the type.
        type: index === 0 ? "BranchRenamed" : "QuotaSet",
        revision: index,
        position: { commit: BigInt(index + 1), prepare: BigInt(index + 1) },
        metadata: { ...renamed.metadata, at: isoTime(start + index) }
      }))).flat()
    const after = yield* models.checkpoint(modelName(auditModel))
    yield* models.apply(modelName(auditModel), { after, upTo: yield* (yield* EventStore).head, writes })
    let read = 0
    const counting = ReadModels.of({
      ...models,
      members: (...query) => Effect.tap(models.members(...query), ({ length }) => Effect.sync(() => read += length))
    })
    const filter = { operator, kind: "BranchRenamed", subject: undefined, from: undefined, to: undefined }
    const page = (more: object) =>
      Effect.provideService(auditPage({ ...filter, limit: 50, ...more }), ReadModels, counting)
    const first = yield* page({})
    assert.deepStrictEqual(first.items, [])
    assert.isAtMost(read, MOST_EXAMINED * 1.1)
    const second = yield* page({ cursor: first.nextCursor })
    assert.deepStrictEqual([second.items.length, second.nextCursor], [1, null])
    read = 0
    yield* page({ kind: undefined })
    assert.strictEqual(read, 51)
  })
})
