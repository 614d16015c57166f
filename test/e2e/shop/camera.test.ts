import { assert, layer } from "../../support/it.ts"
import { Effect, Layer } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import sharp from "sharp"
import { startBrowserWith } from "../../support/browser.ts"
import { newSlip } from "../../support/client.ts"
import { RunningService } from "../../support/service.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"
import { TestBrowser } from "../console/given-console.ts"
import { layerShop, Shop } from "../given-shop.ts"
import { headline, openShop, pictureOf } from "./given-shop-page.ts"

/** A film of one picture: the lower half of a slip, with its QR code, as a phone's camera shows it. */
const filmOf = Effect.fnUntraced(function* (slip: ReturnType<typeof newSlip>) {
  const { buffer } = yield* pictureOf(slip)
  const frame = yield* Effect.promise(() =>
    sharp(buffer).extract({ left: 540, top: 1080, width: 480, height: 360 }).resize(640, 480).jpeg({ quality: 95 })
      .toBuffer()
  )
  const file = join(yield* temporaryFolder, "slip.mjpeg")
  writeFileSync(file, frame)
  return file
})

const layerCamera = TestBrowser.startedBy(
  Effect.flatMap(Effect.orDie(filmOf(newSlip())), (film) =>
    startBrowserWith(
      "--use-fake-ui-for-media-stream",
      "--use-fake-device-for-media-stream",
      `--use-file-for-fake-video-capture=${film}`
    ))
)

layer.live(Layer.merge(layerCamera, layerShop()))("the camera of the shop's page", (it) => {
  it.effect("reads the QR code live, and shows the verdict", function* () {
    const { baseUrl } = yield* RunningService
    const { key } = yield* Shop
    const { page, problems } = yield* openShop(baseUrl, "/app", { key })
    yield* Effect.promise(async () => {
      await page.click("#scan")
      await page.waitForSelector(".verdict")
    })
    assert.strictEqual(yield* headline(page), "Accepted")
    assert.deepStrictEqual(problems, [])
  })
})
