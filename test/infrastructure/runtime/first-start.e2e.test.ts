import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { execFileSync } from "node:child_process"
import { welcome } from "../../../infrastructure/runtime/first-start.ts"

const demo = { apiKey: "the-key", webhookSecret: "whsec_x", branchId: "the-branch" }

const inFolder = {
  dataDir: "./data",
  eventStoreUrl: undefined,
  redisUrl: undefined,
  masterKey: undefined,
  subjectKeysFile: undefined
}

const output = (settings: Partial<Parameters<typeof welcome>[2]>) =>
  welcome(demo, "http://127.0.0.1:8080", { ...inFolder, ...settings })

const lineWith = (text: string, part: string): string => text.split("\n").find((line) => line.includes(part)) ?? ""

describe("the output of the first start", () => {
  it("contains commands that work with default settings", () => {
    const text = output({})
    assert.strictEqual(lineWith(text, "trail show"), "  npx sliptrail trail show --branch the-branch")
    assert.notInclude(text, "DATA_DIR")
    assert.notInclude(text, "third")
  })

  it.each(["/srv/slip trail", "/tmp/it's $HOME `id`", "data2"])(
    "quotes the data folder for a shell: %s",
    (dataDir) => {
      const line = lineWith(output({ dataDir }), "trail show")
      assert.match(line, /^ {2}DATA_DIR=.* npx sliptrail trail show --branch the-branch$/u)
      const assigned = line.slice(0, line.indexOf(" npx "))
      assert.strictEqual(
        execFileSync("sh", ["-c", `${assigned}; printf %s "$DATA_DIR"`], { encoding: "utf8" }),
        dataDir
      )
    }
  )

  it("names the settings that the last command needs, without secrets", () => {
    const secret = "admin:changeit-5t"
    const text = output({
      eventStoreUrl: Redacted.make(`esdb://${secret}@node`),
      redisUrl: Redacted.make(`redis://${secret}@node`),
      masterKey: Redacted.make(secret)
    })
    assert.include(text, "EVENTSTORE_URL, REDIS_URL and MASTER_KEY")
    assert.notInclude(text, secret)
    assert.include(output({ masterKey: Redacted.make(secret) }), "needs the same MASTER_KEY as the service")
  })
})
