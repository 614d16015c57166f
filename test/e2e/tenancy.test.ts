import { assert, describe, it, layer } from "../support/it.ts"
import { Context, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import type { Answer } from "../support/client.ts"
import { recordReads } from "../support/record-reads.ts"
import { layerRunningService, RunningService } from "../support/service.ts"
import { givenTenants, type Tenant, type Thing } from "./given-tenants.ts"
import { allDeclarations, aspectsOf, aspectsOfRow, type Declaration, type Row, table } from "./tenancy-table.ts"

const UNKNOWN_ID = "0f8fad5b-d9cb-4f69-a165-70867728950e"

describe("the table of operations", () => {
  it("names every operation of v1 and v2, with all that a request of it can name", () => {
    const declared = Object.fromEntries(allDeclarations.map(({ name, operation }) => [name, aspectsOf(operation)]))
    const named = Object.fromEntries(Object.entries(table).map(([name, row]) => [name, aspectsOfRow(row)]))
    assert.deepStrictEqual(named, declared)
  })
})

type Given = Effect.Success<typeof givenTenants>

class Tenants extends Context.Service<Tenants, Given>()("test/Tenants") {}

const layerTenants = Layer.unwrap(
  Effect.map(givenTenants, (given) => Layer.merge(layerRunningService(given.env), Layer.succeed(Tenants, given)))
)

const rows: ReadonlyArray<Declaration & { readonly row: Row }> = allDeclarations.map((declaration) => ({
  ...declaration,
  row: table[declaration.name] ?? {}
}))

const callAs = Effect.fnUntraced(function* (
  { key }: Tenant,
  { operation: { method }, row: { body } }: typeof rows[number],
  path: string
) {
  const { call } = yield* RunningService
  return yield* call<{ readonly items?: ReadonlyArray<unknown>; readonly nextCursor?: string }>(method, path, {
    key,
    body
  })
})

/** What a caller sees of an answer, besides the id and the time of the request. */
const seen = ({ headers, status, text }: Answer) => ({
  status,
  text,
  headers: [...headers].filter(([name]) => name !== "x-request-id" && name !== "date")
})

/** A read without the kind of its stream: an id may lead to a stream of any kind, whose reads cost the same. */
const kindOfRead = (read: string): string => read.startsWith("read ") ? "read" : read

const assertKeepsSecrets = ({ text }: Answer, others: ReadonlyArray<Tenant>, label: string) => {
  for (const { name, secrets } of others) {
    for (const secret of secrets) assert.isFalse(text.includes(secret), `${label} shows ${secret} of ${name}: ${text}`)
  }
}

/** The path of an operation with things in place of its parameters. */
const filledPath = (
  { operation: { path }, row: { params = {} } }: (typeof rows)[number],
  idOf: (thing: Thing) => string
) => path.replaceAll(/:(\w+)/gu, (_, param: string) => idOf(params[param] ?? "job"))

const otherThan = ({ own, sister, stranger }: Given, tenant: Tenant): ReadonlyArray<Tenant> =>
  [own, sister, stranger].filter((one) => one !== tenant)

layer.live(layerTenants)("a key of one branch", (it) => {
  for (const row of rows.filter(({ row }) => row.params !== undefined)) {
    const { name } = row
    it.effect(`${name} answers a thing of another branch as one that does not exist, after the same reads`, function* () {
      const tenants = yield* Tenants
      const measure = yield* recordReads
      const at = (idOf: (thing: Thing) => string) => filledPath(row, idOf)
      const unknown = yield* measure(callAs(tenants.own, row, at(() => UNKNOWN_ID)))
      assert.strictEqual(unknown.value.status, 404, unknown.value.text)
      assert.isAbove(unknown.reads.length, 0, "the reads are recorded")
      for (const other of otherThan(tenants, tenants.own)) {
        for (const spelled of [String, (id: string) => id.toUpperCase()]) {
          const foreign = yield* measure(callAs(tenants.own, row, at((thing) => spelled(other.things[thing]))))
          assert.deepStrictEqual(seen(foreign.value), seen(unknown.value), other.name)
          assert.deepStrictEqual(foreign.reads.map(kindOfRead), unknown.reads.map(kindOfRead), other.name)
        }
      }
      const own = yield* callAs(tenants.own, row, at((thing) => tenants.own.things[thing]))
      assert.isBelow(own.status, 300, `its own thing is there: ${own.text}`)
      assertKeepsSecrets(own, otherThan(tenants, tenants.own), name)
    })
  }

  for (const row of rows.filter(({ operation: { method }, row }) => method === "GET" && row.params === undefined)) {
    const { name, operation: { path }, row: { isPaged = false, query = {} } } = row
    it.effect(`${name} shows nothing of another branch`, function* () {
      const tenants = yield* Tenants
      for (const tenant of [tenants.own, tenants.sister, tenants.stranger]) {
        assertKeepsSecrets(yield* callAs(tenant, row, path), otherThan(tenants, tenant), name)
      }
    })

    for (const [parameter, thing] of Object.entries(query)) {
      if (thing === "none") continue
      it.effect(`${name} with ${parameter} of another branch is as with one that does not exist`, function* () {
        const tenants = yield* Tenants
        const measure = yield* recordReads
        const filtered = (id: string) => callAs(tenants.own, row, `${path}?${parameter}=${id}`)
        const unknown = yield* measure(filtered(UNKNOWN_ID))
        assert.isAbove(unknown.reads.length, 0, "the reads are recorded")
        for (const other of otherThan(tenants, tenants.own)) {
          const foreign = yield* measure(filtered(other.things[thing]))
          assert.deepStrictEqual(seen(foreign.value), seen(unknown.value), other.name)
          assert.deepStrictEqual(foreign.reads, unknown.reads, other.name)
        }
        const own = yield* filtered(tenants.own.things[thing])
        assert.notDeepEqual(seen(own), seen(unknown.value), "its own thing is found")
      })
    }

    if (!isPaged) continue
    it.effect(`${name} shows nothing of another branch with the cursor of that branch`, function* () {
      const tenants = yield* Tenants
      for (const other of otherThan(tenants, tenants.own)) {
        const { data: { nextCursor } } = yield* callAs(other, row, `${path}?limit=1`)
        assert.isString(nextCursor, "the other branch has a second page")
        const answer = yield* callAs(tenants.own, row, `${path}?cursor=${encodeURIComponent(nextCursor ?? "")}`)
        assert.include([200, 400], answer.status)
        assertKeepsSecrets(answer, otherThan(tenants, tenants.own), name)
      }
      const pages: Array<unknown> = []
      for (let cursor: string | undefined = ""; typeof cursor === "string";) {
        const page: Answer<{ readonly items?: ReadonlyArray<unknown>; readonly nextCursor?: string }> = yield* callAs(
          tenants.own,
          row,
          `${path}?limit=1${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`
        )
        assertKeepsSecrets(page, otherThan(tenants, tenants.own), name)
        pages.push(...page.data.items ?? [])
        cursor = page.data.nextCursor
      }
      const { data } = yield* callAs(tenants.own, row, path)
      assert.deepStrictEqual(pages, [...data.items ?? []])
    })
  }

  for (const row of rows) {
    const { name, operation: { method }, row: { keyedBody } } = row
    if (keyedBody === undefined) continue
    it.effect(`${name} is not bound by the Idempotency-Key of another branch`, function* () {
      const { call } = yield* RunningService
      const tenants = yield* Tenants
      const headers = { "idempotency-key": randomUUID() }
      const send = ({ key, things }: Tenant, body: object) =>
        call(method, filledPath(row, (thing) => things[thing]), { key, headers, body })
      const body = keyedBody(tenants)
      const first = yield* send(tenants.sister, body)
      assert.isBelow(first.status, 300, first.text)
      for (const other of [tenants.own, tenants.stranger]) {
        // The numbers of bank accounts are unique in a service, so the sister's request is not repeated there.
        const ownBody = other === tenants.own ? keyedBody(tenants) : body
        const answer = yield* send(other, ownBody)
        assert.isBelow(answer.status, 300, answer.text)
        assert.isFalse(answer.headers.has("idempotent-replayed"))
        assert.notStrictEqual(answer.text, first.text)
        const again = yield* send(other, ownBody)
        assert.deepStrictEqual([again.headers.get("idempotent-replayed"), again.text], ["true", answer.text])
      }
      assert.strictEqual((yield* send(tenants.sister, body)).text, first.text, "its own request is replayed")
    })
  }
})
