/** What the benchmark asks its reading process, one question at a time. */
export interface LoopRequest {
  /** `workers`: as the service does it. `here`: in the thread of the event loop. `idle`: not at all. */
  readonly where: "workers" | "here" | "idle"
  readonly pictures: ReadonlyArray<Uint8Array>
  readonly millis: number
}

/** How late the event loop came, in milliseconds, and how many pictures were read meanwhile. */
export interface LoopReport {
  readonly p50: number
  readonly p99: number
  readonly max: number
  readonly read: number
}
