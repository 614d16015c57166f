import module from "node:module"
import { fileURLToPath } from "node:url"

// Keeps what Node compiled: the next start takes half the time. Deno does so by itself and lacks the function; where
// nothing can be written all is compiled each time.
module.enableCompileCache?.(fileURLToPath(new URL("../node_modules/.cache/sliptrail", import.meta.url)))

await import("./cli/run.ts")
