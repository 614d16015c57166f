import { assert, describe, it } from "../../support/it.ts"
import { ConfigProvider, Effect, Layer, Logger } from "effect"
import { createServer } from "node:http"
import { join } from "node:path"
import { layerService } from "../../../infrastructure/runtime/service.ts"
import { readSettings } from "../../../infrastructure/platform/settings/settings.ts"
import { listening } from "../../support/loopback-server.ts"
import type { Env } from "../../support/service.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

/** What a service logs that cannot start with these settings, and its error. */
const failedStart = Effect.fnUntraced(function* (given: Env) {
  const env = { DATA_DIR: join(yield* temporaryFolder, "data"), PORT: "0", ...given }
  const settings = yield* readSettings.parse(ConfigProvider.fromEnvRecord(env))
  const logged: Array<string> = []
  const logger = Logger.layer([
    Logger.make(({ logLevel, message }) => void logged.push(`${logLevel} ${JSON.stringify(message)}`))
  ])
  const error = yield* Effect.flip(Effect.scoped(Effect.provide(Layer.build(layerService(settings)), logger)))
  return { error, logged: logged.filter((line) => line.startsWith("Error")) }
})

describe("a service that cannot listen", () => {
  it.live.each(["PORT", "ADMIN_PORT"])("logs that the port of %s is in use, and what to do", function* (name) {
    const port = yield* listening(createServer(), "127.0.0.1")
    const { error, logged } = yield* failedStart({ [name]: String(port) })
    const expected = `${name}: another program listens on 127.0.0.1:${port}: stop it, or set another ${name}`
    assert.deepStrictEqual(logged, [`Error ${JSON.stringify([expected])}`])
    assert.strictEqual(error instanceof Error ? error.message : "", expected)
  })

  it.live("logs that the address is none of this machine", function* () {
    // An address for documentation (RFC 5737).
    const { logged } = yield* failedStart({ HOST: "192.0.2.1", ALLOW_SANDBOX: "true" })
    assert.lengthOf(logged, 1)
    assert.include(logged[0], "HOST: 192.0.2.1 is no address of this machine")
  })
})
