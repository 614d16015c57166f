import { type Page, type Route, routes } from "./api.ts"
import { batchContent, json, send, slipContent } from "./request.ts"
import type {
  AcceptedBatch,
  AcceptedJob,
  ApiKey,
  ApiKeys,
  BankAccount,
  BankAccountChange,
  BankAccounts,
  BankAccountsQuery,
  Banks,
  Batch,
  CallOptions,
  CreatedApiKey,
  DataOf,
  Decoded,
  Deliveries,
  DeliveriesQuery,
  Delivery,
  Info,
  Job,
  JobItem,
  Jobs,
  JobsQuery,
  KeyedOptions,
  NewApiKey,
  NewBankAccount,
  NewNote,
  Note,
  PageQuery,
  Redelivery,
  RotatedApiKey,
  RotatedSecret,
  RotationOptions,
  Slip,
  SlipBatch,
  SlipForLater,
  SlipToDecode,
  Usage,
  UsageQuery,
  VerificationDetail,
  VerificationItem,
  Verifications,
  VerificationsQuery,
  VerifyBankData,
  VerifyWalletData,
  WalletSlip,
  WalletSlipBatch,
  WalletSlipForLater,
  Webhook
} from "./types.ts"

export { SlipTrailError } from "./types.ts"
export type * from "./types.ts"

export interface SlipTrailOptions {
  /** URL of the service, such as `https://slips.shop.example`. */
  readonly baseUrl: string
  /** API key of a branch. Use it on servers only. */
  readonly apiKey: string
  /** Replaces the runtime's `fetch`. */
  readonly fetch?: typeof fetch
  /** Limit of each try; 30 000 by default. */
  readonly timeoutMillis?: number
}

/** The operations of v2. Each returns the `data` of its answer, or rejects with a `SlipTrailError`. */
export interface SlipTrail {
  /** Verifies a slip now. */
  readonly verify: (slip: Slip, options?: KeyedOptions) => Promise<VerifyBankData>
  /** Enqueues a slip. The result arrives by callback, and `job` returns it. */
  readonly verifyAsync: (slip: SlipForLater, options?: KeyedOptions) => Promise<AcceptedJob>
  /** Enqueues 1 to 100 slips, all or none. */
  readonly verifyBatch: (batch: SlipBatch, options?: KeyedOptions) => Promise<AcceptedBatch>
  /** Verifies a TrueMoney slip now. */
  readonly verifyWallet: (slip: WalletSlip, options?: KeyedOptions) => Promise<VerifyWalletData>
  /** Enqueues a TrueMoney slip by the URL of its picture. */
  readonly verifyWalletAsync: (slip: WalletSlipForLater, options?: KeyedOptions) => Promise<AcceptedJob>
  /** Enqueues 1 to 100 TrueMoney slips, all or none. */
  readonly verifyWalletBatch: (batch: WalletSlipBatch, options?: KeyedOptions) => Promise<AcceptedBatch>
  /** Returns a job. `job<VerifyWalletData>(id)` is that of a TrueMoney slip. */
  readonly job: <Data extends VerifyBankData | VerifyWalletData = VerifyBankData>(
    jobId: string,
    options?: CallOptions
  ) => Promise<Job<Data>>
  readonly batch: (batchId: string, options?: CallOptions) => Promise<Batch>
  /** Sends the callback of a job again. */
  readonly redeliver: (jobId: string, options?: CallOptions) => Promise<Redelivery>
  /** What was verified. `all` asks for one page after the other. */
  readonly verifications: {
    readonly list: (query?: VerificationsQuery, options?: CallOptions) => Promise<Verifications>
    readonly all: (query?: VerificationsQuery, options?: CallOptions) => AsyncIterable<VerificationItem>
    /** A verification with everything that was answered. Costs nothing. */
    readonly get: (verificationId: string, options?: CallOptions) => Promise<VerificationDetail>
    /** Adds a note to a verification. Repeating it with the same `idempotencyKey` adds it once. */
    readonly addNote: (verificationId: string, note: NewNote, options?: KeyedOptions) => Promise<Note>
  }
  readonly jobs: {
    readonly list: (query?: JobsQuery, options?: CallOptions) => Promise<Jobs>
    readonly all: (query?: JobsQuery, options?: CallOptions) => AsyncIterable<JobItem>
  }
  /** How much was verified each day. */
  readonly usage: (query?: UsageQuery, options?: CallOptions) => Promise<Usage>
  /** Reads a QR code without asking a bank. */
  readonly decode: (slip: SlipToDecode, options?: CallOptions) => Promise<Decoded>
  readonly info: (options?: CallOptions) => Promise<Info>
  readonly banks: (options?: CallOptions) => Promise<Banks>
  readonly health: (options?: CallOptions) => Promise<DataOf<"health">>
  readonly bankAccounts: {
    readonly list: (query?: BankAccountsQuery, options?: CallOptions) => Promise<BankAccounts>
    readonly all: (query?: BankAccountsQuery, options?: CallOptions) => AsyncIterable<BankAccount>
    readonly create: (account: NewBankAccount, options?: KeyedOptions) => Promise<BankAccount>
    readonly get: (id: string, options?: CallOptions) => Promise<BankAccount>
    /** Absent fields stay as they are; null clears a field. */
    readonly change: (id: string, change: BankAccountChange, options?: CallOptions) => Promise<BankAccount>
    readonly deactivate: (id: string, options?: CallOptions) => Promise<BankAccount>
  }
  readonly webhook: {
    readonly get: (options?: CallOptions) => Promise<Webhook>
    readonly set: (url: string | null, options?: CallOptions) => Promise<Webhook>
    /** Returns the new secret. No other operation returns it. */
    readonly rotateSecret: (rotation?: RotationOptions, options?: CallOptions) => Promise<RotatedSecret>
    readonly deliveries: (query?: DeliveriesQuery, options?: CallOptions) => Promise<Deliveries>
    readonly allDeliveries: (query?: DeliveriesQuery, options?: CallOptions) => AsyncIterable<Delivery>
  }
  /** The API keys of the branch. The client's own key needs the scope `configure`. */
  readonly keys: {
    readonly list: (query?: PageQuery, options?: CallOptions) => Promise<ApiKeys>
    /** Returns the new key. No other operation returns it. */
    readonly create: (key: NewApiKey, options?: CallOptions) => Promise<CreatedApiKey>
    readonly revoke: (id: string, options?: CallOptions) => Promise<ApiKey>
    /** Returns the key that replaces it. No other operation returns it. */
    readonly rotate: (id: string, rotation?: RotationOptions, options?: CallOptions) => Promise<RotatedApiKey>
  }
}

