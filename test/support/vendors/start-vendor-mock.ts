import { Effect, type Layer, type Scope } from "effect"
import { layerSlipReader } from "../../../infrastructure/adapters/pictures/slip-reader.ts"
import { type Exchange, makeVendorMock, type VendorMock } from "../../../infrastructure/commands/vendor-mock/mock.ts"
import { serveVendorMock } from "../../../infrastructure/commands/vendor-mock/server.ts"
import { settingsFor } from "../../../infrastructure/commands/vendor-mock/settings.ts"
import type { SlipReader } from "../../../ports/slip-reader.ts"
import { certificateOf, testAuthority } from "../tls.ts"

/** The vendors on loopback, with the settings of a service that asks them. */
export interface RunningVendors extends VendorMock {
  readonly origin: string
  readonly env: Readonly<Record<string, string>>
  readonly exchanges: ReadonlyArray<Exchange>
}

const { cert: certificate, key } = certificateOf("trusted")

/** Starts the vendors in this process. The end of the scope kills them: it cuts every connection. */
export const startVendorMock = (
  protocol: "http" | "https" = "https",
  reader: Layer.Layer<SlipReader> = layerSlipReader({ reader: "native", workers: 1 })
): Effect.Effect<RunningVendors, never, Scope.Scope> =>
  Effect.gen(function* () {
    const mock = yield* makeVendorMock
    const exchanges: Array<Exchange> = []
    const port = yield* Effect.orDie(serveVendorMock(mock, {
      identity: protocol === "http" ? undefined : { authority: testAuthority.certificate, certificate, key },
      host: "127.0.0.1",
      port: 0,
      onExchange: (exchange) => Effect.sync(() => void exchanges.push(exchange))
    }))
    const origin = `${protocol}://127.0.0.1:${port}`
    return { ...mock, origin, exchanges, env: { ...settingsFor(origin), EGRESS_CA_FILE: testAuthority.file } }
  }).pipe(Effect.provide(reader))
