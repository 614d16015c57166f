import { Clock, Effect, Option } from "effect"
import type { Gateway } from "../banks/upstream/gateway.ts"
import { bankGateways, kbankCertificate } from "../runtime/external-layers.ts"
import type { Settings } from "../settings/settings.ts"
import { fail, type Finding, ok, warn } from "./finding.ts"

const ABOUT = "gateways"

/** Banks take weeks to accept a new certificate. */
const WARNING_DAYS = 30
const DAY_MILLIS = 86_400_000

/** Checks the expiry of a client certificate; both times in Unix milliseconds. */
export const checkCertificate = (endsAt: number, now: number): Finding => {
  const days = Math.floor((endsAt - now) / DAY_MILLIS)
  const advice = "register a new certificate with KBank, and set KBANK_CERT_FILE and KBANK_KEY_FILE"
  if (endsAt <= now) return fail(ABOUT, "the certificate in KBANK_CERT_FILE has expired", advice)
  const message = `the certificate in KBANK_CERT_FILE is valid for another ${days} days`
  return days < WARNING_DAYS ? warn(ABOUT, message, advice) : ok(ABOUT, message)
}

const checkConfiguredCertificate = Effect.fnUntraced(function* (settings: Settings) {
  const found = settings.bankGateways.includes("kbank") ? yield* kbankCertificate(settings) : undefined
  return found === undefined ? [] : [checkCertificate(found.endsAt, yield* Clock.currentTimeMillis)]
})

/** The sandbox needs no credentials. */
const checkCredentials = ({ check, name }: Gateway): Effect.Effect<ReadonlyArray<Finding>> =>
  name === "sandbox" ? Effect.succeed([]) : Effect.match(check, {
    onSuccess: () => [ok(ABOUT, `${name} accepts the credentials and issued a token`)],
    onFailure: ({ why }) => [
      fail(
        ABOUT,
        `${name} issued no token: ${why}`,
        `correct the credentials: until then no slip is verified through ${name}`
      )
    ]
  })

const checkTestMode = ({ bankGateways, kbankTestMode }: Settings): ReadonlyArray<Finding> =>
  kbankTestMode && bankGateways.includes("kbank")
    ? [
      warn(
        ABOUT,
        "KBANK_TEST_MODE is on: KBank answers with test data",
        "remove it, and set KBANK_BASE_URL to the production URL, before real use"
      )
    ]
    : []

/**
 * Checks the credentials of the banks: requests a token from each, and no slip. Settings that the service refuses are
 * findings of `settings.ts`.
 */
export const checkGateways = (settings: Settings): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.gen(function* () {
    const gateways = yield* bankGateways(settings)
    const findings = yield* Effect.all([
      checkConfiguredCertificate(settings),
      Effect.succeed(checkTestMode(settings)),
      ...gateways.map(checkCredentials)
    ], { concurrency: "unbounded" })
    return findings.flat()
  }).pipe(Effect.scoped, Effect.option, Effect.map(Option.getOrElse((): ReadonlyArray<Finding> => [])))
