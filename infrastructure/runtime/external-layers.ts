import { Context, Data, Duration, Effect, Layer, type Scope } from "effect"
import { Pending } from "../../application/verification/ask-bank.ts"
import { layerEgress } from "../adapters/egress/layer.ts"
import { layerSlipReader } from "../adapters/pictures/slip-reader.ts"
import { layerInstrumentedEgress, layerInstrumentedSlipReader } from "./instrumented/external.ts"
import type { Settings } from "../platform/settings/settings.ts"
import { BankGateway } from "../../ports/bank-gateway.ts"
import { GatewayStatuses } from "../../ports/gateway-status.ts"
import { inSpan } from "../../ports/tracing.ts"
import { type EgressSettingsError, readAuthorities } from "../adapters/egress/egress-settings.ts"
import { layerFailover } from "../adapters/banks/failover-gateway.ts"
import { makeEasySlipGateway, makeThunderGateway } from "../adapters/banks/easyslip/easyslip-gateway.ts"
import { readClientCertificate } from "../adapters/banks/kbank/client-certificate.ts"
import { FOUND, isKbankCode } from "../adapters/banks/kbank/kbank-answer.ts"
import { makeKbankGateway } from "../adapters/banks/kbank/kbank-gateway.ts"
import { makeRdcwGateway } from "../adapters/banks/rdcw/rdcw-gateway.ts"
import { layerSandboxGateway, SLOW_MILLIS } from "../adapters/banks/sandbox/sandbox-gateway.ts"
import { makeScbGateway } from "../adapters/banks/scb/scb-gateway.ts"
import { makeSlip2goGateway } from "../adapters/banks/slip2go/slip2go-gateway.ts"
import { makeSlipokGateway } from "../adapters/banks/slipok/slipok-gateway.ts"
import { bankTraits, type Gateway } from "../adapters/banks/upstream/gateway.ts"
import {
  type GatewaySettingError,
  parseBankCodes,
  parseBaseUrl,
  requireCredential,
  settingError
} from "../adapters/banks/upstream/gateway-settings.ts"

/** A setting has a valid format but cannot be used. `message` says what to do. */
export class SettingRefused extends Data.TaggedError("SettingRefused")<{ readonly message: string }> {}

/** The egress with the settings `EGRESS_*`. */
export const layerEgressOf = ({ egressAllowCidrs, egressCaFile, egressDnsServers, egressHosts }: Settings) =>
  layerEgress({
    allowCidrs: egressAllowCidrs,
    dnsServers: egressDnsServers,
    hosts: Object.fromEntries(egressHosts.map((entry) => {
      const [name = "", ...address] = entry.split("=")
      return [name, address.join("=")]
    })),
    ...(egressCaFile === undefined ? {} : { caFile: egressCaFile }),
    userAgent: "SlipTrail"
  })

/** The services outside the stores: banks, slip reader and egress. */
export const layerExternal = (settings: Settings) =>
  Layer.mergeAll(
    layerBanks(settings),
    layerInstrumentedSlipReader.pipe(Layer.provide(layerSlipReader({
      reader: settings.slipReader,
      deadlineMillis: Duration.toMillis(settings.pictureTimeout),
      maxWaitMillis: Duration.toMillis(settings.pictureMaxWait),
      cpuMillisPerMinute: 1_000 * settings.pictureCpuSeconds
    }))),
    layerInstrumentedEgress.pipe(Layer.provide(layerEgressOf(settings))),
    Layer.effect(
      Pending,
      Effect.map(Effect.fromResult(parseBankCodes("PENDING_BANKS", settings.pendingBanks)), (banks) => ({
        banks,
        windowMillis: Duration.toMillis(settings.pendingWindow)
      }))
    )
  )

type Make = (settings: Settings) => Effect.Effect<Gateway, GatewaySettingError | EgressSettingsError, Scope.Scope>

