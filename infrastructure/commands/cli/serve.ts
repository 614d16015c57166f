import { Console, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { HttpServer } from "effect/http"
import { announcement, firstStart, welcome } from "../../runtime/first-start.ts"
import { AdminListener } from "../../runtime/listeners.ts"
import { layerLogging } from "../../runtime/logging.ts"
import { layerService } from "../../runtime/service.ts"
import { isLocalTrial, usesSandbox } from "../../runtime/sandbox-bank.ts"
import { describeStores, isShared } from "../../runtime/stores.ts"
import { readSettings, type Settings } from "../../platform/settings/settings.ts"
import { withoutAdminOperation } from "./target.ts"

/** A URL that works on this machine: a server on all addresses is reached through the loopback address. */
const baseUrl = (address: string, port: number): string => {
  const isOnAllAddresses = address === "0.0.0.0" || address === "::"
  const host = isOnAllAddresses ? "127.0.0.1" : address.includes(":") ? `[${address}]` : address
  return `http://${host}:${port}`
}

/** The URL of a listener; its port is known once it listens. */
const urlOf = (address: HttpServer.HttpServer["Service"]["address"], host: string): string =>
  baseUrl(host, "port" in address ? address.port : 0)

const announce = (settings: Settings) =>
  Effect.gen(function* () {
    const url = urlOf((yield* HttpServer.HttpServer).address, settings.host)
    const { address: adminAddress } = yield* AdminListener
    if (settings.egressAllowCidrs.length > 0) {
      yield* Effect.logWarning(`EGRESS_ALLOW_CIDRS allows requests to ${settings.egressAllowCidrs.join(", ")}`)
    }
    if (settings.eventStoreUrl !== undefined && settings.redisUrl === undefined) {
      yield* Effect.logWarning("Quotas are exact only while one process uses the event store: set REDIS_URL")
    }
    if (!isShared(settings) && !settings.roles.includes("worker")) {
      yield* Effect.logWarning(
        "ROLES does not contain worker: jobs and callbacks wait until a process with that role runs"
      )
    }
    if (usesSandbox(settings) && !isLocalTrial(settings)) {
      yield* Effect.logWarning("ALLOW_SANDBOX: anyone can make slips that the sandbox bank confirms")
    }
    const isEmbedded = settings.eventStoreUrl === undefined
    const made = isEmbedded
      ? yield* firstStart({ operator: settings.adminToken === undefined, demo: isLocalTrial(settings) })
      : undefined
    const adminUrl = adminAddress === undefined ? url : urlOf(adminAddress, settings.adminHost ?? "127.0.0.1")
    yield* Console.log(`SlipTrail listens on ${url}, ${describeStores(settings)}`)
    if (adminAddress !== undefined) yield* Console.log(`Admin API, console and metrics listen on ${adminUrl}`)
    if (made !== undefined) {
      const text = welcome(made, { baseUrl: url, adminUrl }, settings)
      yield* Console.log(announcement(text, settings.dataDir, process.stdout.isTTY))
    }
  })

export const serve = Command.make(
  "serve",
  {},
  Effect.fnUntraced(function* () {
    const settings = yield* readSettings
    const service = Layer.effectDiscard(announce(settings)).pipe(Layer.provide(layerService(settings)))
    return yield* Layer.launch(service).pipe(Effect.provide(layerLogging(settings, process.stderr.isTTY)))
  })
).pipe(
  Command.withDescription("Run the service: HTTP, worker and projector"),
  withoutAdminOperation("nothing", "it starts the service on this machine")
)
