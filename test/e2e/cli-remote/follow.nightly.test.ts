import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import http from "node:http"
import { join } from "node:path"
import { endOf } from "../../support/command.ts"
import { eventually } from "../../support/eventually.ts"
import { run } from "../../support/in-process.ts"
import { type Handler, listening, recording } from "../../support/loopback-server.ts"
import { startSliptrail } from "../../support/process.ts"
import { ADMIN_TOKEN, type Env, type SpawnedService, spawnService } from "../../support/service.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

/** `trail show --follow` of a branch as a process, whose output can be read while it runs. */
const givenFollower = Effect.fnUntraced(function* (branchId: string, env: Env, flags: ReadonlyArray<string> = []) {
  const output = { stdout: "", stderr: "" }
  const child = startSliptrail(["trail", "show", "--branch", branchId, "--follow", ...flags], { env })
  child.stdout.setEncoding("utf8").on("data", (text: string) => output.stdout += text)
  child.stderr.setEncoding("utf8").on("data", (text: string) => output.stderr += text)
  const ended = endOf(child)
  const end = (signal: "SIGINT" | "SIGKILL") =>
    Effect.promise(() => {
      // Not child.kill: after it, Deno reports an end by the signal for any exit code.
      if (child.exitCode === null && child.signalCode === null) process.kill(child.pid ?? 0, signal)
      return ended
    })
  yield* Effect.addFinalizer(() => end("SIGKILL"))
  return {
    output,
    shows: (text: string) => eventually(Effect.sync(() => output.stdout), (stdout) => stdout.includes(text)),
    warns: (text: string) => eventually(Effect.sync(() => output.stderr), (stderr) => stderr.includes(text)),
    interrupt: end("SIGINT")
  }
})

const setQuota = ({ admin }: SpawnedService, branchId: string, quota: number) =>
  admin("PATCH", `/branches/${branchId}`, { quota })

