import { assert, describe, it } from "../support/it.ts"
import { Effect, Fiber } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { newSlip } from "../support/client.ts"
import { sliptrail } from "../support/command.ts"
import { spawnService } from "../support/service.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"

describe("the command line and a service on the same data folder", () => {
  it.live("provisions before the start; while the service runs, only read-only commands work", function* () {
    const folder = yield* temporaryFolder
    const dataDir = join(folder, "data")
    const run = (...args: ReadonlyArray<string>) => sliptrail(args, { cwd: folder, env: { DATA_DIR: dataDir } })

    const created = yield* run("service", "create", "--name", "Shop", "--json")
    assert.strictEqual(created.code, 0, created.stderr)
    const { id, mainBranch } = JSON.parse(created.stdout)

    const service = yield* spawnService(dataDir)
    // A folder with events gets no demo service.
    assert.notInclude(service.output().stdout, "demo")
    const slip = newSlip()
    const verified = yield* service.verify(mainBranch.apiKey, slip.payload)
    assert.strictEqual(verified.status, 200, verified.text)

    const [refused, list, trail, doctor] = yield* Effect.all([
      run("service", "ban", id),
      run("service", "list", "--json"),
      run("trail", "show", "--verification", verified.data.verificationId),
      run("doctor")
    ], { concurrency: 2 })
    assert.deepStrictEqual({ code: refused.code, stdout: refused.stdout }, { code: 2, stdout: "" })
    assert.match(refused.stderr, /^sliptrail: .* is in use by a running SlipTrail.*\n$/u)
    assert.deepInclude(JSON.parse(list.stdout)[0], { id, isBanned: false })
    assert.strictEqual(trail.code, 0, trail.stderr)
    assert.match(trail.stdout, /verified for the first time/u)
    assert.strictEqual(doctor.code, 0, doctor.stdout)
    assert.match(doctor.stdout, /^ok +data folder .*open in a running service$/mu)

    assert.strictEqual((yield* service.verify(mainBranch.apiKey, newSlip().payload)).status, 200)
    assert.strictEqual(yield* service.stop("SIGTERM"), 0)
    const banned = yield* run("service", "ban", id, "--json")
    assert.deepInclude(JSON.parse(banned.stdout), { id, isBanned: true })
  })

  it.live("answers requests in flight after SIGTERM, and exits with 0 within 10 seconds", function* () {
    const service = yield* spawnService(join(yield* temporaryFolder, "data"))
    const { mainBranch } = yield* service.createService()
    const slow = yield* Effect.forkChild(service.verify(mainBranch.apiKey, newSlip({ outcome: "slow" }).payload))
    // These answers show that the service has received the slow request, which was sent before.
    yield* service.call("GET", "/health/live")
    yield* service.call("GET", "/health/live")
    assert.isUndefined(slow.pollUnsafe())

    const code = yield* Effect.timeout(service.stop("SIGTERM"), "10 seconds")
    assert.strictEqual((yield* Fiber.join(slow)).status, 200)
    assert.strictEqual(code, 0)
  })
})

describe("the command line as a process", () => {
  it.live("reports the origin of each setting, and only the presence of a secret", function* () {
    const cwd = yield* temporaryFolder
    writeFileSync(join(cwd, ".env"), "ADMIN_TOKEN=never-show-this-secret\nLOG_LEVEL=debug\nPORTT=1\nPORT=1\n")
    const { code, stdout } = yield* sliptrail(["doctor", "--json"], { cwd, env: { PORT: "4242", HOST: "" } })
    assert.strictEqual(code, 0, stdout)
    assert.notInclude(stdout, "never-show")
    const report = JSON.parse(stdout)
    const originOf = (name: string) => {
      const { from, value } = report.settings.find((setting: { readonly name: string }) => setting.name === name)
      return `${value} from ${from}`
    }
    assert.strictEqual(originOf("ADMIN_TOKEN"), "set from .env")
    assert.strictEqual(originOf("LOG_LEVEL"), "debug from .env")
    assert.strictEqual(originOf("PORT"), "4242 from environment")
    assert.strictEqual(originOf("HOST"), "127.0.0.1 from default")
    assert.strictEqual(originOf("MASTER_KEY"), "not set from default")
    assert.include(JSON.stringify(report.findings), ".env sets PORTT, which is not a setting")
  })

  it.live("keeps its exit code when its output is not read", function* () {
    const cwd = yield* temporaryFolder
    for (const [args, code] of [["--help", 0], ["egress check http://127.0.0.1", 1], ["egress chek", 2]] as const) {
      const ended = yield* sliptrail(args.split(" "), { cwd, reads: false })
      assert.deepStrictEqual(ended, { code, stdout: "", stderr: "" })
    }
  })

  it.live("exits with 0 for success, 1 for a negative answer, 2 for wrong usage", function* () {
    const cwd = yield* temporaryFolder
    const [help, no, wrong] = yield* Effect.all([
      sliptrail(["--help"], { cwd }),
      sliptrail(["egress", "check", "http://127.0.0.1"], { cwd }),
      sliptrail(["egress", "chek"], { cwd })
    ], { concurrency: 2 })
    assert.deepInclude(help, { code: 0, stderr: "" })
    assert.deepStrictEqual({ code: no.code, stdout: no.stdout, lines: no.stderr.split("\n").length }, {
      code: 1,
      stdout: "",
      lines: 2
    })
    assert.deepStrictEqual({ code: wrong.code, stdout: wrong.stdout, lines: wrong.stderr.split("\n").length }, {
      code: 2,
      stdout: "",
      lines: 2
    })
  })
})
