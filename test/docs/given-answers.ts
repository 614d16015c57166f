import { Context, Effect, Layer } from "effect"
import { receivers } from "../../infrastructure/adapters/banks/sandbox/receivers.ts"
import { startCallbackReceiver } from "../support/callback-receiver.ts"
import { newSlip } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { layerRunningService, RunningService } from "../support/service.ts"

type Leaf = string | number | boolean | null | ReadonlyArray<unknown>
type Json = Leaf | { readonly [name: string]: Json }

const isLeaf = (value: Json): value is Leaf => value === null || typeof value !== "object" || Array.isArray(value)

/** The fields of an answer as the page writes them, such as `amount.local.currency`. */
const fieldsOf = (value: Json, path = ""): ReadonlyArray<string> =>
  isLeaf(value)
    ? [path]
    : Object.entries(value).flatMap(([name, inner]) => fieldsOf(inner, path === "" ? name : `${path}.${name}`))

/** The field sets of all real answers of one kind. */
export type Fields = ReadonlyArray<ReadonlySet<string>>

interface ReceivedCallback {
  readonly body: string
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** The answers of the service, for each receiver of the sandbox bank. */
export class Answers extends Context.Service<Answers, {
  readonly key: string
  readonly webhookSecret: string
  readonly v1: Fields
  readonly me: Fields
  readonly v2: Fields
  readonly info: Fields
  readonly callback: Fields
  readonly job: Fields
  readonly arrivals: ReadonlyArray<ReceivedCallback>
}>()("test/Answers") {}

const collectAnswers = Effect.fnUntraced(function* (callbackUrl: string, arrivals: ReadonlyArray<ReceivedCallback>) {
  const { call, createService } = yield* RunningService
  const { mainBranch: { apiKey: key, webhookSecret } } = yield* createService({ quota: 1_000, expiresAt: "2099-01-01" })
  const get = (path: string) => Effect.map(call<Json>("GET", path, { key }), ({ data }) => new Set(fieldsOf(data)))
  const post = <Data = Json>(path: string, body: object) => call<Data>("POST", path, { key, body })

  for (const { register } of receivers) yield* post("/v2/bank-accounts", register)
  const v1: Array<ReadonlySet<string>> = []
  const v2: Array<ReadonlySet<string>> = []
  for (const { index } of receivers) {
    const { payload } = newSlip({ receiver: index })
    v1.push(yield* get(`/api/v1/verify?payload=${payload}`))
    const body = { payload, remark: "order 7", matchAmount: 100, matchAccount: true }
    v2.push(new Set(fieldsOf((yield* post("/v2/verify/bank", body)).data)))
  }
  const enqueued = [newSlip(), newSlip({ outcome: "not-found" })].map(({ payload }) =>
    post<{ readonly jobId: string }>("/v2/verify/bank/async", { payload, callbackUrl })
  )
  const jobs = yield* Effect.all(enqueued)
  const arrived = yield* eventually(Effect.sync(() => [...arrivals]), ({ length }) => length === jobs.length)
  return Answers.of({
    key,
    webhookSecret,
    v1,
    v2,
    me: [yield* get("/v1/me")],
    info: [yield* get("/v2/info")],
    callback: arrived.map(({ body }) => new Set(fieldsOf(JSON.parse(body)))),
    job: yield* Effect.forEach(jobs, ({ data }) => get(`/v2/verify/bank/jobs/${data.jobId}`)),
    arrivals: arrived
  })
})

/** A service with an answer of every kind that the page describes. */
export const layerAnswers = Layer.unwrap(Effect.gen(function* () {
  const { arrivals, env, url } = yield* startCallbackReceiver()
  return Layer.effect(Answers, collectAnswers(url, arrivals)).pipe(Layer.provideMerge(layerRunningService(env)))
}))
