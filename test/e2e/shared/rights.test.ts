import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { newSlip } from "../../support/client.ts"
import { run } from "../../support/in-process.ts"
import { eventually } from "../../support/eventually.ts"
import { startSharedEngines } from "../../support/shared-engines.ts"

describe("a service whose right to append is taken away", () => {
  it.live("refuses, says why once, is not started again without it, and continues when it is given back", function* () {
    const engines = yield* startSharedEngines
    const service = yield* engines.service()
    const { mainBranch: { apiKey: key } } = yield* service.createService()
    const verify = Effect.suspend(() => service.verify(key, newSlip().payload))
    yield* eventually(verify, ({ status }) => status === 200)

    yield* engines.log.denyAppends
    const refused = yield* Effect.replicateEffect(verify, 3)
    for (const { error, status } of refused) assert.deepStrictEqual([status, error?.code], [500, "API_SERVER_ERROR"])
    const said = service.output().stderr.split("\n").filter((line) => line.includes("refuses to append"))
    assert.lengthOf(said, 1)
    assert.match(said[0] ?? "", /\$userStreamAcl/u)
    const { code, stderr } = yield* run(["serve"], { ...engines.env, PORT: "0" })
    assert.notStrictEqual(code, 0)
    assert.match(stderr, /may not append/u)

    yield* engines.log.allowAppends
    yield* eventually(verify, ({ status }) => status === 200)
  })
})
