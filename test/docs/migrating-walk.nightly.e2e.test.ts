import { assert, describe, it } from "../support/it.ts"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { endOf } from "../support/command.ts"
import { requireProgram, requireProgramsOf } from "../support/require-program.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"
import { page } from "./migrating-page.ts"

const main = fileURLToPath(new URL("../../infrastructure/main.ts", import.meta.url))
const runtime = "Deno" in globalThis ? [process.execPath, "run", "-A"] : [process.execPath]

/** The blocks of shell code of the walk-through, in order. */
const walk = page.split("## Moving a shop from EasySlip\n")[1]?.split(/^### /mu)[0] ?? ""
const blocks = Array.from(
  walk.matchAll(/^ {3}```sh\n([^]*?)^ {3}```$/gmu),
  ([, block = ""]) => block.replaceAll(/^ {3}/gmu, "").trim()
)

/** A folder of programs that PATH finds first, so that the commands of the page run from the sources. */
const givenPrograms = Effect.map(temporaryFolder, (folder) => {
  const bin = join(folder, "bin")
  mkdirSync(bin)
  const program = (name: string, script: string): void => {
    writeFileSync(join(bin, name), `#!/bin/bash\n${script}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  program("npx", `[ "$1" = sliptrail ] && shift && exec ${[...runtime, main].join(" ")} "$@"`)
  program("npm", `[ "$1" = start ] && exec ${[...runtime, main].join(" ")} serve`)
  return bin
})

interface Shell {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

const bash = (block: string, { cwd, env }: Shell) => {
  requireProgramsOf(block)
  const args = ["-eu", "-o", "pipefail", "-c", block]
  return spawn(requireProgram("bash"), args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] })
}

/** Runs a block that must succeed, and returns its output. */
const run = (block: string, shell: Shell) =>
  Effect.promise(async () => {
    const { code, stderr, stdout } = await endOf(bash(block, shell))
    assert.strictEqual(code, 0, `${block}\n${stderr}`)
    return stdout
  })

/** Starts a block that does not end, and waits for a text of its output. The scope ends it. */
const start = (block: string, shell: Shell, until: RegExp) =>
  Effect.acquireRelease(
    Effect.sync(() => bash(`exec ${block}`, shell)),
    (child) =>
      Effect.promise(async () => {
        const closed = once(child, "close")
        child.kill("SIGTERM")
        await closed
      })
  ).pipe(
    Effect.flatMap((child) =>
      Effect.callback<string>((resume) => {
        let output = ""
        for (const stream of [child.stdout, child.stderr]) {
          stream.setEncoding("utf8").on("data", (text: string) => {
            output += text
            if (until.test(output)) resume(Effect.succeed(output))
          })
        }
        child.once("close", () => resume(Effect.die(new Error(`${block} ended: ${output}`))))
      })
    )
  )

describe("the walk-through of docs/migrating.md", () => {
  it.live("moves a shop with its key, with EasySlip as the gateway", function* () {
    const [mock = "", settings = "", create = "", doctor = "", serve = "", register = "", verify = ""] = blocks
    assert.lengthOf(blocks, 7)
    const cwd = yield* temporaryFolder
    // The address of the webhook is checked when it is set; nothing is sent to it.
    const programs = {
      PATH: `${yield* givenPrograms}:${process.env["PATH"]}`,
      HOME: cwd,
      EGRESS_HOSTS: "shop.example=198.35.26.96"
    }
    const vendors = yield* start(mock.replace("--port 9444", "--port 0"), { cwd, env: programs }, /Ctrl-C/u)
    const printed = (name: string): string =>
      new RegExp(`${name}='?([^'\\n]+)`, "u").exec(vendors)?.[1] ?? assert.fail(`${name} is not printed`)
    const key = printed("EASYSLIP_API_KEY")
    const shell = { cwd, env: { ...programs, PORT: "0", EASYSLIP_KEY: key, CA_FILE: printed("EGRESS_CA_FILE") } }
    const vendorHost = new URL(printed("EASYSLIP_BASE_URL")).host

    yield* run(settings.replace("127.0.0.1:9444", vendorHost), shell)
    assert.include(yield* run(create, shell), key)
    const examined = yield* run(doctor, shell)
    assert.match(examined, /easyslip/u)
    const started = yield* start(serve, shell, /http:\/\/127\.0\.0\.1:\d+/u)
    const [baseUrl = ""] = /http:\/\/127\.0\.0\.1:\d+/u.exec(started) ?? []
    const here = (block: string): string => block.replaceAll("http://127.0.0.1:8080", baseUrl)

    yield* run(here(register), shell)
    const answers = yield* run(here(verify), shell)
    const [me, first, second] = answers.slice(answers.indexOf('{"status"')).split(/(?<=\})(?=\{)/u)
      .map((text) => JSON.parse(text))
    assert.deepInclude(me.data, { application: "My shop", maxQuota: 10_000 })
    assert.strictEqual(first.data.amount.amount, 999)
    assert.deepInclude(second.data, { isDuplicate: true, amountInSlip: 999, isAmountMatched: true })
    assert.strictEqual(second.data.matchedAccount?.bankNumber, "9990012345")
    assert.strictEqual(second.data.rawSlip.transRef, first.data.transRef)
    assert.match(yield* run(`npx sliptrail trail show --slip "004:${first.data.transRef}"`, shell), /easyslip/u)
  })
})
