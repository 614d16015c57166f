import { assert, describe, it, layer } from "../support/it.ts"
import { Duration, Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import sharp from "sharp"
import { MAX_IMAGE_BYTES, SlipReader, type SlipReaderError } from "../../ports/slip-reader.ts"
import { layerSlipReader, type SlipReaderOptions } from "../../infrastructure/adapters/pictures/slip-reader.ts"
import {
  fixtures,
  readFixture,
  readReducedFixture,
  reducedFixtures
} from "../infrastructure/adapters/pictures/fixtures.ts"
import * as Forged from "../infrastructure/adapters/pictures/forged.ts"
import { manyParts, needlessParts } from "../infrastructure/adapters/pictures/many-parts.ts"
import { usual } from "../infrastructure/adapters/pictures/usual-files.ts"
import { drawn } from "../infrastructure/adapters/pictures/drawn.ts"
import { drawPhoto, drawTogether, slipTexts } from "../support/slip-pictures/together.ts"

type Reader = SlipReaderOptions["reader"]

const SLIP = "jpeg-q50-70-01.jpg"
const slip = fixtures.find(({ file }) => file === SLIP)?.expected

const read = (image: Uint8Array, branchId = "branch-1") => SlipReader.use((reader) => reader.read(image, branchId))

/** One picture of each format. */
const oneOfEach = [SLIP, "png-alpha-01.png", "gif-256-01.gif", "webp-lossy-01.webp", "webp-lossless-00.webp"]

/** Long enough for a busy machine. The tests of deadlines move the clock. */
const patience = { deadlineMillis: 60_000, maxWaitMillis: 60_000 }

/** A picture made small: in one without a slip, the reader searches with every pass. */
const narrow = (file: string) => Effect.promise(() => sharp(readFixture(file)).resize({ width: 480 }).png().toBuffer())

const reasonOf = (image: Uint8Array) =>
  read(image).pipe(Effect.asVoid, Effect.catch((error: SlipReaderError) => Effect.succeed(error.reason)))

/** What both slip readers must do. */
export const slipReaderContract = (reader: Reader) =>
  describe(`the ${reader} slip reader`, () => {
    picturesContract(reader)
    hostileContract(reader)
    workersContract(reader)
    branchesContract(reader)
  })

const picturesContract = (reader: Reader) =>
  layer.live(layerSlipReader({ reader, workers: 1, ...patience }))("reading", (it) => {
    it.effect("reads every slip of every kind of picture", function* () {
      for (const { expected, file, format, height, others = [], width } of fixtures) {
        if (expected === null) continue
        const reading = yield* read(readFixture(file))
        assert.sameMembers(reading.slips.map(({ text }) => text), [expected, ...others], file)
        assert.includeMembers([...reading.texts], reading.slips.map(({ text }) => text), file)
        assert.deepStrictEqual([reading.format, reading.width, reading.height], [format, width, height], file)
        assert.isTrue(Number.isFinite(reading.tookMillis) && reading.tookMillis >= 0)
      }
    })

    it.effect("reads the slip of pictures in rarer forms", function* () {
      for (const [form, image] of yield* Effect.promise(() => drawn(readFixture(SLIP)))) {
        assert.strictEqual((yield* read(image)).slips[0]?.text, slip, form)
      }
    })

    it.effect("reads the slip of the usual files of cameras and encoders", function* () {
      for (const [what, image] of yield* Effect.promise(() => usual(readFixture(SLIP)))) {
        assert.strictEqual((yield* read(image)).slips[0]?.text, slip, what)
      }
    })

    it.effect("reads the slip of files with as many frames, chunks, segments or blocks as fit", function* () {
      const picture = yield* narrow(SLIP)
      for (const { bytes, what } of yield* Effect.promise(() => manyParts(picture))) {
        assert.strictEqual((yield* read(bytes)).slips[0]?.text, slip, what)
      }
    })

    it.effect("reads slips that customers reduced to few pixels a module, and none that is cut or written upon", function* () {
      for (const { expected, file } of reducedFixtures) {
        const reading = yield* read(readReducedFixture(file))
        assert.deepStrictEqual(reading.slips.map(({ text }) => text), expected === null ? [] : [expected], file)
      }
    })

    it.effect("reads all slips of a picture in one pass, and a slip that it shows twice as one", function* () {
      const [bank, other, wallet] = slipTexts
      for (const texts of [[bank, other], [bank, wallet], [wallet, other], [bank, bank], [bank, other, wallet]]) {
        for (const direction of ["across", "down"] as const) {
          const reading = yield* read(yield* Effect.promise(() => drawTogether(texts, direction)))
          const found = reading.slips.map(({ text }) => text)
          assert.sameMembers(found, [...new Set(texts)], `${texts.length} ${direction}`)
        }
      }
    })

    it.effect("reads a JPEG without its end marker", function* () {
      for (const file of [SLIP, "progressive-jpeg-01.jpg", "cmyk-jpeg-01.jpg"]) {
        const image = readFixture(file)
        for (const missing of [1, 2]) {
          const { slips } = yield* read(image.subarray(0, -missing))
          assert.deepStrictEqual(slips, (yield* read(image)).slips, `${file} without ${missing}`)
        }
      }
    })

    it.effect("finds nothing in a photograph of 12 megapixels and in a detailed screenshot", function* () {
      const photo = yield* Effect.promise(() => drawPhoto(4_032, 3_024).jpeg({ quality: 60 }).toBuffer())
      const screenshot = yield* Effect.promise(() => drawPhoto(1_080, 1_920).webp({ quality: 80 }).toBuffer())
      for (const image of [photo, screenshot]) assert.deepStrictEqual((yield* read(image)).texts, [])
    })

    it.effect("returns the other QR texts of a picture without a slip", function* () {
      const nothing = yield* read(yield* narrow("neg-no-qr-02.jpg"))
      assert.deepStrictEqual([nothing.slips, nothing.texts], [[], []])
      const other = yield* read(yield* narrow("neg-url-qr-02.jpg"))
      assert.deepStrictEqual(other.slips, [])
      assert.match(other.texts.join(), /^https?:/u)
      const wrong = yield* read(yield* narrow("neg-bad-crc-02.jpg"))
      assert.deepStrictEqual(wrong.slips, [])
      assert.strictEqual(wrong.texts.length, 1)
    })

    it.effect("does not change the caller's bytes, also when they are a part of a larger buffer", function* () {
      const image = readFixture(SLIP)
      const shared = new Uint8Array(image.length + 200).fill(7)
      shared.set(image, 100)
      const part = shared.subarray(100, 100 + image.length)
      assert.strictEqual((yield* read(part)).slips[0]?.text, slip)
      assert.strictEqual((yield* read(part)).slips[0]?.text, slip)
      assert.deepStrictEqual(Buffer.compare(part, image), 0)
    })
  })

const hostileContract = (reader: Reader) =>
  layer.live(layerSlipReader({ reader, workers: 1, ...patience }))("with invalid pictures", (it) => {
    const text = (content: string) => new TextEncoder().encode(content)

    it.effect("refuses formats other than JPEG, PNG, GIF and WebP", function* () {
      const others = [
        new Uint8Array(0),
        new Uint8Array(4_096),
        text("<svg xmlns='http://www.w3.org/2000/svg' width='10' height='10'><rect width='10' height='10'/></svg>"),
        text("II*\0\u0008\0\0\0"),
        text("MM\0*\0\0\0\u0008"),
        text("BM\u0036\0\0\0\0\0\0\0"),
        text("%PDF-1.7"),
        text("RIFF\u0010\0\0\0WAVEfmt "),
        text("<html><img src=x></html>")
      ]
      for (const image of others) assert.strictEqual(yield* reasonOf(image), "not-an-image")
    })

    it.effect("refuses files that start like an image but cannot be decoded", function* () {
      for (const file of oneOfEach) {
        assert.strictEqual(yield* reasonOf(readFixture(file).subarray(0, 20)), "corrupt", file)
        const garbage = readFixture(file).map((byte, at) => at < 12 ? byte : (at * 7919) & 0xff)
        assert.strictEqual(yield* reasonOf(garbage), "corrupt", file)
      }
      assert.strictEqual(yield* reasonOf(text("GIF89a\u0009\0\u0009\0alert(1)//")), "corrupt")
      assert.strictEqual(yield* reasonOf(Forged.png(900, 900)), "corrupt")
    })

    it.effect("reads the same slip or none in a picture that was cut off", function* () {
      for (const { expected, file } of fixtures.filter(({ file }) => oneOfEach.includes(file))) {
        const image = readFixture(file)
        const cut = yield* Effect.result(read(image.subarray(0, Math.floor(image.length * 0.6))))
        if (Result.isFailure(cut)) assert.strictEqual(cut.failure.reason, "corrupt", file)
        else assert.include([undefined, expected], cut.success.slips[0]?.text, file)
      }
    })

    it.effect("refuses more bytes or pixels than the limits", function* () {
      const image = new Uint8Array(MAX_IMAGE_BYTES + 1)
      image.set(readFixture(SLIP))
      assert.strictEqual(yield* reasonOf(image), "too-large")
      assert.strictEqual(yield* reasonOf(Forged.webpLossless(16_383, 16_383)), "too-many-pixels")
    })

    it.effect("answers for a PNG that inflates to gigabytes", function* () {
      const bomb = Forged.png(8, 8, Forged.zeros(3_500))
      assert.isAtMost(bomb.length, MAX_IMAGE_BYTES)
      const outcome = yield* Effect.result(read(bomb))
      if (Result.isFailure(outcome)) assert.strictEqual(outcome.failure.reason, "corrupt")
      else assert.deepStrictEqual(outcome.success.texts, [])
    })

    it.effect("refuses files of more parts than a decoder may get", function* () {
      for (const { bytes, what } of needlessParts()) assert.strictEqual(yield* reasonOf(bytes), "corrupt", what)
    })

    it.effect("reads a picture that is followed by other bytes", function* () {
      const tail = text("PK\u0003\u0004<script>alert(1)</script>")
      for (const file of [SLIP, "png-alpha-01.png", "gif-256-01.gif"]) {
        const image = Buffer.concat([readFixture(file), tail])
        assert.strictEqual((yield* read(image)).slips.length, 1, file)
      }
    })
  })

const workersContract = (reader: Reader) =>
  describe("with several pictures at a time", () => {
    it.live("answers each of twelve concurrent calls with its own slip", () =>
      Effect.gen(function* () {
        const single = fixtures.filter(({ others }) => others === undefined).slice(0, 12)
        const readings = yield* Effect.forEach(single, ({ file }) => read(readFixture(file)), { concurrency: 12 })
        const payloads: ReadonlyArray<string | null> = readings.map(({ slips }) => slips[0]?.text ?? null)
        assert.deepStrictEqual(payloads, single.map(({ expected }) => expected))
      }).pipe(Effect.provide(layerSlipReader({ reader, ...patience }))))

    it.live("refuses a picture while the queue is full", () =>
      Effect.gen(function* () {
        const image = readFixture(SLIP)
        const first = yield* Effect.forkChild(read(image), { startImmediately: true })
        const second = yield* Effect.forkChild(read(image), { startImmediately: true })
        assert.strictEqual(yield* reasonOf(image), "branch-busy")
        assert.strictEqual((yield* Fiber.join(first)).slips[0]?.text, slip)
        assert.strictEqual((yield* Fiber.join(second)).slips[0]?.text, slip)
        assert.strictEqual((yield* read(image)).slips[0]?.text, slip)
      }).pipe(Effect.provide(layerSlipReader({ reader, workers: 1, maxWaiting: 1, ...patience }))))

    it.effect("stops a worker at the deadline and reads the next picture", () =>
      Effect.gen(function* () {
        const image = readFixture(SLIP)
        const slow = yield* Effect.forkChild(Effect.flip(read(image)), { startImmediately: true })
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual((yield* Fiber.join(slow)).reason, "deadline")
        assert.strictEqual((yield* read(image)).slips[0]?.text, slip)
      }).pipe(Effect.provide(layerSlipReader({ reader, workers: 1 }))))

    it.live("frees the slot of an interrupted call for the next one", () =>
      Effect.gen(function* () {
        const image = readFixture(SLIP)
        const reading = yield* Effect.forkChild(read(image), { startImmediately: true })
        assert.strictEqual(yield* reasonOf(image), "branch-busy")
        yield* Fiber.interrupt(reading)
        assert.strictEqual((yield* read(image)).slips[0]?.text, slip)
      }).pipe(Effect.provide(layerSlipReader({ reader, workers: 1, maxWaiting: 0, ...patience }))))

    it.effect("measures the time with the clock of the caller", () =>
      Effect.gen(function* () {
        const reading = yield* read(readFixture(SLIP))
        assert.strictEqual(reading.tookMillis, 0)
      }).pipe(Effect.provide(layerSlipReader({ reader }))))
  })

const branchesContract = (reader: Reader) =>
  describe("with several branches", () => {
    it.live("reads a branch's picture before the pictures that another branch has waiting", () =>
      Effect.gen(function* () {
        const image = readFixture(SLIP)
        const done: Array<string> = []
        const readFor = (branchId: string) =>
          Effect.tap(read(image, branchId), () => Effect.sync(() => done.push(branchId)))
        const flood = yield* Effect.forEach(Array.from({ length: 6 }), () =>
          Effect.forkChild(readFor("busy"), { startImmediately: true }))
        yield* readFor("other")
        yield* Effect.forEach(flood, (fiber) =>
          Fiber.join(fiber))
        assert.isAtMost(done.indexOf("other"), 2, "branches take turns")
      }).pipe(Effect.provide(layerSlipReader({ reader, workers: 1, spareWorkers: 0, ...patience }))))

    it.effect("refuses a picture that waited too long", () =>
      Effect.gen(function* () {
        const image = readFixture(SLIP)
        const first = yield* Effect.forkChild(Effect.exit(read(image, "one")), { startImmediately: true })
        const waiting = yield* Effect.forkChild(Effect.flip(read(image, "two")), { startImmediately: true })
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual((yield* Fiber.join(waiting)).reason, "busy")
        yield* Fiber.interrupt(first)
      }).pipe(
        Effect.provide(
          layerSlipReader({ reader, workers: 1, spareWorkers: 0, deadlineMillis: patience.deadlineMillis })
        )
      ))

    const budget = Effect.provide(layerSlipReader({ reader, workers: 1, ...patience, cpuMillisPerMinute: 1 }))

    it.effect("refuses the pictures of a branch that used up its CPU time, until it is refilled", () =>
      Effect.gen(function* () {
        const image = readFixture(SLIP)
        yield* read(image)
        const refused = yield* Effect.flip(read(image))
        assert.strictEqual(refused.reason, "over-budget")
        assert.strictEqual((yield* read(image, "other")).slips[0]?.text, slip)

        const seconds = refused.retryAfterSeconds ?? assert.fail("no time to try again")
        yield* TestClock.adjust(Duration.seconds(seconds - 1))
        assert.strictEqual(yield* reasonOf(image), "over-budget")
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* read(image)).slips[0]?.text, slip)
      }).pipe(budget))

    it.effect("charges the check of a file that no decoder gets", () =>
      Effect.gen(function* () {
        const bytes = new Uint8Array(MAX_IMAGE_BYTES).fill(0xff)
        bytes.set([0xff, 0xd8, 0xff])
        assert.strictEqual(yield* reasonOf(bytes), "corrupt")
        assert.strictEqual(yield* reasonOf(bytes), "over-budget")
      }).pipe(budget))

    it.effect("charges the time of a picture whose caller left", () =>
      Effect.gen(function* () {
        const image = readFixture(SLIP)
        const reading = yield* Effect.forkChild(read(image), { startImmediately: true })
        yield* TestClock.adjust("4 seconds")
        yield* Fiber.interrupt(reading)
        assert.strictEqual(yield* reasonOf(image), "over-budget")
      }).pipe(budget))
  })
