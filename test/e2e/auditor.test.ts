import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Client, newSlip } from "../support/client.ts"
import { endOf, sliptrail } from "../support/command.ts"
import { eventually } from "../support/eventually.ts"
import { ADMIN_TOKEN, spawnService } from "../support/service.ts"
import { startSharedEngines } from "../support/shared-engines.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"

const page = readFileSync(new URL("../../docs/proof.md", import.meta.url), "utf8")
const main = fileURLToPath(new URL("../../infrastructure/main.ts", import.meta.url))

/** The commands of "Answering a dispute with an auditor's token", for another address. */
const commands = (baseUrl: string): string => {
  const [, section = ""] = page.split("\n## Answering a dispute with an auditor's token\n")
  const [, block = assert.fail("the section has commands")] = /```sh\n(.*?)```/su.exec(section) ?? []
  return block.replace("https://slips.example", baseUrl)
}

const runtime = "Deno" in globalThis ? `"$RUNTIME" run -A` : `"$RUNTIME"`

/** Runs the commands on a machine without data folder and settings. */
const work = (script: string, cwd: string, env: Readonly<Record<string, string>>) =>
  Effect.promise(() => {
    const { HOME, NODE_COMPILE_CACHE, PATH } = process.env
    const local = `npx() { shift; ${runtime} "${main}" "$@"; }`
    const child = spawn("sh", ["-e", "-c", `${local}\n${script}`], {
      cwd,
      env: { HOME, NODE_COMPILE_CACHE, PATH, RUNTIME: process.execPath, ...env },
      stdio: ["ignore", "pipe", "pipe"]
    })
    return endOf(child)
  })

const signing = { CHECKPOINT_EVENTS: "5", CHECKPOINT_INTERVAL: "300 millis" }

/** Answers a dispute over a slip with a token and the commands of the documentation alone. Needs curl. */
const answersDispute = Effect.fnUntraced(function* (service: Client) {
  const { admin, baseUrl, createService, verify } = service
  const { mainBranch } = yield* createService()
  const slip = newSlip()
  const { data: { verificationId: id } } = yield* verify(mainBranch.apiKey, slip.payload)
  yield* eventually(admin("GET", `/trail/proof?verification=${id}`), ({ status }) => status === 200)

  const desk = yield* temporaryFolder
  const env = { TOKEN: ADMIN_TOKEN, SLIP: `${slip.sendingBank}:${slip.transRef}`, ID: id }
  const { code, stderr, stdout } = yield* work(commands(baseUrl), desk, env)
  assert.strictEqual(code, 0, stderr)
  assert.match(stdout, new RegExp(`Slip of bank 004 over 100\\.00 baht.*verification ${id}`, "u"))
  assert.include(stdout, "The log is complete and unchanged.")
  const [dispute, log] = ["dispute.csv", "log.ndjson"].map((name) => readFileSync(join(desk, name), "utf8"))
  assert.include(dispute, id)
  assert.notInclude(dispute, slip.transRef)

  // A changed byte is found with the same files.
  writeFileSync(join(desk, "log.ndjson"), (log ?? "").replace('"amount":10000', '"amount":10001'))
  const flags = ["--file", "log.ndjson", "--checkpoints", "checkpoints.ndjson", "--key", "signing.pub"]
  assert.strictEqual((yield* sliptrail(["trail", "verify", ...flags], { cwd: desk })).code, 1)
})

describe("a dispute", { timeout: 120_000 }, () => {
  it.live("is answered with a token alone, from a service in another process", () =>
    Effect.gen(function* () {
      yield* answersDispute(yield* spawnService(join(yield* temporaryFolder, "data"), signing))
    }))

  it.live("is answered with a token alone, from shared stores", () =>
    Effect.gen(function* () {
      const engines = yield* startSharedEngines
      yield* answersDispute(yield* engines.service(signing))
    }))
})
