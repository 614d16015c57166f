/** Messages between the benchmark and its processes: one request and one answer at a time. */

/** A branch of the service under attack. */
export interface Target {
  readonly port: number
  readonly apiKey: string
}

/** Send verifications of new slips at a fixed rate, whether or not the answers come. */
export interface TenantRequest {
  readonly targets: ReadonlyArray<Target>
  /** Verifications per second of each branch. */
  readonly perSecond: number
  /** Pictures per second of each branch. */
  readonly picturesPerSecond: number
  readonly seconds: number
  /** A picture of a slip, in base64. */
  readonly picture: string
}

export interface TenantReport {
  /** Milliseconds until each answer to a payload. */
  readonly payloads: ReadonlyArray<number>
  /** Milliseconds until each answer to a picture. */
  readonly pictures: ReadonlyArray<number>
  /** Number of answers other than 200. */
  readonly wrong: number
  /** The last answer other than 200, for diagnosis. */
  readonly wrongAnswer: string
}

export interface Surroundings extends Target {
  /** The port of a server that accepts requests and never answers. */
  readonly tarPit: number
  /** Large pictures without a QR code, in base64. */
  readonly pictures: ReadonlyArray<string>
}

/** `start` begins attacks and answers at once; `stop` ends them and answers with a report. */
export type AttackRequest =
  | { readonly kind: "start"; readonly attacks: ReadonlyArray<string>; readonly surroundings: Surroundings }
  | { readonly kind: "stop" }

export interface AttackReport {
  /** Number of answers by status; `0` counts connections without an answer. */
  readonly answers: Readonly<Record<string, number>>
}
