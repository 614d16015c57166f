/** Messages between the benchmark and its processes: one request and one answer at a time. */

/**
 * `verify` verifies a slip for the first time; `keyed` adds an Idempotency-Key. `authenticated` and `unauthenticated`
 * do almost no work after the authentication check. The others end a verification at a certain step: `no-key` and
 * `wrong-key` at the authentication, `invalid` at the body, and `not-found` at the bank, with one event. `live` asks
 * whether the process runs.
 */
export type Kind =
  | "verify"
  | "keyed"
  | "authenticated"
  | "unauthenticated"
  | "live"
  | "no-key"
  | "wrong-key"
  | "invalid"
  | "not-found"

/** Send `count` requests of a kind over connections to all ports; slips are numbered from `from` on. */
export interface LapRequest {
  readonly kind: Kind
  readonly ports: ReadonlyArray<number>
  readonly apiKey: string
  readonly connections: number
  readonly from: number
  readonly count: number
}

export interface LapReport {
  readonly millis: number
  readonly p50: number
  readonly p99: number
  /** Number of unexpected answers, for example those that say the slip is a duplicate. */
  readonly wrong: number
  /** The last unexpected answer, for diagnosis. */
  readonly wrongAnswer: string
}

/** Configures the bare server. It puts the payload of each request into its answer. */
export interface BareRequest {
  readonly answer: Answer
  /** The file in which it stores each answer before sending it. Without it, answers are not stored. */
  readonly log?: string
}

export interface BareReport {
  readonly port: number
}

/** The part of the service's answer that the benchmark uses. */
export interface Answer {
  readonly data: { readonly rawSlip: { readonly payload: string } }
}
