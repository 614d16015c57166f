import { Clock, Effect, Option } from "effect"
import type { Gateway } from "../banks/upstream/gateway.ts"
import { bankGateways, kbankCertificate } from "../runtime/external-layers.ts"
import type { Settings } from "../settings/settings.ts"
import { fail, type Finding, ok, warn } from "./finding.ts"

const ABOUT = "gateways"

/** Banks take weeks to put a new certificate in place. */
const WARNING_DAYS = 30
const DAY_MILLIS = 86_400_000

/** Of a client certificate that ends at `endsAt`; both times in milliseconds since 1970. */
export const judgeCertificate = (endsAt: number, now: number): Finding => {
  const days = Math.floor((endsAt - now) / DAY_MILLIS)
  const advice = "have KBank take a new one, and put it into KBANK_CERT_FILE and KBANK_KEY_FILE"
  if (endsAt <= now) return fail(ABOUT, "the certificate in KBANK_CERT_FILE has expired", advice)
  const message = `the certificate in KBANK_CERT_FILE is good for another ${days} days`
  return days < WARNING_DAYS ? warn(ABOUT, message, advice) : ok(ABOUT, message)
}

const certificate = Effect.fnUntraced(function* (settings: Settings) {
  const found = settings.bankGateways.includes("kbank") ? yield* kbankCertificate(settings) : undefined
  return found === undefined ? [] : [judgeCertificate(found.endsAt, yield* Clock.currentTimeMillis)]
})

/** The sandbox needs nobody to let us in. */
const letIn = ({ check, name }: Gateway): Effect.Effect<ReadonlyArray<Finding>> =>
  name === "sandbox" ? Effect.succeed([]) : Effect.match(check, {
    onSuccess: () => [ok(ABOUT, `${name} takes the credentials and gave a token`)],
    onFailure: ({ why }) => [
      fail(ABOUT, `${name} gave no token: ${why}`, `until it does no slip is found through ${name}`)
    ]
  })

const testMode = ({ bankGateways, kbankTestMode }: Settings): ReadonlyArray<Finding> =>
  kbankTestMode && bankGateways.includes("kbank")
    ? [
      warn(
        ABOUT,
        "KBANK_TEST_MODE is on: what KBank says is made up",
        "take it out, and set KBANK_BASE_URL to the real one, before real money depends on an answer"
      )
    ]
    : []

/**
 * Whether the banks let this service in: each is asked for a token, and for no slip. Settings that the service refuses
 * to start with are told elsewhere.
 */
export const judgeGateways = (settings: Settings): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.gen(function* () {
    const gateways = yield* bankGateways(settings)
    const findings = yield* Effect.all([
      certificate(settings),
      Effect.succeed(testMode(settings)),
      ...gateways.map(letIn)
    ], { concurrency: "unbounded" })
    return findings.flat()
  }).pipe(Effect.scoped, Effect.option, Effect.map(Option.getOrElse((): ReadonlyArray<Finding> => [])))
