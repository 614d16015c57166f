import { Config, ConfigProvider, Duration } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { parseEnv } from "node:util"
import { kbankSettings, scbSettings } from "./settings/gateway-settings.ts"
import { proofSettings } from "./settings/proof-settings.ts"
import { Count, Delay, delays, list, optional, Port, secret, setting, withDefault } from "./settings/setting.ts"
import { telemetrySettings } from "./settings/telemetry-settings.ts"

/** Every setting (contract: operations, "Settings"). */
export const settings = {
  host: setting("HOST", "127.0.0.1", "address that HTTP listens on", withDefault("127.0.0.1", Config.String)),
  port: setting(
    "PORT",
    "8080",
    "port that HTTP listens on; 0 picks a free one and prints it",
    withDefault(8080, (name) => Config.schema(Port, name))
  ),
  dataDir: setting("DATA_DIR", "./data", "folder of the embedded stores and keys", withDefault("./data", Config.String)),
  roles: setting(
    "ROLES",
    "http,worker,projector",
    "what this process does; processes that share EVENTSTORE_URL and REDIS_URL may share the roles too",
    list(["http", "worker", "projector"])
  ),
  bankGateways: setting(
    "BANK_GATEWAYS",
    "sandbox",
    "banks' gateways out of sandbox, scb, kbank, in the order in which they are asked",
    list(["sandbox"])
  ),
  ...scbSettings,
  ...kbankSettings,
  masterKey: secret(
    "MASTER_KEY",
    "32 bytes in base64 that seal webhook secrets and personal data; without it DATA_DIR/master.key is made once; needed with EVENTSTORE_URL"
  ),
  ...proofSettings,
  subjectKeysFile: optional(
    "SUBJECT_KEYS_FILE",
    "file with a key for each slip, which `trail forget` destroys; DATA_DIR/subjects.key with the embedded log, with EVENTSTORE_URL one that all processes share, or nothing can be forgotten",
    Config.String
  ),
  adminToken: secret("ADMIN_TOKEN", "enables the admin API under /admin/v1 and the console under /console"),
  rateLimit: setting(
    "RATE_LIMIT",
    "50",
    "requests a second that each branch may make in the long run; 0 switches the limit off",
    withDefault(50, (name) => Config.schema(Count, name))
  ),
  rateLimitBurst: setting(
    "RATE_LIMIT_BURST",
    "100",
    "requests that a branch which was quiet may make at once",
    withDefault(100, (name) => Config.schema(Count, name))
  ),
  trustedProxies: setting("TRUSTED_PROXIES", "", "addresses and CIDR ranges whose X-Forwarded-For is believed", list([])),
  egressAllowCidrs: setting(
    "EGRESS_ALLOW_CIDRS",
    "",
    "ranges that are not public and may be fetched from all the same (tests, private networks)",
    list([])
  ),
  egressCaFile: optional("EGRESS_CA_FILE", "PEM file of further certificate authorities for outgoing TLS", Config.String),
  egressHosts: setting("EGRESS_HOSTS", "", "name=ip,name=ip: names that are resolved by this list (tests)", list([])),
  pendingBanks: setting("PENDING_BANKS", "002", "banks whose fresh slips may not be known upstream yet", list(["002"])),
  pendingWindow: setting(
    "PENDING_WINDOW",
    "5 minutes",
    "how long after the transfer such a slip is pending instead of not found",
    withDefault(Duration.minutes(5), Config.Duration)
  ),
  verifyRetrySchedule: delays(
    "VERIFY_RETRY_SCHEDULE",
    ["30 seconds", "60 seconds", "120 seconds", "240 seconds"],
    "when a job whose slip could not be verified yet is tried again, one delay for each time"
  ),
  callbackRetrySchedule: delays(
    "CALLBACK_RETRY_SCHEDULE",
    ["5 seconds", "30 seconds", "2 minutes", "10 minutes", "1 hour"],
    "when a callback that failed is sent again, each delay up to 20 % shorter or longer; then it is abandoned"
  ),
  callbackTimeout: setting(
    "CALLBACK_TIMEOUT",
    "10 seconds",
    "how long one callback may take, from its name to the last byte of the answer",
    (name) => Config.withDefault(Config.schema(Delay, name), Duration.seconds(10))
  ),
  slipReader: setting(
    "SLIP_READER",
    "native",
    "native (sharp and zxing-wasm) or portable (image-js and jsQR: no native code)",
    (name) => Config.withDefault(Config.Literals(["native", "portable"], name), "native" as const)
  ),
  logFormat: optional("LOG_FORMAT", "pretty or json; pretty on a terminal, else json", (name) =>
    Config.Literals(["pretty", "json"], name)),
  logLevel: setting("LOG_LEVEL", "info", "debug, info, warn or error", (name) =>
    Config.withDefault(Config.Literals(["debug", "info", "warn", "error"], name), "info" as const)),
  ...telemetrySettings,
  eventStoreUrl: secret("EVENTSTORE_URL", "esdb:// or kurrentdb://, with user and password if need be; absent: the event store is embedded"),
  redisUrl: secret("REDIS_URL", "redis:// or rediss://; absent: the read models are embedded")
} as const

