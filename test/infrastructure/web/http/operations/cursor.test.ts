import { assert, describe, it } from "../../../../support/it.ts"
import { Effect, Redacted } from "effect"
import { type List, openCursor, sealCursor } from "../../../../../infrastructure/web/http/operations/cursor.ts"
import { layerVault } from "../../../../../infrastructure/adapters/keys/vault.ts"
import { Vault } from "../../../../../ports/vault.ts"

const test = it.effect.with(() => vaultOf(1))

const list: List = {
  route: "GET /v2/verifications",
  owner: "branch-1",
  params: { id: "0F8FAD5B-d9cb-4f69-a165-70867728950e" },
  query: { outcome: "verified", order: "newest" }
}
const place = "1795412516661.5de83d5e-6875-456f-a335-f0eb0c5f164e v- 9900 - ก"

const given = Effect.map(Vault, (vault) => ({
  vault,
  cursor: sealCursor(vault, list, place),
  open: (cursor: string, other: Partial<List> = {}) => openCursor(vault, { ...list, ...other }, cursor)
}))

const vaultOf = (byte: number) => layerVault(Redacted.make(new Uint8Array(32).fill(byte)))

describe("a cursor", () => {
  test("leads back to its place, whatever the case of ids and the order of filters", function* () {
    const { cursor, open } = yield* given
    assert.match(cursor, /^[A-Za-z0-9_-]+$/u)
    assert.strictEqual(open(cursor), place)
    assert.strictEqual(open(cursor, { params: { id: String(list.params["id"]).toLowerCase() } }), place)
    assert.strictEqual(open(cursor, { query: { order: "newest", outcome: "verified" } }), place)
  })

  test("is refused for another list, caller, path, filter or order", function* () {
    const { cursor, open } = yield* given
    const others: ReadonlyArray<Partial<List>> = [
      { route: "GET /v2/jobs" },
      { owner: "branch-2" },
      { params: {} },
      { params: { id: "1F8FAD5B-d9cb-4f69-a165-70867728950e" } },
      { query: { outcome: "verified", order: "oldest" } },
      { query: { order: "newest" } },
      { query: undefined }
    ]
    for (const other of others) assert.isUndefined(open(cursor, other), JSON.stringify(other))
  })

  test("is refused when any character was changed, added or removed", function* () {
    const { cursor, open } = yield* given
    for (let index = 0; index < cursor.length; index++) {
      const changed = cursor[index] === "A" ? "B" : "A"
      assert.isUndefined(open(cursor.slice(0, index) + changed + cursor.slice(index + 1)), String(index))
      assert.isUndefined(open(cursor.slice(0, index) + cursor.slice(index + 1)))
    }
    for (const text of ["", "x", place, `${cursor}=`, `${cursor}A`, ` ${cursor}`, cursor.repeat(2), "ก"]) {
      assert.isUndefined(open(text), text)
    }
  })

  test("is refused by an installation with another master key", function* () {
    const { cursor } = yield* Effect.provide(given, vaultOf(2))
    const { open } = yield* given
    assert.isUndefined(open(cursor))
  })
})
