import { Clock, DateTime, Effect } from "effect"
import { type CallbackHeaders, verify, WebhookError } from "../../sdk/webhook/verify.ts"

/** One callback that arrived, and what was made of it. */
export interface Arrival {
  /** ISO 8601. */
  readonly at: string
  /** Null when the body does not say it. */
  readonly jobId: string | null
  readonly status: string | null
  /** How often this job has arrived, this time included. */
  readonly seen: number
  readonly signature: "ok" | "wrong" | "not-checked"
  /** What is wrong with the signature. */
  readonly reason?: string
  /** The status it was answered with. */
  readonly answered: number
  /** The body, parsed; its text when it is no JSON. */
  readonly body: unknown
}

export interface ArrivalOptions {
  /** Without any, signatures are not checked. */
  readonly secrets: ReadonlyArray<string>
  /** The status that a callback is answered with. */
  readonly answer: number
  /** How many arrivals of each job are answered with 503 first. */
  readonly failFirst: number
}

const UNAUTHORIZED = 401
const UNAVAILABLE = 503

/** Judges what arrives, one after the other; it remembers how often it has seen each job. */
export const makeArrivals = ({ answer, failFirst, secrets }: ArrivalOptions) => {
  const seenBefore = new Map<string, number>()

  const seenNow = (jobId: string | null): number => {
    const seen = (seenBefore.get(jobId ?? "") ?? 0) + 1
    seenBefore.set(jobId ?? "", seen)
    return seen
  }

  return Effect.fnUntraced(function* (bytes: Uint8Array, headers: CallbackHeaders) {
    const now = yield* Clock.currentTimeMillis
    const body = parse(bytes)
    const jobId = wordOf(body, "jobId")
    const seen = seenNow(jobId)
    const judged = secrets.length === 0
      ? { signature: "not-checked" } as const
      : yield* judge(bytes, headers, secrets, now)
    const accepted = seen <= failFirst ? UNAVAILABLE : answer
    const arrival: Arrival = {
      at: DateTime.formatIso(DateTime.makeUnsafe(now)),
      jobId,
      status: wordOf(body, "status"),
      seen,
      ...judged,
      answered: judged.signature === "wrong" ? UNAUTHORIZED : accepted,
      body
    }
    return arrival
  })
}

/** One line for people. */
export const inWords = ({ answered, at, jobId, reason, seen, signature, status }: Arrival): string => {
  const checked = { ok: "ok", wrong: `WRONG (${reason})`, "not-checked": "not checked" }[signature]
  const times = seen === 1 ? "1 time" : `${seen} times`
  return [
    `${at.slice(0, "2026-11-21T15:45:00".length)}Z`,
    jobId ?? "no jobId",
    (status ?? "no status").padEnd("not_found".length),
    `seen ${times.padEnd("2 times".length)}`,
    `signature ${checked}`,
    `answered ${answered}`
  ].join("  ")
}

const judge = (bytes: Uint8Array, headers: CallbackHeaders, secrets: ReadonlyArray<string>, now: number) =>
  Effect.promise(async (): Promise<Pick<Arrival, "signature" | "reason">> => {
    try {
      await verify(bytes, headers, secrets, { now })
      return { signature: "ok" }
    } catch (error) {
      if (error instanceof WebhookError) return { signature: "wrong", reason: error.reason }
      throw error
    }
  })

const parse = (bytes: Uint8Array): unknown => {
  const text = new TextDecoder().decode(bytes)
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** A field of the body that can be shown as it is: whoever sent it may not be who they should be. */
const wordOf = (body: unknown, name: string): string | null => {
  if (typeof body !== "object" || body === null) return null
  const value: unknown = Reflect.get(body, name)
  return typeof value === "string" && /^[\w-]{1,64}$/u.test(value) ? value : null
}
