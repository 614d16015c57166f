/** Asks the receiver for the callbacks that arrived since the last request. */
export interface ArrivalsRequest {
  readonly kind: "arrivals"
  /** The status with which the receiver answers later callbacks. Unchanged if absent. */
  readonly status?: number
}

export interface Arrivals {
  /** Job id and when its callback arrived, in milliseconds since 1970. */
  readonly arrivals: ReadonlyArray<readonly [jobId: string, at: number]>
}
