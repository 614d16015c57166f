import { assert, describe, it } from "../support/it.ts"
import { Effect } from "effect"
import { join } from "node:path"
import { givenLog } from "../infrastructure/commands/cli/given-log.ts"
import type { Client } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { spawnService } from "../support/service.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"
import { assertFailure } from "./assert-answer.ts"
import { openExport } from "./open-export.ts"

/** More than what sockets hold, so an export that is not read waits. */
const LARGE = 50_000

/** The number of recorded exports, once the read model has caught up with the log. */
const recordsIn = (client: Client) =>
  Effect.map(
    eventually(
      client.admin<{ readonly items: ReadonlyArray<object> }>("GET", "/audit?kind=TrailExported"),
      ({ status }) => status === 200
    ),
    ({ data }) => data.items.length
  )

describe("a long export over the admin API", () => {
  it.live("takes one of two places until its reader is gone, and its record stays", function* () {
    const folder = join(yield* temporaryFolder, "data")
    yield* givenLog(folder, LARGE, 600)
    const client = yield* spawnService(folder)
    const [first] = [yield* openExport(client), yield* openExport(client)]
    const third = yield* client.admin("GET", "/trail/export")
    assertFailure(
      third,
      429,
      "RATE_LIMIT_EXCEEDED",
      "This process sends 2 exports already. Wait until one has ended"
    )
    assert.strictEqual(third.headers.get("retry-after"), "10")
    // Requests go on meanwhile.
    assert.strictEqual((yield* client.call("GET", "/v2/health")).status, 200)
    assert.strictEqual(yield* recordsIn(client), 2)

    first.request.destroy()
    const after = `after=${LARGE - 3}/${LARGE - 3}`
    const { text } = yield* eventually(client.admin("GET", `/trail/export?${after}`), ({ status }) => status === 200)
    assert.isAbove(text.split("\n").length, 3)
    assert.strictEqual(yield* recordsIn(client), 3)
    assert.strictEqual(yield* client.stop("SIGTERM"), 0)
  })

  it.live("breaks off without a last chunk when the process is ended, so no part looks like the whole", function* () {
    const folder = join(yield* temporaryFolder, "data")
    yield* givenLog(folder, LARGE, 600)
    const client = yield* spawnService(folder)
    const { response } = yield* openExport(client)
    yield* client.stop("SIGKILL")
    const ended = yield* Effect.promise(() =>
      new Promise<boolean>((resolve) => {
        response.on("close", () => resolve(response.complete))
        response.resume()
      })
    )
    assert.isFalse(ended)
  })
})