export type Settings = { readonly [K in keyof typeof settings]: (typeof settings)[K]["config"] extends Config.Config<infer A> ? A : never }

/** Reads every setting; what can't be read fails with the name of the setting and what is wrong with it. */
export const readSettings: Config.Config<Settings> = Config.all({
  host: settings.host.config,
  port: settings.port.config,
  dataDir: settings.dataDir.config,
  roles: settings.roles.config,
  bankGateways: settings.bankGateways.config,
  scbApiKey: settings.scbApiKey.config,
  scbApiSecret: settings.scbApiSecret.config,
  scbBaseUrl: settings.scbBaseUrl.config,
  scbTimeout: settings.scbTimeout.config,
  scbConcurrency: settings.scbConcurrency.config,
  scbSendingBanks: settings.scbSendingBanks.config,
  kbankConsumerId: settings.kbankConsumerId.config,
  kbankConsumerSecret: settings.kbankConsumerSecret.config,
  kbankCertFile: settings.kbankCertFile.config,
  kbankKeyFile: settings.kbankKeyFile.config,
  kbankKeyPassphrase: settings.kbankKeyPassphrase.config,
  kbankTestMode: settings.kbankTestMode.config,
  kbankBaseUrl: settings.kbankBaseUrl.config,
  kbankTimeout: settings.kbankTimeout.config,
  kbankConcurrency: settings.kbankConcurrency.config,
  kbankSendingBanks: settings.kbankSendingBanks.config,
  kbankNotFoundCodes: settings.kbankNotFoundCodes.config,
  kbankPendingCodes: settings.kbankPendingCodes.config,
  masterKey: settings.masterKey.config,
  subjectKeysFile: settings.subjectKeysFile.config,
  checkpointEvents: settings.checkpointEvents.config,
  checkpointInterval: settings.checkpointInterval.config,
  checkpointFile: settings.checkpointFile.config,
  signingKey: settings.signingKey.config,
  adminToken: settings.adminToken.config,
  rateLimit: settings.rateLimit.config,
  rateLimitBurst: settings.rateLimitBurst.config,
  trustedProxies: settings.trustedProxies.config,
  egressAllowCidrs: settings.egressAllowCidrs.config,
  egressCaFile: settings.egressCaFile.config,
  egressHosts: settings.egressHosts.config,
  pendingBanks: settings.pendingBanks.config,
  pendingWindow: settings.pendingWindow.config,
  verifyRetrySchedule: settings.verifyRetrySchedule.config,
  callbackRetrySchedule: settings.callbackRetrySchedule.config,
  callbackTimeout: settings.callbackTimeout.config,
  slipReader: settings.slipReader.config,
  logFormat: settings.logFormat.config,
  logLevel: settings.logLevel.config,
  otlpEndpoint: settings.otlpEndpoint.config,
  otlpHeaders: settings.otlpHeaders.config,
  otelServiceName: settings.otelServiceName.config,
  otelResourceAttributes: settings.otelResourceAttributes.config,
  otelTracesSampler: settings.otelTracesSampler.config,
  otelTracesSamplerArg: settings.otelTracesSamplerArg.config,
  eventStoreUrl: settings.eventStoreUrl.config,
  redisUrl: settings.redisUrl.config
})

type Environment = Readonly<Record<string, string | undefined>>

/** What the file `.env` says of the folder that the program was started in; nothing when there is none. */
export const dotEnv = (): Environment => existsSync(".env") ? parseEnv(readFileSync(".env", "utf8")) : {}

/** The environment, and behind it the file `.env`. An empty value is none. */
export const environment = (env: Environment): ConfigProvider.ConfigProvider =>
  ConfigProvider.fromEnvRecord({ ...dotEnv(), ...env })
