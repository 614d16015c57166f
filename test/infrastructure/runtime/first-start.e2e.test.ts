import { assert, describe, it } from "../../support/it.ts"
import { Redacted } from "effect"
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { announcement, firstStartFile, welcome } from "../../../infrastructure/runtime/first-start.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

const demo = { apiKey: "the-key", webhookSecret: "whsec_x", branchId: "the-branch" }

const inFolder = {
  dataDir: "./data",
  masterKey: undefined,
  subjectKeysFile: undefined
}

const addresses = { baseUrl: "http://127.0.0.1:8080", adminUrl: "http://127.0.0.1:9090" }

const output = (settings: Partial<Parameters<typeof welcome>[2]>) =>
  welcome({ demo, operatorToken: "slt_x" }, addresses, { ...inFolder, ...settings })

const lineWith = (text: string, part: string): string => text.split("\n").find((line) => line.includes(part)) ?? ""

describe("the announcement of the first start", () => {
  it.effect("is printed on a terminal, and otherwise written to a file of the owner", function* () {
    const folder = yield* temporaryFolder
    const text = output({})
    assert.strictEqual(announcement(text, folder, true), text)
    assert.deepStrictEqual(readdirSync(folder), [])

    const printed = announcement(text, folder, false)
    for (const secret of ["the-key", "whsec_x", "slt_x"]) assert.notInclude(printed, secret)
    assert.include(printed, firstStartFile(folder))
    assert.strictEqual(readFileSync(firstStartFile(folder), "utf8"), text.trimStart())
    assert.strictEqual(statSync(firstStartFile(folder)).mode & 0o777, 0o600)
  })
})

describe("the output of the first start", () => {
  it("contains commands that work with default settings", () => {
    const text = output({})
    assert.strictEqual(lineWith(text, "trail show"), "  npx sliptrail trail show --branch the-branch")
    assert.notInclude(text, "DATA_DIR")
    assert.notInclude(text, "third")
  })

  it("contains what was made only: an operator with the link to the console, a demo service, or both", () => {
    const both = output({})
    assert.include(both, "http://127.0.0.1:9090/console\n")
    assert.include(lineWith(both, "Token"), "slt_x")
    assert.include(lineWith(both, "curl"), "http://127.0.0.1:8080/v2/verify/bank")
    const operator = welcome({ demo: undefined, operatorToken: "slt_x" }, addresses, inFolder)
    assert.include(operator, "/console")
    assert.notInclude(operator, "curl")
    const onlyDemo = welcome({ demo, operatorToken: undefined }, addresses, inFolder)
    assert.include(onlyDemo, "curl")
    assert.notInclude(onlyDemo, "/console")
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
    const text = output({ masterKey: Redacted.make(secret), subjectKeysFile: "/keys/subjects.key" })
    assert.include(text, "needs the same MASTER_KEY and SUBJECT_KEYS_FILE as the service")
    assert.notInclude(text, secret)
    assert.include(output({ masterKey: Redacted.make(secret) }), "needs the same MASTER_KEY as the service")
  })
})
