import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Client, newSlip } from "../support/client.ts"
import { endOf, sliptrail } from "../support/command.ts"
import { eventually } from "../support/eventually.ts"
import { run } from "../support/in-process.ts"
import { newOperator } from "../support/operators.ts"
import { requireProgramsOf } from "../support/require-program.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"

const page = readFileSync(new URL("../../docs/proof.md", import.meta.url), "utf8")
const main = fileURLToPath(new URL("../../infrastructure/main.ts", import.meta.url))

/** The commands of "Answering a dispute with an auditor's token": of the command line, and of curl. */
const blocks = (): ReadonlyArray<string> => {
  const [, rest = ""] = page.split("\n## Answering a dispute with an auditor's token\n")
  const [section = ""] = rest.split("\n## ", 1)
  return [...section.matchAll(/```sh\n(.*?)```/gsu)].map(([, block = ""]) => block)
}

// The checks run on the files of both ways.
const [commandLine = assert.fail("the section has commands"), overHttp = assert.fail("the section has curl")] = blocks()
const checks = commandLine.split("\n").filter((line) => /check-proof|trail verify/u.test(line)).join("\n")

const runtime = "Deno" in globalThis ? `"$RUNTIME" run -A` : `"$RUNTIME"`

/** Runs the commands on a machine without data folder and settings. */
const work = (script: string, cwd: string, env: Readonly<Record<string, string>>) =>
  Effect.promise(() => {
    requireProgramsOf(script)
    const { HOME, NODE_COMPILE_CACHE, PATH } = process.env
    const local = `npx() { shift; ${runtime} "${main}" "$@"; }`
    const child = spawn("sh", ["-e", "-c", `${local}\n${script}`], {
      cwd,
      env: { HOME, NODE_COMPILE_CACHE, PATH, RUNTIME: process.execPath, ...env },
      stdio: ["ignore", "pipe", "pipe"]
    })
    return endOf(child)
  })

/** Signs often, so that a proof is there soon. */
export const signing = { CHECKPOINT_EVENTS: "5", CHECKPOINT_INTERVAL: "300 millis" }

const FILES = ["checkpoints.ndjson", "dispute.csv", "log.ndjson", "proof.json", "signing.pub"]

/** Refuses to disclose anything to the token of an operator who may only read. */
const refusesSupport = Effect.fnUntraced(function* (service: Client, slip: string, id: string) {
  const key = yield* newOperator(service, "nok", "support")
  for (
    const path of [
      `trail?slip=${slip}&reveal=true`,
      `trail/export?slip=${slip}`,
      "trail/export",
      `trail/proof?verification=${id}`
    ]
  ) {
    const { status, text } = yield* service.call("GET", `/admin/v1/${path}`, { key })
    assert.strictEqual(status, 403, path)
    assert.include(text, "ROLE_MISSING", path)
  }
  const env = { SLIPTRAIL_URL: service.baseUrl, SLIPTRAIL_TOKEN: key }
  for (
    const args of [
      ["show", "--slip", slip, "--reveal"],
      ["export", "--slip", slip],
      ["export", "--slip", slip, "--reveal"],
      ["prove", "--verification", id]
    ]
  ) {
    const { code, stderr, stdout } = yield* run(["trail", ...args], env)
    assert.deepStrictEqual({ args, code, stdout }, { args, code: 1, stdout: "" })
    assert.match(stderr, /^sliptrail: [^\n]+role[^\n]+$/u)
  }
  assert.strictEqual((yield* run(["trail", "show", "--slip", slip], env)).code, 0)
})

/**
 * Answers a dispute over a slip with the token of an auditor and the commands of the documentation alone: the machine has
 * no other credential, no settings and no data folder. Needs curl.
 */
export const answersDispute = Effect.fnUntraced(function* (service: Client) {
  const { admin, baseUrl, createService, verify } = service
  const { mainBranch } = yield* createService()
  const slip = newSlip()
  const { data: { verificationId: id } } = yield* verify(mainBranch.apiKey, { payload: slip.payload, remark: "โต๊ะ 7" })
  yield* eventually(admin("GET", `/trail/proof?verification=${id}`), ({ status }) => status === 200)
  const token = yield* newOperator(service, "ann", "auditor")
  const name = `${slip.sendingBank}:${slip.transRef}`

  const desks = [yield* temporaryFolder, yield* temporaryFolder]
  const scripts = [commandLine, `${overHttp}\n${checks}`]
  for (const [index, script] of scripts.entries()) {
    const desk = desks[index] ?? ""
    const env = { SLIPTRAIL_TOKEN: token, SLIP: name, ID: id }
    const { code, stderr, stdout } = yield* work(script.replace("https://slips.example", baseUrl), desk, env)
    assert.strictEqual(code, 0, stderr)
    assert.match(stdout, new RegExp(`Slip of bank 004 over 100\\.00 baht.*verification ${id}`, "u"))
    assert.include(stdout, "The log is complete and unchanged.")
    assert.include(index === 0 ? stdout : readFileSync(join(desk, "trail.json"), "utf8"), "โต๊ะ 7")
    assert.deepStrictEqual(readdirSync(desk).filter((file) => file !== "trail.json"), FILES)
    const dispute = readFileSync(join(desk, "dispute.csv"), "utf8")
    assert.include(dispute, id)
    assert.notInclude(dispute, slip.transRef)
  }
  const { data: { items } } = yield* eventually(
    admin<{ readonly items: ReadonlyArray<{ readonly operator: string; readonly kind: string }> }>(
      "GET",
      "/audit?operator=ann&order=oldest"
    ),
    ({ status }) => status === 200
  )
  const once = ["PersonalDataRevealed", "TrailExported", "EventsProven", "TrailExported"]
  assert.deepStrictEqual(items.map(({ kind }) => kind), [...once, ...once])

  // A changed byte is found with the same files.
  const [desk = ""] = desks
  const log = readFileSync(join(desk, "log.ndjson"), "utf8")
  writeFileSync(join(desk, "log.ndjson"), log.replace('"amount":10000', '"amount":10001'))
  const flags = ["--file", "log.ndjson", "--checkpoints", "checkpoints.ndjson", "--key", "signing.pub"]
  assert.strictEqual((yield* sliptrail(["trail", "verify", ...flags], { cwd: desk })).code, 1)

  yield* refusesSupport(service, name, id)
})
