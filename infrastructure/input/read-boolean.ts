// Runs in the body thread too: it loads no Effect.

/** How callers write booleans: JSON, `True` of Python's `str()`, and 1 and 0 of PHP's `http_build_query`. */
const BOOLEANS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ...[true, 1, "true", "True", "TRUE", "1"].map((value) => [value, true] as const),
  ...[false, 0, "false", "False", "FALSE", "0"].map((value) => [value, false] as const)
])

/** The boolean that a value of a request stands for (docs/spec/http.md, "Booleans"); undefined when it is none. */
export const readBoolean = (value: unknown): boolean | undefined => BOOLEANS.get(value)
