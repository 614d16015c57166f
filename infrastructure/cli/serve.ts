import { Console, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { HttpServer } from "effect/http"
import { firstStart, welcome } from "../runtime/first-start.ts"
import { layerLogging } from "../runtime/logging.ts"
import { layerService } from "../runtime/service.ts"
import { readSettings, type Settings } from "../settings.ts"

/** A base URL that can be typed: a server on every address is reached through the loopback one. */
const baseUrl = (settings: Settings, port: number): string => {
  const everywhere = settings.host === "0.0.0.0" || settings.host === "::"
  const host = everywhere ? "127.0.0.1" : settings.host.includes(":") ? `[${settings.host}]` : settings.host
  return `http://${host}:${port}`
}

const announce = (settings: Settings) =>
  Effect.gen(function*() {
    const { address } = yield* HttpServer.HttpServer
    const url = baseUrl(settings, "port" in address ? address.port : settings.port)
    if (settings.egressAllowCidrs.length > 0) {
      yield* Effect.logWarning(`EGRESS_ALLOW_CIDRS lets requests reach ${settings.egressAllowCidrs.join(", ")}`)
    }
    const demo = yield* firstStart
    yield* Console.log(`SlipTrail listens on ${url}, data in ${settings.dataDir}`)
    if (demo !== undefined) yield* Console.log(welcome(demo, url))
  })

export const serve = Command.make("serve", {}, Effect.fnUntraced(function*() {
  const settings = yield* readSettings
  const service = Layer.effectDiscard(announce(settings)).pipe(Layer.provide(layerService(settings)))
  return yield* Layer.launch(service).pipe(Effect.provide(layerLogging(settings, process.stderr.isTTY)))
})).pipe(Command.withDescription("Run the service: HTTP, worker and projector"))
