// Runs in the body thread too: it loads no Effect.

/**
 * The largest structure of a JSON body. A parser and a schema take time and memory for each value, so a body of some
 * megabytes could otherwise stop the process for seconds.
 */
export interface JsonLimits {
  /** Containers inside each other; the body itself is the first. */
  readonly depth: number
  /** Values in the whole body, at any depth. */
  readonly values: number
  /** Items of one array. */
  readonly items: number
  /** Fields of one object. */
  readonly keys: number
}

/** The limits of a body, unless its operation declares others (docs/spec/http.md, "Limits"). */
export const DEFAULT_JSON_LIMITS: JsonLimits = { depth: 32, values: 5_000, items: 2_000, keys: 256 }

/**
 * Characters of the largest picture as base64, with space for line breaks and the head of a data URI. The picture has at
 * most `MAX_IMAGE_BYTES`, whose module loads Effect.
 */
export const MAX_PICTURE_TEXT = Math.ceil(4_194_304 / 3) * 4 + 1_024 * 1_024
