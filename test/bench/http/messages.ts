/** What the benchmark and its processes say to each other, in one question and one answer at a time. */

/**
 * What is asked for: a slip that nobody has seen is verified (`keyed`: with an Idempotency-Key), or hardly anything,
 * with authentication or without.
 */
export type Kind = "verify" | "keyed" | "authenticated" | "unauthenticated"

/** Send `count` requests of a kind; slips are numbered from `from` on. */
export interface LapRequest {
  readonly kind: Kind
  readonly port: number
  readonly apiKey: string
  readonly connections: number
  readonly from: number
  readonly count: number
}

export interface LapReport {
  readonly millis: number
  readonly p50: number
  readonly p99: number
  /** Answers that were not what is to be answered, such as those that call the slip a duplicate. */
  readonly wrong: number
  /** The last of them, to see what is the matter. */
  readonly wrongAnswer: string
}

/** What the bare server answers; the payload in it is replaced by the one it was sent. */
export interface BareRequest {
  readonly answer: Answer
  /** Where it keeps what it answers, before it does; without it, nowhere. */
  readonly log?: string
}

export interface BareReport {
  readonly port: number
}

/** As much as has to be known of an answer of the service. */
export interface Answer {
  readonly data: { readonly rawSlip: { readonly payload: string } }
}