interface Call extends KeyedOptions {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: object | undefined
  readonly content?: ReturnType<typeof json>
}

/** Does not use `randomUUID`: browsers have it only on HTTPS pages. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")

const queryOf = (parameters: object = {}): string => {
  const given = Object.entries(parameters).filter((entry: readonly [string, unknown]) => entry[1] !== undefined)
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  return query.size === 0 ? "" : `?${query.toString()}`
}

/**
 * Returns the items of a list, page by page. It asks for a page when the loop has used up the one before. Throws when a
 * cursor comes a second time: the list would not end.
 */
const allOf = <Query extends PageQuery, Item>(
  list: (query: Query, options?: CallOptions) => Promise<Page<Item>>,
  query: Query,
  options?: CallOptions
): AsyncIterable<Item> => ({
  async *[Symbol.asyncIterator]() {
    const seen = new Set<string>()
    for (let page = await list(query, options);; page = await list({ ...query, cursor: page.nextCursor }, options)) {
      yield* page.items
      const { nextCursor } = page
      if (nextCursor === null) return
      if (seen.has(nextCursor)) throw new Error("The list does not end: the service gave the same cursor twice")
      seen.add(nextCursor)
    }
  }
})

/**
 * A client of SlipTrail, for Node, Deno and browsers. It retries a call at most three times when the network fails, the
 * rate is limited, or the bank is unavailable. It does not retry when the service asks for a wait of more than ten
 * seconds. A call that is not safe to repeat carries an `Idempotency-Key`, or is not retried.
 */
