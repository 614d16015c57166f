// Runs in the body thread too: it loads no Effect.

/** How callers write booleans as words: JSON, and `True` of Python's `str()`. */
const WORDS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ...[true, "true", "True", "TRUE"].map((value) => [value, true] as const),
  ...[false, "false", "False", "FALSE"].map((value) => [value, false] as const)
])

/** The same, and 1 and 0 of PHP's `http_build_query`. */
const BOOLEANS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ...WORDS,
  ...[1, "1"].map((value) => [value, true] as const),
  ...[0, "0"].map((value) => [value, false] as const)
])

/** The boolean that a value of a request stands for (docs/spec/http.md, "Booleans"); undefined when it is none. */
export const readBoolean = (value: unknown): boolean | undefined => BOOLEANS.get(value)

/** As `readBoolean`, without numbers: the `checkDuplicate` of v1 in JSON. */
export const readBooleanWord = (value: unknown): boolean | undefined => WORDS.get(value)
