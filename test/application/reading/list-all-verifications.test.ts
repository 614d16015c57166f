import { assert, describe, it } from "../../support/it.ts"
import { Effect, Schema } from "effect"
import {
  type AllVerificationsQuery,
  listAllVerifications,
  MOST_MERGED_BRANCHES
} from "../../../application/reading/list-all-verifications.ts"
import { ReadModels, type Write } from "../../../ports/read-models.ts"
import { type ModelId, modelName } from "../../../projections/engine/model-name.ts"
import { branchesModel, branchRows, branchSets } from "../../../projections/models/branches.ts"
import { operatorIndexModel, operatorSets } from "../../../projections/models/operator-index.ts"
import { runs } from "../../support/runs.ts"
import { countedReads } from "../given-models.ts"
import { Filters, idOf, naive, refOf, serviceId, Spec, timeOf, written } from "./given-verifications.ts"
import { layerPorts } from "../../support/ports.ts"

const test = it.effect.with(layerPorts)

/** Adds writes to a model. */
const apply = Effect.fnUntraced(function* (model: ModelId, writes: ReadonlyArray<Write>) {
  const models = yield* ReadModels
  const after = yield* models.checkpoint(modelName(model))
  const upTo = { commit: after.commit + 1n, prepare: after.prepare + 1n }
  yield* models.apply(modelName(model), { after, upTo, writes })
})

const branchesOf = (service: string, ids: ReadonlyArray<string>): ReadonlyArray<Write> =>
  ids.flatMap((id, index) => [
    branchSets.ofService(service).add(id, index),
    branchRows.set(id, {
      serviceId: service,
      name: id,
      isMain: index === 0,
      active: true,
      quota: null,
      ipWhitelist: [],
      webhookUrl: null,
      policy: null,
      createdAt: "2026-11-21T05:00:00.000Z"
    })
  ])

const queryOf = ({ from, hasBank, slip, to, ...filters }: Filters): AllVerificationsQuery => ({
  ...filters,
  from: from === undefined ? undefined : timeOf(from),
  to: to === undefined ? undefined : timeOf(to),
  reference: slip === undefined ? undefined : { reference: refOf(slip), sendingBank: hasBank ? "004" : undefined }
})

/** The items of all pages. */
const allPages = Effect.fnUntraced(function* (query: AllVerificationsQuery) {
  const ids: Array<string> = []
  let cursor: string | undefined
  do {
    const page = yield* listAllVerifications({ ...query, cursor })
    assert.isAtMost(page.items.length, query.limit)
    assert.isTrue(page.items.every((item) => !("remark" in item) && item.serviceId === serviceId))
    ids.push(...page.items.map(({ verificationId }) => verificationId))
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  return ids
})

describe("the list of verifications of all branches", () => {
  it.effect.prop(
    "equals a naive filter of all branches, of the service and of one branch, in pages of any size",
    [Schema.Array(Spec).check(Schema.isMaxLength(30)), Schema.Array(Filters).check(Schema.isMaxLength(6))],
    ([specs, queries]) =>
      Effect.gen(function* () {
        const all = yield* written(specs)
        yield* apply(branchesModel, branchesOf(serviceId, ["silom", "asoke"]))
        const scopes = [{}, { serviceId }, { branchId: "silom" }, { branchId: "asoke", serviceId }]
        for (const { end: _, ...filters } of queries) {
          for (const scope of scopes) {
            const found = yield* allPages({ ...queryOf(filters), ...scope })
            const expected = naive(all, "branchId" in scope ? scope.branchId : undefined, filters)
            assert.deepStrictEqual(found, expected.map(({ verificationId }) => verificationId), JSON.stringify(filters))
          }
        }
      }).pipe(Effect.provide(layerPorts())),
    { arbitrary: { runs: runs(25) } }
  )

  test("reads the same for 10 branches and for 10 000, also when it filters", function* () {
    const { counted, reads } = yield* countedReads
    let filled = 0
    const fillTo = Effect.fnUntraced(function* (wanted: number) {
      const writes: Array<Write> = []
      for (; filled < wanted; filled++) {
        const member = `${idOf(filled)} SLIP_PENDING - - - ${idOf(filled)}`
        writes.push(operatorSets.recent("SLIP_PENDING").add(member, filled))
      }
      yield* apply(operatorIndexModel, writes)
    })
    const list = Effect.fnUntraced(function* (more: Partial<AllVerificationsQuery>) {
      reads.count = 0
      const page = yield* listAllVerifications({ limit: 10, order: "newest", ...more })
      return { ...page, read: reads.count }
    }, Effect.provideService(ReadModels, counted))

    yield* fillTo(20)
    const few = yield* list({})
    yield* fillTo(30_000)
    const many = yield* list({})
    assert.strictEqual(many.read, few.read)
    assert.lengthOf(many.items, 10)

    const none = yield* list({ remark: "order 42" })
    assert.deepStrictEqual(none.items, [])
    assert.isNotNull(none.nextCursor)
    assert.isAtMost(none.read, 22_000)
  })

  test("lists a service with very many branches without reading a set for each", function* () {
    const own = Array.from({ length: MOST_MERGED_BRANCHES + 1 }, (_, index) => idOf(1_000 + index))
    yield* apply(branchesModel, branchesOf(serviceId, own))
    yield* apply(
      operatorIndexModel,
      [...own, "another"].map((branchId, index) =>
        operatorSets.recent("SLIP_PENDING").add(
          `${idOf(index)} SLIP_PENDING - - - ${branchId}`,
          index
        )
      )
    )
    const { counted, reads } = yield* countedReads
    const { items } = yield* listAllVerifications({ serviceId, limit: 5, order: "newest" }).pipe(
      Effect.provideService(ReadModels, counted)
    )
    assert.deepStrictEqual(items.map(({ branchId }) => branchId), own.toReversed().slice(0, 5))
    assert.isBelow(reads.count, 4 * own.length)
  })
})
