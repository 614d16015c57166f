import { Context, Data, Effect, Option, Redacted } from "effect"
import { Command, Flag, GlobalFlag } from "effect/cli"
import { readFileSync } from "node:fs"
import { isLoopbackHost } from "../../platform/ip-address.ts"
import { commandLineSettings as settings } from "../../platform/settings/command-line-settings.ts"
import { cannotRun } from "./exit.ts"
import { note } from "./output.ts"
import { switchFlag } from "./flags.ts"

const UrlFlag = GlobalFlag.Setting("url")({
  flag: Flag.String("url").pipe(
    Flag.withDescription(
      "URL of a running service: the command calls its admin API and opens no data folder; default SLIPTRAIL_URL"
    ),
    Flag.optional
  )
})

const TokenFileFlag = GlobalFlag.Setting("token-file")({
  flag: Flag.String("token-file").pipe(
    Flag.withDescription(
      "File that contains the token for --url, or - for the standard input; default SLIPTRAIL_TOKEN"
    ),
    Flag.optional
  )
})

const InsecureHttpFlag = GlobalFlag.Setting("insecure-http")({
  flag: switchFlag("insecure-http", "Send the token or API key to another machine without TLS")
})

/** The flags of `sliptrail` that say which service a command calls, and how. */
export const targetFlags = [UrlFlag, TokenFileFlag, InsecureHttpFlag] as const

const STANDARD_INPUT = 0

/** The text of a file with a secret, or of the standard input for `-`. Other users can see arguments, so no flag takes it. */
export const readSecretFile = (flag: string, file: string) =>
  Effect.try({
    try: () => readFileSync(file === "-" ? STANDARD_INPUT : file, "utf8").trim(),
    catch: (cause) => cannotRun(`--${flag}: cannot read ${file}: ${String(cause)}`)
  })

/** A secret as a header can carry it. `name` says where it is from. */
export const headerSecret = (name: string, secret: Redacted.Redacted) =>
  /^[\x21-\x7e]+$/u.test(Redacted.value(secret))
    ? Effect.succeed(secret)
    : Effect.fail(cannotRun(`${name}: Expected printable ASCII without spaces, on one line`))

/** The URL of a service without a slash at its end. A secret goes to other machines over TLS only. */
const checkedUrl = Effect.fnUntraced(function* (text: string) {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/u.test(url.protocol) || url.search !== "" || url.hash !== "") {
    return yield* cannotRun("--url (SLIPTRAIL_URL): Expected an http or https URL, such as https://slips.shop.example")
  }
  if (url.username !== "" || url.password !== "") {
    return yield* cannotRun(
      "--url (SLIPTRAIL_URL): Expected a URL without user and password: give the token with --token-file or SLIPTRAIL_TOKEN"
    )
  }
  if (url.protocol === "http:" && !isLoopbackHost(url.hostname) && !(yield* InsecureHttpFlag)) {
    return yield* cannotRun(
      `--url (SLIPTRAIL_URL): ${url.origin} is another machine, and without TLS the network can read the secrets that are `
        + "sent: use https, or --insecure-http on a network that you trust"
    )
  }
  return url.href.replace(/\/+$/u, "")
})

const givenUrl = Effect.gen(function* () {
  const flag = Option.getOrUndefined(yield* UrlFlag)
  if (flag !== undefined) return { text: flag, isFlag: true }
  const text = yield* settings.sliptrailUrl
  return text === undefined ? undefined : { text, isFlag: false }
})

/** The URL of the service that a command calls; undefined without `--url` and `SLIPTRAIL_URL`. */
export const targetUrl = Effect.gen(function* () {
  const given = yield* givenUrl
  return given === undefined ? undefined : yield* checkedUrl(given.text)
})

/** A service with the token for its admin API. */
export interface Target {
  readonly url: string
  readonly token: Redacted.Redacted
}

/** The service whose admin API a command calls; undefined when it opens the data folder. */
export const target = Effect.gen(function* () {
  const url = yield* targetUrl
  const file = Option.getOrUndefined(yield* TokenFileFlag)
  if (url === undefined) {
    if (file !== undefined) return yield* cannotRun("--token-file: Expected together with --url or SLIPTRAIL_URL")
    return undefined
  }
  const token = file === undefined
    ? yield* settings.sliptrailToken
    : Redacted.make(yield* readSecretFile("token-file", file))
  if (token === undefined) {
    return yield* cannotRun(`${url} needs a token for its admin API: give --token-file FILE or SLIPTRAIL_TOKEN`)
  }
  const name = file === undefined ? "SLIPTRAIL_TOKEN" : "--token-file"
  return { url, token: yield* headerSecret(name, token) } satisfies Target
})

/** Why a command never calls the admin API: what it needs, or what it does instead. */
export class NoAdminOperation extends Data.Class<{
  readonly needs: "data folder" | "nothing"
  readonly why: string
}> {}

/** The annotation of a command that has no operation of the admin API. */
export const NoAdminOperationKey = Context.Service<"sliptrail/NoAdminOperation", NoAdminOperation>(
  "sliptrail/NoAdminOperation"
)

/** Refuses `--url`, and says that `SLIPTRAIL_URL` is not used where that may surprise. */
export const refuseUrl = ({ needs, why }: Pick<NoAdminOperation, "needs" | "why">) =>
  Effect.gen(function* () {
    const given = yield* givenUrl
    if (given === undefined) return
    if (given.isFlag) return yield* cannotRun(`--url cannot be used here: ${why}`)
    if (needs === "data folder") yield* note(`SLIPTRAIL_URL is not used: ${why}`)
  })

/**
 * A command that has no operation of the admin API. It refuses `--url`. With `SLIPTRAIL_URL` it works on the data folder,
 * and says so.
 */
export const withoutAdminOperation = (needs: "data folder" | "nothing", why: string) => {
  const reason = new NoAdminOperation({ needs, why })
  return <Name extends string, Input, ContextInput, E, R>(command: Command.Command<Name, Input, ContextInput, E, R>) =>
    command.pipe(
      Command.annotate(NoAdminOperationKey, reason),
      Command.provideEffectDiscard(refuseUrl(reason))
    )
}
