import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { newSlip } from "../support/client.ts"
import { RunningService } from "../support/service.ts"
import { assertFailure, assertInvalid } from "./assert-answer.ts"
import { layerShop, Shop } from "./given-shop-with-picture.ts"

type Part = readonly [name: string, value: string | Uint8Array<ArrayBuffer>, fileName?: string]

const form = (...parts: ReadonlyArray<Part>): FormData => {
  const data = new FormData()
  for (const [name, value, fileName] of parts) {
    if (typeof value === "string") data.append(name, value)
    else data.append(name, new Blob([value], { type: "text/plain" }), fileName ?? "slip.txt")
  }
  return data
}

const verify = Effect.fnUntraced(function* (...parts: ReadonlyArray<Part>) {
  const { verify } = yield* RunningService
  return yield* verify((yield* Shop).key, form(...parts))
})

/** Sends these bytes as a form. */
const verifyRaw = Effect.fnUntraced(function* (body: string, contentType = "multipart/form-data; boundary=----a1b2c3") {
  const { call } = yield* RunningService
  return yield* call(
    "POST",
    "/v2/verify/bank",
    { key: (yield* Shop).key, body, headers: { "content-type": contentType } }
  )
})

layer.live(layerShop())("POST /v2/verify/bank with a form", (it) => {
  for (const name of ["image", "file"]) {
    it.effect(`reads the file of the field ${name} by its bytes, regardless of its name and type`, function* () {
      const { png, transRef } = yield* Shop
      const answer = yield* verify([name, png, "notes.pdf"])
      assert.strictEqual(answer.data?.rawSlip.transRef, transRef, answer.text)
    })
  }

  it.effect("parses numbers and booleans, and keeps text unchanged", function* () {
    const { data, status } = yield* verify(
      ["payload", newSlip().payload],
      ["matchAmount", "100.00"],
      ["matchAccount", "true"],
      ["checkDuplicate", "false"],
      ["remark", "โต๊ะ 7 ☕"]
    )
    assert.strictEqual(status, 200)
    assert.deepInclude(data, { remark: "โต๊ะ 7 ☕", amountInOrder: 100, isAmountMatched: true })
  })

  it.effect("treats empty text and an unchosen file as absent", function* () {
    const { png } = yield* Shop
    const withText = yield* verify(["image", png], ["payload", ""], ["url", ""], ["remark", ""], ["matchAmount", ""])
    assert.strictEqual(withText.status, 200, withText.text)
    assert.notProperty(withText.data, "remark")

    // Browsers send this for a file field without a file.
    const unchosen = [
      "------a1b2c3",
      `Content-Disposition: form-data; name="image"; filename=""`,
      "Content-Type: application/octet-stream",
      "",
      "",
      "------a1b2c3",
      `Content-Disposition: form-data; name="payload"`,
      "",
      newSlip().payload,
      "------a1b2c3--",
      ""
    ].join("\r\n")
    const answer = yield* verifyRaw(unchosen)
    assert.strictEqual(answer.status, 200, answer.text)
  })

  it.effect("accepts a picture as text too: base64 or a URL", function* () {
    const { png, transRef } = yield* Shop
    const inline = yield* verify(["image", Buffer.from(png).toString("base64")])
    assert.strictEqual(inline.data?.rawSlip.transRef, transRef, inline.text)
    assert.strictEqual((yield* verify(["url", "http://10.0.0.1/"])).error?.code, "URL_INVALID_IP_RANGE")
    assert.strictEqual((yield* verify(["image", "http://10.0.0.1/"])).error?.code, "URL_INVALID_IP_RANGE")
  })

  it.effect("accepts conditions as JSON text", function* () {
    const conditions = JSON.stringify({ amount: { equals: 100 }, duplicate: "allow" })
    const { data } = yield* verify(["payload", newSlip().payload], ["conditions", conditions])
    assert.deepInclude(data, { accepted: true, reasons: [] })
    assertInvalid(yield* verify(["payload", "a"], ["conditions", "{"]), "conditions")
  })

  it.effect("rejects the same invalid fields as JSON", function* () {
    const { png } = yield* Shop
    assertInvalid(yield* verify(), "")
    assertInvalid(yield* verify(["image", png], ["file", png]), "")
    assertInvalid(yield* verify(["image", png], ["payload", "a"]), "")
    assertInvalid(yield* verify(["image", png], ["image", png]), "")
    assertInvalid(yield* verify(["payload", "a"], ["payload", "b"]), "")
    assertInvalid(yield* verify(["payload", "a"], ["matchAmount", "1.005"]), "matchAmount")
    assertInvalid(yield* verify(["payload", "a"], ["matchAmount", "-1"]), "matchAmount")
    for (const text of ["1e3", "0x10", "1,000", "NaN", "Infinity", "ten"]) {
      assertInvalid(yield* verify(["payload", "a"], ["matchAmount", text]), "matchAmount")
    }
    assertInvalid(yield* verify(["payload", "a"], ["matchAccount", "yes"]), "matchAccount")
    assertInvalid(yield* verify(["payload", new Uint8Array([65])]), "payload")
    assertInvalid(yield* verify(["file", "text"]), "file")
  })

  it.effect("rejects a file that is empty or not a picture", function* () {
    for (const bytes of [new Uint8Array(0), new Uint8Array([1, 2, 3]), new TextEncoder().encode("<svg/>")]) {
      assertFailure(yield* verify(["image", bytes]), 400, "INVALID_IMAGE_FORMAT", "File is not a valid image")
    }
    const { png } = yield* Shop
    const truncated = png.slice(0, png.length / 2)
    assertFailure(yield* verify(["image", truncated]), 400, "INVALID_IMAGE_FORMAT", "File is not a valid image")
  })

  it.effect("accepts a file of 4 MB and rejects one byte more", function* () {
    const { png } = yield* Shop
    const padded = new Uint8Array(4_194_304)
    padded.set(png)
    assert.notStrictEqual((yield* verify(["image", padded])).error?.code, "IMAGE_SIZE_TOO_LARGE")
    const larger = new Uint8Array(4_194_305)
    larger.set(png)
    assertFailure(yield* verify(["image", larger]), 400, "IMAGE_SIZE_TOO_LARGE", "Image exceeds 4MB limit")
  })

  const broken = [
    ["without a boundary", "------a1b2c3--\r\n", "multipart/form-data"],
    ["with another boundary", `--Y\r\nContent-Disposition: form-data; name="payload"\r\n\r\na\r\n--Y--\r\n`, undefined],
    ["that is cut off", `------a1b2c3\r\nContent-Disposition: form-data; name="payload"\r\n\r\na`, undefined],
    ["that is empty", "", undefined],
    ["that is not a form", "{}", undefined],
    ["with nameless parts", "------a1b2c3\r\nContent-Disposition: form-data\r\n\r\na\r\n------a1b2c3--\r\n", undefined]
  ] as const
  for (const [title, body, contentType] of broken) {
    it.effect(`rejects a form ${title}`, function* () {
      assertInvalid(yield* verifyRaw(body, contentType), "")
    })
  }

  it.effect("treats names such as __proto__ as ordinary fields", function* () {
    for (const name of ["__proto__", "constructor", "toString"]) {
      assertInvalid(yield* verify([name, "a"], [`${name}.x`, new Uint8Array(3)]), "")
      const answer = yield* verify([name, new Uint8Array(3)], ["payload", newSlip().payload])
      assert.strictEqual(answer.status, 200, answer.text)
    }
  })
})
