import module from "node:module"
import { fileURLToPath } from "node:url"

// Caches the compiled modules, which halves the time of the next start. Deno has its own cache and lacks this function.
// If Node cannot write the cache, it compiles the modules at each start.
module.enableCompileCache?.(fileURLToPath(new URL("../node_modules/.cache/sliptrail", import.meta.url)))

await import("./cli/run.ts")
