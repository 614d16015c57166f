import { Effect } from "effect"
import { createSocket } from "node:dgram"
import { createServer } from "node:net"
import { drawSandboxSlip } from "../../infrastructure/adapters/banks/sandbox/slip-picture.ts"
import { makeClient } from "../../test/support/client.ts"
import { temporaryFolder } from "../../test/support/temporary-folder.ts"
import { BenchError, checkedFinding, type Figure, type Finding, infoFinding } from "../figure.ts"
import { payloadOf } from "../http/rendered.ts"
import type { Options } from "../options.ts"
import { startProgram } from "../measure/program.ts"
import { BENCH_ADMIN_TOKEN, type RunningService, startService } from "../measure/service.ts"
import { quantile } from "../measure/statistics.ts"
import { residentMegabytes } from "../measure/usage.ts"
import { largestPictures } from "../pictures/largest.ts"
import { attacks } from "./attacks.ts"
import type { AttackReport, AttackRequest, Surroundings, TenantReport, TenantRequest } from "./messages.ts"

const HONEST_BRANCHES = 3
const PER_SECOND = 40
const PICTURES_PER_SECOND = 1
/** Of a lap without an attack. */
const QUIET_SECONDS = 8
/** Of an attack. The p99 of fewer answers does not repeat. */
const ATTACK_SECONDS = 16
/** The slowest answer that the second tenant may get at the 99th percentile, in milliseconds. */
const MAX_P99 = 1_000

/** Measures what a second tenant notices of each attack, on the embedded stores and with the default limits. */
export const hostile: Figure = {
  name: "hostile",
  about: "What a second tenant notices while one API key, or a stranger, attacks the service",
  run: Effect.fnUntraced(function* (options) {
    const names = yield* selectAttacks(options)
    const scene = yield* setScene(options)
    // Warms up the service.
    yield* scene.measureTenant(QUIET_SECONDS)
    const quiet: Array<TenantReport> = []
    const compareAll: Array<(baseline: TenantReport) => ReadonlyArray<Finding>> = []
    for (const name of names) {
      quiet.push(yield* scene.measureTenant(QUIET_SECONDS))
      const { answers, during } = yield* scene.attack([name], ATTACK_SECONDS)
      compareAll.push((baseline) => compare(name, baseline, during, answers))
    }
    // One lap without an attack has a p99 of ten answers. All such laps together give one that repeats.
    const baseline = together(quiet)
    return compareAll.flatMap((compareWith) => compareWith(baseline))
  })
}

/** Runs all attacks together for a long time: nothing may crash, leak or refuse the second tenant. */
export const soak: Figure = {
  name: "soak",
  about: "All attacks together for --minutes: errors of a second tenant, and memory before and after",
  run: Effect.fnUntraced(function* (options) {
    const { minutes } = options
    const names = yield* selectAttacks(options)
    const scene = yield* setScene(options)
    // The first minute of load splits the memory of malloc into parts, once. A leak grows afterwards.
    yield* scene.attack(names, WARM_UP_SECONDS)
    yield* Effect.sleep(REST)
    const before = scene.memory()
    const { during } = yield* scene.attack(names, minutes * 60)
    yield* Effect.sleep(REST)
    const after = scene.memory()
    const sent = during.payloads.length + during.pictures.length
    return [
      checkedFinding(
        {
          what: `wrong answers to a second tenant in ${minutes} minutes`,
          measured: `of ${sent}; ${during.wrongAnswer}`
        },
        during.wrong,
        { atMost: 0 },
        "answers"
      ),
      infoFinding({ what: "its answers", measured: show(during) }),
      checkedFinding(
        { what: "memory afterwards", measured: `${after.toFixed(0)} MB`, baseline: `${before.toFixed(0)} MB before` },
        after / before,
        { atMost: 1.1 }
      )
    ]
  })
}

const selectAttacks = ({ attack }: Options): Effect.Effect<ReadonlyArray<string>, BenchError> => {
  const names = Object.keys(attacks).filter((name) => name.includes(attack ?? ""))
  return names.length > 0 ? Effect.succeed(names) : Effect.fail(
    new BenchError({ message: `no attack is called "${attack}"; they are: ${Object.keys(attacks).join(", ")}` })
  )
}

const WARM_UP_SECONDS = 60

/** The service ends its idle threads and returns their memory within this time. */
const REST = "3 minutes"

