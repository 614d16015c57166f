import { assert, describe, it, layer } from "../../support/it.ts"
import { Effect } from "effect"
import { once } from "node:events"
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import http from "node:http"
import { join } from "node:path"
import { newSlip } from "../../support/client.ts"
import { endOf, sliptrail } from "../../support/command.ts"
import { run } from "../../support/in-process.ts"
import { type Handler, listening, type RecordedRequest, recording } from "../../support/loopback-server.ts"
import { newOperator } from "../../support/operators.ts"
import { startSliptrail } from "../../support/process.ts"
import { ADMIN_TOKEN, layerRunningService, RunningService } from "../../support/service.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

const NDJSON = { "content-type": "application/x-ndjson" }

const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000"

/** A line of an export at a position. */
const lineAt = (position: number): string =>
  `${JSON.stringify({ position: `${position}/${position}`, id: "1", stream: "s", revision: 0, type: "T" })}\n`

/** A server that answers as a service would, and an empty folder for files. */
const givenServer = Effect.fnUntraced(function* (handler: Handler) {
  const requests: Array<RecordedRequest> = []
  const port = yield* listening(http.createServer(recording(requests, handler)), "127.0.0.1")
  const cwd = yield* temporaryFolder
  return {
    cwd,
    out: join(cwd, "log.ndjson"),
    requests,
    env: { SLIPTRAIL_URL: `http://127.0.0.1:${port}`, SLIPTRAIL_TOKEN: "a-token-of-a-test" }
  }
})

const givenSlip = Effect.gen(function* () {
  const { baseUrl, createService, dataDir, verify } = yield* RunningService
  const { mainBranch } = yield* createService()
  const slip = newSlip()
  const { data: { verificationId } } = yield* verify(mainBranch.apiKey, { payload: slip.payload, remark: "โต๊ะ 7" })
  return {
    branchId: mainBranch.id,
    slip: `${slip.sendingBank}:${slip.transRef}`,
    verificationId,
    local: { DATA_DIR: dataDir },
    remote: { SLIPTRAIL_URL: baseUrl, SLIPTRAIL_TOKEN: ADMIN_TOKEN }
  }
})

const service = layerRunningService({ CHECKPOINT_INTERVAL: "1 hour" })

layer.live(service)("a file of a running service", (it) => {
  it.effect("has the bytes that the command writes from the data folder", function* () {
    const { branchId, local, remote, slip, verificationId } = yield* givenSlip
    const folder = yield* temporaryFolder
    const [here, there] = [join(folder, "here"), join(folder, "there")]
    for (
      const flags of [
        [],
        ["--format", "csv", "--bom"],
        ["--masked"],
        ["--from", "2020-01-01", "--to", "2999-12-31", "--after", "3/3"],
        ["--slip", slip],
        ["--verification", verificationId, "--format", "csv"],
        ["--branch", branchId.toUpperCase(), "--format", "csv"]
      ]
    ) {
      const received = yield* run(["trail", "export", ...flags, "--out", there], remote)
      assert.strictEqual(received.code, 0, received.stderr)
      assert.match(received.stderr, /^\d+ events, up to position \d+\/\d+ of the log$/u)
      // The service has the log open, so this export is not recorded, and the log is the same.
      const written = yield* run(["trail", "export", ...flags, "--out", here], local)
      assert.strictEqual(written.code, 0, written.stderr)
      assert.deepStrictEqual(readFileSync(there), readFileSync(here), flags.join(" "))
      assert.strictEqual(received.stderr.split(" ", 1)[0], written.stderr.split("\n").at(-1)?.split(" ", 1)[0])
      assert.strictEqual(statSync(there).mode & 0o777, 0o600)
      for (const file of [here, there]) rmSync(file)
    }
    const none = yield* run(["trail", "export", "--from", "2999-01-01", "--format", "csv", "--out", there], remote)
    assert.deepStrictEqual([none.code, none.stderr], [0, "0 events"])
    assert.deepStrictEqual(readdirSync(folder), ["there"])
  })

  it.effect("goes to standard output without --out and with -, which makes no file of that name", function* () {
    const { local, remote, slip } = yield* givenSlip
    for (const env of [remote, local]) {
      const cwd = yield* temporaryFolder
      const command = ["trail", "export", "--slip", slip]
      yield* run([...command, "--out", join(cwd, "file")], env)
      for (const flags of [[], ["--out", "-"]]) {
        const { code, stderr, stdout } = yield* sliptrail([...command, ...flags], { cwd, env })
        assert.strictEqual(code, 0, stderr)
        assert.isTrue(stdout.startsWith(readFileSync(join(cwd, "file"), "utf8")), flags.join(" "))
      }
      assert.deepStrictEqual(readdirSync(cwd), ["file"])
      const closed = yield* sliptrail(command, { cwd, env, reads: false })
      assert.strictEqual(closed.code, 0)
      for (const wrong of [["backup"], ["sandbox", "slip"]]) {
        const refused = yield* sliptrail([...wrong, "--out", "-"], { cwd, env: local })
        assert.deepStrictEqual([refused.code, refused.stdout], [2, ""])
        assert.match(refused.stderr, /^sliptrail: --out: Expected .* standard output\n$/u)
      }
      assert.deepStrictEqual(readdirSync(cwd), ["file"])
    }
  })

  it.effect("is refused by the service with its own message, and nothing is written", function* () {
    const { remote, verificationId } = yield* givenSlip
    const support = yield* newOperator(yield* RunningService, "nok", "support")
    const folder = yield* temporaryFolder
    const out = join(folder, "file")
    for (
      const [code, env, args, message] of [
        [1, { ...remote, SLIPTRAIL_TOKEN: support }, ["export"], "may not do this"],
        [2, { ...remote, SLIPTRAIL_TOKEN: "slt_wrong" }, ["export"], "check SLIPTRAIL_TOKEN or --token-file"],
        [1, remote, ["export", "--slip", "004:NOTHING"], "There are no events about it"],
        [1, remote, ["prove", "--job", UNKNOWN_ID], "There are no events about it"],
        [1, remote, ["prove", "--verification", verificationId], "not signed yet. Try again later"]
      ] as const
    ) {
      const ended = yield* run(["trail", ...args, "--out", out], env)
      assert.deepStrictEqual({ args, code: ended.code, stdout: ended.stdout }, { args, code, stdout: "" })
      assert.match(ended.stderr, /^sliptrail: [^\n]+ \(request [\da-f-]{36}\)$/u)
      assert.include(ended.stderr, message)
    }
    assert.deepStrictEqual(readdirSync(folder), [])
  })
})

