import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type Asked, type Described, makeRequests, operationsOf } from "../support/from-openapi.ts"
import { numbersFrom } from "../support/random.ts"
import { type SpawnedService, spawnService } from "../support/service.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"
import { rawExchange } from "./raw-http.ts"

const SEED = 20_261_122
const ROUNDS = 40
/** Megabytes by which a process may be larger after the later rounds than after the earlier ones. */
const GROWTH = 40

const V1_BODY = /^\{"status":\d{3},"(data|message)":/u
const V2_BODY = /^\{"success":(true|false),/u

/** What is no part of an API's version has a form of its own. */
const isVersioned = ({ path }: Asked): boolean => /^\/(v1|v2|api\/v1)\//u.test(path)

/** Megabytes of memory that a process has. */
const residentMegabytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/u.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? Number.NaN) / 1_024

const ask = Effect.fnUntraced(function* (service: SpawnedService, asked: Asked, sent: string) {
  const { answers } = yield* rawExchange(service.baseUrl, sent)
  const [answer] = answers
  const shown = `${JSON.stringify(sent.slice(0, 600))} → ${JSON.stringify(answer)}`
  if (answer === undefined) return assert.fail(`no answer: ${shown}`)
  assert.isBelow(answer.status, 500, shown)
  assert.match(answer.headers["x-request-id"] ?? "", /^[\w.:-]{1,64}$/u, shown)
  assert.strictEqual(answer.headers["content-type"], "application/json", shown)
  assert.match(answer.body, asked.path.startsWith("/v2/") ? V2_BODY : V1_BODY, shown)
  assert.property(asked.responses, String(answer.status), `is not described: ${asked.method} ${asked.path}: ${shown}`)
  return answer.status
})

describe("everything that the OpenAPI document describes", () => {
  it.live(
    "answers whatever it is asked: never a 500, always its envelope and a status that is described",
    () =>
      Effect.gen(function* () {
        const service = yield* spawnService(join(yield* temporaryFolder, "data"))
        const { text } = yield* service.call("GET", "/openapi.json")
        const document = JSON.parse(text) as Described
        const operations = operationsOf(document).filter(isVersioned)
        assert.isAbove(operations.length, 20)
        const { mainBranch } = yield* service.createService()
        const requestOf = makeRequests(document, numbersFrom(SEED))

        const statuses = new Set<number>()
        const round = Effect.forEach(operations, (asked) =>
          Effect.gen(function* () {
            // Whoever rotates his secret away, or takes the URL of his callbacks, is a caller like any other.
            statuses.add(yield* ask(service, asked, requestOf(asked, mainBranch.apiKey)))
          }), { discard: true, concurrency: 4 })
        const rounds = (count: number) => Effect.forEach(Array.from({ length: count }), () => round, { discard: true })

        yield* rounds(ROUNDS / 2)
        const before = residentMegabytes(service.pid)
        yield* rounds(ROUNDS / 2)
        const after = residentMegabytes(service.pid)

        for (const status of [200, 201, 202, 400, 401, 404]) assert.include([...statuses], status)
        assert.isBelow(after - before, GROWTH, `${before} MB grew to ${after} MB`)
        assert.notInclude(service.output().stdout + service.output().stderr, "foresaw")
        assert.strictEqual((yield* service.call("GET", "/health/ready")).status, 200)
        assert.strictEqual(yield* service.stop("SIGTERM"), 0)
      })
  )
})
