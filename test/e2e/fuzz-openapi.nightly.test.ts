import { assert, describe, it } from "../support/it.ts"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type Described, type DescribedOperation, makeRequests, operationsOf } from "../support/from-openapi.ts"
import { numbersFrom } from "../support/random.ts"
import { type SpawnedService, spawnService } from "../support/service.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"
import { rawExchange } from "./raw-http.ts"

const SEED = 20_261_122
const ROUNDS = 40
/** Megabytes by which the process may grow in the second half of the rounds. */
const GROWTH = 40

const V1_BODY = /^\{"status":\d{3},"(data|message)":/u
const V2_BODY = /^\{"success":(true|false),/u

/** Whether an operation belongs to v1 or v2. Others answer in other formats. */
const isVersioned = ({ path }: DescribedOperation): boolean => /^\/(v1|v2|api\/v1)\//u.test(path)

/** Resident memory of a process, in megabytes. */
const residentMegabytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/u.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? Number.NaN) / 1_024

const send = Effect.fnUntraced(function* (service: SpawnedService, operation: DescribedOperation, sent: string) {
  const { answers } = yield* rawExchange(service.baseUrl, sent)
  const [answer] = answers
  const shown = `${JSON.stringify(sent.slice(0, 600))} → ${JSON.stringify(answer)}`
  if (answer === undefined) return assert.fail(`no answer: ${shown}`)
  assert.isBelow(answer.status, 500, shown)
  assert.match(answer.headers["x-request-id"] ?? "", /^[\w.:-]{1,64}$/u, shown)
  assert.strictEqual(answer.headers["content-type"], "application/json", shown)
  assert.match(answer.body, operation.path.startsWith("/v2/") ? V2_BODY : V1_BODY, shown)
  assert.property(
    operation.responses,
    String(answer.status),
    `status is not declared: ${operation.method} ${operation.path}: ${shown}`
  )
  return answer.status
})

describe("every operation of the OpenAPI document", () => {
  it.live("answers random requests with its envelope and a declared status, never with 500", function* () {
    const service = yield* spawnService(join(yield* temporaryFolder, "data"))
    const { text } = yield* service.call("GET", "/openapi.json")
    const document = JSON.parse(text) as Described
    const operations = operationsOf(document).filter(isVersioned)
    assert.isAbove(operations.length, 20)
    const { mainBranch } = yield* service.createService()
    const requestOf = makeRequests(document, numbersFrom(SEED))

    const statuses = new Set<number>()
    const round = Effect.forEach(operations, (operation) =>
      Effect.gen(function* () {
        // Requests may rotate the secret or change the webhook URL. This does not matter here.
        statuses.add(yield* send(service, operation, requestOf(operation, mainBranch.apiKey)))
      }), { discard: true, concurrency: 4 })
    const rounds = (count: number) => Effect.forEach(Array.from({ length: count }), () => round, { discard: true })

    yield* rounds(ROUNDS / 2)
    const before = residentMegabytes(service.pid)
    yield* rounds(ROUNDS / 2)
    const after = residentMegabytes(service.pid)

    for (const status of [200, 201, 202, 400, 401, 404]) assert.include([...statuses], status)
    assert.isBelow(after - before, GROWTH, `${before} MB grew to ${after} MB`)
    assert.notInclude(service.output().stdout + service.output().stderr, "failed unexpectedly")
    assert.strictEqual((yield* service.call("GET", "/health/ready")).status, 200)
    assert.strictEqual(yield* service.stop("SIGTERM"), 0)
  })
})
