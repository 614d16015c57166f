import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { WALLET_RECEIVER } from "../../infrastructure/adapters/banks/sandbox/receivers.ts"
import { drawSandboxSlip } from "../../infrastructure/adapters/banks/sandbox/slip-picture.ts"
import { apiKey as exampleKey, ids, requests } from "../../infrastructure/web/api/examples.ts"
import type { Document } from "../../infrastructure/web/api/openapi/document-types.ts"
import { adminDocument, document } from "../../infrastructure/web/docs/documents.ts"
import { groupsOf, isCallable } from "../../tools/docs-site/placed-operations.ts"
import { sampleLanguages } from "../../tools/docs-site/samples/languages.ts"
import { FILE_NAME, type SampleRequest, sampleRequests } from "../../tools/docs-site/samples/sample-request.ts"
import { makeReferences } from "../../tools/docs-site/schema-view.ts"
import { httpServer } from "../infrastructure/adapters/egress/loopback.ts"
import { startCallbackReceiver } from "../support/callback-receiver.ts"
import { newSlip } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { ADMIN_TOKEN, layerRunningService, RunningService } from "../support/service.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"
import { launch, runtime } from "./given-example.ts"

const samplesOf = (document: Document): ReadonlyArray<SampleRequest> => {
  const references = makeReferences(document.components)
  return groupsOf(document, references).flatMap(({ operations }) =>
    operations.filter(isCallable).flatMap((placed) => sampleRequests(placed, references))
  )
}

/** Every request of which the reference has samples. */
export const samples = samplesOf(document())

/** Not alone answerable: one of several parameters is required, or a new log has nothing to print yet. */
const needMore = ["getTrail", "proveEvents", "listTreeHeads"]

/** The requests of the admin API that need neither a body nor an existing thing. */
export const adminSamples = samplesOf(adminDocument()).filter(({ body, method, operationId, params, query }) =>
  method === "GET" && body === undefined && params.length === 0 && Object.keys(query).length === 0
  && !needMore.includes(operationId)
)

/** The commands that run a sample, by the id of its language. */
const programs: Readonly<
  Record<string, { readonly needs?: string; readonly suffix: string; readonly program: ReadonlyArray<string> }>
> = {
  curl: { needs: "curl", suffix: "sh", program: ["sh"] },
  typescript: { suffix: "ts", program: runtime },
  php: { needs: "php", suffix: "php", program: ["php"] },
  python: { needs: "python3", suffix: "py", program: ["python3", "-B"] }
}

/** What samples refer to besides the service: pictures, their URLs and a receiver of callbacks. */
class Surroundings extends Context.Service<Surroundings, {
  readonly callbackUrl: string
  readonly pictureUrl: string
  readonly walletUrl: string
  readonly picture: Buffer
  readonly walletPicture: Buffer
}>()("test/Surroundings") {}

const draw = Effect.fnUntraced(function* (payload: string) {
  return Buffer.from(yield* Effect.orDie(drawSandboxSlip({ payload })))
})

/** A service that reaches the pictures and the receiver of the samples. */
export const layerSamples = Layer.unwrap(Effect.gen(function* () {
  const { env, url } = yield* startCallbackReceiver()
  const picture = yield* draw(newSlip().payload)
  const walletPicture = yield* draw(newSlip({ bank: "TRUEMONEY", receiver: WALLET_RECEIVER.index }).payload)
  const pictures = yield* httpServer((_, response) => response.end(picture))
  const walletPictures = yield* httpServer((_, response) => response.end(walletPicture))
  const surroundings = Surroundings.of({
    callbackUrl: url,
    pictureUrl: pictures.url,
    walletUrl: walletPictures.url,
    picture,
    walletPicture
  })
  return Layer.merge(Layer.succeed(Surroundings, surroundings), layerRunningService(env))
}))

