import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { contentDigest } from "../../../../../infrastructure/web/http/bodies/content-digest.ts"
import { type BodyTask, decodeBody, URLENCODED } from "../../../../../infrastructure/web/http/bodies/decode-body.ts"
import { normalizeSlip } from "../../../../../infrastructure/web/http/bodies/normalize-slip.ts"
import { percentDecoded } from "../../../../../infrastructure/web/http/bodies/percent-encoding.ts"
import { runs } from "../../../../support/runs.ts"

const ROUTE = "POST /v2/verify/bank"
const LIMITS = { depth: 32, values: 5_000, items: 2_000, keys: 256 }

const taskOf = (body: BodyInit): Promise<BodyTask> => {
  const request = new Request("http://shop.test", { method: "POST", body })
  const contentType = request.headers.get("content-type") ?? ""
  return request.arrayBuffer().then((buffer) => ({
    bytes: new Uint8Array(buffer),
    mediaType: contentType.split(";", 1)[0] ?? "",
    contentType,
    limits: LIMITS,
    isSlip: true,
    digestRoute: ROUTE
  }))
}

/** The digest of a body's content, as an `Idempotency-Key` remembers it. */
const digestOf = async (body: BodyInit): Promise<string | undefined> => {
  const decoded = decodeBody(await taskOf(body))
  return "fault" in decoded ? decoded.fault : decoded.digest
}

const json = (fields: object) => new Blob([JSON.stringify(fields)], { type: "application/json" })

const textOf = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value)

const multipart = (fields: object): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, textOf(value))
  return form
}

const urlencoded = (fields: object): URLSearchParams =>
  new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, textOf(value)]))

/** Text with the characters that encodings write in their own way. Line breaks differ: forms send CR and LF. */
const Text = Schema.String.check(Schema.isPattern(/^[a-zก-ฮ0-9 &=%+;"'\\ü€😀]{1,30}$/u))
const Amount = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10 ** 9 }))

describe("the same content", () => {
  it.effect.prop("has the same digest in every encoding", [Text, Text, Amount, Schema.Boolean], (
    [payload, remark, satang, isMatched]
  ) =>
    Effect.promise(async () => {
      const fields = {
        payload,
        remark,
        matchAmount: satang / 100,
        matchAccount: isMatched,
        conditions: { amount: { atLeast: satang / 100 }, sendingBanks: ["004"] }
      }
      const digest = await digestOf(json(fields))
      assert.match(digest ?? "", /^[0-9a-f]{64}$/u)
      assert.strictEqual(await digestOf(multipart(fields)), digest)
      assert.strictEqual(await digestOf(urlencoded(fields)), digest)
      assert.notStrictEqual(await digestOf(urlencoded({ ...fields, remark: `${remark}!` })), digest)
    }), { arbitrary: { runs: runs(50) } })

  it("has the same digest however a boolean, an amount or the order of fields is written", async () => {
    const digest = await digestOf(json({ payload: "a", matchAccount: true, matchAmount: 99.5 }))
    for (const matchAccount of [1, "1", "true", "True", "TRUE"]) {
      assert.strictEqual(await digestOf(json({ matchAccount, matchAmount: 99.5, payload: "a" })), digest)
      assert.strictEqual(await digestOf(urlencoded({ matchAmount: "99.50", payload: "a", matchAccount })), digest)
    }
    assert.strictEqual(
      digest,
      contentDigest(ROUTE, { payload: "a", matchAccount: true, matchAmount: 99.5 }),
      "keys of an earlier version stay bound to the same requests"
    )
  })
})

describe("a form", () => {
  const faultOf = (bytes: string) => {
    const task = {
      mediaType: URLENCODED,
      contentType: URLENCODED,
      limits: LIMITS,
      isSlip: true,
      digestRoute: undefined
    }
    const decoded = decodeBody({ ...task, bytes: new Uint8Array(Buffer.from(bytes, "latin1")) })
    return "fault" in decoded ? decoded.fault : undefined
  }

  it("in another encoding than UTF-8 is refused", () => {
    const notUtf8 = "The form is not encoded in UTF-8"
    assert.strictEqual(faultOf("payload=a&remark=%A1%D2"), notUtf8)
    assert.strictEqual(faultOf("payload=a&remark=\xa1\xd2"), notUtf8)
    assert.strictEqual(faultOf("payload=a&remark=%e0%B8%81+%25zz%"), undefined)
    assert.strictEqual(faultOf("payload=a&remark=\xe0\xb8\x81"), undefined)
  })

  it("with a field twice is refused", () => {
    assert.strictEqual(faultOf("payload=a&payload=b"), "The form has a field more than once. Send each field once.")
  })

  it("decodes percent signs as bytes", () => {
    const decoded = (text: string) => Buffer.from(percentDecoded(Buffer.from(text))).toString("latin1")
    assert.strictEqual(decoded("a%20b%E0%b8%2"), "a b\xe0\xb8%2")
    assert.strictEqual(decoded("%%41%4g%g1%"), "%A%4g%g1%")
  })

  it("with conditions in parts keeps a text that no decoder accepts as conditions", () => {
    for (const name of ["conditions[amount][equals]", "conditions.amount"]) {
      const { conditions } = normalizeSlip({ isForm: true, fields: { payload: "a", [name]: "1" } })
      assert.strictEqual(typeof conditions, "string")
    }
    assert.notProperty(normalizeSlip({ isForm: false, fields: { "conditions.amount": "1" } }), "conditions")
  })
})
