import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { newSlip } from "../support/client.ts"
import { ADMIN_TOKEN, RunningService } from "../support/service.ts"
import { assertInvalid, assertV1Failure } from "./assert-answer.ts"
import { formTokenIn, getPage, signedIn, textOf } from "./console/given-console.ts"
import { layerShop, Shop } from "./given-shop.ts"
import { signedInAs } from "./shop/given-shop-page.ts"

interface Sent {
  readonly method?: string
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends bytes as they are. Without a type in the headers, the request has none. */
const send = Effect.fnUntraced(function* (path: string, body: string, { headers = {}, key, method = "POST" }: Sent) {
  const { baseUrl } = yield* RunningService
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` }
  return yield* Effect.promise(async (signal) => {
    const answer = await fetch(baseUrl + path, {
      method,
      signal,
      redirect: "manual",
      headers: { ...authorization, ...headers },
      body: Buffer.from(body)
    })
    return { status: answer.status, text: await answer.text() }
  })
})

const withType = (type: string | undefined): Pick<Sent, "headers"> =>
  type === undefined ? {} : { headers: { "content-type": type } }

/** Types under which clients send JSON by mistake. */
const MISTAKEN = [
  undefined,
  "",
  "text/plain",
  "text/plain;charset=UTF-8",
  "TEXT/PLAIN",
  "text/json",
  "application/x-www-form-urlencoded",
  "application/x-www-form-urlencoded; charset=utf-8"
]

layer.live(layerShop())("a JSON object", (it) => {
  it.effect.each(MISTAKEN.map((type) => [type ?? "no type", type] as const))(
    "is read by v1 and v2 under %s",
    function* ([, type]) {
      const { key } = yield* Shop
      const payload = () => JSON.stringify({ payload: newSlip().payload })
      const sent = { key, ...withType(type) }
      for (const path of ["/v2/verify/bank", "/v1/verify", "/api/v1/verify", "/v2/decode"]) {
        const answer = yield* send(path, payload(), sent)
        assert.strictEqual(answer.status, 200, `${path} ${answer.text}`)
      }
      for (const text of [`\uFEFF${payload()}`, ` \t\r\n${payload()}\n`, `\uFEFF\n${payload()}`]) {
        const answer = yield* send("/v2/verify/bank", text, sent)
        assert.strictEqual(answer.status, 200, answer.text)
      }
      const batch = yield* send("/v2/verify/bank/batch", `{"slips":[${payload()}]}`, sent)
      assert.strictEqual(batch.status, 202, batch.text)
      const large = JSON.stringify({ payload: newSlip().payload, remark: "x", unknown: " ".repeat(100_000) })
      assert.strictEqual((yield* send("/v2/verify/bank", large, sent)).status, 200)
      const deep = yield* send("/v2/verify/bank", `{"payload":${"[".repeat(200_000)}`, sent)
      assert.include(deep.text, "The body is nested deeper than 32 levels")
    }
  )

  it.effect("has the same digest for an Idempotency-Key under every type", function* () {
    const { key } = yield* Shop
    const body = JSON.stringify({ payload: newSlip().payload })
    const answers = yield* Effect.forEach(
      [...MISTAKEN, "application/json"],
      (type) =>
        send("/v2/verify/bank", body, {
          key,
          headers: { "idempotency-key": "types", ...withType(type).headers }
        })
    )
    assert.strictEqual(answers[0]?.status, 200)
    assert.strictEqual(new Set(answers.map(({ text }) => text)).size, 1)
  })

  it.effect("that is broken is named as broken JSON", function* () {
    const { key } = yield* Shop
    for (const type of MISTAKEN) {
      const answer = yield* send("/v2/verify/bank", `{"payload":`, { key, ...withType(type) })
      assert.deepStrictEqual([answer.status, answer.text.includes("The body is not valid JSON")], [400, true])
    }
  })

  it.effect("is the only text that is read under text/plain", function* () {
    const { call } = yield* RunningService
    const { key } = yield* Shop
    for (const body of ["payload=a", `["a"]`, `"a"`, "", " ", "x".repeat(100_000)]) {
      const answer = yield* call("POST", "/v2/verify/bank", { key, body, headers: { "content-type": "text/plain" } })
      assertInvalid(answer, "")
      const message = "Send application/json or multipart/form-data or application/x-www-form-urlencoded"
      assert.strictEqual(answer.error?.issues?.[0]?.message, message)
      const v1 = yield* call("POST", "/v1/verify", { key, body, headers: { "content-type": "text/plain" } })
      assertV1Failure(v1, 400, "invalid_request")
    }
  })

  it.effect("is no form: a form under its own type is read as before", function* () {
    const { key } = yield* Shop
    const sent = { key, ...withType("application/x-www-form-urlencoded") }
    const form = new URLSearchParams({ payload: newSlip().payload, remark: `{"a":1}` }).toString()
    const answer = yield* send("/v2/verify/bank", form, sent)
    assert.deepStrictEqual([answer.status, answer.text.includes(`"remark":"{\\"a\\":1}"`)], [200, true], answer.text)
  })

  it.effect("is not guessed by the admin API", function* () {
    const service = JSON.stringify({ name: "Guessed" })
    for (const type of MISTAKEN) {
      const { status, text } = yield* send("/admin/v1/services", service, { key: ADMIN_TOKEN, ...withType(type) })
      if (type === undefined || type === "") assert.strictEqual(status, 201, text)
      else assert.strictEqual(status, 400, `${type} ${text}`)
    }
  })
})

layer.live(layerShop())("a page that a cookie signs in", (it) => {
  const types = [...MISTAKEN, "application/json", "application/vnd.api+json"]

  it.effect("reads no JSON, whatever its type", function* () {
    const { admin, baseUrl, createService } = yield* RunningService
    const { id } = yield* createService({ name: "Before" })
    const cookie = yield* signedIn(baseUrl)
    const csrf = formTokenIn(yield* textOf(yield* getPage(baseUrl, "/console/services/new", { cookie })))
    assert.notStrictEqual(csrf, "")
    const { key } = yield* Shop
    const shop = yield* signedInAs(baseUrl, key)
    const shopToken = formTokenIn(yield* textOf(yield* getPage(baseUrl, "/app/settings", { cookie: shop })))
    // Under the type of a form it is a form, with one field of a strange name.
    for (const type of types) {
      const headers = { origin: baseUrl, ...withType(type).headers }
      const changed = yield* send(`/console/services/${id}`, JSON.stringify({ csrf, name: "After", plan: "p" }), {
        headers: { ...headers, cookie }
      })
      assert.isAtLeast(changed.status, 400, `${type}`)
      const login = yield* send("/console/login", JSON.stringify({ token: ADMIN_TOKEN }), { headers })
      assert.isAtLeast(login.status, 400, `${type}`)
      const signIn = yield* send("/app/sign-in", JSON.stringify({ key }), { headers })
      assert.isAtLeast(signIn.status, 400, `${type}`)
      const signOut = yield* send("/app/sign-out", JSON.stringify({ csrf: shopToken }), {
        headers: { ...headers, cookie: shop }
      })
      assert.isAtLeast(signOut.status, 400, `${type}`)
    }
    assert.strictEqual((yield* admin<{ readonly name: string }>("GET", `/services/${id}`)).data.name, "Before")
    assert.strictEqual((yield* getPage(baseUrl, "/app", { cookie: shop })).status, 200)
  })
})
