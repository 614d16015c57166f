import type { Applied, FlatBatch } from "./apply-batch.ts"

export type ToApplying =
  | { readonly _tag: "Apply"; readonly key: number; readonly model: string; readonly batch: FlatBatch }
  /** Behind everything that was said before. */
  | { readonly _tag: "Close" }

export type FromApplying =
  | { readonly _tag: "Ready" }
  | ({ readonly _tag: "Applied"; readonly key: number } & Applied)
  /** Nothing of the batch is in the file. */
  | { readonly _tag: "Failed"; readonly key: number; readonly message: string }
  /** It has let go of the file, and waits to be ended. */
  | { readonly _tag: "Closed" }