const sandbox: Make = () =>
  Effect.map(Layer.build(layerSandboxGateway), (context): Gateway => ({
    name: "sandbox",
    traits: bankTraits("sandbox"),
    timeoutMillis: SLOW_MILLIS,
    answersFor: () => true,
    verify: Context.get(context, BankGateway).verify,
    check: Effect.void,
    status: () => ({ name: "sandbox" })
  }))

const scb: Make = Effect.fnUntraced(function* (settings) {
  return yield* makeScbGateway({
    apiKey: yield* requireCredential("SCB_API_KEY", settings.scbApiKey, "scb"),
    apiSecret: yield* requireCredential("SCB_API_SECRET", settings.scbApiSecret, "scb"),
    baseUrl: yield* Effect.fromResult(parseBaseUrl("SCB_BASE_URL", settings.scbBaseUrl)),
    timeoutMillis: Duration.toMillis(settings.scbTimeout),
    concurrency: settings.scbConcurrency,
    sendingBanks: yield* Effect.fromResult(parseBankCodes("SCB_SENDING_BANKS", settings.scbSendingBanks)),
    authorities: yield* authoritiesOf(settings)
  })
})

const kbank: Make = Effect.fnUntraced(function* (settings) {
  return yield* makeKbankGateway({
    consumerId: yield* requireCredential("KBANK_CONSUMER_ID", settings.kbankConsumerId, "kbank"),
    consumerSecret: yield* requireCredential("KBANK_CONSUMER_SECRET", settings.kbankConsumerSecret, "kbank"),
    certificate: yield* kbankCertificate(settings),
    isTest: settings.kbankTestMode,
    codes: yield* kbankCodes(settings),
    baseUrl: yield* Effect.fromResult(parseBaseUrl("KBANK_BASE_URL", settings.kbankBaseUrl)),
    timeoutMillis: Duration.toMillis(settings.kbankTimeout),
    concurrency: settings.kbankConcurrency,
    sendingBanks: yield* Effect.fromResult(parseBankCodes("KBANK_SENDING_BANKS", settings.kbankSendingBanks)),
    authorities: yield* authoritiesOf(settings)
  })
})

/** The gateway of a vendor. `valuesOf` takes its settings out of all. */
const vendor = <Values>(
  make: (
    values: Values,
    authorities: ReadonlyArray<string> | undefined
  ) => Effect.Effect<Gateway, GatewaySettingError, Scope.Scope>,
  valuesOf: (settings: Settings) => Values
): Make =>
  Effect.fnUntraced(function* (settings) {
    return yield* make(valuesOf(settings), yield* authoritiesOf(settings))
  })

const gateways: Readonly<Record<string, Make>> = {
  sandbox,
  scb,
  kbank,
  easyslip: vendor(makeEasySlipGateway, ({ easyslip }) => easyslip),
  thunder: vendor(makeThunderGateway, ({ thunder }) => thunder),
  slipok: vendor(makeSlipokGateway, ({ slipok }) => slipok),
  slip2go: vendor(makeSlip2goGateway, ({ slip2go }) => slip2go),
  rdcw: vendor(makeRdcwGateway, ({ rdcw }) => rdcw)
}

/** The client certificate for KBank; undefined in test mode without a certificate. */
export const kbankCertificate = Effect.fnUntraced(function* (
  { kbankCertFile: certFile, kbankKeyFile: keyFile, kbankKeyPassphrase, kbankTestMode }: Settings
) {
  if (certFile === undefined && keyFile === undefined && kbankTestMode) return undefined
  const missing = "is missing: KBank requires a client certificate with its key"
  if (certFile === undefined) return yield* settingError("KBANK_CERT_FILE", missing)
  if (keyFile === undefined) return yield* settingError("KBANK_KEY_FILE", missing)
  return yield* readClientCertificate({ certFile, keyFile, passphrase: kbankKeyPassphrase })
})