describe("trail show --follow", () => {
  it.live("prints each new event once, over HTTP and from the log, and ends with Ctrl-C and exit code 0", function* () {
    const dataDir = join(yield* temporaryFolder, "data")
    const service = yield* spawnService(dataDir)
    const { mainBranch: { id } } = yield* service.createService()
    const remote = { SLIPTRAIL_URL: service.baseUrl, SLIPTRAIL_TOKEN: ADMIN_TOKEN }
    for (const [first, env] of [[10, remote], [20, { DATA_DIR: dataDir }]] as const) {
      yield* setQuota(service, id, first)
      const follower = yield* givenFollower(id, env)
      yield* follower.shows(`Quota set to ${first} per month`)
      for (const next of [first + 1, first + 2]) {
        yield* setQuota(service, id, next)
        yield* follower.shows(`Quota set to ${next} per month`)
      }
      const { code, stderr } = yield* follower.interrupt
      assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
      const lines = follower.output.stdout.trimEnd().split("\n")
      assert.match(lines[0] ?? "", /^Branch Main /u)
      assert.strictEqual(new Set(lines).size, lines.length)
    }
  })

  it.live("prints one line of JSON for each event, and waits for a service that is away", function* () {
    const dataDir = join(yield* temporaryFolder, "data")
    const service = yield* spawnService(dataDir)
    const { mainBranch: { id } } = yield* service.createService()
    const env = { SLIPTRAIL_URL: service.baseUrl, SLIPTRAIL_TOKEN: ADMIN_TOKEN }
    const follower = yield* givenFollower(id, env, ["--json"])
    yield* follower.shows("BranchCreated")
    yield* service.stop("SIGTERM")
    yield* follower.warns("trying again")
    const again = yield* spawnService(dataDir, { PORT: new URL(service.baseUrl).port })
    yield* setQuota(again, id, 9)
    yield* follower.shows(`"quota":9`)
    assert.strictEqual((yield* follower.interrupt).code, 0)
    const types = follower.output.stdout.trimEnd().split("\n").map((line) => JSON.parse(line).type)
    assert.deepStrictEqual(types.slice(-2), ["QuotaSet", "QuotaSet"])
    assert.lengthOf(follower.output.stderr.trimEnd().split("\n"), 1)
  })

  it.live("shows the message of a service that is away without the control characters in it", function* () {
    const event = {
      position: "1/1",
      stream: "branch-5b0b3f0e-7c5d-4a1b-9f2e-6d8c4a3b2c1d",
      revision: 0,
      type: "QuotaSet",
      at: "2026-11-20T02:00:00.000Z",
      data: { quota: 7 },
      actor: { kind: "admin", id: "api" },
      requestId: "2b4f3a52-5d0e-4a6e-9d59-0b6f6a3f7a11",
      clientRequestId: null
    }
    let trails = 0
    const handler: Handler = ({ url }, response) => {
      const isFirst = url.startsWith("/admin/v1/trail") && trails++ === 0
      const error = { code: "NOT_READY", message: "Not \u001b]0;pwned\u0007\u001b[2J ready" }
      response.writeHead(isFirst ? 200 : url.startsWith("/admin/v1/trail") ? 503 : 404)
      response.end(JSON.stringify(
        isFirst
          ? { success: true, data: { events: [event], state: null, truncated: false, nextCursor: null } }
          : { success: false, error }
      ))
    }
    const port = yield* listening(http.createServer(recording([], handler)), "127.0.0.1")
    const follower = yield* givenFollower("5b0b3f0e-7c5d-4a1b-9f2e-6d8c4a3b2c1d", {
      SLIPTRAIL_URL: `http://127.0.0.1:${port}`,
      SLIPTRAIL_TOKEN: ADMIN_TOKEN
    })
    yield* follower.warns("trying again")
    assert.strictEqual(follower.output.stderr, "Not \\u001b]0;pwned\\u0007\\u001b[2J ready; trying again\n")
    assert.strictEqual((yield* follower.interrupt).code, 0)
  })

  it.live("ends when its reader closes the pipe", function* () {
    const service = yield* spawnService(join(yield* temporaryFolder, "data"))
    const { mainBranch: { id } } = yield* service.createService()
    const env = { SLIPTRAIL_URL: service.baseUrl, SLIPTRAIL_TOKEN: ADMIN_TOKEN }
    const wrapper = ["sh", "-c", `"$@" | head -n 1`, "sh"]
    const child = startSliptrail(["trail", "show", "--branch", id, "--follow"], { env, wrapper })
    const ended = endOf(child)
    let quota = 1
    // A closed pipe shows at the next line.
    yield* eventually(
      Effect.as(Effect.suspend(() => setQuota(service, id, quota++)), child),
      ({ exitCode }) => exitCode !== null
    )
    const { code, stdout } = yield* Effect.promise(() => ended)
    assert.strictEqual(code, 0)
    assert.match(stdout, /^Branch Main [^\n]+\n$/u)
  })

  it.live("is refused with --reveal, and for a subject without events", function* () {
    const dataDir = join(yield* temporaryFolder, "data")
    const service = yield* spawnService(dataDir)
    const { mainBranch: { id } } = yield* service.createService()
    const env = { SLIPTRAIL_URL: service.baseUrl, SLIPTRAIL_TOKEN: ADMIN_TOKEN }
    const revealed = yield* run(["trail", "show", "--branch", id, "--follow", "--reveal"], env)
    assert.deepStrictEqual([revealed.code, revealed.stderr], [2, "sliptrail: --follow: cannot be used with --reveal"])
    const unknown = "5b0b3f0e-7c5d-4a1b-9f2e-6d8c4a3b2c1d"
    assert.strictEqual((yield* run(["trail", "show", "--job", unknown, "--follow"], env)).code, 1)
  })
})

describe("trail show --reveal over HTTP", () => {
  it.live("opens personal data, and the log records the access", function* () {
    const service = yield* spawnService(join(yield* temporaryFolder, "data"))
    const { mainBranch } = yield* service.createService()
    const body = { bankCode: "004", bankNumber: "1234567890", nameTh: "ร้านกาแฟ" }
    yield* service.call("POST", "/v2/bank-accounts", { key: mainBranch.apiKey, body })
    const env = { SLIPTRAIL_URL: service.baseUrl, SLIPTRAIL_TOKEN: ADMIN_TOKEN }
    const show = ["trail", "show", "--branch", mainBranch.id]
    assert.notInclude((yield* run([...show, "--json"], env)).stdout, "1234567890")
    assert.notInclude((yield* run(show, env)).stdout, "1234567890")
    const revealed = yield* run([...show, "--reveal", "--json"], env)
    assert.include(revealed.stdout, "1234567890")
    assert.include((yield* run(show, env)).stdout, "ADMIN_TOKEN")
  })
})
