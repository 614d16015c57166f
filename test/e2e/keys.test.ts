import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import type { Actor } from "../../domain/actor.ts"
import { allScopes, type Scope } from "../../domain/api-key.ts"
import type { BranchOperation } from "../../infrastructure/web/api/operation.ts"
import { v1Operations, v2Operations } from "../../infrastructure/web/api/operations/all.ts"
import { EventStore } from "../../ports/event-store.ts"
import { beginning } from "../../domain/events/recorded-event.ts"
import { type Answer, newSlip } from "../support/client.ts"
import { codeOf } from "../support/declared-api.ts"
import { eventually } from "../support/eventually.ts"
import { layerRunningService, RunningService } from "../support/service.ts"
import { assertFailure, assertInvalid } from "./assert-answer.ts"

interface Key {
  readonly id: string
  readonly name: string | null
  readonly scopes: ReadonlyArray<Scope>
  readonly state: string
  readonly expiresAt: string | null
  readonly networks: ReadonlyArray<string> | null
  readonly lastUsedOn: string | null
}

interface NewKey extends Key {
  readonly apiKey: string
}

interface Rotated extends NewKey {
  readonly previousExpiresAt: string
}

interface Keys {
  readonly items: ReadonlyArray<Key>
  readonly nextCursor: string | null
}

const UNKNOWN_KEY_ID = "0123456789abcdef"

const given = Effect.gen(function* () {
  const service = yield* RunningService
  const { id: serviceId, mainBranch: { apiKey, id: branchId } } = yield* service.createService()
  const create = (fields: object, key = apiKey) =>
    service.call<NewKey>("POST", "/v2/keys", { key, body: { name: "Till", scopes: ["verify"], ...fields } })
  const newKey = (fields: object) => Effect.map(create(fields), ({ data }) => data)
  const list = (key = apiKey) => service.call<Keys>("GET", "/v2/keys", { key })
  const rotate = (id: string, body?: object, key = apiKey) =>
    service.call<Rotated>("POST", `/v2/keys/${id}/rotate`, { key, body })
  const revoke = (id: string, key = apiKey) => service.call<Key>("DELETE", `/v2/keys/${id}`, { key })
  const info = (key: string) => service.call("GET", "/v2/info", { key })
  return { ...service, serviceId, branchId, apiKey, create, newKey, list, rotate, revoke, info }
})

const codes = (answers: ReadonlyArray<Answer>) => answers.map((answer) => codeOf(answer) ?? "success")

const operations: ReadonlyArray<readonly [name: string, operation: BranchOperation]> = [
  ...Object.entries<BranchOperation>(v2Operations),
  ...Object.entries<BranchOperation>(v1Operations).map(([name, operation]) => [`v1 ${name}`, operation] as const)
]

const singles = allScopes.map((scope) => [scope] as const)

