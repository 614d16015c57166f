import { Clock, Effect, Option } from "effect"
import { bangkokDay } from "../../../domain/time.ts"
import type { RefusalCause } from "../../../ports/bank-gateway.ts"
import type { VendorAccount } from "../../../ports/gateway-status.ts"
import { accountWarnings } from "../../adapters/banks/upstream/account.ts"
import { type Gateway, gatewayFailed, type GatewayFailure } from "../../adapters/banks/upstream/gateway.ts"
import { bankGateways, kbankCertificate } from "../../runtime/external-layers.ts"
import type { Settings } from "../../platform/settings/settings.ts"
import { type Finding, findingsAbout, when } from "./finding.ts"

const { fail, ok, warn } = findingsAbout("gateways")

/** Banks take weeks to accept a new certificate. */
const WARNING_DAYS = 30
const DAY_MILLIS = 86_400_000

/** Checks the expiry of a client certificate; both times in Unix milliseconds. */
export const checkCertificate = (endsAt: number, now: number): Finding => {
  const days = Math.floor((endsAt - now) / DAY_MILLIS)
  const advice = "register a new certificate with KBank, and set KBANK_CERT_FILE and KBANK_KEY_FILE"
  if (endsAt <= now) return fail("the certificate in KBANK_CERT_FILE has expired", advice)
  const message = `the certificate in KBANK_CERT_FILE is valid for another ${days} days`
  return days < WARNING_DAYS ? warn(message, advice) : ok(message)
}

const checkConfiguredCertificate = Effect.fnUntraced(function* (settings: Settings) {
  const found = settings.bankGateways.includes("kbank") ? yield* kbankCertificate(settings) : undefined
  return found === undefined ? [] : [checkCertificate(found.endsAt, yield* Clock.currentTimeMillis)]
})

/** What to do when a gateway refuses the operator's account. */
const refusalAdvice = (prefix: string): Readonly<Record<RefusalCause | "quota", string>> => ({
  key: `copy the credentials of the settings ${prefix}_* from the vendor's portal again`,
  ip: "register the public address of this machine in the vendor's portal",
  account: "look into the vendor's portal: the account may be suspended or its package may have ended",
  quota: "buy questions, or wait for the next package"
})

/** Why a gateway cannot be used. */
export const refusalFinding = (gateway: string, { refusal, why }: Pick<GatewayFailure, "refusal" | "why">): Finding =>
  refusal === undefined
    ? fail(
      `${gateway} issued no token: ${why}`,
      `correct the credentials: until then no slip is verified through ${gateway}`
    )
    : fail(
      `${gateway} refuses the account: ${why}`,
      `${refusalAdvice(gateway.toUpperCase())[refusal]}; until then no slip is verified through ${gateway}`
    )

const describeAccount = ({ expiresAt, limit, remaining }: VendorAccount): string => {
  const left = remaining === null ? "questions without a limit" : `${remaining} questions left`
  const size = remaining === null || limit === null ? "" : ` of ${limit}`
  return `${left}${size}${expiresAt === null ? "" : `, until ${bangkokDay(expiresAt)}`}`
}

/** What a vendor says about the operator's account. `now` in milliseconds since 1970. */
export const accountFindings = (gateway: string, account: VendorAccount, now: number): ReadonlyArray<Finding> => {
  const isUnusable = account.remaining !== null && account.remaining <= 0
    || account.expiresAt !== null && account.expiresAt <= now
  const level = isUnusable ? fail : warn
  return [
    ok(`${gateway} accepts the credentials: ${describeAccount(account)}`),
    ...accountWarnings(account, now).map(({ message }) =>
      level(`${gateway}: ${message}`, `renew the package of ${gateway}, or add another gateway to BANK_GATEWAYS`)
    )
  ]
}

/** The sandbox needs no credentials. A free question about the account shows more than one that checks credentials. */
const checkCredentials = (gateway: Gateway): Effect.Effect<ReadonlyArray<Finding>> => {
  const { account, check, name, timeoutMillis, traits } = gateway
  if (name === "sandbox") return Effect.succeed([])
  if (account === undefined && traits.charges !== undefined) {
    return Effect.succeed([ok(`${name} has no free question: the first slip shows whether it accepts the account`)])
  }
  const examined = account === undefined
    ? Effect.as(check, [ok(`${name} accepts the credentials and issued a token`)])
    : Effect.flatMap(
      account,
      (found) => Effect.map(Clock.currentTimeMillis, (now) => accountFindings(name, found, now))
    )
  return examined.pipe(
    Effect.timeoutOrElse({
      duration: timeoutMillis,
      orElse: () => Effect.fail(gatewayFailed(`no answer within ${timeoutMillis} ms`))
    }),
    Effect.catch((failure) => Effect.succeed([refusalFinding(name, failure)]))
  )
}

const checkTestMode = ({ bankGateways, kbankTestMode }: Settings): ReadonlyArray<Finding> =>
  when(
    kbankTestMode && bankGateways.includes("kbank"),
    warn(
      "KBANK_TEST_MODE is on: KBank answers with test data",
      "remove it, and set KBANK_BASE_URL to the production URL, before real use"
    )
  )

/**
 * Checks the credentials of the gateways: asks each for a token or for the operator's account, and for no slip. Settings that the service refuses are
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
