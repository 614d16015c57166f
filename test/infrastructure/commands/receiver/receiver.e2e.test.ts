import { assert, describe, it } from "../../../support/it.ts"
import { ConfigProvider, Effect } from "effect"
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Egress } from "../../../../ports/egress.ts"
import { layerEgressOf } from "../../../../infrastructure/runtime/external-layers.ts"
import { readSettings } from "../../../../infrastructure/platform/settings/settings.ts"
import { eventually } from "../../../support/eventually.ts"
import type { Env } from "../../../support/service.ts"
import {
  exampleBody,
  exampleJobId,
  exampleSecrets,
  type SignedCallback,
  signedCallback
} from "../../../support/signed-callback.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"
import { run } from "../../../support/in-process.ts"
import { type GivenReceiver, startReceiver } from "./given-receiver.ts"

const { newest, previous, unrelated } = exampleSecrets

/** Sends a callback as the service does, with the egress settings that the receiver printed. */
const send = (url: string, env: Env, { body, headers }: SignedCallback) =>
  Effect.gen(function* () {
    const settings = yield* readSettings.parse(ConfigProvider.fromEnvRecord(env))
    const answer = yield* Egress.use((egress) =>
      egress.request({
        branchId: "branch-1",
        url,
        method: "POST",
        headers,
        body,
        schemes: ["https"],
        maxRedirects: 0,
        maxBytes: 1_024,
        overflow: "truncate",
        timeoutMillis: 20_000
      })
    ).pipe(Effect.provide(layerEgressOf(settings)))
    return answer.status
  })

const callback = (options?: Parameters<typeof signedCallback>[0]) => Effect.promise(() => signedCallback(options))

/** The complete lines of its output. The answer to a callback may arrive before its line. */
const lines = (text: string): ReadonlyArray<string> => text.split("\n").slice(0, -1).filter((line) => line !== "")

const printed = (receiver: GivenReceiver, count: number) =>
  eventually(Effect.sync(() => lines(receiver.stdout())), (all) => all.length >= count)

/** The settings and the URL in the receiver's output. */
const printedSettings = (text: string) => {
  const pairs = Array.from(text.matchAll(/(EGRESS_\w+)=(\S+)/gu), ([, name = "", value = ""]) => [name, value])
  const env: Env = Object.fromEntries(pairs)
  return { env, url: /https:\S+/u.exec(text)?.[0] ?? "" }
}

describe("sliptrail receiver", () => {
  it.live("receives callbacks with the printed settings, prints them and stops without an error", function* () {
    const folder = yield* temporaryFolder
    const secrets = join(folder, "secrets")
    writeFileSync(secrets, `${previous}\n`)
    const receiver = yield* startReceiver(folder, ["--secret", newest, "--secret-file", secrets, "--fail-first", "1"])
    const { env, url } = printedSettings(receiver.stdout())
    const before = lines(receiver.stdout()).length
    assert.include(receiver.stdout(), "Signatures are checked with 2 secrets")

    assert.strictEqual(yield* send(url, env, yield* callback()), 503)
    assert.strictEqual(yield* send(`${url}any/path?at=all`, env, yield* callback({ secrets: [previous] })), 200)
    assert.strictEqual(yield* send(url, env, yield* callback({ secrets: [unrelated] })), 401)

    const arrived = (yield* printed(receiver, before + 3)).slice(before)
    assert.deepStrictEqual(arrived.map((line) => line.replace(/^\S+/u, "TIME").replaceAll(/\s+/gu, " ")), [
      `TIME ${exampleJobId} not_found seen 1 time signature ok answered 503`,
      `TIME ${exampleJobId} not_found seen 2 times signature ok answered 200`,
      `TIME ${exampleJobId} not_found seen 3 times signature WRONG (wrong-signature) answered 401`
    ])
    for (const line of arrived) assert.match(line, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ {2}/u)
    assert.strictEqual(yield* receiver.stop("SIGINT"), 0)
    assert.strictEqual(receiver.stderr(), "")
  })

  it.live("prints one JSON document per line, and answers with the chosen status", function* () {
    const folder = yield* temporaryFolder
    const receiver = yield* startReceiver(folder, ["--json", "--answer", "418"])
    const { callbackUrl, settings } = JSON.parse(receiver.stdout())
    assert.strictEqual(settings.EGRESS_CA_FILE, join(folder, "ca.pem"))

    assert.strictEqual(yield* send(callbackUrl, settings, yield* callback()), 418)
    const noJson = yield* callback({ body: "neither \u001b[2J nor JSON" })
    assert.strictEqual(yield* send(callbackUrl, settings, noJson), 418)

    const [, first = "", second = ""] = yield* printed(receiver, 3)
    const { at, ...arrival } = JSON.parse(first)
    assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u)
    assert.deepStrictEqual(arrival, {
      jobId: exampleJobId,
      status: "not_found",
      seen: 1,
      signature: "not-checked",
      answered: 418,
      body: JSON.parse(exampleBody())
    })
    assert.deepInclude(JSON.parse(second), { jobId: null, status: null, body: "neither \u001b[2J nor JSON" })
    assert.strictEqual(yield* receiver.stop("SIGTERM"), 0)
  })

  it.live("reuses its certificate after a restart", function* () {
    const folder = join(yield* temporaryFolder, "receiver")
    const first = yield* startReceiver(folder)
    const { env } = printedSettings(first.stdout())
    const authority = readFileSync(join(folder, "ca.pem"), "utf8")
    assert.notInclude(authority, "PRIVATE KEY")
    assert.strictEqual(statSync(join(folder, "identity.pem")).mode & 0o777, 0o600)
    yield* first.stop("SIGTERM")

    const second = yield* startReceiver(folder)
    assert.strictEqual(readFileSync(join(folder, "ca.pem"), "utf8"), authority)
    assert.strictEqual(yield* send(printedSettings(second.stdout()).url, env, yield* callback()), 200)
  })

  it.live.each(
    [
      [["--port", "65536"], "--port: Expected 0 to 65535, got 65536"],
      [["--answer", "101"], "--answer: Expected 200 to 599, got 101"],
      [["--fail-first", "-1"], "--fail-first: Expected 0 or more, got -1"],
      [["--secret", "hunter2"], "--secret: Expected whsec_ followed by base64"]
    ] as const
  )("rejects invalid options: %j", function* ([args, message]) {
    const { code, stderr, stdout } = yield* run(["receiver", ...args])
    assert.deepStrictEqual({ code, stdout, stderr }, { code: 2, stdout: "", stderr: `sliptrail: ${message}` })
  })

  it.live("reports that its port is in use", function* () {
    const folder = yield* temporaryFolder
    const { port } = new URL(printedSettings((yield* startReceiver(folder)).stdout()).url)
    const { code, stderr } = yield* run(["receiver", "--port", port, "--folder", folder])
    assert.strictEqual(code, 2)
    assert.match(stderr, /^sliptrail: [^\n]*(EADDRINUSE|in use)[^\n]*$/u)
  })
})
