import { Config, ConfigProvider, Schema } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { parseEnv } from "node:util"
import { bankSettings } from "./bank-settings.ts"
import { commandLineSettings } from "./command-line-settings.ts"
import { jobSettings } from "./job-settings.ts"
import { oidcSettings } from "./oidc-settings.ts"
import { pictureSettings } from "./picture-settings.ts"
import { Delay, integer, List, optional, secret, secretOfTwo, setting, type SettingInfo } from "./setting.ts"
import { telemetrySettings } from "./telemetry-settings.ts"
import { vendorSettingList, vendorSettings } from "./vendor-settings.ts"

const processSettings = {
  host: setting("HOST", "127.0.0.1", "Address that the HTTP server listens on.", Schema.String),
  port: setting(
    "PORT",
    "8080",
    "Port that the HTTP server listens on. `0` selects a free port and prints it.",
    integer(0, 65_535)
  ),
  dataDir: setting(
    "DATA_DIR",
    "./data",
    "Folder of the embedded stores and the keys. With shared stores also of the identity of the process and of a copy of read models: give each process its own.",
    Schema.String
  ),
  roles: setting(
    "ROLES",
    "http,worker,projector",
    "Roles of this process: `http`, `worker` and `projector`. Processes with the same `EVENTSTORE_URL` and `REDIS_URL` can divide the roles among them.",
    List
  ),
  eventStoreUrl: secretOfTwo(
    "EVENTSTORE_URL",
    "KURRENTDB_URL",
    "URL of EventStoreDB or KurrentDB (`esdb://` or `kurrentdb://`, with user and password if needed). Without it, the event store is embedded. Keep the variable out of the environment of the server: EventStoreDB takes every `EVENTSTORE_*` as an option of its own, KurrentDB every `KURRENTDB_*`, and a server with an unknown option does not start."
  ),
  redisUrl: secret(
    "REDIS_URL",
    "URL of Redis (`redis://` or `rediss://`). Without it, the read models are embedded."
  ),
  slipReader: setting(
    "SLIP_READER",
    "native",
    "`native` (sharp and zxing-wasm) or `portable` (no native code).",
    Schema.Literals(["native", "portable"])
  )
} as const

/** The body of a batch, in bytes: a smaller budget would refuse it always. */
const LARGEST_BODY = 67_108_864
/** The body of one slip, in bytes. */
const LARGEST_SLIP = 6_291_456
const MAX_BODY_BUDGET = 1_099_511_627_776

