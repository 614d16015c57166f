import { assert, describe, it } from "./support/it.ts"
import { ConfigProvider, Effect, Layer, Redacted, Result } from "effect"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parse } from "yaml"
import { parseConnectionString } from "../infrastructure/adapters/stores/eventstoredb/connection-string.ts"
import { signingKeyOfSetting } from "../infrastructure/adapters/notary/signing-keys.ts"
import { parseRedisUrl } from "../infrastructure/adapters/stores/redis/redis-url.ts"
import { trustedProxies } from "../infrastructure/runtime/listeners.ts"
import { requireSupported } from "../infrastructure/runtime/service.ts"
import { isShared } from "../infrastructure/runtime/stores.ts"
import { namesOf } from "../infrastructure/platform/settings/setting.ts"
import { everySetting, readSettings } from "../infrastructure/platform/settings/settings.ts"
import { masterKeyOfSetting } from "../infrastructure/adapters/keys/master-key.ts"
import { allOf, environmentOf, readStages } from "./support/dockerfile.ts"
import { layerRunningService, RunningService } from "./support/service.ts"
import { signingKeySetting } from "./support/signing-key.ts"

interface Service {
  readonly image: string
  readonly build?: string
  readonly user?: string
  readonly restart?: string
  readonly read_only?: boolean
  readonly tmpfs?: ReadonlyArray<string>
  readonly networks: ReadonlyArray<string>
  readonly ports?: ReadonlyArray<string>
  readonly command?: ReadonlyArray<string>
  readonly environment?: Readonly<Record<string, string>>
  readonly stop_grace_period?: string
  readonly healthcheck?: { readonly test: ReadonlyArray<string> }
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly volumes?: ReadonlyArray<string>
}

interface Network {
  readonly ipam?: { readonly config: ReadonlyArray<{ readonly subnet: string }> }
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly networks: Readonly<Record<string, Network>>
  readonly volumes: Readonly<Record<string, unknown>>
  readonly configs: { readonly caddyfile: { readonly content: string } }
}

const root = fileURLToPath(new URL("..", import.meta.url))
const compose: Compose = parse(readFileSync(`${root}compose.yaml`, "utf8"), { merge: true })
const services = Object.entries(compose.services)
/** The processes of SlipTrail: the services that are built from this repository. */
const ours = services.filter(([, { build }]) => build !== undefined)
const image = readStages(`${root}Dockerfile`).at(-1) ?? []
const caddyfile = compose.configs.caddyfile.content

/** An operator's `.env`. */
const dotEnv: Readonly<Record<string, string>> = {
  MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
  ADMIN_TOKEN: "0123456789abcdef0123456789abcdef",
  SIGNING_KEY: signingKeySetting()
}

/** Replaces required variables, `${NAME:?message}`, by their values. */
const substituted = (value: string): string =>
  value.replaceAll(/\$\{(\w+):\?[^}]+\}/gu, (_, name: string) => dotEnv[name] ?? assert.fail(`${name} is not set`))

/** The environment of a process: the variables of the image, overridden by those of the service. */
const environmentFor = (service: Service): Readonly<Record<string, string>> => ({
  ...environmentOf(image),
  ...Object.fromEntries(Object.entries(service.environment ?? {}).map(([name, value]) => [name, substituted(value)]))
})

const settingsOf = (service: Service) => readSettings.parse(ConfigProvider.fromEnvRecord(environmentFor(service)))

const seconds = (text: string | undefined): number => Number(/^(\d+)s$/u.exec(text ?? "")?.[1] ?? 0)

const shareNetwork = (one: Service, other: Service | undefined): boolean =>
  other?.networks.some((network) => one.networks.includes(network)) ?? false

