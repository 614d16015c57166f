import { Effect } from "effect"
import { readFileSync } from "node:fs"
import tls from "node:tls"
import { commandLineSettings } from "../../platform/settings/command-line-settings.ts"
import { oneLine } from "../../platform/settings/setting.ts"
import { cannotRun } from "./exit.ts"

/** An answer has more bytes than a command reads. */
export class AnswerTooLong extends Error {
  readonly maxBytes: number

  constructor(maxBytes: number) {
    super("the answer is too long")
    this.maxBytes = maxBytes
  }
}

/** The codes of an error and of the errors that caused it. */
const codesOf = (error: unknown): ReadonlyArray<string> => {
  if (!(error instanceof Error)) return []
  const code = "code" in error && typeof error.code === "string" ? [error.code] : []
  const inner = error instanceof AggregateError ? error.errors.flatMap(codesOf) : []
  return [...code, ...inner, ...codesOf(error.cause)]
}

/** The message of the innermost error. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return oneLine(String(error))
  return error.cause instanceof Error ? reasonOf(error.cause) : oneLine(error.message) || error.name
}

const REFUSED = /ECONNREFUSED|Connection refused/u
const UNKNOWN_HOST = /ENOTFOUND|EAI_AGAIN|failed to lookup|dns error/u
const UNTRUSTED = /CERT|UNABLE_TO_|SELF_SIGNED|UnknownIssuer|invalid peer certificate/u
/** Only of requests that follow no redirect. */
const REDIRECT = /unexpected redirect|redirect mode/u
const NOT_TLS = /ERR_SSL|EPROTO|InvalidContentType|corrupt message/u

/**
 * Why a request got no answer, and what to do. `isChange` says whether it may have changed something. The codes are those
 * of Node; Deno has messages only.
 */
export const describeNetworkError = (cause: unknown, url: string, isChange: boolean): string => {
  const { host, origin } = new URL(url)
  if (cause instanceof AnswerTooLong) {
    return `${origin} answers with more than ${
      cause.maxBytes / 1024 / 1024
    } MiB: check that the URL is that of SlipTrail`
  }
  const reason = reasonOf(cause)
  const text = [...codesOf(cause), reason].join(" ")
  if (REFUSED.test(text)) {
    return `${origin} cannot be reached, the connection was refused: check the URL, its port and that the service runs`
  }
  if (UNKNOWN_HOST.test(text)) return `${origin} cannot be reached, the name ${host} is unknown: check the URL`
  if (UNTRUSTED.test(text)) {
    return `the certificate of ${host} is not trusted (${reason}): check the URL, or name the file of its certificate `
      + "authority in SLIPTRAIL_CA_FILE"
  }
  if (NOT_TLS.test(text)) return `${host} does not answer with TLS (${reason}): check the URL and its port`
  if (REDIRECT.test(text)) {
    return `${origin} redirects to another address: give the URL of the service with --url (SLIPTRAIL_URL)`
  }
  const outcome = isChange ? "the change may have been made, so look before you repeat the command" : "try again"
  return `the connection to ${origin} failed before the answer was complete (${reason}): ${outcome}`
}

/** Trusts the certificate authorities of `SLIPTRAIL_CA_FILE` beside those of the runtime. */
export const trustAuthorities = Effect.gen(function* () {
  const file = yield* commandLineSettings.sliptrailCaFile
  if (file === undefined) return
  if ("Deno" in globalThis) {
    return yield* cannotRun("SLIPTRAIL_CA_FILE: Deno takes certificate authorities from DENO_CERT")
  }
  yield* Effect.try({
    try: () => {
      const authorities = readFileSync(file, "utf8")
      if (!authorities.includes("-----BEGIN CERTIFICATE-----")) throw new Error("it contains no certificate in PEM")
      tls.setDefaultCACertificates([...tls.getCACertificates("default"), authorities])
    },
    catch: (cause) => cannotRun(`SLIPTRAIL_CA_FILE: cannot use ${file}: ${reasonOf(cause)}`)
  })
})
