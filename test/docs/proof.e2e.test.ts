import { assert, describe, it } from "../support/it.ts"
import { Redacted } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import { createPublicKey } from "node:crypto"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { keyIdOf, signingKeyOfSetting } from "../../infrastructure/adapters/notary/signing-keys.ts"
import { publicKeysIn } from "../../infrastructure/runtime/log-proof.ts"
import { everySetting } from "../../infrastructure/platform/settings/settings.ts"
import { requireProgram, requireProgramsOf } from "../support/require-program.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"

const text = readFileSync(new URL("../../docs/proof.md", import.meta.url), "utf8")

const lineWith = (part: string): string =>
  text.split("\n").find((line) => line.startsWith(part)) ?? assert.fail(`docs/proof.md has no ${part}`)

/** Runs a command of the document by a shell in a folder. */
const shell = (command: string, cwd: string, env: Readonly<Record<string, string>> = {}): string => {
  requireProgramsOf(command)
  return execFileSync("sh", ["-c", command], { cwd, encoding: "utf8", env: { PATH: process.env["PATH"], ...env } })
}

describe("docs/proof.md", () => {
  it.effect("has commands that create both halves of a signing key", function* () {
    const folder = yield* temporaryFolder
    const SIGNING_KEY = shell(lineWith("openssl genpkey"), folder)
    shell(lineWith('printf %s "$SIGNING_KEY"'), folder, { SIGNING_KEY })
    const key = yield* signingKeyOfSetting(Redacted.make(SIGNING_KEY))
    const [published] = yield* publicKeysIn(`${folder}/signing.pub`)
    assert.strictEqual(published === undefined ? "" : keyIdOf(published), keyIdOf(createPublicKey(key)))
  })

  it("has an example that prints its usage on wrong arguments", () => {
    const example = fileURLToPath(new URL("../../docs/examples/proof/check_proof.py", import.meta.url))
    for (const args of [[], ["proof.json"], ["proof.json", "signing.pub", "more"]]) {
      const { status, stderr, stdout } = spawnSync(requireProgram("python3"), [example, ...args], { encoding: "utf8" })
      assert.deepStrictEqual({ status, stderr, stdout }, {
        status: 2,
        stderr: "usage: check_proof.py proof.json signing.pub\n",
        stdout: ""
      })
    }
  })

  it("names existing settings", () => {
    const known = new Set<string>(everySetting.map(({ name }) => name))
    const named = text.match(/`[A-Z][A-Z]+_[A-Z_]+`/gu) ?? []
    assert.isAtLeast(named.length, 4)
    for (const name of named) assert.isTrue(known.has(name.slice(1, -1)), name)
  })
})
