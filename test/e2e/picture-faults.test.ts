import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { drawSandboxSlip } from "../../infrastructure/adapters/banks/sandbox/slip-picture.ts"
import { httpServer } from "../infrastructure/adapters/egress/loopback.ts"
import * as Forged from "../infrastructure/adapters/pictures/forged.ts"
import { newSlip } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { RunningService } from "../support/service.ts"
import { assertPictureFault } from "./assert-answer.ts"
import { layerShop, Shop } from "./given-shop.ts"

const bytesOf = (text: string) => Buffer.from(text, "latin1")

/** Files that are no usable pictures, and what the answer says. */
const faults: ReadonlyArray<readonly [title: string, file: Buffer, why: RegExp]> = [
  ["an iPhone's HEIC", bytesOf(`\0\0\0\x24ftypheic${"\0".repeat(40)}`), /HEIC/u],
  ["HEIF of another camera", bytesOf(`\0\0\0\x24ftypmif1${"\0".repeat(40)}`), /HEIC/u],
  ["AVIF", bytesOf(`\0\0\0\x24ftypavif${"\0".repeat(40)}`), /AVIF/u],
  ["a video", bytesOf(`\0\0\0\x24ftypisom${"\0".repeat(40)}`), /video/u],
  ["a PDF", bytesOf("%PDF-1.7\n1 0 obj"), /PDF/u],
  ["a BMP", bytesOf(`BM\x36\x01\0\0\0\0\0\0${"\0".repeat(40)}`), /BMP/u],
  ["a TIFF", bytesOf(`II*\0${"\0".repeat(40)}`), /TIFF/u],
  ["an SVG", bytesOf('<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>'), /SVG/u],
  ["a web page", bytesOf("<!DOCTYPE html><html>"), /web page/u],
  ["the base64 of a picture", bytesOf("data:image/png;base64,iVBORw0KGgo="), /base64/u],
  ["text", Buffer.from("สวัสดีครับ"), /the file is text/iu],
  ["unknown bytes", bytesOf("\x01\x02\x03\xfe\xff"), /not one of the known formats/u],
  ["too many pixels", Buffer.from(Forged.png(20_000, 20)), /25 megapixels/u]
]

const formOf = (field: string, file: Buffer): FormData => {
  const form = new FormData()
  form.append(field, new Blob([new Uint8Array(file)]), "slip.jpg")
  return form
}

const post = Effect.fnUntraced(function* (path: string, body: unknown) {
  const { call } = yield* RunningService
  return yield* call("POST", path, { key: (yield* Shop).key, body })
})

const v1Fault = (text: string) => {
  const { issues = [], ...body }: { readonly issues?: ReadonlyArray<{ path: string; message: string }> } = JSON.parse(
    text
  )
  assert.deepStrictEqual(body, { status: 400, message: "invalid_image" })
  return issues
}

const env = { EGRESS_ALLOW_CIDRS: "127.0.0.1/32", VERIFY_RETRY_SCHEDULE: "20 millis" }

layer.live(layerShop(env))("a file that is no usable picture", (it) => {
  for (const [title, file, why] of faults) {
    it.effect(`is named at its field in every operation: ${title}`, function* () {
      const base64 = file.toString("base64")
      assertPictureFault(yield* post("/v2/verify/bank", { image: base64 }), "image", why)
      assertPictureFault(yield* post("/v2/verify/bank", { base64 }), "base64", why)
      assertPictureFault(yield* post("/v2/verify/bank", formOf("file", file)), "file", why)
      assertPictureFault(yield* post("/v2/verify/bank/async", formOf("image", file)), "image", why)
      assertPictureFault(yield* post("/v2/decode", formOf("image", file)), "image", why)
      assertPictureFault(yield* post("/v2/verify/truewallet", formOf("file", file)), "file", why)
      const payload = newSlip().payload
      const batch = yield* post("/v2/verify/bank/batch", { slips: [{ payload }, { base64 }] })
      assertPictureFault(batch, "slips.1.base64", why)
      for (const [body, field] of [[{ data: base64 }, "data"], [formOf("file", file), "file"]] as const) {
        const [issue] = v1Fault((yield* post("/v1/verify", body)).text)
        assert.strictEqual(issue?.path, field)
        assert.match(issue?.message ?? "", why)
      }
    })
  }

  it.effect("is named when it was cut off", function* () {
    const png = Buffer.from(yield* drawSandboxSlip(newSlip()))
    assertPictureFault(
      yield* post("/v2/verify/bank", formOf("image", png.subarray(0, 500))),
      "image",
      /upload was cut/u
    )
    assertPictureFault(
      yield* post("/v2/verify/bank", formOf("image", png.subarray(0, 12))),
      "image",
      /upload was cut/u
    )
    const broken = Buffer.concat([png.subarray(0, 40), png.subarray(-12)])
    assertPictureFault(
      yield* post("/v2/verify/bank", formOf("image", broken)),
      "image",
      /broken: it cannot be decoded/u
    )
  })

  it.effect("is named when it is empty, or a text that is no picture", function* () {
    assertPictureFault(yield* post("/v2/verify/bank", formOf("image", Buffer.alloc(0))), "image", /file is empty/u)
    for (const text of ["!!!", "slip.jpg?", "data:image/png,abc"]) {
      assertPictureFault(yield* post("/v2/verify/bank", { image: text }), "image", /neither base64, nor a data URI/u)
      assertPictureFault(yield* post("/v2/verify/bank", { base64: text }), "base64", /neither base64 nor a data URI/u)
      const [issue] = v1Fault((yield* post("/v1/verify", { image: text })).text)
      assert.match(issue?.message ?? "", /neither base64/u)
    }
    const { payload } = newSlip()
    assertPictureFault(yield* post("/v2/verify/bank", { image: payload }), "image", /text is that of a QR code/u)
  })

  it.effect("at a URL has the code of its kind, and a broken one says why, also in its job", function* () {
    const png = Buffer.from(yield* drawSandboxSlip(newSlip()))
    const { url } = yield* httpServer((_, response) => response.end(png.subarray(0, 500)))
    assertPictureFault(yield* post("/v2/verify/bank", { url }), "url", /upload was cut/u)
    assertPictureFault(yield* post("/v2/verify/bank", { image: url }), "image", /upload was cut/u)
    const page = yield* httpServer((_, response) => response.end("<html>"))
    const { error } = yield* post("/v2/verify/bank", { url: page.url })
    assert.deepStrictEqual(error, { code: "INVALID_IMAGE_TYPE", message: "URL is not a valid image" })

    const { call } = yield* RunningService
    const { key } = yield* Shop
    const accepted = yield* call<{ readonly jobId: string }>("POST", "/v2/verify/bank/async", { key, body: { url } })
    const job = yield* eventually(
      call<{ readonly status: string; readonly error?: typeof error }>(
        "GET",
        `/v2/verify/bank/jobs/${accepted.data.jobId}`,
        { key }
      ),
      ({ data }) => data.status !== "pending"
    )
    assert.deepInclude<unknown>(job.data.error, {
      code: "INVALID_IMAGE_FORMAT",
      message: "File is not a valid image"
    })
    assert.match(job.data.error?.issues?.[0]?.message ?? "", /upload was cut/u)
  })
})
