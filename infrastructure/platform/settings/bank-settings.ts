import { Schema } from "effect"
import { MAX_STATED_WAIT_MILLIS } from "../../../domain/waits.ts"
import { atMost, Delay, Flag, List, optional, secret, setting } from "./setting.ts"
import { limitSettings, vendorSettings } from "./vendor-settings.ts"

const timeout = (name: string, bank: string) =>
  setting(
    name,
    "4 seconds",
    `Time limit for asking ${bank} about one slip, including a new access token. All banks together have 9 seconds.`,
    Delay
  )

const scb = limitSettings({ prefix: "SCB", title: "SCB" })
const kbank = limitSettings({ prefix: "KBANK", title: "KBank" })

const vendorNames = Object.keys(vendorSettings).map((name) => `\`${name}\``).join(", ")

/** Settings of the SCB and KBank gateways. */
export const bankSettings = {
  bankGateways: setting(
    "BANK_GATEWAYS",
    "sandbox",
    `Gateways in the order in which they are asked. Each one is \`sandbox\`, a bank (\`scb\`, \`kbank\`) or a vendor (${vendorNames}).`,
    List
  ),
  bankGatewayOrder: setting(
    "BANK_GATEWAY_ORDER",
    "configured",
    "`configured` asks the gateways in the order of `BANK_GATEWAYS`. `price` asks them by what the question costs: free repeats, then the price, then vendors that do not charge unknown slips.",
    Schema.Literals(["configured", "price"])
  ),
  allowSandbox: setting(
    "ALLOW_SANDBOX",
    "false",
    "`true` allows the gateway `sandbox` although other machines can call this service, or share its stores. Anyone can make slips that the sandbox bank confirms: for trials only.",
    Flag
  ),
  pendingBanks: setting(
    "PENDING_BANKS",
    "002",
    "Codes of the sending banks whose new transfers may not be visible to other banks yet.",
    List
  ),
  pendingWindow: setting(
    "PENDING_WINDOW",
    "5 minutes",
    "How long after the transfer an unknown slip of these banks is answered with `SLIP_PENDING` instead of `SLIP_NOT_FOUND`. At most one hour.",
    atMost(Schema.DurationFromString, MAX_STATED_WAIT_MILLIS)
  ),
  scbApiKey: secret("SCB_API_KEY", "API key of the application in SCB's developer portal. The gateway `scb` needs it."),
  scbApiSecret: secret("SCB_API_SECRET", "API secret of the same application. The gateway `scb` needs it."),
  scbBaseUrl: setting(
    "SCB_BASE_URL",
    "https://api.partners.scb/partners",
    "Base URL of SCB's API. SCB's sandbox: `https://api-sandbox.partners.scb/partners/sandbox`.",
    Schema.String
  ),
  scbTimeout: timeout("SCB_TIMEOUT", "SCB"),
  scbConcurrency: scb.concurrency,
  scbSendingBanks: scb.sendingBanks,
  kbankConsumerId: secret(
    "KBANK_CONSUMER_ID",
    "Consumer ID of the app in KBank's API portal. The gateway `kbank` needs it."
  ),
  kbankConsumerSecret: secret(
    "KBANK_CONSUMER_SECRET",
    "Consumer secret of the same app. The gateway `kbank` needs it."
  ),
  kbankCertFile: optional(
    "KBANK_CERT_FILE",
    "PEM file of the client certificate that is registered with KBank. The gateway `kbank` needs it, except in test mode.",
    Schema.String
  ),
  kbankKeyFile: optional("KBANK_KEY_FILE", "PEM file of the private key of that certificate.", Schema.String),
  kbankKeyPassphrase: secret("KBANK_KEY_PASSPHRASE", "Passphrase of that private key, if the key is encrypted."),
  kbankTestMode: setting(
    "KBANK_TEST_MODE",
    "false",
    "`true` sends the headers that KBank's sandbox requires.",
    Flag
  ),
  kbankBaseUrl: setting(
    "KBANK_BASE_URL",
    "https://openapi.kasikornbank.com",
    "Base URL of KBank's API. KBank's sandbox: `https://openapi-sandbox.kasikornbank.com`.",
    Schema.String
  ),
  kbankTimeout: timeout("KBANK_TIMEOUT", "KBank"),
  kbankConcurrency: kbank.concurrency,
  kbankSendingBanks: kbank.sendingBanks,
  kbankNotFoundCodes: setting(
    "KBANK_NOT_FOUND_CODES",
    "",
    'KBank\'s status codes for "this slip does not exist". Any other unknown code counts as no clear answer.',
    List
  ),
  kbankPendingCodes: setting(
    "KBANK_PENDING_CODES",
    "",
    'KBank\'s status codes for "this slip is not known yet".',
    List
  )
} as const
