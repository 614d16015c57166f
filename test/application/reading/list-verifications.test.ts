import { assert, describe, it } from "../../support/it.ts"
import { Effect, Schema } from "effect"
import { listVerifications, type VerificationsQuery } from "../../../application/reading/list-verifications.ts"
import { remarkDigest, tailDigest } from "../../../application/sealing/sealed-data.ts"
import { ReadModels, type Write } from "../../../ports/read-models.ts"
import { modelName } from "../../../projections/engine/model-name.ts"
import { MOST_EXAMINED } from "../../../projections/engine/page.ts"
import { operatorIndexModel, operatorSets } from "../../../projections/models/operator-index.ts"
import { verificationClasses, verificationSets, verificationsModel } from "../../../projections/models/verifications.ts"
import { runs } from "../../support/runs.ts"
import { endOf, Filters, idOf, naive, refOf, serviceId, Spec, timeOf, written } from "./given-verifications.ts"
import { countedReads, turnsDuring } from "../given-models.ts"
import { layerPorts } from "../../support/ports.ts"

const test = it.effect.with(layerPorts)

const queryOf = (branchId: string, { end, from, hasBank, slip, to, ...filters }: Filters): VerificationsQuery => ({
  branchId,
  serviceId,
  ...filters,
  from: from === undefined ? undefined : timeOf(from),
  to: to === undefined ? undefined : timeOf(to),
  referenceEnd: end === undefined ? undefined : endOf(end).toLowerCase(),
  reference: slip === undefined ? undefined : { reference: refOf(slip), sendingBank: hasBank ? "004" : undefined }
})

/** The items of all pages. */
const allPages = Effect.fnUntraced(function* (query: VerificationsQuery) {
  const items: Array<unknown> = []
  let cursor: string | undefined
  do {
    const page = yield* listVerifications({ ...query, cursor })
    assert.isAtMost(page.items.length, query.limit)
    items.push(...page.items)
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  return items
})

describe("the list of verifications", () => {
  it.effect.prop(
    "equals a naive filter for any filters together, in both orders and in pages of any size",
    [Schema.Array(Spec).check(Schema.isMaxLength(30)), Schema.Array(Filters).check(Schema.isMaxLength(10))],
    ([specs, queries]) =>
      Effect.gen(function* () {
        const all = yield* written(specs)
        for (const filters of queries) {
          for (const branchId of ["silom", "asoke"]) {
            const items = yield* allPages(queryOf(branchId, filters))
            assert.deepStrictEqual(items, naive(all, branchId, filters), JSON.stringify(filters))
          }
        }
      }).pipe(Effect.provide(layerPorts())),
    { arbitrary: { runs: runs(40) } }
  )

  test("finds a remark in its own branch only", function* () {
    assert.notStrictEqual(yield* remarkDigest("silom", "Order 1"), yield* remarkDigest("asoke", "Order 1"))
    assert.strictEqual(yield* remarkDigest("silom", "Order 1"), yield* remarkDigest("silom", "  ORDER\t1 "))
    assert.isUndefined(yield* remarkDigest("silom", undefined))
  })

  test("reads the same for an end of a reference, however many slips of other branches have it", function* () {
    yield* written([])
    const models = yield* ReadModels
    const reads: Array<string> = []
    const counted = ReadModels.of({
      ...models,
      members: (...args) => {
        reads.push(`${args[1]} ${args[2]?.limit}`)
        return Effect.tap(models.members(...args), ({ length }) => Effect.sync(() => reads.push(`${length}`)))
      }
    })
    const query = { branchId: "silom", serviceId, limit: 10, referenceEnd: endOf(0) }
    const list = Effect.gen(function* () {
      reads.length = 0
      const page = yield* Effect.provideService(listVerifications(query), ReadModels, counted)
      return { page, reads: [...reads] }
    })
    const add = Effect.fnUntraced(function* (tails: ReadonlyArray<string>) {
      const model = modelName(operatorIndexModel)
      const after = yield* models.checkpoint(model)
      const upTo = { commit: after.commit + 1n, prepare: after.prepare + 1n }
      yield* models.apply(model, { after, upTo, writes: tails.map((tail) => operatorSets.tails.add(tail, 0)) })
    })
    const slipsOf = (prefix: string) => Array.from({ length: 100 }, (_, index) => `${prefix} slip${index}`)
    // Any other end of a reference that follows.
    yield* add(slipsOf("ffffffffffffffff asoke"))
    const before = yield* list
    const digest = (yield* tailDigest(endOf(0))).slice(0, 16)
    yield* add([...slipsOf(`${digest} asoke`), ...slipsOf(`${digest} thonglor`)])
    const after = yield* list
    assert.deepStrictEqual(after.page, { items: [], nextCursor: null })
    assert.deepStrictEqual(after, before)
  })

  test("reads the same for a page of few and of many verifications, and not more with a filter", function* () {
    const models = yield* ReadModels
    const { counted, reads } = yield* countedReads
    const list = Effect.fnUntraced(function* (more: Partial<VerificationsQuery>) {
      reads.count = 0
      const query = { branchId: "silom", serviceId, limit: 10, order: "newest", ...more } as const
      return { ...(yield* listVerifications(query)), read: reads.count }
    }, Effect.provideService(ReadModels, counted))

    let count = 0
    const fillTo = Effect.fnUntraced(function* (wanted: number) {
      const writes: Array<Write> = []
      for (; count < wanted; count++) {
        writes.push(verificationSets.ofClass("silom", "SLIP_PENDING").add(`${idOf(count)} SLIP_PENDING - - -`, count))
      }
      const model = modelName(verificationsModel)
      const upTo = { commit: BigInt(count), prepare: BigInt(count) }
      yield* models.apply(model, { after: yield* models.checkpoint(model), upTo, writes })
    })
    yield* fillTo(100)
    const few = yield* list({})
    yield* fillTo(3 * MOST_EXAMINED)
    const many = yield* list({})
    assert.strictEqual(many.read, few.read)
    assert.lengthOf(many.items, 10)

    const none = yield* list({ remark: "order 42" })
    assert.deepStrictEqual(none.items, [])
    assert.isNotNull(none.nextCursor)
    assert.isAtMost(none.read, MOST_EXAMINED + 200 + 2 * verificationClasses.length)
    let pages = 1
    for (let cursor: string | null = none.nextCursor; cursor !== null; pages++) {
      ;({ nextCursor: cursor } = yield* list({ remark: "order 42", cursor }))
    }
    assert.strictEqual(pages, 3)
  })

  test("lets other requests run between the items of a long page", function* () {
    const models = yield* ReadModels
    const writes = Array.from(
      { length: 200 },
      (_, index) => verificationSets.ofClass("silom", "SLIP_PENDING").add(`${idOf(index)} SLIP_PENDING - - -`, index)
    )
    const model = modelName(verificationsModel)
    const upTo = { commit: 1n, prepare: 1n }
    yield* models.apply(model, { after: yield* models.checkpoint(model), upTo, writes })
    const turns = yield* turnsDuring(listVerifications({ branchId: "silom", serviceId, limit: 200 }))
    assert.isAtLeast(turns, 20)
  })
})
