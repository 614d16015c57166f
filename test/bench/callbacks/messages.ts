/** What the benchmark asks its receiver for: everything that arrived since it was asked the last time. */
export interface ArrivalsRequest {
  readonly ask: "arrivals"
  /** The status that callbacks are answered with from now on. */
  readonly status?: number
}

export interface Arrivals {
  /** Job id and when its callback arrived, in milliseconds since 1970. */
  readonly arrivals: ReadonlyArray<readonly [jobId: string, at: number]>
}