describe("compose.yaml", () => {
  it("sets only settings of SlipTrail, secrets from .env alone", () => {
    const known = new Map<string, boolean>(
      everySetting.flatMap((setting) => namesOf(setting).map((name) => [name, setting.secret] as const))
    )
    for (const [, { environment = {} }] of ours) {
      for (const [name, value] of Object.entries(environment)) {
        assert.isTrue(known.has(name), name)
        if (Object.hasOwn(dotEnv, name)) assert.match(value, new RegExp(`^\\$\\{${name}:\\?`, "u"))
        else assert.notInclude(value, "$")
      }
    }
  })

  it.effect("sets values that every process accepts, with shared stores", () =>
    Effect.forEach(
      ours,
      Effect.fnUntraced(function* ([, service]) {
        const given = yield* settingsOf(service)
        yield* requireSupported(given)
        yield* Effect.scoped(Layer.build(trustedProxies(given)))
        assert.isTrue(isShared(given))
        assert.isDefined(given.masterKey)
        yield* masterKeyOfSetting(given.masterKey ?? Redacted.make(""))
      })
    ))

  it.effect("is a marked trial: the sandbox bank, allowed aloud", () =>
    Effect.forEach(
      ours,
      Effect.fnUntraced(function* ([name, service]) {
        const { allowSandbox, bankGateways } = yield* settingsOf(service)
        assert.deepStrictEqual([bankGateways, allowSandbox], [["sandbox"], true], name)
      })
    ))

  it.effect("signs the log in one process", function* () {
    const all = yield* Effect.forEach(ours, ([, service]) => settingsOf(service))
    const [signer, ...others] = all.filter(({ signingKey }) => signingKey !== undefined)
    assert.deepStrictEqual(others, [])
    assert.include(signer?.roles ?? [], "projector")
    yield* signingKeyOfSetting(signer?.signingKey ?? Redacted.make(""))
  })

  it.effect("assigns all roles, and serves in two processes", function* () {
    const all = yield* Effect.forEach(ours, ([, service]) => settingsOf(service))
    assert.sameMembers([...new Set(all.flatMap(({ roles }) => roles))], ["http", "worker", "projector"])
    assert.isAtLeast(all.filter(({ roles }) => roles.includes("http")).length, 2)
  })

  it("uses its own event store and Redis, in a network of the processes", () => {
    for (const [, service] of ours) {
      const { KURRENTDB_URL = "", REDIS_URL = "" } = environmentFor(service)
      const log = Result.getOrThrow(parseConnectionString(KURRENTDB_URL)).hosts[0].address
      const redis = Result.getOrThrow(parseRedisUrl(REDIS_URL)).host
      for (const host of [log, redis]) {
        assert.isTrue(shareNetwork(service, compose.services[host]), host)
        assert.strictEqual(service.depends_on?.[host]?.condition, "service_healthy")
      }
    }
  })

  it("waits only for services with a health check", () => {
    for (const [name, { depends_on = {} }] of services) {
      for (const [other, { condition }] of Object.entries(depends_on)) {
        const awaited = compose.services[other]
        assert.strictEqual(condition, "service_healthy", `${name} on ${other}`)
        const isChecked = awaited?.healthcheck !== undefined
          || (awaited?.build !== undefined && allOf(image, "HEALTHCHECK").length === 1)
        assert.isTrue(isChecked, other)
      }
    }
  })

  it("publishes only the proxy, on its listening ports, to this machine", () => {
    assert.deepStrictEqual(services.filter(([, { ports }]) => ports !== undefined).map(([name]) => name), ["proxy"])
    const listens = Array.from(caddyfile.matchAll(/^:(\d+) \{$/gmu), ([, port = ""]) => port)
    const published = (compose.services["proxy"]?.ports ?? []).map((port) => port.split(":"))
    assert.deepStrictEqual(published.map(([host]) => host), ["127.0.0.1", "127.0.0.1"])
    assert.sameMembers(published.map((parts) => parts.at(-1) ?? ""), listens)
  })

  it.effect("has a proxy for every http process, on its port, and apart from it on its admin port", function* () {
    const serving: Array<string> = []
    const managed: Array<string> = []
    for (const [name, service] of ours) {
      const { adminPort, port, roles } = yield* settingsOf(service)
      if (!roles.includes("http")) continue
      serving.push(`${name}:${port}`)
      managed.push(`${name}:${adminPort}`)
      assert.isTrue(shareNetwork(service, compose.services["proxy"]), name)
    }
    const [api, management, ...others] = Array.from(
      caddyfile.matchAll(/reverse_proxy (.+) \{$/gmu),
      ([, upstreams = ""]) => upstreams.split(" ")
    )
    assert.sameMembers(api ?? [], serving)
    assert.sameMembers(management ?? [], managed)
    assert.deepStrictEqual(others, [])
  })

  it("trusts X-Forwarded-For of the proxy's network", () => {
    const [network = ""] = compose.services["proxy"]?.networks ?? []
    const subnet = compose.networks[network]?.ipam?.config[0]?.subnet
    for (const [, service] of ours) assert.strictEqual(environmentFor(service)["TRUSTED_PROXIES"], subnet)
  })

  it.live("checks the health of processes at their health paths", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* RunningService
      const path = /health_uri (\S+)$/mu.exec(caddyfile)?.[1] ?? ""
      const { status } = yield* Effect.promise(() => fetch(new URL(path, baseUrl)))
      assert.strictEqual(path, "/health/ready")
      assert.strictEqual(status, 200)
    }).pipe(Effect.provide(layerRunningService())))

  it("runs nothing as root, and SlipTrail with a read-only file system", () => {
    for (const [name, { build, user }] of services) {
      const runsAs = build === undefined ? user : user ?? allOf(image, "USER").at(-1)
      assert.match(runsAs ?? "", /^(?!root\b|0\b)\w+/u, name)
    }
    for (const [name, service] of ours) {
      assert.isTrue(service.read_only, name)
      assert.deepStrictEqual(service.tmpfs, ["/tmp"])
      // A volume of the image: what is in a tmpfs is lost when the container restarts.
      assert.include(allOf(image, "VOLUME"), environmentFor(service)["DATA_DIR"])
    }
  })

  it("restarts every service, and gives it time to stop", () => {
    for (const [name, { restart }] of services) assert.strictEqual(restart, "unless-stopped", name)
    for (const [name, { stop_grace_period }] of ours) assert.isAtLeast(seconds(stop_grace_period), 15, name)
  })

  it("stores the data of Redis and the event store in volumes", () => {
    const command = compose.services["redis"]?.command ?? []
    const option = (name: string) => command[command.indexOf(name) + 1]
    assert.strictEqual(option("--maxmemory-policy"), "noeviction")
    assert.strictEqual(option("--appendonly"), "yes")
    for (const name of ["redis", "eventstore"]) {
      const volumes = (compose.services[name]?.volumes ?? []).map((volume) => volume.split(":")[0] ?? "")
      assert.isNotEmpty(volumes)
      assert.includeMembers(Object.keys(compose.volumes), volumes)
    }
  })
})
