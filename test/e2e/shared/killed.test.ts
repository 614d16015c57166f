import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { info } from "../../../application/provisioning/info.ts"
import { quotaMonth } from "../../../domain/time.ts"
import { keyPrefixOf } from "../../../infrastructure/stores/redis/keys.ts"
import { quotaNaming } from "../../../projections/models/quota.ts"
import { startLoad } from "../../support/load.ts"
import { startSharedEngines } from "../../support/shared-engines.ts"
import { assertExpectedCodes, assertModelsEqual, assertNothingLost } from "../../support/shared-log.ts"
import { eventually } from "../../support/eventually.ts"

type Info = Effect.Success<ReturnType<typeof info>>

/** A quota that is larger than the number of verifications during the kills. */
const AMPLE_QUOTA = 50_000

/** In Redis, the set of the units that a branch holds this month. */
const heldUnitsKey = (branchId: string) =>
  `${keyPrefixOf(quotaNaming.model)}:open:${quotaNaming.monthSet(branchId, quotaMonth(Date.now()))}`

describe("several processes on shared stores, under load", () => {
  it.live(
    "lose no verification, keep the quota and recover while each part in turn is killed",
    () =>
      Effect.gen(function* () {
        const engines = yield* startSharedEngines
        let first = yield* engines.service({ ROLES: "http" })
        const second = yield* engines.service({ ROLES: "http,worker,projector" })
        let projector = yield* engines.service({ ROLES: "projector" })
        const { mainBranch } = yield* second.createService({ quota: AMPLE_QUOTA })
        const load = yield* startLoad(() => [first, second], mainBranch.apiKey)

        yield* load.more(20)
        yield* first.stop("SIGKILL")
        yield* load.more(10)
        first = yield* engines.service({ ROLES: "http" })

        yield* load.more(20)
        yield* projector.stop("SIGKILL")
        yield* load.more(10)
        projector = yield* engines.service({ ROLES: "projector" })

        yield* load.more(10)
        yield* engines.log.kill
        yield* engines.log.start
        yield* load.more(20)

        yield* engines.redis.stop("SIGKILL")
        yield* engines.redis.start
        yield* load.more(20)
        yield* load.stop
        assertExpectedCodes(load.answers)

        const duringKills = yield* assertNothingLost(engines, load.answers, AMPLE_QUOTA)
        const quota = duringKills.charged + 15
        yield* first.admin("PATCH", `/branches/${mainBranch.id}`, { quota })
        // Each process reads the new quota within a second.
        for (const service of [first, second]) {
          yield* eventually(
            service.call<Info>("GET", "/v2/info", { key: mainBranch.apiKey }),
            ({ data, status }) => status === 200 && data.branch.quota.max === quota
          )
        }
        const last = yield* startLoad(() => [first, second], mainBranch.apiKey)
        yield* last.untilCode("QUOTA_EXCEEDED")
        yield* last.stop
        const { charged } = yield* assertNothingLost(engines, [...load.answers, ...last.answers], quota)
        yield* eventually(
          first.call<Info>("GET", "/v2/info", { key: mainBranch.apiKey }),
          ({ data, status }) => status === 200 && data.branch.quota.used === charged
        )
        // Units that were held during a kill are released only within the next minute.
        const held = Number(yield* engines.redis.command("ZCARD", heldUnitsKey(mainBranch.id)))
        assert.isAtLeast(charged + held, quota)
        const failed = [...load.answers, ...last.answers].filter(({ code, status }) =>
          status !== 200 && code !== "QUOTA_EXCEEDED"
        )
        assert.isAtMost(held, failed.length, "each failed request leaves at most one unit held")
        for (const service of [first, second, projector]) {
          yield* eventually(service.call("GET", "/health/ready"), ({ status }) => status === 200)
        }
        yield* assertModelsEqual(engines)
        for (const service of [first, second, projector]) assert.strictEqual(yield* service.stop("SIGTERM"), 0)
      })
  )
})
