import type { Findings } from "./findings.ts"
import type { ImageHeader } from "./headers/size.ts"

/** The readers that there are: with native code and best, or without and everywhere. */
export type ReaderKind = "native" | "portable"

/** A picture on its way to a worker; the guard has let it pass. */
export interface Task {
  readonly bytes: Uint8Array
  readonly header: ImageHeader
}

/** What came of it: QR texts, or that it can't be decoded or is too large for this reader, and why. */
export type Outcome =
  | { readonly _tag: "Read"; readonly findings: Findings }
  | { readonly _tag: "Refused"; readonly reason: "corrupt" | "too-many-pixels"; readonly why: string }