const httpSettings = {
  adminToken: secret(
    "ADMIN_TOKEN",
    "Opens the admin API under `/admin/v1` and the console under `/console` with the role admin, for bootstrapping and automation. May be absent once there is an operator. At least 22 characters, or 32 hexadecimal digits: `openssl rand -hex 32`."
  ),
  consoleSessionTimeout: setting(
    "CONSOLE_SESSION_TIMEOUT",
    "8 hours",
    "Longest duration of a console session. Afterwards the operator signs in again.",
    Delay
  ),
  consoleIdleTimeout: setting(
    "CONSOLE_IDLE_TIMEOUT",
    "30 minutes",
    "Time without a request after which a console session ends.",
    Delay
  ),
  publicUrl: optional(
    "PUBLIC_URL",
    "Origin under which clients reach the API and the shop's page, such as `https://slips.shop.example`. Sign-in links use it. Default: where the request was sent to; for `sliptrail key sign-in-link` beside the data folder, `PORT` of this machine.",
    Schema.String.check(
      Schema.makeFilter((text: string) =>
        URL.parse(text)?.origin === text || "Expected an origin such as https://slips.shop.example"
      )
    )
  ),
  shopSessionTimeout: setting(
    "SHOP_SESSION_TIMEOUT",
    "30 days",
    "Longest duration of a session of the shop's page. Afterwards the shop signs in again.",
    Delay
  ),
  shopIdleTimeout: setting(
    "SHOP_IDLE_TIMEOUT",
    "12 hours",
    "Time without a request after which a session of the shop's page ends.",
    Delay
  ),
  adminHost: optional(
    "ADMIN_HOST",
    "Address of the listener on `ADMIN_PORT`. Default: `127.0.0.1`.",
    Schema.String
  ),
  adminPort: optional(
    "ADMIN_PORT",
    "Port for the admin API, the console and `/metrics`. The listener on `PORT` then answers 404 for them. Without it, both are one listener. `0` selects a free port and prints it.",
    integer(0, 65_535)
  ),
  rateLimit: setting(
    "RATE_LIMIT",
    "50",
    "Average number of requests per second that each branch can make. `0` switches the limit off.",
    integer(0, 1_000_000)
  ),
  rateLimitBurst: setting(
    "RATE_LIMIT_BURST",
    "100",
    "Requests that a branch can make at once after a pause.",
    integer(0, 1_000_000)
  ),
  wrongKeysPerMinute: setting(
    "WRONG_KEYS_PER_MINUTE",
    "600",
    "Wrong API keys from one address within a minute. After them, keys that this process does not know are refused for a minute without a lookup. `0` switches the limit off.",
    integer(0, 1_000_000)
  ),
  maxConnections: optional(
    "MAX_CONNECTIONS",
    "Open connections of the API. When all are in use, the oldest one without a whole request is closed for a new one. Default: the file descriptors of the process less 512, but at least half of them and at most 10 000.",
    integer(16, 1_000_000)
  ),
  maxConnectionsPerAddress: setting(
    "MAX_CONNECTIONS_PER_ADDRESS",
    "1000",
    "Open connections of one client address, or of one /64 network of IPv6; at most half of all. A further one is closed at once. Addresses in `TRUSTED_PROXIES` have no such limit.",
    integer(1, 1_000_000)
  ),
  bodyBytesTotal: setting(
    "BODY_BYTES_TOTAL",
    "536870912",
    "Bytes of request bodies that may be in memory at a time. Bodies of up to 64 KiB do not count.",
    integer(LARGEST_BODY, MAX_BODY_BUDGET)
  ),
  bodyBytesPerBranch: setting(
    "BODY_BYTES_PER_BRANCH",
    "33554432",
    "The same for one branch. More large bodies wait, and are not received meanwhile. If a branch sends only one body, it may be larger than this. It must still fit into the free part of `BODY_BYTES_TOTAL`.",
    integer(LARGEST_SLIP, MAX_BODY_BUDGET)
  ),
  bodyMaxWait: setting(
    "BODY_MAX_WAIT",
    "10 seconds",
    "Longest time that a large body waits until its branch has room for it. Then it is answered with `RATE_LIMIT_EXCEEDED`.",
    Delay
  ),
  bodyIdleTimeout: setting(
    "BODY_IDLE_TIMEOUT",
    "10 seconds",
    "Longest pause while a request's body arrives. Then its connection is closed.",
    Delay
  ),
  repeatsPerDay: setting(
    "REPEATS_PER_DAY",
    "10000",
    "Free repeats per day: how often each branch can verify slips again that it has verified before. The allowance comes back evenly over the day. `0` switches the limit off.",
    integer(0, 100_000_000)
  ),
  failuresPerDay: setting(
    "FAILURES_PER_DAY",
    "10000",
    "Verifications per day that each branch can make without a slip as the result. Without one left, no bank is asked about new slips of the branch. The allowance comes back evenly over the day. `0` switches the limit off.",
    integer(0, 100_000_000)
  ),
  trustedProxies: setting(
    "TRUSTED_PROXIES",
    "",
    "Addresses and CIDR ranges of proxies whose `X-Forwarded-For` header is trusted.",
    List
  ),
  corsOrigins: setting(
    "CORS_ORIGINS",
    "",
    "Origins whose pages may call v1 and v2 from a browser, such as `https://shop.example`; `*` allows all. Without it, browsers let no page of another origin read an answer.",
    List
  )
} as const

