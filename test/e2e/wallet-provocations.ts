import { Effect } from "effect"
import { WALLET_RECEIVER } from "../../infrastructure/adapters/banks/sandbox/receivers.ts"
import { drawSandboxSlip } from "../../infrastructure/adapters/banks/sandbox/slip-picture.ts"
import { httpServer } from "../infrastructure/adapters/egress/loopback.ts"
import { readFixture } from "../infrastructure/adapters/pictures/fixtures.ts"
import { newSlip } from "../support/client.ts"
import type { ApiCalls } from "./api-provocations.ts"
import { given } from "./situations.ts"

const NOW = "/v2/verify/truewallet"
const LATER = [`${NOW}/async`, `${NOW}/batch`]
const V1 = "/v1/verify/truewallet"

type Outcome = NonNullable<NonNullable<Parameters<typeof newSlip>[0]>["outcome"]>

const base64Of = (payload: string) =>
  Effect.orDie(Effect.map(drawSandboxSlip({ payload }), (bytes) => Buffer.from(bytes).toString("base64")))

/** The picture of a new TrueMoney slip, in base64. */
const picture = (outcome: Outcome = "found") =>
  Effect.suspend(() => base64Of(newSlip({ bank: "TRUEMONEY", receiver: WALLET_RECEIVER.index, outcome }).payload))

const post = (path: string, body: unknown, service: object = {}): ApiCalls =>
  Effect.flatMap(
    given(service),
    ({ call, key }) => call("POST", path, { key, body: path.endsWith("batch") ? { slips: [body] } : body })
  )

const postPicture = (path: string, outcome?: Outcome, service: object = {}): ApiCalls =>
  Effect.flatMap(picture(outcome), (image) => post(path, { image }, service))

const pictureAt = (path: string, body: string, status = 200): ApiCalls =>
  Effect.scoped(Effect.gen(function* () {
    const { url } = yield* httpServer((_, response) =>
      response.writeHead(status, { "content-type": "image/png" }).end(body)
    )
    yield* post(path, { url })
  }))

const tooLarge = () => "A".repeat(Math.ceil(4_194_305 / 3) * 4)
const url = "https://shop.example/slip.png"

const keyed = (path: string, [body, other, slow]: ReadonlyArray<object>): ApiCalls =>
  Effect.gen(function* () {
    const { call, key } = yield* given()
    const send = (fields: object | undefined, idempotencyKey: string) =>
      call("POST", path, {
        key,
        headers: { "idempotency-key": idempotencyKey },
        body: path.endsWith("batch") ? { slips: [fields] } : fields
      })
    yield* send(body, "order-42")
    yield* send(other, "order-42")
    const parallel = Array.from({ length: 20 }, () => send(slow, "order-43"))
    yield* Effect.all(parallel, { concurrency: "unbounded", discard: true })
  })

const v1Twice: ApiCalls = Effect.gen(function* () {
  const { call, key } = yield* given()
  const image = yield* picture()
  for (const checkDuplicate of ["false", "true", "yes"]) {
    yield* call("POST", V1, { key, body: { image, checkDuplicate } })
  }
})

const faulty = (path: string): ReadonlyArray<ApiCalls> => [
  post(path, {}),
  post(path, { url: "ftp://example.com/slip.png" }),
  post(path, { image: tooLarge() }),
  post(path, { image: "aGVsbG8=" }),
  post(path, { url, bankCode: "999" }),
  post(path, { url, bankCode: "002" })
]

/** Calls of the TrueMoney operations that lead to every code that they declare. */
export const walletProvocations: ReadonlyArray<ApiCalls> = [
  ...faulty(NOW),
  ...LATER.flatMap((path) => [
    ...faulty(path),
    post(path, { url }),
    post(path, { url, callbackUrl: "http://shop.example/told" }),
    post(path, { url }, { quota: 0 }),
    keyed(path, [{ url }, { url: `${url}?other` }, { url }])
  ]),
  postPicture(NOW),
  postPicture(NOW, "not-found"),
  postPicture(NOW, "pending"),
  postPicture(NOW, "found", { quota: 0 }),
  post(NOW, { url: "http://10.0.0.1/slip.png" }),
  pictureAt(NOW, "gone", 404),
  pictureAt(NOW, "<html>"),
  Effect.flatMap(base64Of(newSlip().payload), (image) => post(NOW, { image })),
  Effect.flatMap(picture(), (image) => post("/v2/verify/bank", { image })),
  ...[NOW, "/v2/verify/bank"].map((path) =>
    post(path, { image: Buffer.from(readFixture("two-slips-01.jpg")).toString("base64") })
  ),
  Effect.flatMap(
    Effect.all([picture(), picture(), picture("slow")]),
    (pictures) => keyed(NOW, pictures.map((image) => ({ image })))
  ),
  v1Twice,
  postPicture(V1, "not-found"),
  postPicture(V1, "pending"),
  postPicture(V1, "found", { quota: 0 }),
  post(V1, {}),
  post(V1, { url: "ftp://example.com/slip.png" }),
  post(V1, { image: "aGVsbG8=" }),
  post(V1, { image: tooLarge() }),
  post(V1, { image: Buffer.from(readFixture("neg-no-qr-02.jpg")).toString("base64") }),
  Effect.flatMap(base64Of(newSlip().payload), (image) => post(V1, { image }))
]