/** A service with an attacker and an honest tenant, and the processes that act for them. */
const setScene = Effect.fnUntraced(function* ({ profile }: Options) {
  const tarPit = yield* silentServer
  const service = yield* startService({
    dataDir: yield* temporaryFolder,
    profile,
    env: {
      RATE_LIMIT: "50",
      WRONG_KEYS_PER_MINUTE: "600",
      EGRESS_HOSTS: "tarpit.test=127.0.0.1",
      EGRESS_ALLOW_CIDRS: "127.0.0.0/8",
      EGRESS_DNS_SERVERS: `127.0.0.1:${yield* silentNameServer}`
    }
  })
  const attacker = yield* startProgram({ script: new URL("./attack-process.ts", import.meta.url) })
  const tenant = yield* startProgram({ script: new URL("./tenant-process.ts", import.meta.url) })
  const keys = yield* createBranches(service)
  const pictures = yield* Effect.promise(largestPictures)
  const surroundings: Surroundings = {
    port: service.port,
    apiKey: keys.attacker,
    tarPit,
    pictures: pictures.map(({ bytes }) => Buffer.from(bytes).toString("base64"))
  }
  const picture = yield* drawSandboxSlip({ payload: payloadOf(0) }).pipe(
    Effect.mapError(({ message }) => new BenchError({ message }))
  )
  const measureTenant = (seconds: number) =>
    tenant.request<TenantReport>(
      {
        targets: keys.honest.map((apiKey) => ({ port: service.port, apiKey })),
        perSecond: PER_SECOND,
        picturesPerSecond: PICTURES_PER_SECOND,
        seconds,
        picture: Buffer.from(picture).toString("base64")
      } satisfies TenantRequest
    )
  return {
    measureTenant,
    attack: Effect.fnUntraced(function* (names: ReadonlyArray<string>, seconds: number) {
      yield* attacker.request({ kind: "start", attacks: names, surroundings } satisfies AttackRequest)
      const during = yield* measureTenant(seconds)
      const { answers } = yield* attacker.request<AttackReport>({ kind: "stop" } satisfies AttackRequest)
      return { answers, during }
    }),
    /** Resident memory of the service, in megabytes. */
    memory: () => residentMegabytes(service.pid)
  }
})

const createBranches = Effect.fnUntraced(function* ({ port }: RunningService) {
  const { createBranch, createService } = makeClient(`http://127.0.0.1:${port}`, BENCH_ADMIN_TOKEN)
  const attacker = yield* createService()
  const honest = yield* createService()
  const more = yield* Effect.forEach(Array.from({ length: HONEST_BRANCHES - 1 }), () => createBranch(honest.id))
  return {
    attacker: attacker.mainBranch.apiKey,
    honest: [honest.mainBranch, ...more].map(({ apiKey }) => apiKey)
  }
})

/** The port of a server that accepts connections and never answers. */
const silentServer = Effect.acquireRelease(
  Effect.callback<{ readonly port: number; readonly close: () => void }>((resume) => {
    const server = createServer((socket) => socket.on("error", () => {}))
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      resume(Effect.succeed({ port, close: () => server.close() }))
    })
  }),
  ({ close }) => Effect.sync(close)
).pipe(Effect.map(({ port }) => port))

/** The port of a name server that never answers. */
const silentNameServer = Effect.acquireRelease(
  Effect.callback<{ readonly port: number; readonly close: () => void }>((resume) => {
    const socket = createSocket("udp4")
    socket.bind(
      0,
      "127.0.0.1",
      () => resume(Effect.succeed({ port: socket.address().port, close: () => socket.close() }))
    )
  }),
  ({ close }) => Effect.sync(close)
).pipe(Effect.map(({ port }) => port))

const together = (reports: ReadonlyArray<TenantReport>): TenantReport => ({
  payloads: reports.flatMap(({ payloads }) => payloads),
  pictures: reports.flatMap(({ pictures }) => pictures),
  wrong: reports.reduce((sum, { wrong }) => sum + wrong, 0),
  wrongAnswer: reports.map(({ wrongAnswer }) => wrongAnswer).join("")
})

const show = ({ payloads, pictures, wrong }: TenantReport): string => {
  const p99 = (times: ReadonlyArray<number>) => quantile(times, 0.99).toFixed(0)
  return `payloads p99 ${p99(payloads)} ms, pictures p99 ${p99(pictures)} ms, ${wrong} wrong`
}

const compare = (
  name: string,
  before: TenantReport,
  during: TenantReport,
  answers: AttackReport["answers"]
): ReadonlyArray<Finding> => {
  const p99 = quantile(during.payloads, 0.99)
  const slowest = Math.max(p99, quantile(during.pictures, 0.99))
  const attack = Object.entries(answers).map(([status, count]) => `${count} × ${status}`).join(", ")
  return [
    checkedFinding(
      { what: `${name}: p99`, measured: show(during), baseline: show(before) },
      // Below this time the ratio would measure the scheduler of the machine.
      Math.max(p99, NOTICEABLE) / Math.max(quantile(before.payloads, 0.99), NOTICEABLE),
      { atMost: 2 }
    ),
    checkedFinding(
      { what: "  slowest p99, payload or picture", measured: `attack: ${attack || "no answer"}` },
      slowest,
      { atMost: MAX_P99 },
      "ms"
    ),
    checkedFinding(
      { what: "  wrong answers", measured: during.wrongAnswer.slice(0, 120) },
      during.wrong,
      { atMost: 0 },
      "answers"
    )
  ]
}

/** Milliseconds. */
const NOTICEABLE = 10
