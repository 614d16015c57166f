import { assert, describe, it } from "../../../../support/it.ts"
import { Cause, Effect, Exit, Layer } from "effect"
import { writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { inspect } from "node:util"
import { EventStore } from "../../../../../ports/event-store.ts"
import { newEvents, newStream } from "../../../../contracts/event-store-events.ts"
import { startServerProcess } from "../../../../support/eventstore-server/process.ts"
import { listen } from "../../../../support/eventstore-server/wire.ts"
import { temporaryFolder } from "../../../../support/temporary-folder.ts"
import { certificateOf, elsewhereAuthorityFile, testAuthority } from "../../../../support/tls.ts"
import { layerAt } from "./given-server.ts"

/** The error of a failed start: its message for the operator, and everything that a log could show of it. */
const failureOf = (connectionString: string, startTimeout?: number) =>
  Layer.build(layerAt(connectionString, startTimeout === undefined ? {} : { startTimeout })).pipe(
    Effect.scoped,
    Effect.flip,
    Effect.map((error) => {
      const shown = [inspect(error, { depth: 9 }), JSON.stringify(error), Cause.pretty(Cause.fail(error))].join("\n")
      return { error, message: error.cause instanceof Error ? error.cause.message : "", shown }
    })
  )

const secret = "p%40ss/w0rd"
const encoded = encodeURIComponent(secret)

describe("opening EventStoreDB", () => {
  it.live("reports an unreachable server with its address, without the password", function* () {
    const server = yield* startServerProcess()
    yield* server.kill
    const { error, message, shown } = yield* failureOf(`esdb://admin:${encoded}@127.0.0.1:${server.port}?tls=false`)
    assert.strictEqual(error.reason, "unavailable")
    assert.include(message, `the event store at esdb://127.0.0.1:${server.port}?tls=false can't be used`)
    assertSecret(shown)
  })

  it.live("fails with timeout when the server accepts connections and does not answer", function* () {
    const silent = yield* Effect.acquireRelease(
      Effect.sync(() => createServer()),
      (server) => Effect.sync(() => server.close())
    )
    const port = yield* Effect.promise(() => listen(silent, 0))
    const { error, message } = yield* failureOf(`esdb://127.0.0.1:${port}?tls=false`, 200)
    assert.strictEqual(error.reason, "timeout")
    assert.include(message, "it did not answer within 0.2 s")
  })

  it.live("rejects a server that is too old, and reports the oldest supported version", function* () {
    const server = yield* startServerProcess("--version", "21.10.9")
    const { message } = yield* failureOf(`esdb://127.0.0.1:${server.port}?tls=false`)
    assert.include(message, "its version is 21.10.9, and 22.6 is the oldest that is supported")
  })

  it.live("reports a refused password, without the password", function* () {
    const server = yield* startSecured(`admin:${secret}`)
    const at = `localhost:${server.port}?tls=true&tlsCaFile=${encodeURIComponent(testAuthority.file)}`
    const { message, shown } = yield* failureOf(`esdb://admin:${encoded}x@${at}`)
    assert.include(message, "the server refused the user or password of the connection string")
    assertSecret(shown)
    assert.include((yield* failureOf(`esdb://${at}`)).message, "a user, and the connection string names none")
  })

  it.live("works over TLS with a password, with both schemes, by name and by IP address", function* () {
    const server = yield* startSecured(`admin:${secret}`)
    const options = `tls=true&tlsCaFile=${encodeURIComponent(testAuthority.file)}`
    for (const [scheme, host] of [["esdb", "localhost"], ["kurrentdb", "localhost"], ["esdb", "127.0.0.1"]]) {
      const revision = EventStore.use(({ append }) => append(newStream(), "no-stream", newEvents(2))).pipe(
        Effect.map((appended) => appended.revision),
        Effect.provide(layerAt(`${scheme}://admin:${encoded}@${host}:${server.port}?${options}`))
      )
      assert.strictEqual(yield* revision, 1)
    }
  })

  it.live("rejects a server with an untrusted certificate", function* () {
    const server = yield* startSecured(`admin:${secret}`)
    for (const host of ["localhost", "127.0.0.1"]) {
      const { error, shown } = yield* failureOf(`esdb://admin:${encoded}@${host}:${server.port}?tls=true`)
      assert.strictEqual(error.reason, "unavailable")
      assertSecret(shown)
    }
  })

  it.live("rejects a server with a trusted certificate of another host", function* () {
    const server = yield* startSecured(`admin:${secret}`, "elsewhere")
    for (const host of ["localhost", "127.0.0.1"]) {
      const at = `${host}:${server.port}?tlsCaFile=${encodeURIComponent(elsewhereAuthorityFile)}`
      const { message } = yield* failureOf(`esdb://admin:${encoded}@${at}`)
      assert.include(message, "does not match certificate's altnames")
    }
  })

  it.live("reports an invalid connection string without its content", function* () {
    const wrong = [
      `esdb//admin:${encoded}@host`,
      `esdb://admin:${encoded}@host?unknown=option`,
      `esdb://admin:${encoded}@host:port`,
      `esdb://admin:%zz${secret}@host`,
      `esdb://admin:${encoded}@host?tlsVerifyCert=false`
    ]
    for (const text of wrong) {
      const { message, shown } = yield* failureOf(text)
      assert.include(message, "EVENTSTORE_URL or KURRENTDB_URL can't be read")
      assertSecret(shown)
    }
  })

  it.live("closes its connections even when the server has already stopped", function* () {
    const server = yield* startServerProcess()
    const exit = yield* EventStore.use(({ append }) =>
      Effect.andThen(append(newStream(), "no-stream", newEvents(1)), server.kill)
    ).pipe(Effect.provide(layerAt(`esdb://127.0.0.1:${server.port}?tls=false`)), Effect.exit)
    assert.isTrue(Exit.isSuccess(exit))
  })
})

const startSecured = Effect.fnUntraced(function* (user: string, kind: "trusted" | "elsewhere" = "trusted") {
  const folder = yield* temporaryFolder
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")]
  const certificate = certificateOf(kind)
  writeFileSync(cert, certificate.cert)
  writeFileSync(key, certificate.key)
  return yield* startServerProcess("--user", user, "--cert", cert, "--key", key)
})

const assertSecret = (shown: string): void => {
  const header = Buffer.from(`admin:${secret}`).toString("base64")
  for (const form of [secret, encoded, header]) assert.notInclude(shown, form)
}
