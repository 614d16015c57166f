import { assert, layer } from "../support/it.ts"
import { adminOperations } from "../../infrastructure/web/api/operations/admin.ts"
import { v2Operations } from "../../infrastructure/web/api/operations/all.ts"
import type { Operation } from "../../infrastructure/web/api/operation.ts"
import { RunningService } from "../support/service.ts"
import { assertFailure } from "./assert-answer.ts"
import { layerShop, Shop } from "./given-shop.ts"

const withParameters = (operations: Readonly<Record<string, Operation>>) =>
  Object.values(operations).filter(({ isPaged, query }) => isPaged === true || query !== undefined)

const lists = [...withParameters(v2Operations), ...withParameters(adminOperations)]

const pathOf = (path: string, id: string) => path.replaceAll(/:\w+/gu, id)

/** Queries with a parameter that no operation has. */
const unknown = [
  ["page=2", "page"],
  ["offset=20", "offset"],
  ["Limit=10", "Limit"],
  ["__proto__=a", "__proto__"],
  ["page", "page"],
  ["=2", ""],
  ["from%20=2026-11-21", "from "],
  ["limit[]=10", "limit[]"]
] as const

layer.live(layerShop())("an operation with parameters", (it) => {
  for (const { isPaged, method, path, query } of lists) {
    it.effect(`refuses unknown ones and names its own: ${method} ${path}`, function* () {
      const { admin, call } = yield* RunningService
      const { branchId, key } = yield* Shop
      const isAdmin = path.startsWith("/admin/v1")
      for (const [sent, name] of unknown) {
        const target = `${pathOf(path, branchId)}?${sent}`
        const answer = yield* isAdmin ? admin(method, target.slice("/admin/v1".length)) : call(method, target, { key })
        assertFailure(answer, 400, "VALIDATION_ERROR", "Validation failed")
        const [issue, ...others] = answer.error?.issues ?? []
        assert.deepStrictEqual([issue?.path, others], [name, []], answer.text)
        const own = [...(isPaged === true ? ["cursor", "limit"] : []), ...Object.keys(query?.fields ?? {})]
        assert.strictEqual(issue?.message, `Unknown parameter: give ${own.join(", ")}`)
      }
    })
  }

  it.effect("names at most ten unknown ones", function* () {
    const { call } = yield* RunningService
    const { key } = yield* Shop
    const query = Array.from({ length: 500 }, (_, index) => `p${index}=1`).join("&")
    const { error } = yield* call("GET", `/v2/jobs?${query}&p1=2`, { key })
    assert.deepStrictEqual(
      error?.issues?.map(({ path }) => path),
      Array.from({ length: 10 }, (_, index) => `p${index}`)
    )
  })

  it.effect("ignores nothing else: its own parameters are read as before, and other operations have no query", function* () {
    const { call } = yield* RunningService
    const { key } = yield* Shop
    for (const path of ["/v2/jobs?limit=1&limit=2", "/v2/usage?from=2026-11-21&to=2026-11-21", "/v2/info?page=2"]) {
      const answer = yield* call("GET", path, { key })
      assert.strictEqual(answer.status, 200, answer.text)
    }
  })
})
