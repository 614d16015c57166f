import { Effect, Schema } from "effect"
import { type Finding, findingsAbout } from "../doctor/finding.ts"
import { gatewayFindings, infoOf, projectionFindings, samplesIn, versionFinding } from "../doctor/remote.ts"
import { isLoopbackHost } from "../../platform/ip-address.ts"
import { version } from "../../runtime/version.ts"
import { describeNetworkError } from "./connection.ts"
import { unavailable } from "./exit.ts"
import type { Call } from "./request.ts"

const aboutService = findingsAbout("service")
const aboutConnection = findingsAbout("connection")
const aboutAdminApi = findingsAbout("admin API")

const TIMEOUT_MILLIS = 10_000

/** The status and the text of a path that needs no token. */
const read = (url: string, path: string) =>
  Effect.tryPromise({
    try: async (interrupted) => {
      const signal = AbortSignal.any([interrupted, AbortSignal.timeout(TIMEOUT_MILLIS)])
      const response = await fetch(url + path, { redirect: "manual", signal })
      return { status: response.status, text: await response.text() }
    },
    catch: (cause) => unavailable(describeNetworkError(cause, url, false))
  })

const Faults = Schema.fromJsonString(Schema.Struct({
  error: Schema.Struct({ issues: Schema.Array(Schema.Struct({ message: Schema.String })) })
}))

const readiness = Effect.fnUntraced(function* (url: string) {
  const { status, text } = yield* read(url, "/health/ready")
  if (status === 200) return [aboutService.ok(`${url} is ready to serve`)]
  const faults = Schema.decodeOption(Faults)(text)
  const messages = faults._tag === "Some"
    ? faults.value.error.issues.map(({ message }) => message)
    : [`status ${status}`]
  return messages.map((message) =>
    aboutService.fail(`${url} is not ready: ${message}`, "the log of the service says more; a start takes some seconds")
  )
})

const tlsFindings = (url: string): ReadonlyArray<Finding> => {
  const { hostname, origin, protocol } = new URL(url)
  return protocol === "http:" && !isLoopbackHost(hostname)
    ? [aboutConnection.warn(`${origin} is called without TLS: the network can read the token`, "use https")]
    : []
}

/** Examines a running service: what it answers without a token, and what its admin API says. */
export const examineService = Effect.fnUntraced(function* (url: string, call: Call) {
  const ready = yield* readiness(url)
  const metrics = yield* read(url, "/metrics")
  const samples = metrics.status === 200 ? samplesIn(metrics.text) : []
  const info = infoOf(samples)
  const models = yield* Effect.match(call({ name: "listProjections" }), {
    onSuccess: projectionFindings,
    onFailure: ({ message }) => [aboutAdminApi.fail(message, "check the URL and the token")]
  })
  const findings = [
    ...ready,
    ...tlsFindings(url),
    versionFinding(info?.["version"], version),
    ...models,
    ...(samples.length === 0 ? [] : gatewayFindings(samples))
  ]
  const versions: Readonly<Record<string, string>> = {
    SlipTrail: info?.["version"] ?? "unknown",
    runtime: info?.["runtime"] ?? "unknown",
    roles: info?.["roles"] ?? "unknown"
  }
  return { settings: [], versions, findings }
})
