import { assert, describe, it } from "../support/it.ts"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { statSync } from "node:fs"
import { join } from "node:path"
import { newSlip } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { spawnService } from "../support/service.ts"
import { requireProgram } from "../support/require-program.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"

/** Limits the size of the files that a process writes, in bytes. Writing beyond it fails like writing to a full disk. */
const limitFiles = (pid: number, bytes: number | "unlimited") =>
  Effect.sync(() => execFileSync(requireProgram("prlimit"), ["--pid", String(pid), `--fsize=${bytes}:`]))

describe("a service whose disk is full", () => {
  it.live("is not ready and says why, keeps reading, and continues by itself when there is space", function* () {
    // The signal would end the process. A full disk sends none, and Node ignores it anyway.
    const wrapper = ["env", "--ignore-signal=XFSZ"]
    const service = yield* spawnService(yield* temporaryFolder, {}, { wrapper })
    const { call, createService, verify } = service
    const first = (yield* createService()).mainBranch.apiKey
    const second = (yield* createService()).mainBranch.apiKey
    assert.strictEqual((yield* verify(first, newSlip().payload)).status, 200)
    const ready = call("GET", "/health/ready")
    assert.strictEqual((yield* ready).status, 200)

    yield* limitFiles(service.pid, statSync(join(service.dataDir, "events.db-wal")).size)
    for (const key of [first, second]) {
      const refused = yield* verify(key, newSlip().payload)
      assert.deepStrictEqual([refused.status, refused.error?.code], [500, "API_SERVER_ERROR"])
      assert.isNotNull(refused.headers.get("retry-after"))
    }
    const unready = yield* ready
    assert.deepStrictEqual([unready.status, unready.error?.code], [503, "NOT_READY"])
    assert.include(unready.text, "event store cannot be written")
    yield* eventually(call("GET", "/metrics"), ({ text }) => /^sliptrail_ready 0$/mu.test(text))
    assert.strictEqual((yield* call("GET", "/v2/info", { key: second })).status, 200)

    yield* limitFiles(service.pid, "unlimited")
    // Nothing but the test of the service itself writes to the log here.
    yield* eventually(call("GET", "/metrics"), ({ text }) => /^sliptrail_ready 1$/mu.test(text))
    assert.strictEqual((yield* ready).status, 200)
    for (const key of [first, second]) assert.strictEqual((yield* verify(key, newSlip().payload)).status, 200)
    assert.strictEqual(yield* service.stop("SIGTERM"), 0)
  })
})
