/** Asks the reading process for one measurement. */
export interface LoopRequest {
  /** Where pictures are read. `workers`: as in the service. `here`: on the main thread. `idle`: nowhere, the baseline. */
  readonly where: "workers" | "here" | "idle"
  readonly pictures: ReadonlyArray<Uint8Array>
  readonly millis: number
}

/** Delays of the event loop in milliseconds, and the number of pictures that were read meanwhile. */
export interface LoopReport {
  readonly p50: number
  readonly p99: number
  readonly max: number
  readonly read: number
}