/** docs/proof.md explains how the log is signed. */
const keySettings = {
  masterKey: secret(
    "MASTER_KEY",
    "32 bytes in base64 that encrypt webhook secrets and personal data. Without it, the first start creates `DATA_DIR/master.key`. Required with `EVENTSTORE_URL`."
  ),
  subjectKeysFile: optional(
    "SUBJECT_KEYS_FILE",
    "File with one key for each slip; `trail forget` destroys a key. With the embedded event store the default is `DATA_DIR/subjects.key`. With `EVENTSTORE_URL` all processes must share the file; without it, `trail forget` is not available.",
    Schema.String
  ),
  signingKey: secret(
    "SIGNING_KEY",
    "Ed25519 private key (PKCS8, DER, base64) that signs the log. Without it, the first start creates `DATA_DIR/signing.key`. With `EVENTSTORE_URL` and no key, the log is not signed."
  ),
  checkpointEvents: setting(
    "CHECKPOINT_EVENTS",
    "1000",
    "Number of events after which the log is signed.",
    integer(1, 1_000_000)
  ),
  checkpointInterval: setting(
    "CHECKPOINT_INTERVAL",
    "60 seconds",
    "Longest time that an event stays unsigned.",
    Delay
  ),
  checkpointFile: optional(
    "CHECKPOINT_FILE",
    "File that every signature of the log is also written to, so that it can be copied elsewhere. Default: `DATA_DIR/checkpoints.ndjson`.",
    Schema.String
  )
} as const

const egressSettings = {
  egressAllowCidrs: setting(
    "EGRESS_ALLOW_CIDRS",
    "",
    "Address ranges that requests may reach although they are not public. For tests and private networks.",
    List
  ),
  egressCaFile: optional(
    "EGRESS_CA_FILE",
    "PEM file of additional certificate authorities for outgoing TLS.",
    Schema.String
  ),
  egressDnsServers: setting(
    "EGRESS_DNS_SERVERS",
    "",
    "DNS servers for callbacks and image URLs: `ip` or `ip:port`. Without it, those of the operating system.",
    List
  ),
  egressHosts: setting(
    "EGRESS_HOSTS",
    "",
    "Host names that are resolved by this list instead of DNS: `name=ip,name=ip`. For tests.",
    List
  )
} as const

/** The sections of docs/settings.md, in their order. */
export const settingSections = {
  "Process and stores": processSettings,
  "HTTP": httpSettings,
  "Sign-in at an OpenID Connect provider": oidcSettings,
  "Keys and proof": keySettings,
  "Banks": bankSettings,
  "Vendors": vendorSettingList,
  "Pictures": pictureSettings,
  "Jobs and callbacks": jobSettings,
  "Outgoing requests": egressSettings,
  "Logs, traces and metrics": telemetrySettings,
  "Command line": commandLineSettings
} as const

/** The settings that are read one by one; those of vendors are read in groups. Those of the command line are not read. */
export const settings = {
  ...processSettings,
  ...httpSettings,
  ...oidcSettings,
  ...keySettings,
  ...bankSettings,
  ...pictureSettings,
  ...jobSettings,
  ...egressSettings,
  ...telemetrySettings
} as const

/** Every setting (docs/settings.md). */
export const everySetting: ReadonlyArray<Config.Config<unknown> & SettingInfo> = Object.values(settingSections)
  .flatMap((section) => Object.values<Config.Config<unknown> & SettingInfo>(section))

/** Reads every setting. The error names the setting and what is wrong with it. */
export const readSettings = Config.all({ ...settings, ...vendorSettings })

export type Settings = Readonly<Config.Success<typeof readSettings>>

type Environment = Readonly<Record<string, string | undefined>>

/** The variables of the file `.env` in the working folder; none when the file does not exist. */
export const dotEnv = (): Environment => existsSync(".env") ? parseEnv(readFileSync(".env", "utf8")) : {}

/** The environment first, then the file `.env`. An empty value counts as not set. */
export const environment = (env: Environment): ConfigProvider.ConfigProvider =>
  ConfigProvider.fromEnvRecord({ ...dotEnv(), ...env })
