import { readAnswer } from "./read-answer.ts"
import { type SlipTrailCode, SlipTrailError } from "./slip-trail-error.ts"

/** A call as it goes out, as often as it has to. */
export interface Outgoing {
  readonly url: string
  readonly init: RequestInit
  /** Whether it may be sent again when nobody knows whether it was done. */
  readonly isRepeatable: boolean
  readonly signal: AbortSignal | undefined
}

export interface Sending {
  readonly fetch: typeof fetch
  /** For each try, up to the last byte of its answer. */
  readonly timeoutMillis: number
}

/** Tries after the first one. */
const MOST_RETRIES = 3

/** Who is told to wait for longer decides himself whether he does. */
const LONGEST_WAIT_MILLIS = 10_000

const FIRST_WAIT_MILLIS = 500

/** Sends until it is answered for good, and gives the data of the answer. Rejects with a `SlipTrailError`. */
export const send = async (sending: Sending, outgoing: Outgoing): Promise<unknown> => {
  for (let retries = 0;; retries++) {
    try {
      return await once(sending, outgoing)
    } catch (error) {
      outgoing.signal?.throwIfAborted()
      if (!(error instanceof SlipTrailError) || retries === MOST_RETRIES) throw error
      const wait = waitAfter(error, retries)
      if (!mayHelp(error, outgoing, retries) || wait > LONGEST_WAIT_MILLIS) throw error
      await pause(wait, outgoing.signal)
    }
  }
}

const once = async ({ fetch, timeoutMillis }: Sending, { init, signal, url }: Outgoing): Promise<unknown> => {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), timeoutMillis)
  try {
    // A redirect would lead the key, or a body that is sent once more, to who knows where.
    const signals = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal])
    return await readAnswer(await fetch(url, { ...init, redirect: "error", signal: signals }))
  } catch (cause) {
    if (cause instanceof SlipTrailError) throw cause
    const [code, message] = late.signal.aborted
      ? ["TIMEOUT", `No answer within ${timeoutMillis} ms`] as const
      : ["NETWORK_ERROR", `${new URL(url).origin} cannot be reached`] as const
    throw new SlipTrailError({ status: 0, code, message }, { cause })
  } finally {
    clearTimeout(timer)
  }
}

/** What a proxy says when the service behind it is away. */
const isGateway = ({ code, status }: SlipTrailError): boolean =>
  code === "UNEXPECTED_ANSWER" && status >= 502 && status <= 504

const UNKNOWN_OUTCOME: ReadonlyArray<SlipTrailCode> = ["NETWORK_ERROR", "TIMEOUT", "API_SERVER_ERROR"]

const mayHelp = (error: SlipTrailError, { isRepeatable }: Outgoing, retries: number): boolean => {
  // Refused before anything was done.
  if (error.code === "RATE_LIMIT_EXCEEDED") return true
  // An earlier try of ours is still under way.
  if (error.code === "IDEMPOTENCY_IN_PROGRESS") return retries > 0
  return isRepeatable && (UNKNOWN_OUTCOME.includes(error.code) || isGateway(error))
}

/** As long as the service asks for, otherwise longer each time, and not for all callers the same. */
const waitAfter = ({ retryAfterSeconds }: SlipTrailError, retries: number): number =>
  retryAfterSeconds === undefined
    ? FIRST_WAIT_MILLIS * 2 ** retries * (1 + Math.random() / 2)
    : retryAfterSeconds * 1_000

const pause = (millis: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop)
      resolve()
    }, millis)
    signal?.addEventListener("abort", stop, { once: true })
  })
