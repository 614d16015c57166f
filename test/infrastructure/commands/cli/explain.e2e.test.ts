import { assert, describe, it } from "../../../support/it.ts"
import { DatabaseSync } from "node:sqlite"
import { run } from "../../../support/in-process.ts"
import { givenFolder } from "./given-folder.ts"

describe("a damaged log", () => {
  for (
    const [damage, change] of [
      ["is not JSON", "substr(data, 1, 20)"],
      ["lacks a field", "json_remove(data, '$.charged')"],
      ["has another type in a field", "json_set(data, '$.at', 5)"]
    ] as const
  ) {
    it.live(`that ${damage} is reported in one line with advice`, function* () {
      const { env, file, verificationId } = yield* givenFolder
      const db = new DatabaseSync(file("events.db"))
      db.exec(`UPDATE events SET data = ${change} WHERE type = 'SlipVerified'`)
      db.close()
      const { code, stderr } = yield* run(["trail", "show", "--verification", verificationId], env)
      assert.strictEqual(code, 2)
      assert.match(
        stderr,
        /^sliptrail: [^\n]*run sliptrail trail verify to check whether the log was changed, and where$/u
      )
    })
  }
})
