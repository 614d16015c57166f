import { createSecureContext } from "node:tls"
import { Effect, Layer } from "effect"
import { Egress, EgressError, type EgressHop, type EgressRequest, type EgressResponse } from "../../../ports/egress.ts"
import { type AnswerReader, makeAnswerReader } from "./answer-reader.ts"
import { makeBranchLookups } from "./branch-lookups.ts"
import { dnsLookup, type Lookup, LOOKUP_MILLIS } from "./dns.ts"
import {
  type EgressSettings,
  type EgressSettingsError,
  readAllowList,
  readAuthorities,
  readDnsServers,
  readHosts
} from "./egress-settings.ts"
import { exchange, makeTlsSessions } from "./exchange.ts"
import { makeResolve } from "./resolve.ts"
import { type HopRequest, hostOf, locationOf, parseTarget, redirected, type Scheme } from "./target.ts"

/**
 * Sends requests to URLs that users choose. Each hop is resolved once, its addresses are checked, and the connection goes
 * to exactly the checked address.
 *
 * `lookup` replaces the hosts file and DNS; its addresses are checked too. Fails when a setting is invalid.
 */
export const layerEgress = (
  settings: EgressSettings & { readonly lookup?: Lookup }
): Layer.Layer<Egress, EgressSettingsError> =>
  Layer.effect(Egress)(Effect.gen(function* () {
    const servers = yield* Effect.fromResult(readDnsServers(settings.dnsServers))
    const resolve = makeResolve({
      allows: yield* Effect.fromResult(readAllowList(settings.allowCidrs)),
      hosts: yield* Effect.fromResult(readHosts(settings.hosts)),
      lookup: yield* makeBranchLookups(settings.lookup ?? dnsLookup({ servers }))
    })
    // Created once, because it takes milliseconds.
    const trust = settings.caFile === undefined
      ? undefined
      : createSecureContext({ ca: [...(yield* readAuthorities(settings.caFile))] })

    const sessions = makeTlsSessions()

    const follow = Effect.fnUntraced(function* (request: EgressRequest, first: HopRequest, progress: Progress) {
      const { hops } = progress
      let hop = first
      for (;;) {
        const [address] = yield* resolve(hop.url, request.branchId)
        hops.push({ url: hop.url.href, address })
        const reader = makeAnswerReader({
          maxBytes: request.maxBytes,
          overflow: request.overflow,
          wantsBody: (head) => request.maxRedirects === 0 || locationOf(head) === undefined
        })
        progress.reader = reader
        const answer = yield* exchange({ ...hop, address, reader, trust, sessions })
        progress.reader = undefined
        const location = request.maxRedirects === 0 ? undefined : locationOf(answer)
        if (location === undefined) return { ...answer, hops } satisfies EgressResponse
        if (hops.length > request.maxRedirects) {
          const detail = `more than ${request.maxRedirects} redirects, the last from ${hostOf(hop.url)}`
          return yield* new EgressError({ reason: "too-many-redirects", detail })
        }
        hop = yield* Effect.fromResult(redirected(hop, answer.status, location, request.schemes))
      }
    })

    return Egress.of({
      request: Effect.fnUntraced(function* (request: EgressRequest) {
        const url = yield* Effect.fromResult(parseTarget(request.url, request.schemes))
        const headers = { "user-agent": settings.userAgent, ...callerHeaders(request.headers ?? {}) }
        const first: HopRequest = { url, method: request.method, headers, body: request.body }
        const progress: Progress = { hops: [], reader: undefined }
        return yield* Effect.timeoutOrElse(follow(request, first, progress), {
          duration: request.timeoutMillis,
          orElse: () => expired("timeout", `${hostOf(url)} took longer than ${request.timeoutMillis} ms`)
        }).pipe(Effect.catch((error) => {
          const answer = request.overflow === "truncate" ? progress.reader?.soFar() : undefined
          return answer === undefined ? Effect.fail(error) : Effect.succeed({ ...answer, hops: progress.hops })
        }))
      }),
      check: Effect.fnUntraced(function* (text: string, schemes: ReadonlyArray<Scheme>, branchId: string) {
        const url = yield* Effect.fromResult(parseTarget(text, schemes))
        return yield* Effect.timeoutOrElse(resolve(url, branchId), {
          duration: LOOKUP_MILLIS,
          orElse: () =>
            expired("unresolvable", `the resolver gave no answer for ${hostOf(url)} within ${LOOKUP_MILLIS} ms`)
        })
      })
    })
  }))

/** How far a request has come. */
interface Progress {
  readonly hops: Array<EgressHop>
  /** Of the exchange under way. */
  reader: AnswerReader | undefined
}

const expired = (reason: "timeout" | "unresolvable", detail: string) => Effect.fail(new EgressError({ reason, detail }))

/** The headers of the caller in lower case, without the headers of the connection. */
const callerHeaders = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
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
