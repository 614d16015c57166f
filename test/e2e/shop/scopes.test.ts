import { assert, layer } from "../../support/it.ts"
import { Effect } from "effect"
import { allScopes, type Scope } from "../../../domain/api-key.ts"
import { pages } from "../../../infrastructure/web/shop/pages.ts"
import { endJob } from "../../infrastructure/commands/cli/given-jobs.ts"
import { newSlip } from "../../support/client.ts"
import { RunningService } from "../../support/service.ts"
import { formTokenIn, getPage, sendForm, textOf } from "../console/given-console.ts"
import { layerShop, Shop } from "../given-shop-with-receiver.ts"
import { signedInAs } from "./given-shop-page.ts"

type Fields = Readonly<Record<string, string>>

/** Every choice of at least one scope. */
const subsets: ReadonlyArray<ReadonlyArray<Scope>> = Array.from(
  { length: 2 ** allScopes.length - 1 },
  (_, index) => allScopes.filter((_, bit) => ((index + 1) >> bit) % 2 === 1)
)

const WEBHOOK_HOST = "hooks.shop.example"
const REMARK = "order of a regular customer"
const DEVICE = "A device that is listed"
const NAME_OF_ACCOUNT = "นาย สมชาย ใจดี"

/** A branch with one of everything that a page can show. */
const given = Effect.gen(function* () {
  const { call, verify } = yield* RunningService
  const { key, receiver } = yield* Shop
  const slip = newSlip()
  const { data: { verificationId } } = yield* verify(key, { payload: slip.payload, remark: REMARK })
  const jobId = yield* endJob(key, { payload: newSlip().payload, callbackUrl: receiver.url })
  const body = { bankCode: "014", bankNumber: "1234567890", nameTh: NAME_OF_ACCOUNT }
  const account = yield* call<{ readonly id: string }>("POST", "/v2/bank-accounts", { key, body })
  const device = yield* call<{ readonly id: string }>("POST", "/v2/keys", {
    key,
    body: { name: DEVICE, scopes: ["verify"] }
  })
  yield* call("PUT", "/v2/webhook", { key, body: { url: `https://${WEBHOOK_HOST}/slips` } })
  /** Texts that only a key with the scope may see. */
  const secrets: Readonly<Record<Scope, ReadonlyArray<string>>> = {
    verify: [`name="payload"`],
    read: [REMARK, slip.transRef, verificationId],
    configure: [WEBHOOK_HOST, device.data.id, NAME_OF_ACCOUNT]
  }
  return { accountId: account.data.id, keyId: device.data.id, jobId, verificationId, secrets }
})

/** The paths of a pattern, for each id that its `:` can be. */
const pathsOf = (pattern: string, ids: ReadonlyArray<string>): ReadonlyArray<string> => {
  const path = pattern === "" ? "/app" : `/app/${pattern}`
  return path.includes(":") ? ids.map((id) => path.replace(":", id)) : [path]
}

/** Forms as a stranger sends them: empty, with fields of the wrong form, with several slips, and too long. */
const forms: ReadonlyArray<Fields> = [
  {},
  { text: " ", url: "no url", name: "", overlapSeconds: "x", confirm: "no", amount: "-1", bankCode: "999" },
  {
    text: "x".repeat(501),
    payload: "one",
    amount: "1e9",
    validHours: "500",
    networks: "x",
    nameTh: "",
    bankNumber: "x"
  }
]

layer.live(layerShop)("the scopes of a key on the shop's page", (it) => {
  it.effect("no page and no form, whatever its fields, shows what needs a scope that the key lacks", function* () {
    const { baseUrl, call } = yield* RunningService
    const { key } = yield* Shop
    const { accountId, jobId, keyId, secrets, verificationId } = yield* given
    const ids = [verificationId, jobId, keyId, accountId]
    for (const scopes of subsets) {
      const { data } = yield* call<{ readonly apiKey: string }>("POST", "/v2/keys", {
        key,
        body: { name: "Till", scopes }
      })
      const cookie = yield* signedInAs(baseUrl, data.apiKey)
      const csrf = formTokenIn(yield* textOf(yield* getPage(baseUrl, "/app/no-such-page", { cookie })))
      const hidden = allScopes.filter((scope) => !scopes.includes(scope)).flatMap((scope) => secrets[scope])

      const check = Effect.fnUntraced(function* (answer: Response, path: string, scope: Scope) {
        const text = yield* textOf(answer)
        const about = `${path} with ${scopes.join(" ")}`
        if (scopes.includes(scope)) assert.isBelow(answer.status, 500, about)
        else assert.strictEqual(answer.status, 403, about)
        // The address of the page itself is in the link to the other language.
        const shown = text.replaceAll(encodeURIComponent(path), "").replaceAll(path, "")
        for (const secret of hidden) assert.notInclude(shown, secret, about)
      })

      for (const [pattern, { scope }] of Object.entries(pages.get)) {
        for (const path of pathsOf(pattern, ids)) {
          yield* check(yield* getPage(baseUrl, path, { cookie }), path, scope)
        }
      }
      for (const [pattern, { scope }] of Object.entries(pages.post)) {
        for (const path of pathsOf(pattern, ids)) {
          for (const fields of forms) {
            yield* check(yield* sendForm(baseUrl, path, { csrf, ...fields }, { cookie }), path, scope)
          }
        }
      }
    }
  })

  it.effect("a key that may only verify gets the reason of a refused note, adds one, and returns to its own page", function* () {
    const { baseUrl, call } = yield* RunningService
    const { key } = yield* Shop
    const { secrets, verificationId } = yield* given
    const { data } = yield* call<{ readonly apiKey: string }>("POST", "/v2/keys", {
      key,
      body: { name: "Till", scopes: ["verify"] }
    })
    const cookie = yield* signedInAs(baseUrl, data.apiKey)
    const csrf = formTokenIn(yield* textOf(yield* getPage(baseUrl, "/app", { cookie })))
    const path = `/app/verifications/${verificationId}/notes`
    const refused = yield* sendForm(baseUrl, path, { csrf, text: "" }, { cookie })
    const text = yield* textOf(refused)
    assert.strictEqual(refused.status, 400)
    assert.include(text, "1 to 500 characters")
    for (const secret of [...secrets.read, `name="noteId"`]) {
      assert.notInclude(text.replaceAll(encodeURIComponent(path), ""), secret)
    }
    const added = yield* sendForm(baseUrl, path, { csrf, text: "counted twice" }, { cookie })
    assert.deepStrictEqual([added.status, added.headers.get("location")], [303, "/app"])
  })
})
