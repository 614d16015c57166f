import { Effect } from "effect"
import { randomInt } from "node:crypto"
import type { ServiceView } from "../../application/views/provisioning.ts"
import type { verifyBankData } from "../../application/verification/verification-view.ts"
import { satang } from "../../domain/money.ts"
import {
  makeSandboxSlip,
  nonceOf,
  type SandboxSlipOptions
} from "../../infrastructure/adapters/banks/sandbox/sandbox-slip.ts"
import { eventually } from "./eventually.ts"

/** An answer with the fields of its envelope. The test chooses the type of `data`. */
export interface Answer<Data = unknown> {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly success: boolean | undefined
  readonly message: string | undefined
  /** False when a change of an operator has not taken effect. */
  readonly isVisible?: boolean | undefined
  readonly data: Data
  readonly error: {
    readonly code: string
    readonly message: string
    readonly detail?: string
    readonly issues?: ReadonlyArray<{ readonly path: string; readonly message: string }>
  } | undefined
}

export interface CallOptions {
  readonly key?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** A form, in either encoding, or text is sent as it is, other values as JSON. */
  readonly body?: unknown
}

export type Verified = ReturnType<typeof verifyBankData>

/** A branch with its key and secret, which only the answer to its creation contains. */
export interface Keys {
  readonly id: string
  readonly apiKey: string
  readonly webhookSecret: string
}

type Created = Keys | { readonly mainBranch: Keys }

const keyOf = (created: Created): string => "mainBranch" in created ? created.mainBranch.apiKey : created.apiKey

export interface Client {
  readonly baseUrl: string
  readonly call: <Data = unknown>(method: string, path: string, options?: CallOptions) => Effect.Effect<Answer<Data>>
  /** A call of the admin API with its token. */
  readonly admin: <Data = unknown>(method: string, path: string, body?: unknown) => Effect.Effect<Answer<Data>>
  readonly createService: (fields?: object) => Effect.Effect<ServiceView & { readonly mainBranch: Keys }>
  readonly createBranch: (serviceId: string, fields?: object) => Effect.Effect<Keys>
  /** POST /v2/verify/bank. A string is sent as the payload. */
  readonly verify: (key: string, body: unknown) => Effect.Effect<Answer<Verified>>
}

const contentOf = (body: unknown): { readonly body?: BodyInit; readonly type?: string } => {
  if (body === undefined) return {}
  if (typeof body === "string") return { body, type: "application/json" }
  const isForm = body instanceof FormData || body instanceof URLSearchParams
  return isForm ? { body } : { body: JSON.stringify(body), type: "application/json" }
}

const parse = (text: string): object => {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === "object" && parsed !== null ? parsed : {}
  } catch {
    return {}
  }
}

export const makeClient = (baseUrl: string, adminToken: string): Client => {
  const call = <Data>(method: string, path: string, { body, headers, key }: CallOptions = {}) =>
    Effect.promise(async (signal): Promise<Answer<Data>> => {
      const { type, ...content } = contentOf(body)
      const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` }
      const contentType = type === undefined ? {} : { "content-type": type }
      const response = await fetch(baseUrl + path, {
        method,
        signal,
        headers: { ...authorization, ...contentType, ...headers },
        ...content
      })
      const text = await response.text()
      const none = { success: undefined, message: undefined, isVisible: undefined, data: undefined, error: undefined }
      // The HTTP fields come last, because v1 has a status in its body too.
      const http = { status: response.status, headers: response.headers, text }
      return { ...none, ...parse(text), ...http } as Answer<Data>
    })

  const admin = <Data>(method: string, path: string, body?: unknown) =>
    call<Data>(method, `/admin/v1${path}`, { key: adminToken, body })

  /** Processes know a new key when its projection is visible to them, which may be after the answer. */
  const untilKeyWorks = (key: string) =>
    eventually(call("GET", "/v2/info", { key }), ({ status }) => status !== 401 && status !== 500).pipe(Effect.orDie)

  const create = <Data extends Created>(path: string, fields: object) =>
    // On a busy machine a shared store may not answer within a second: then the request is sent again.
    eventually(admin<Data>("POST", path, { name: "Of a test", ...fields }), ({ status }) => status !== 500).pipe(
      Effect.orDie,
      Effect.tap(({ status, text }) => status === 201 ? Effect.void : Effect.die(`not created: ${text}`)),
      Effect.tap(({ data, isVisible }) => isVisible === false ? untilKeyWorks(keyOf(data)) : Effect.void),
      Effect.map(({ data }) => data)
    )

  return {
    baseUrl,
    call,
    admin,
    createService: (fields = {}) => create("/services", fields),
    createBranch: (serviceId, fields = {}) => create(`/services/${serviceId}/branches`, fields),
    verify: (key, body) =>
      call("POST", "/v2/verify/bank", { key, body: typeof body === "string" ? { payload: body } : body })
  }
}

/** A new slip of the sandbox bank. By default it is found, with 100 baht from KBANK, transferred now. */
export const newSlip = (options: Partial<SandboxSlipOptions> = {}) =>
  makeSandboxSlip({
    amount: satang(100_00),
    bank: "004",
    receiver: 0,
    outcome: "found",
    at: Date.now(),
    nonce: nonceOf(randomInt(36 ** 6)),
    ...options
  })