/** Makes what a sample names by an id of the examples, and returns the real id. */
const realIds = Effect.fnUntraced(function* (code: string, key: string, callbackUrl: string) {
  const { call } = yield* RunningService
  const post = <Data>(path: string, body: object) =>
    Effect.map(call<Data>("POST", path, { key, body }), ({ data }) => data)
  const found: Record<string, string> = {}
  if (code.includes(ids.job)) {
    const body = { payload: newSlip().payload, callbackUrl }
    const { jobId } = yield* post<{ readonly jobId: string }>("/v2/verify/bank/async", body)
    const job = call<{ readonly status: string }>("GET", `/v2/verify/bank/jobs/${jobId}`, { key })
    yield* eventually(job, ({ data }) => data.status === "success")
    found[ids.job] = jobId
  }
  if (code.includes(ids.batch)) {
    const body = { slips: [{ payload: newSlip().payload }], callbackUrl }
    found[ids.batch] = (yield* post<{ readonly batchId: string }>("/v2/verify/bank/batch", body)).batchId
  }
  if (code.includes(ids.account)) {
    found[ids.account] = (yield* post<{ readonly id: string }>("/v2/bank-accounts", requests.bankAccount)).id
  }
  if (code.includes(ids.verification)) {
    const body = { payload: newSlip().payload }
    const { verificationId } = yield* post<{ readonly verificationId: string }>("/v2/verify/bank", body)
    const reading = call("GET", `/v2/verifications/${verificationId}`, { key })
    yield* eventually(reading, ({ status }) => status === 200)
    found[ids.verification] = verificationId
  }
  if (code.includes(exampleKey.id)) {
    found[exampleKey.id] = (yield* post<{ readonly id: string }>("/v2/keys", { name: "Till 3", scopes: ["verify"] })).id
  }
  return found
})

/** The module of the client: a file outside this package cannot import it by name. */
const clientModule = new URL("../../sdk/client/sliptrail.ts", import.meta.url).href

const isWallet = ({ path }: SampleRequest): boolean => path.includes("truewallet")

/** The sample with real ids, URLs and files in place of those of the examples. */
const realized = Effect.fnUntraced(function* (request: SampleRequest, code: string, key: string, file: string) {
  const { callbackUrl, pictureUrl, walletUrl } = yield* Surroundings
  const replaced = {
    [requests.payload.payload]: newSlip().payload,
    [requests.later.callbackUrl]: callbackUrl,
    "sliptrail/client": clientModule,
    ...yield* realIds(code, key, callbackUrl)
  }
  const url = isWallet(request) ? walletUrl : pictureUrl
  const withPictures = code.replaceAll(FILE_NAME, file).replaceAll(/https:\/\/shop\.example\/slips\/\d+\.png/gu, url)
  return Object.entries(replaced).reduce((text, [example, real]) => text.replaceAll(example, real), withPictures)
})

/** Runs a sample in every language, each with a branch of its own, and checks that it succeeds. */
export const runSample = Effect.fnUntraced(function* (request: SampleRequest) {
  const { baseUrl, createService } = yield* RunningService
  const { picture, walletPicture } = yield* Surroundings
  const folder = yield* temporaryFolder
  const file = join(folder, "picture.png")
  writeFileSync(file, isWallet(request) ? walletPicture : picture)
  for (const { id, sample } of sampleLanguages) {
    const { mainBranch: { apiKey } } = yield* createService()
    const language = programs[id] ?? assert.fail(`no program runs ${id}`)
    const code = yield* realized(request, sample(request), apiKey, file)
    const path = join(folder, `sample.${language.suffix}`)
    writeFileSync(path, code)
    const printed = yield* Effect.promise(async () => {
      const env = { BASE_URL: baseUrl, API_KEY: apiKey, OPERATOR_TOKEN: ADMIN_TOKEN }
      const { child, output } = await launch([...language.program, path], language, env)
      const [exitCode] = await once(child, "close")
      assert.strictEqual(exitCode, 0, `${code}\n${output()}`)
      return output()
    })
    assert.notMatch(printed, /warning|deprecated/iu, code)
    assert.isNotEmpty(printed, code)
    if (id !== "curl" || request.envelope === undefined) continue
    const expected = request.envelope === "v1" ? { status: 200 } : { success: true }
    assert.deepOwnInclude(JSON.parse(printed), expected, code)
  }
})
