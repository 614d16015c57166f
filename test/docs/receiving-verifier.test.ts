import { assert, describe, it } from "@effect/vitest"
import { makeReceiver } from "../../docs/examples/receiving/verifier/receive.ts"
import type { Callback } from "../../sdk/webhook/verify.ts"
import { exampleBody, exampleJobId, exampleSecrets, signedCallback } from "../support/signed-callback.ts"

const { newest, previous, unrelated } = exampleSecrets

const requestOf = async (...signing: Parameters<typeof signedCallback>): Promise<Request> =>
  new Request("https://shop.example/slips", { method: "POST", ...await signedCallback(...signing) })

describe("the receiver with sliptrail/webhook", () => {
  it("stores genuine callbacks and rejects forged ones", async () => {
    const stored: Array<Callback> = []
    const receive = makeReceiver([newest], async (callback) => void stored.push(callback))
    assert.strictEqual((await receive(await requestOf())).status, 200)
    assert.strictEqual((await receive(await requestOf({ secrets: [previous, newest] }))).status, 200)
    const { headers } = await requestOf()
    const other = new Request("https://shop.example/slips", { method: "POST", headers, body: `${exampleBody()} ` })
    for (const wrong of [other, await requestOf({ secrets: [unrelated] }), await requestOf({ at: 0 })]) {
      assert.strictEqual((await receive(wrong)).status, 401)
    }
    assert.deepStrictEqual(stored.map(({ jobId }) => jobId), [exampleJobId, exampleJobId])
  })

  it("answers 500 when it cannot store a callback or has no secret", async () => {
    const full = makeReceiver([newest], () => Promise.reject(new Error("the disk is full")))
    assert.strictEqual((await full(await requestOf())).status, 500)
    const unset = makeReceiver([""], () => Promise.resolve())
    assert.strictEqual((await unset(await requestOf())).status, 500)
  })
})