describe("a file that a service sends", () => {
  it.live("is not left under its name when the connection breaks off, and standard output has whole lines", function* () {
    const { cwd, env, out } = yield* givenServer((_, response) => {
      response.writeHead(200, NDJSON)
      response.write(lineAt(1) + lineAt(2))
      response.write(lineAt(3).slice(0, 9), () => response.destroy())
    })
    const file = yield* run(["trail", "export", "--out", out], env)
    assert.strictEqual(file.code, 2)
    assert.match(file.stderr, /^sliptrail: the connection to \S+ failed before the answer was complete [^\n]+$/u)
    assert.include(file.stderr, `; ${out} was not written`)
    assert.deepStrictEqual(readdirSync(cwd), [])

    const piped = yield* sliptrail(["trail", "export"], { cwd, env })
    assert.deepStrictEqual([piped.code, piped.stdout], [2, lineAt(1) + lineAt(2)])
    assert.include(piped.stderr, "2 events were written, up to position 2/2: continue with --after and that position")
  })

  it.live("is incomplete when its last line has no end", function* () {
    const { cwd, env, out } = yield* givenServer((_, response) => {
      response.writeHead(200, NDJSON)
      response.end(`${lineAt(1)}{"position"`)
    })
    const { code, stderr } = yield* run(["trail", "export", "--out", out], env)
    assert.strictEqual(code, 2)
    assert.include(stderr, "the answer ended within a line: it is incomplete")
    assert.deepStrictEqual(readdirSync(cwd), [])
  })

  it.live("is not the page of a proxy, nor other JSON", function* () {
    const { cwd, env, out } = yield* givenServer(({ url }, response) => {
      response.writeHead(200, { "content-type": url.includes("proof") ? "application/json" : "text/html" })
      response.end(url.includes("proof") ? "{}\n" : "<html>\n")
    })
    const page = yield* run(["trail", "export", "--out", out], env)
    assert.deepStrictEqual([page.code, page.stdout], [2, ""])
    assert.include(page.stderr, "got 200: <html>")
    const proof = yield* run(["trail", "prove", "--job", UNKNOWN_ID, "--out", out], env)
    assert.deepStrictEqual([proof.code, proof.stdout], [2, ""])
    assert.include(proof.stderr, "the answer of the service is not a proof")
    assert.deepStrictEqual(readdirSync(cwd), [])
  })

  it.live("replaces an empty file and no other, and asks for nothing when it cannot be written", function* () {
    const { cwd, env, out, requests } = yield* givenServer((_, response) => {
      response.writeHead(200, NDJSON)
      response.end(lineAt(1))
    })
    writeFileSync(out, "")
    assert.strictEqual((yield* run(["trail", "export", "--out", out], env)).code, 0)
    assert.strictEqual(readFileSync(out, "utf8"), lineAt(1))
    assert.lengthOf(requests, 1)
    for (
      const [file, message] of [
        [out, `${out} exists and was left unchanged: this command writes the whole of a new file`],
        [cwd, `${cwd} is not a file`],
        [join(cwd, "missing", "file"), "cannot be written: ENOENT"]
      ] as const
    ) {
      for (const command of ["export", "tree-heads"]) {
        const { code, stderr } = yield* run(["trail", command, "--out", file], env)
        assert.strictEqual(code, 2)
        assert.include(stderr, message)
      }
    }
    assert.lengthOf(requests, 1)
    assert.deepStrictEqual(readdirSync(cwd), ["log.ndjson"])
  })

  it.live("leaves nothing when the command is stopped", function* () {
    const { cwd, env, out } = yield* givenServer((_, response) => {
      response.writeHead(200, NDJSON)
      // The rest never comes.
      response.write(lineAt(1), () => process.kill(child.pid ?? 0, "SIGINT"))
    })
    const child = startSliptrail(["trail", "export", "--out", out], { cwd, env })
    const { code, stderr } = yield* Effect.promise(() => endOf(child))
    assert.strictEqual(code, 2)
    assert.include(stderr, `sliptrail: stopped: ${out} was not written`)
    assert.deepStrictEqual(readdirSync(cwd), [])
  })

  it.live("arrives whole when it is long", function* () {
    const PAGE = lineAt(1).repeat(10_000)
    const PAGES = 60
    const { cwd, env, out } = yield* givenServer((_, response) => {
      response.writeHead(200, NDJSON)
      const writeAll = async () => {
        for (let page = 0; page < PAGES; page++) if (!response.write(PAGE)) await once(response, "drain")
        response.end()
      }
      void writeAll()
    })
    const { code, stderr } = yield* sliptrail(["trail", "export", "--out", out], { cwd, env })
    assert.deepStrictEqual([code, stderr], [0, "600000 events, up to position 1/1 of the log\n"])
    assert.strictEqual(statSync(out).size, PAGES * PAGE.length)
  })
})
