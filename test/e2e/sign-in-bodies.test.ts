import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { ADMIN_TOKEN, RunningService } from "../support/service.ts"
import { sendForm } from "./console/given-console.ts"
import { layerShop } from "./given-shop.ts"
import { rawExchange } from "./raw-http.ts"

/** As many as pause the address of a console, and more than pause that of a shop here. */
const ATTEMPTS = 5

/** Begins to send a form as a browser does, and pauses. */
const stalledForm = (baseUrl: string, path: string) =>
  Effect.map(
    rawExchange(
      baseUrl,
      [
        `POST ${path} HTTP/1.1`,
        `Host: ${new URL(baseUrl).host}`,
        `Origin: ${baseUrl}`,
        "Accept-Language: en",
        "Content-Type: application/x-www-form-urlencoded",
        "Content-Length: 100",
        "",
        "token=x"
      ].join("\r\n")
    ),
    ({ answers: [answer] }) => answer
  )

const TEXT = { headers: { "content-type": "text/plain", "accept-language": "en" } }

const sendText = (baseUrl: string, path: string) =>
  Effect.flatMap(
    sendForm(baseUrl, path, { token: "x", key: "x" }, TEXT),
    (answer) => Effect.map(Effect.promise(() => answer.text()), (html) => ({ status: answer.status, html }))
  )

layer.live(layerShop({ BODY_IDLE_TIMEOUT: "500 millis", WRONG_KEYS_PER_MINUTE: "3" }))(
  "a sign-in whose body cannot be read",
  (it) => {
    for (const path of ["/console/login", "/app/sign-in"]) {
      it.effect(`says what is wrong with the body at ${path}, and closes a stalled connection`, function* () {
        const { baseUrl } = yield* RunningService
        const stalled = yield* stalledForm(baseUrl, path)
        assert.deepStrictEqual([stalled?.status, stalled?.headers["connection"]], [400, "close"])
        assert.include(stalled?.body, "The body took too long to arrive.")
        const { html, status } = yield* sendText(baseUrl, path)
        assert.strictEqual(status, 400)
        assert.include(html, "Send application/x-www-form-urlencoded")
        assert.notInclude(html, "application/json")
      })
    }

    it.effect("is not a wrong token of the console", function* () {
      const { baseUrl, logs } = yield* RunningService
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) yield* sendText(baseUrl, "/console/login")
      assert.strictEqual((yield* sendForm(baseUrl, "/console/login", { token: ADMIN_TOKEN })).status, 303)
      assert.notInclude(logs.join("\n"), "wrong admin token")
    })

    it.effect("is not a wrong key of the shop's page", function* () {
      const { baseUrl } = yield* RunningService
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) yield* sendText(baseUrl, "/app/sign-in")
      const wrong = { key: "00000000-0000-4000-8000-000000000000" }
      assert.strictEqual((yield* sendForm(baseUrl, "/app/sign-in", wrong)).status, 401)
    })
  }
)
