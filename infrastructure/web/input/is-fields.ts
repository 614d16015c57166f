import type { Fields } from "./decode.ts"

// Runs in the body thread too: it loads no Effect.

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)
