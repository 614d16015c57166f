import { assert, describe, it } from "../../../support/it.ts"
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { temporaryFolder } from "../../../support/temporary-folder.ts"
import { run } from "../../../support/in-process.ts"

const slips = fileURLToPath(new URL("../../../fixtures/slips/", import.meta.url))
const { items }: {
  readonly items: ReadonlyArray<{
    readonly file: string
    readonly expected: string | null
    readonly others?: ReadonlyArray<string>
  }>
} = JSON
  .parse(readFileSync(join(slips, "manifest.json"), "utf8"))
const expectedOf = (file: string) => items.find((item) => item.file === file)?.expected

const SLIP = "png-palette-00.png"

describe("sliptrail decode", () => {
  it.live("prints one line for each picture of a folder, and exits with 1 when one is not a slip", function* () {
    const { code, stderr, stdout } = yield* run(["decode", slips])
    const lines = stdout.split("\n")
    assert.lengthOf(lines, items.length)
    for (const { expected, file, others = [] } of items) {
      const line = lines.find((line) => line.startsWith(join(slips, file)))
      if (expected === null) assert.match(line ?? "", /(contains no QR code|not a slip|wrong checksum)/u)
      else if (others.length > 0) {
        assert.include(line, `${1 + others.length} slips in one picture: `)
        for (const text of [expected, ...others]) assert.include(line, text)
      } else assert.match(line ?? "", new RegExp(`  \\d{3}  \\S+  \\d+ ms  ${expected}$`, "u"))
    }
    const without = items.filter(({ expected, others }) => expected === null || others !== undefined).length
    assert.strictEqual(code, 1)
    assert.strictEqual(stderr, `sliptrail: ${without} of ${items.length} pictures contain no slip`)
  })

  it.live("recognises pictures in folders by content, and reads every named file", function* () {
    const folder = yield* temporaryFolder
    mkdirSync(join(folder, "more/deep"), { recursive: true })
    copyFileSync(join(slips, SLIP), join(folder, "more/deep/no-extension"))
    writeFileSync(join(folder, "really-text.png"), "no picture")

    const walked = yield* run(["decode", folder, "--json"])
    assert.strictEqual(walked.code, 0)
    const found = JSON.parse(walked.stdout)
    assert.lengthOf(found, 1)
    assert.deepInclude(found[0], {
      isSlip: true,
      file: join(folder, "more/deep/no-extension"),
      payload: expectedOf(SLIP),
      kind: "slip",
      crc: "ok"
    })

    const named = yield* run(["decode", join(folder, "really-text.png")])
    assert.strictEqual(named.code, 1)
    assert.include(named.stdout, "the file is not a JPEG, PNG, WebP or GIF")
  })

  it.live("continues after a missing file, and exits with 2", function* () {
    const { code, stdout } = yield* run(["decode", "/nowhere/slip.png", join(slips, SLIP), "--json"])
    assert.strictEqual(code, 2)
    const [missing, read] = JSON.parse(stdout)
    assert.deepStrictEqual(missing, { isSlip: false, file: "/nowhere/slip.png", why: "the file does not exist" })
    assert.strictEqual(read.payload, expectedOf(SLIP))
  })

  it.live("reports a folder without pictures", function* () {
    const folder = yield* temporaryFolder
    const { code, stdout } = yield* run(["decode", folder])
    assert.strictEqual(code, 2)
    assert.include(stdout, "the folder contains no picture")
  })

  it.live("uses the portable reader by flag or setting", function* () {
    const byFlag = yield* run(["decode", join(slips, SLIP), "--reader", "portable"])
    const bySetting = yield* run(["decode", join(slips, SLIP)], { SLIP_READER: "portable" })
    for (const { code, stdout } of [byFlag, bySetting]) {
      assert.strictEqual(code, 0)
      assert.include(stdout, expectedOf(SLIP) ?? "no such fixture")
    }
  })
})
