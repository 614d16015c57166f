import { Effect } from "effect"
import { join } from "node:path"
import { drawSandboxSlip } from "../../infrastructure/adapters/banks/sandbox/slip-picture.ts"
import { WALLET_RECEIVER } from "../../infrastructure/adapters/banks/sandbox/receivers.ts"
import { endJob, settingsFor, startReceiver } from "../infrastructure/commands/cli/given-jobs.ts"
import { httpServer } from "../infrastructure/adapters/egress/loopback.ts"
import { type Keys, newSlip } from "../support/client.ts"
import { layerRunningService, RunningService } from "../support/service.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"

/** Kinds of things that belong to one branch and that a request can name. */
export type Thing = "job" | "batch" | "account" | "verification" | "key" | "spareKey"

/** A branch with one thing of each kind, and lists of more than one page. */
export interface Tenant {
  readonly name: string
  readonly key: string
  readonly things: Readonly<Record<Thing, string>>
  /** Texts that no answer to another branch contains. */
  readonly secrets: ReadonlyArray<string>
}

/** The number of jobs with a delivered callback that each branch has. */
const JOBS = 3

const givenTenant = Effect.fnUntraced(function* (name: string, { apiKey: key, id }: Keys, callbackUrl: string) {
  const { call } = yield* RunningService
  const post = Effect.fnUntraced(function* (path: string, body: object) {
    const { data } = yield* call<Readonly<Record<string, string>>>("POST", path, { key, body })
    return data
  })
  const jobs = yield* Effect.forEach(
    Array.from({ length: JOBS }, () => newSlip().payload),
    (payload) => endJob(key, { payload, callbackUrl })
  )
  const account = (digits: number) => ({
    bankCode: "004",
    bankNumber: String(Math.floor(Math.random() * 1e9)).padStart(9, "1") + digits,
    nameTh: `ร้านของ ${name}`
  })
  const numbers = [account(1), account(2)]
  const accounts = yield* Effect.forEach(numbers, (body) => post("/v2/bank-accounts", body))
  const { batchId = "" } = yield* post("/v2/verify/bank/batch", {
    slips: [{ payload: newSlip().payload }, { payload: newSlip().payload }]
  })
  const { verificationId = "" } = yield* post("/v2/verify/bank", { payload: newSlip().payload, remark: `of ${name}` })
  const keyIds = yield* Effect.forEach(
    ["till", "spare till"],
    (till) => Effect.map(post("/v2/keys", { name: `${till} of ${name}`, scopes: ["read"] }), ({ id = "" }) => id)
  )
  const url = `https://${name}.example/told`
  yield* call("PUT", "/v2/webhook", { key, body: { url } })
  const accountIds = accounts.map((registered) => registered["id"] ?? "")
  const tenant: Tenant = {
    name,
    key,
    things: {
      job: jobs[0] ?? "",
      batch: batchId,
      account: accountIds[0] ?? "",
      verification: verificationId,
      key: keyIds[0] ?? "",
      spareKey: keyIds[1] ?? ""
    },
    secrets: [
      id,
      key,
      url,
      batchId,
      verificationId,
      `of ${name}`,
      ...jobs,
      ...accountIds,
      ...keyIds,
      ...numbers.map(({ bankNumber }) => bankNumber)
    ]
  }
  return tenant
})

/**
 * The data folder of a service with two branches of one owner and one branch of another, after the service has stopped;
 * and a picture of a TrueMoney slip at a URL. `env` starts no worker, so the lists of the branches do not change.
 */
export const givenTenants = Effect.gen(function* () {
  const receiver = yield* startReceiver
  const { payload } = newSlip({ bank: "TRUEMONEY", receiver: WALLET_RECEIVER.index })
  const picture = Buffer.from(yield* drawSandboxSlip({ payload }))
  const server = yield* httpServer((_, response) => response.end(picture))
  const env = { ...settingsFor(receiver), DATA_DIR: join(yield* temporaryFolder, "data") }
  const tenants = yield* Effect.gen(function* () {
    const { createBranch, createService } = yield* RunningService
    const first = yield* createService({ name: "First service" })
    const second = yield* createService({ name: "Second service" })
    const branch = yield* createBranch(first.id, { name: "Sister" })
    return {
      own: yield* givenTenant("own", first.mainBranch, receiver.url),
      sister: yield* givenTenant("sister", branch, receiver.url),
      stranger: yield* givenTenant("stranger", second.mainBranch, receiver.url)
    }
  }).pipe(Effect.provide(layerRunningService(env)))
  return { ...tenants, env: { ...env, ROLES: "http,projector" }, pictureUrl: `${server.url}/slip.png`, picture }
})
