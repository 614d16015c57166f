import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { endOf } from "../../support/command.ts"
import { exampleJobId, exampleSecrets, signedCallback } from "../../support/signed-callback.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))

const consumer = `
import { verify, WebhookError } from "sliptrail/webhook"

const { body, headers, secret } = JSON.parse(process.argv[2])
const { jobId } = await verify(body, headers, secret)
const reason = await verify(body + " ", headers, secret).catch((error) => error instanceof WebhookError && error.reason)
process.stdout.write(JSON.stringify({ jobId, reason }))
`

describe("sliptrail/webhook in another project", () => {
  it.live("is importable from a folder linked by npm", function* () {
    const project = yield* temporaryFolder
    mkdirSync(join(project, "node_modules"))
    symlinkSync(root, join(project, "node_modules/sliptrail"), "dir")
    writeFileSync(
      join(project, "package.json"),
      JSON.stringify({ type: "module", dependencies: { sliptrail: `file:${root}` } })
    )
    writeFileSync(join(project, "receive.js"), consumer)
    const { body, headers } = yield* Effect.promise(() => signedCallback())
    const given = JSON.stringify({ body: new TextDecoder().decode(body), headers, secret: exampleSecrets.newest })

    const ended = yield* Effect.promise(() => {
      const runtime = "Deno" in globalThis ? ["run", "-A", "--node-modules-dir=manual"] : []
      return endOf(spawn(process.execPath, [...runtime, "receive.js", given], {
        cwd: project,
        stdio: ["ignore", "pipe", "pipe"]
      }))
    })

    assert.strictEqual(ended.code, 0, ended.stderr)
    assert.deepStrictEqual(JSON.parse(ended.stdout), { jobId: exampleJobId, reason: "wrong-signature" })
  })
})
