import { createSecureContext } from "node:tls"
import { Effect, Layer } from "effect"
import { Egress, EgressError, type EgressHop, type EgressRequest, type EgressResponse } from "../../ports/egress.ts"
import {
  type EgressSettings,
  type EgressSettingsError,
  readAllowList,
  readAuthorities,
  readHosts
} from "./egress-settings.ts"
import { exchange } from "./exchange.ts"
import { type Leg, locationOf, redirected } from "./redirect.ts"
import { type Lookup, makeResolve, systemLookup } from "./resolve.ts"
import { hostOf, parseTarget, type Scheme } from "./target.ts"
import { makeTlsSessions } from "./tls-sessions.ts"

/**
 * The way out over the network: each hop is resolved once, judged, and connected to at exactly the judged address.
 *
 * `lookup` stands in for the operating system's resolver; its answers are judged like any other. Fails where a setting
 * cannot be used.
 */
export const layerEgress = (
  settings: EgressSettings & { readonly lookup?: Lookup }
): Layer.Layer<Egress, EgressSettingsError> =>
  Layer.effect(Egress)(Effect.gen(function* () {
    const resolve = makeResolve({
      allows: yield* Effect.fromResult(readAllowList(settings.allowCidrs)),
      hosts: yield* Effect.fromResult(readHosts(settings.hosts)),
      lookup: settings.lookup ?? systemLookup
    })
    // Made once: it takes milliseconds.
    const trust = settings.caFile === undefined
      ? undefined
      : createSecureContext({ ca: [...(yield* readAuthorities(settings.caFile))] })

    const sessions = makeTlsSessions()

    const follow = Effect.fnUntraced(function* (request: EgressRequest, first: Leg) {
      const hops: Array<EgressHop> = []
      let leg = first
      for (;;) {
        const [address] = yield* resolve(leg.url)
        hops.push({ url: leg.url.href, address })
        const answer = yield* exchange({
          ...leg,
          address,
          trust,
          sessions,
          maxBytes: request.maxBytes,
          overflow: request.overflow,
          wantsBody: (head) => request.maxRedirects === 0 || locationOf(head) === undefined
        })
        const location = request.maxRedirects === 0 ? undefined : locationOf(answer)
        if (location === undefined) return { ...answer, hops } satisfies EgressResponse
        if (hops.length > request.maxRedirects) {
          const detail = `more than ${request.maxRedirects} redirects, the last from ${hostOf(leg.url)}`
          return yield* new EgressError({ reason: "too-many-redirects", detail })
        }
        leg = yield* Effect.fromResult(redirected(leg, answer.status, location, request.schemes))
      }
    })

    return Egress.of({
      request: Effect.fnUntraced(function* (request: EgressRequest) {
        const url = yield* Effect.fromResult(parseTarget(request.url, request.schemes))
        const headers = { "user-agent": settings.userAgent, ...ownHeaders(request.headers ?? {}) }
        const first: Leg = { url, method: request.method, headers, body: request.body }
        return yield* Effect.timeoutOrElse(follow(request, first), {
          duration: request.timeoutMillis,
          orElse: () => expired("timeout", `${hostOf(url)} took longer than ${request.timeoutMillis} ms`)
        })
      }),
      check: Effect.fnUntraced(function* (text: string, schemes: ReadonlyArray<Scheme>) {
        const url = yield* Effect.fromResult(parseTarget(text, schemes))
        return yield* Effect.timeoutOrElse(resolve(url), {
          duration: checkMillis,
          orElse: () => expired("unresolvable", `no answer about ${hostOf(url)} within ${checkMillis} ms`)
        })
      })
    })
  }))

/** The port gives `check` no time limit of its own, and a caller waits for it before it answers a user. */
const checkMillis = 5_000

const expired = (reason: "timeout" | "unresolvable", detail: string) => Effect.fail(new EgressError({ reason, detail }))

/** Headers of the caller in lower case, without those that belong to the connection. */
const ownHeaders = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => !connectionHeaders.has(name))
  )

const connectionHeaders: ReadonlySet<string> = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
])