layer.live(layerRunningService({ ROLES: "http,projector" }))("API keys", (it) => {
  it.effect("admit exactly the operations of their scopes, whatever the operation", function* () {
    const { call, newKey } = yield* given
    for (const scopes of singles) {
      const { apiKey } = yield* newKey({ scopes })
      for (const [name, { isOpen, method, path, scopes: needed }] of operations) {
        // What passes is refused for its body or its unknown id, or harms nothing.
        const body = method === "GET" || method === "DELETE" ? undefined : {}
        const target = path.replaceAll(/:\w+/gu, "0f8fad5b-d9cb-4f69-a165-70867728950e")
        const answer = yield* call(method, target, { key: apiKey, body })
        const mayCall = isOpen === true || needed === "every-key" || scopes.some((scope) => needed?.includes(scope))
        const isRefused = /^(SCOPE_MISSING|access_denied)$/u.test(codeOf(answer) ?? "")
        assert.strictEqual(isRefused, !mayCall, `${name} with ${scopes.join()}: ${answer.text}`)
        if (isRefused) assert.strictEqual(answer.status, 403)
      }
    }
  })

  it.effect("with another scope are refused before the body, with the scope that is missing", function* () {
    const { call, newKey } = yield* given
    const { apiKey } = yield* newKey({ scopes: ["verify"] })
    const answer = yield* call("PUT", "/v2/webhook", { key: apiKey, body: "{" })
    assertFailure(
      answer,
      403,
      "SCOPE_MISSING",
      "The API key may not do this: a key with the scope configure may"
    )
    const accounts = yield* call("GET", "/v2/bank-accounts", { key: apiKey })
    assert.include(accounts.text, "a key with the scope read or configure may")
    const jobs = yield* call("GET", "/v2/jobs", { key: apiKey })
    assert.include(jobs.text, "a key with the scope read may")
  })

  it.effect("are listed without the keys, newest first, also the ones that have ended", function* () {
    const { apiKey, list, newKey, revoke } = yield* given
    const networks = ["203.0.113.7", "2001:db8::/32"]
    const key = yield* newKey({ scopes: ["read", "verify"], expiresAt: "2099-01-01T00:00:00+07:00", networks })
    const { data, text } = yield* list()
    assert.deepStrictEqual(data.items.map(({ name }) => name), ["Till", null])
    assert.deepInclude(data.items[0], {
      id: key.id,
      scopes: ["verify", "read"],
      state: "active",
      expiresAt: "2098-12-31T17:00:00.000Z",
      networks: ["203.0.113.7/32", "2001:db8:0:0:0:0:0:0/32"],
      lastUsedOn: null
    })
    assert.deepInclude(data.items[1], { scopes: allScopes, state: "active", expiresAt: null, networks: null })
    assert.notInclude(text, key.apiKey)
    assert.notInclude(text, apiKey)
    yield* revoke(key.id.toUpperCase())
    assert.strictEqual((yield* list()).data.items[0]?.state, "revoked")
  })

  it.effect("are rotated without downtime: both work, then only the new one", function* () {
    const { info, newKey, rotate, revoke, verify } = yield* given
    const old = yield* newKey({})
    const { data: next, status } = yield* rotate(old.id)
    assert.strictEqual(status, 200)
    assert.deepInclude({ ...next }, { name: "Till", scopes: ["verify"], state: "active" })
    assert.approximately(Date.parse(next.previousExpiresAt), Date.now() + 86_400_000, 60_000)
    for (const key of [old.apiKey, next.apiKey]) {
      assert.strictEqual((yield* verify(key, newSlip().payload)).status, 200)
    }
    assertInvalid(yield* rotate(old.id), "")
    const { data: short } = yield* rotate(next.id, { overlapSeconds: 1 })
    yield* eventually(info(next.apiKey), ({ status }) => status === 401)
    assert.deepStrictEqual(codes([yield* info(short.apiKey)]), ["success"])
    const { data: last } = yield* rotate(short.id, { overlapSeconds: 0 })
    assert.deepStrictEqual(codes([yield* info(short.apiKey), yield* info(last.apiKey)]), [
      "INVALID_API_KEY",
      "success"
    ])
    yield* revoke(last.id)
    assert.deepStrictEqual(codes([yield* info(last.apiKey)]), ["INVALID_API_KEY"])
  })

  it.effect("stay when the default key is rotated at once, which stops its predecessors", function* () {
    const { admin, apiKey, branchId, info, list, newKey, rotate } = yield* given
    const till = yield* newKey({})
    const defaultId = (yield* list()).data.items.at(-1)?.id ?? ""
    const { data: second } = yield* rotate(defaultId)
    assert.deepStrictEqual(codes([yield* info(apiKey), yield* info(second.apiKey)]), ["success", "success"])
    const { data: third } = yield* admin<{ readonly apiKey: string }>("POST", `/branches/${branchId}/rotate-key`)
    const answers = yield* Effect.forEach([apiKey, second.apiKey, third.apiKey, till.apiKey], info)
    assert.deepStrictEqual(codes(answers), ["INVALID_API_KEY", "INVALID_API_KEY", "success", "success"])
  })

  it.effect("with configure cannot get more than they have", function* () {
    const { create, info, list, newKey, rotate } = yield* given
    const own = { scopes: ["configure"], expiresAt: "2090-01-01T00:00:00Z", networks: ["127.0.0.0/8"] }
    const manager = yield* newKey(own)
    const till = yield* newKey({})
    const as = (fields: object) => create({ ...own, ...fields }, manager.apiKey)

    assertInvalid(yield* as({ scopes: ["configure", "verify"] }), "scopes")
    assertInvalid(yield* as({ expiresAt: "2090-01-01T00:00:01Z" }), "expiresAt")
    assertInvalid(yield* as({ expiresAt: null }), "expiresAt")
    assertInvalid(yield* as({ networks: ["127.0.0.0/7"] }), "networks")
    assertInvalid(yield* as({ networks: null }), "networks")
    const defaultId = (yield* list()).data.items.at(-1)?.id ?? ""
    for (const id of [till.id, defaultId]) assertInvalid(yield* rotate(id, undefined, manager.apiKey), "scopes")

    const { data: child } = yield* create({ scopes: ["configure"] }, manager.apiKey)
    assert.deepInclude({ ...child }, { expiresAt: "2090-01-01T00:00:00.000Z", networks: ["127.0.0.0/8"] })
    assert.deepStrictEqual(codes([yield* as({ networks: ["127.0.0.1"] }), yield* info(child.apiKey)]), [
      "success",
      "success"
    ])
    assert.strictEqual((yield* rotate(manager.id, undefined, manager.apiKey)).status, 200)
  })

  it.effect("of another branch answer as unknown ones, also to their own service", function* () {
    const { create, createBranch, list, newKey, revoke, rotate, serviceId } = yield* given
    const till = yield* newKey({})
    const stranger = (yield* given).apiKey
    const sister = (yield* createBranch(serviceId)).apiKey
    for (const key of [stranger, sister]) {
      for (const id of [till.id, UNKNOWN_KEY_ID, "nonsense"]) {
        for (const answer of [yield* revoke(id, key), yield* rotate(id, undefined, key)]) {
          assertFailure(answer, 404, "API_KEY_NOT_FOUND", "API key not found")
        }
      }
      const seen = yield* list(key)
      assert.notInclude(seen.text, till.id)
      yield* create({}, key)
    }
    assert.strictEqual((yield* list()).data.items.find(({ id }) => id === till.id)?.state, "active")
    assert.lengthOf((yield* list()).data.items, 2)
  })

  it.effect("are limited to their networks, beside the branch's whitelist", function* () {
    const { admin, branchId, info, newKey } = yield* given
    const near = yield* newKey({ networks: ["127.0.0.0/8"] })
    const far = yield* newKey({ networks: ["203.0.113.0/24"] })
    assert.deepStrictEqual(codes([yield* info(near.apiKey), yield* info(far.apiKey)]), ["success", "IP_NOT_ALLOWED"])
    yield* admin("PATCH", `/branches/${branchId}`, { ipWhitelist: ["203.0.113.0/24"] })
    assert.deepStrictEqual(codes([yield* info(near.apiKey), yield* info(far.apiKey)]), [
      "IP_NOT_ALLOWED",
      "IP_NOT_ALLOWED"
    ])
  })

  it.effect("stop when they expire, and are not issued expired", function* () {
    const { create, info, list } = yield* given
    assertInvalid(yield* create({ expiresAt: "2020-01-01T00:00:00Z" }), "expiresAt")
    let seconds = 1
    // A slow machine uses the key only after its expiry, so each key is valid for twice as long as the one before.
    const usedInTime = Effect.gen(function* () {
      seconds *= 2
      const { data } = yield* create({ expiresAt: new Date(Date.now() + seconds * 1_000).toISOString() })
      return {
        apiKey: data?.apiKey ?? "",
        isAccepted: data !== undefined && (yield* info(data.apiKey)).status === 200
      }
    })
    const { apiKey } = yield* eventually(usedInTime, ({ isAccepted }) => isAccepted)
    yield* eventually(info(apiKey), ({ status }) => status === 401)
    assert.strictEqual((yield* list()).data.items[0]?.state, "expired")
  })

  it.effect("show the day of their last use, which a flood of requests records once", function* () {
    const { branchId, info, list, newKey } = yield* given
    const { apiKey, id } = yield* newKey({})
    yield* Effect.forEach(Array.from({ length: 200 }), () => info(apiKey), { concurrency: 20 })
    const used = yield* eventually(list(), ({ data }) => data.items[0]?.lastUsedOn !== null)
    assert.strictEqual(used.data.items[0]?.lastUsedOn, new Date().toISOString().slice(0, 10))
    const events = yield* (yield* EventStore).readAll({ after: beginning, limit: 1_000_000 })
    const uses = events.filter(({ stream, type }) => type === "ApiKeyUsed" && stream.startsWith(`keyUse-${id}`))
    assert.lengthOf(uses, 1)
    assert.deepStrictEqual(uses[0]?.metadata.actor, { kind: "branch", id: branchId, key: id })
  })

  it.effect("are named by the events of their requests, and the default key is not", function* () {
    const { apiKey, branchId, call, newKey } = yield* given
    const key = yield* newKey({ scopes: ["verify", "configure"] })
    const keyed = (apiKey: string) =>
      Effect.forEach([
        call("POST", "/v2/verify/bank", {
          key: apiKey,
          body: { payload: newSlip().payload },
          headers: { "idempotency-key": "order-1" }
        }),
        call("POST", "/v2/verify/bank", {
          key: apiKey,
          body: { payload: newSlip({ outcome: "not-found" }).payload }
        }),
        call("POST", "/v2/verify/bank/async", { key: apiKey, body: { payload: newSlip().payload } }),
        call("GET", `/v1/verify?payload=${newSlip().payload}`, { key: apiKey }),
        call("POST", "/v2/webhook/secret/rotate", { key: apiKey })
      ], (request) => Effect.map(request, ({ headers }) => headers.get("x-request-id") ?? ""))
    const actorsOf = Effect.fnUntraced(function* (requests: ReadonlyArray<string>) {
      const events = yield* (yield* EventStore).readAll({ after: beginning, limit: 1_000_000 })
      return requests.map((request) =>
        events.filter(({ metadata, type }) => metadata.correlationId === request && type !== "RequestReleased")
          .map(({ metadata: { actor }, type }) => [type, actor] as const)
      )
    })
    const types = [
      ["RequestBegun", "SlipVerified"],
      ["VerificationFailed"],
      ["VerificationEnqueued"],
      ["SlipVerified"],
      ["WebhookSecretRotated"]
    ]
    const withActor = (actor: Actor) => types.map((ofRequest) => ofRequest.map((type) => [type, actor] as const))
    assert.deepEqual(
      yield* actorsOf(yield* keyed(key.apiKey)),
      withActor({ kind: "branch", id: branchId, key: key.id })
    )
    const other = yield* actorsOf((yield* keyed(apiKey)).slice(1))
    assert.deepEqual(other, withActor({ kind: "branch", id: branchId }).slice(1))
  })

  it.effect("are managed by operators too", function* () {
    const { admin, branchId, info } = yield* given
    const path = `/branches/${branchId}/keys`
    const { data: key, status } = yield* admin<NewKey>("POST", path, { name: "Till", scopes: ["verify"] })
    assert.strictEqual(status, 201)
    assert.strictEqual((yield* info(key.apiKey)).status, 200)
    const { data: next } = yield* admin<Rotated>("POST", `${path}/${key.id}/rotate`, { overlapSeconds: 3600 })
    const states = Effect.map(admin<Keys>("GET", path), ({ data }) => data.items.map(({ state }) => state))
    assert.deepStrictEqual(yield* states, ["active", "replaced", "active"])
    assert.strictEqual((yield* admin("POST", `${path}/${key.id}/revoke`)).status, 200)
    assert.strictEqual((yield* admin("POST", `${path}/${key.id}/revoke`)).status, 200)
    assert.deepStrictEqual(yield* states, ["active", "revoked", "active"])
    assert.deepStrictEqual(codes([yield* info(key.apiKey), yield* info(next.apiKey)]), ["INVALID_API_KEY", "success"])
    for (const action of ["revoke", "rotate"]) {
      const unknown = yield* admin("POST", `${path}/${UNKNOWN_KEY_ID}/${action}`)
      assertFailure(unknown, 404, "NOT_FOUND", "There is no such API key")
    }
    const nowhere = `/branches/0f8fad5b-d9cb-4f69-a165-70867728950e/keys`
    for (
      const answer of [yield* admin("GET", nowhere), yield* admin("POST", nowhere, { name: "A", scopes: ["read"] })]
    ) {
      assertFailure(answer, 404, "NOT_FOUND", "There is no such branch")
    }
    assertInvalid(yield* admin("POST", path, { name: "A", scopes: [] }), "scopes")
    assertInvalid(yield* admin("POST", path, { name: "A", scopes: ["all"] }), "scopes.0")
    assertInvalid(yield* admin("POST", path, { name: "A", scopes: ["read"], networks: ["*"] }), "networks.0")
  })
})
