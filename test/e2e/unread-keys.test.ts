import { assert, describe, it } from "../support/it.ts"
import { Effect, Schedule } from "effect"
import { renameSync } from "node:fs"
import { join } from "node:path"
import { newSlip } from "../support/client.ts"
import { spawnService } from "../support/service.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"
import { assertFailure } from "./assert-answer.ts"

describe("a service whose file of subject keys is missing", () => {
  it.live("asks callers to try again later, and works again when the file is back", function* () {
    const dataDir = yield* temporaryFolder
    const { createService, output, verify } = yield* spawnService(dataDir)
    const { mainBranch: { apiKey } } = yield* createService()
    const [file, moved] = [join(dataDir, "subjects.key"), join(dataDir, "moved.key")]

    renameSync(file, moved)
    // The process may use the keys for another second.
    const refused = yield* Effect.repeat(Effect.suspend(() => verify(apiKey, newSlip().payload)), {
      schedule: Schedule.spaced("50 millis"),
      until: ({ status }) => status !== 200
    })
    assertFailure(refused, 500, "API_SERVER_ERROR", "External API error")
    assert.strictEqual(refused.headers.get("retry-after"), "5")
    const { stderr, stdout } = output()
    assert.include(stdout + stderr, refused.headers.get("x-request-id") ?? "no id")
    assert.include(stdout + stderr, `${file} is missing`)

    renameSync(moved, file)
    assert.strictEqual((yield* verify(apiKey, newSlip().payload)).status, 200)
  })
})
