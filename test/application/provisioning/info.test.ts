import { assert, describe, it } from "../../support/it.ts"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { EventStore } from "../../../ports/event-store.ts"
import { Quota } from "../../../ports/quota.ts"
import { ReadModels } from "../../../ports/read-models.ts"
import { Vault } from "../../../ports/vault.ts"
import { Directory, sealContact } from "../../../application/provisioning/directory.ts"
import { info } from "../../../application/provisioning/info.ts"
import { callerOf } from "../given-verifier.ts"
import { layerKeys } from "../../support/ports.ts"
import { branchView } from "../../support/views.ts"

interface Use {
  readonly quota: number | null
  readonly used: number
  readonly before?: number
}

/** The month of the units that were used before. */
const EARLIER = "2025-01"

/** The information for the first branch, with the branches of its service and their usage. */
const infoOf = Effect.fnUntraced(function* (branches: readonly [Use, ...Array<Use>]) {
  const months: Array<string> = []
  const use = (id: string) => branches[Number(id.slice("branch-".length)) - 1] ?? branches[0]
  const vault = Context.get(yield* Layer.build(layerKeys), Vault)
  const contact = yield* Effect.provideService(
    sealContact({ name: "Somchai", email: "somchai@example.com" }, callerOf().service.accountId),
    Vault,
    vault
  )
  const caller = { ...callerOf({ quota: branches[0].quota }), account: { ...callerOf().account, contact } }
  const answer = yield* info(caller).pipe(
    Effect.provideService(Vault, vault),
    Effect.provide(Layer.mergeAll(
      Layer.mock(EventStore, {}),
      Layer.mock(Quota, {
        usage: (sets) =>
          Effect.succeed(sets.map((set) => {
            const [, branchId = "", month = ""] = set.split(":")
            const { before = 0, used } = use(branchId)
            if (month === EARLIER) return before
            months.push(month)
            return used
          }))
      }),
      Layer.mock(ReadModels, {
        members: (_, set) =>
          Effect.succeed(use(set.slice("months:".length)).before === undefined ? [] : [{ member: EARLIER, score: 1 }])
      }),
      Layer.mock(Directory, {
        branchesOf: (serviceId) =>
          Effect.succeed(
            branches.map(({ quota }, index) =>
              branchView({ id: `branch-${index + 1}`, serviceId, isMain: index === 0, quota })
            )
          )
      })
    ))
  )
  return { answer, months: new Set(months) }
})

describe("the information for a caller", () => {
  it.effect("has its own quota, and the quota of all branches for the application", function* () {
    const { answer } = yield* infoOf([{ quota: 10, used: 3, before: 20 }, { quota: 5, used: 5 }, {
      quota: 1,
      used: 0
    }])
    assert.deepStrictEqual(answer, {
      application: {
        id: "service-1",
        name: "S",
        autoRenew: { expired: false, quota: false },
        quota: { used: 8, max: 16, remaining: 8, totalUsed: 28 },
        expiresAt: null
      },
      branch: {
        id: "branch-1",
        name: "B",
        isMain: true,
        isActive: true,
        quota: { used: 3, max: 10, remaining: 7, totalUsed: 23 }
      },
      account: { email: "somchai@example.com" },
      product: { name: "standard" }
    })
  })

  it.effect("is unlimited for the application when one branch is unlimited", function* () {
    const { answer } = yield* infoOf([{ quota: 10, used: 3 }, { quota: null, used: 5 }])
    assert.deepInclude(answer.application.quota, { used: 8, max: null, remaining: null })
    assert.deepInclude(answer.branch.quota, { used: 3, max: 10, remaining: 7 })
  })

  it.effect("has no remaining quota below zero, also after the quota was lowered", function* () {
    const { answer } = yield* infoOf([{ quota: 2, used: 3 }])
    assert.deepInclude(answer.branch.quota, { used: 3, max: 2, remaining: 0 })
  })

  it.effect("has the usage of the current month in Bangkok", function* () {
    yield* TestClock.setTime(Date.parse("2026-11-30T17:00:00Z"))
    assert.deepStrictEqual((yield* infoOf([{ quota: 1, used: 0 }])).months, new Set(["2026-12"]))
  })
})