/** Refuses a code that would have two meanings. */
const kbankCodes = Effect.fnUntraced(function* ({ kbankNotFoundCodes, kbankPendingCodes }: Settings) {
  const lists = { KBANK_NOT_FOUND_CODES: kbankNotFoundCodes, KBANK_PENDING_CODES: kbankPendingCodes }
  for (const [setting, codes] of Object.entries(lists)) {
    const wrong = codes.find((code) => !isKbankCode(code))
    if (wrong !== undefined) {
      return yield* settingError(setting, `contains "${wrong}", which is not a status code of KBank`)
    }
    if (codes.includes(FOUND)) {
      return yield* settingError(setting, `contains ${FOUND}, which means that the slip was found`)
    }
  }
  const duplicate = kbankPendingCodes.find((code) => kbankNotFoundCodes.includes(code))
  if (duplicate !== undefined) {
    return yield* settingError("KBANK_PENDING_CODES", `contains ${duplicate}, which is also in KBANK_NOT_FOUND_CODES`)
  }
  return { notFound: kbankNotFoundCodes, pending: kbankPendingCodes }
})

const authoritiesOf = ({ egressCaFile }: Settings) =>
  egressCaFile === undefined ? Effect.undefined : readAuthorities(egressCaFile)

/** Makes the gateways of `BANK_GATEWAYS`, in that order, without a request to a bank. */
export const bankGateways = Effect.fnUntraced(function* (settings: Settings) {
  const names = settings.bankGateways
  const known = Object.keys(gateways).join(", ")
  if (names.length === 0) return yield* settingError("BANK_GATEWAYS", `is empty: set at least one of ${known}`)
  const duplicate = names.find((name, index) => names.indexOf(name) !== index)
  if (duplicate !== undefined) return yield* settingError("BANK_GATEWAYS", `names ${duplicate} twice`)
  const made = yield* Effect.forEach(names, (name) => {
    const make = Object.hasOwn(gateways, name) ? gateways[name] : undefined
    return make === undefined
      ? Effect.fail(settingError("BANK_GATEWAYS", `contains "${name}", which is not one of ${known}`))
      : make(settings)
  })
  if (settings.bankGatewayOrder === "price") yield* requirePrices(made)
  return made
})

/** Without its price, the place of a vendor in the order is unknown. */
const requirePrices = (gateways: ReadonlyArray<Gateway>) => {
  const without = gateways.find(({ status, traits }) => traits.charges !== undefined && status(0).price === undefined)
  return without === undefined ? Effect.void : Effect.fail(settingError(
    `${without.name.toUpperCase()}_PRICE`,
    "is missing: BANK_GATEWAY_ORDER=price needs the price of each vendor in BANK_GATEWAYS"
  ))
}

/** The gateways of `BANK_GATEWAYS` behind failover, with traces. */
const layerBanks = (settings: Settings) =>
  layerFailover(Effect.map(bankGateways(settings), (gateways) => gateways.map(traced)), settings.bankGatewayOrder)

/** The vendors' accounts of the operator are followed in processes that ask gateways. */
export const layerFollowAccounts = Layer.effectDiscard(
  Effect.flatMap(GatewayStatuses, ({ follow }) => Effect.forkScoped(follow))
)

/** Adds a span to each question. The span does not name the slip, and the bank does not receive the trace. */
const traced = (gateway: Gateway): Gateway => ({
  ...gateway,
  verify: (question) =>
    inSpan(
      {
        name: `${gateway.name} verify`,
        kind: "client",
        attributes: { "peer.service": gateway.name, "sliptrail.sending_bank": question.sendingBank },
        resultOf: (exit) => {
          if (exit._tag === "Failure") return { error: "defect" }
          const { _tag } = exit.value.answer
          return { attributes: { "sliptrail.answer": _tag }, error: _tag === "Unavailable" ? _tag : undefined }
        }
      },
      gateway.verify(question)
    )
})