export const makeSlipTrail = (options: SlipTrailOptions): SlipTrail => {
  const { apiKey, baseUrl, fetch = globalThis.fetch, timeoutMillis = 30_000 } = options
  const base = baseUrl.replace(/\/+$/u, "")
  if (!/^https?:$/u.test(URL.parse(base)?.protocol ?? "")) throw new TypeError("baseUrl: expected an http or https URL")
  if (!/^[\x21-\x7e]+$/u.test(apiKey)) throw new TypeError("apiKey: expected the key of a branch")

  const call = async <Name extends keyof typeof routes>(
    name: Name,
    { content, idempotencyKey, params = {}, query, signal }: Call
  ) => {
    const { isKeyed = false, isSafe = false, method, path }: Route = routes[name]
    const key = isKeyed ? { "idempotency-key": idempotencyKey ?? newKey() } : {}
    const target = path.replaceAll(/:(\w+)/gu, (_, param: string) => encodeURIComponent(params[param] ?? ""))
    const data = await send({ fetch, timeoutMillis }, {
      url: base + target + queryOf(query),
      init: {
        method,
        headers: { accept: "application/json", authorization: `Bearer ${apiKey}`, ...key, ...content?.headers },
        ...(content === undefined ? {} : { body: content.body })
      },
      isRepeatable: method !== "POST" || isKeyed || isSafe,
      signal
    })
    // The declaration defines the type, and tests check that the service's answers have it.
    return data as DataOf<Name>
  }

  const listVerifications: SlipTrail["verifications"]["list"] = (query, options) =>
    call("listVerifications", { ...options, query })
  const listJobs: SlipTrail["jobs"]["list"] = (query, options) => call("listJobs", { ...options, query })
  const listBankAccounts: SlipTrail["bankAccounts"]["list"] = (query, options) =>
    call("listBankAccounts", { ...options, query })
  const listDeliveries: SlipTrail["webhook"]["deliveries"] = (query, options) =>
    call("listDeliveries", { ...options, query })

  return {
    verify: (slip, options) => call("verifyBank", { ...options, content: slipContent(slip) }),
    verifyAsync: (slip, options) => call("verifyBankAsync", { ...options, content: slipContent(slip) }),
    verifyBatch: async (batch, options) => call("verifyBankBatch", { ...options, content: await batchContent(batch) }),
    verifyWallet: (slip, options) => call("verifyWallet", { ...options, content: slipContent(slip) }),
    verifyWalletAsync: (slip, options) => call("verifyWalletAsync", { ...options, content: json(slip) }),
    verifyWalletBatch: (batch, options) => call("verifyWalletBatch", { ...options, content: json(batch) }),
    // The caller knows which kind of slip it enqueued.
    job: async <Data extends VerifyBankData | VerifyWalletData>(jobId: string, options?: CallOptions) =>
      await call("getJob", { ...options, params: { jobId } }) as Job<Data>,
    batch: (batchId, options) => call("getBatch", { ...options, params: { batchId } }),
    redeliver: (jobId, options) => call("redeliverCallback", { ...options, params: { jobId } }),
    verifications: {
      list: listVerifications,
      all: (query = {}, options) => allOf(listVerifications, query, options),
      get: (verificationId, options) => call("getVerification", { ...options, params: { verificationId } }),
      addNote: (verificationId, note, options) =>
        call("addNote", { ...options, params: { verificationId }, content: json(note) })
    },
    jobs: {
      list: listJobs,
      all: (query = {}, options) => allOf(listJobs, query, options)
    },
    usage: (query, options) => call("getUsage", { ...options, query }),
    decode: (slip, options) => call("decode", { ...options, content: slipContent(slip) }),
    info: (options) => call("info", { ...options }),
    banks: (options) => call("banks", { ...options }),
    health: (options) => call("health", { ...options }),
    bankAccounts: {
      list: listBankAccounts,
      all: (query = {}, options) => allOf(listBankAccounts, query, options),
      create: (account, options) => call("createBankAccount", { ...options, content: json(account) }),
      get: (id, options) => call("getBankAccount", { ...options, params: { id } }),
      change: (id, change, options) => call("changeBankAccount", { ...options, params: { id }, content: json(change) }),
      deactivate: (id, options) => call("deactivateBankAccount", { ...options, params: { id } })
    },
    webhook: {
      get: (options) => call("getWebhook", { ...options }),
      set: (url, options) => call("setWebhook", { ...options, content: json({ url }) }),
      rotateSecret: (rotation = {}, options) => call("rotateWebhookSecret", { ...options, content: json(rotation) }),
      deliveries: listDeliveries,
      allDeliveries: (query = {}, options) => allOf(listDeliveries, query, options)
    },
    keys: {
      list: (query, options) => call("listApiKeys", { ...options, query }),
      create: (key, options) => call("createApiKey", { ...options, content: json(key) }),
      revoke: (id, options) => call("revokeApiKey", { ...options, params: { id } }),
      rotate: (id, rotation = {}, options) =>
        call("rotateApiKey", { ...options, params: { id }, content: json(rotation) })
    }
  }
}
