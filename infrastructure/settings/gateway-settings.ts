import { Config, Duration, Schema } from "effect"
import { Delay, list, optional, secret, setting, withDefault } from "./setting.ts"

const AtATime = Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: 1_000 }))

const timeout = (name: string, bank: string) =>
  setting(
    name,
    "4 seconds",
    `how long ${bank} may take for one slip, with the token if one is needed; all gateways together get 9 seconds`,
    withDefault(Duration.seconds(4), (key) => Config.schema(Delay, key))
  )

const concurrency = (name: string, bank: string) =>
  setting(
    name,
    "20",
    `questions to ${bank} at a time, of each process; more wait within their time`,
    withDefault(20, (key) => Config.schema(AtATime, key))
  )

const sendingBanks = (name: string, bank: string) =>
  setting(
    name,
    "",
    `codes of the sending banks whose slips ${bank} is asked about, such as 004,014; none: of all`,
    list([])
  )

/** Settings of the gateway `scb`. */
export const scbSettings = {
  scbApiKey: secret("SCB_API_KEY", "API key of the application in SCB's developer portal; needed for the gateway scb"),
  scbApiSecret: secret("SCB_API_SECRET", "API secret of that application; needed for the gateway scb"),
  scbBaseUrl: setting(
    "SCB_BASE_URL",
    "https://api.partners.scb/partners",
    "where SCB's API begins; its sandbox: https://api-sandbox.partners.scb/partners/sandbox",
    withDefault("https://api.partners.scb/partners", Config.String)
  ),
  scbTimeout: timeout("SCB_TIMEOUT", "SCB"),
  scbConcurrency: concurrency("SCB_CONCURRENCY", "SCB"),
  scbSendingBanks: sendingBanks("SCB_SENDING_BANKS", "SCB")
} as const

/** Settings of the gateway `kbank`. */
export const kbankSettings = {
  kbankConsumerId: secret(
    "KBANK_CONSUMER_ID",
    "consumer id of the app in KBank's API portal; needed for the gateway kbank"
  ),
  kbankConsumerSecret: secret("KBANK_CONSUMER_SECRET", "consumer secret of that app; needed for the gateway kbank"),
  kbankCertFile: optional(
    "KBANK_CERT_FILE",
    "PEM file of the client certificate that KBank knows; needed for the gateway kbank, but not in test mode",
    Config.String
  ),
  kbankKeyFile: optional("KBANK_KEY_FILE", "PEM file of the key of that certificate", Config.String),
  kbankKeyPassphrase: secret("KBANK_KEY_PASSPHRASE", "passphrase of that key, if it is encrypted"),
  kbankTestMode: setting(
    "KBANK_TEST_MODE",
    "false",
    "true sends the headers that KBank's sandbox wants",
    withDefault(false, Config.Boolean)
  ),
  kbankBaseUrl: setting(
    "KBANK_BASE_URL",
    "https://openapi.kasikornbank.com",
    "where KBank's API begins; its sandbox: https://openapi-sandbox.kasikornbank.com",
    withDefault("https://openapi.kasikornbank.com", Config.String)
  ),
  kbankTimeout: timeout("KBANK_TIMEOUT", "KBank"),
  kbankConcurrency: concurrency("KBANK_CONCURRENCY", "KBank"),
  kbankSendingBanks: sendingBanks("KBANK_SENDING_BANKS", "KBank"),
  kbankNotFoundCodes: setting(
    "KBANK_NOT_FOUND_CODES",
    "",
    "status codes with which KBank says that it does not know a slip; any code that is not known leaves it open",
    list([])
  ),
  kbankPendingCodes: setting(
    "KBANK_PENDING_CODES",
    "",
    "status codes with which KBank says that it does not know a slip yet",
    list([])
  )
} as const
