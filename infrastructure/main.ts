import module from "node:module"
import { fileURLToPath } from "node:url"

// Caches the compiled modules, which halves the time of the next start. Deno has its own cache and lacks this function.
// If Node cannot write the cache, it compiles the modules at each start.
const cache = fileURLToPath(new URL("../node_modules/.cache/sliptrail", import.meta.url))
module.enableCompileCache?.(cache)
// Threads read the variable. Without it each thread loads Node's TypeScript compiler.
process.env["NODE_COMPILE_CACHE"] ??= cache

const [first, ...others] = process.argv.slice(2)
if (others.length === 0 && (first === "--version" || first === "-v")) {
  // The command line takes half a second to load.
  const { version } = await import("./runtime/version.ts")
  // A reader that closes the pipe early is no error.
  process.stdout.on("error", () => {}).write(`sliptrail ${version}\n`)
} else {
  await import("./commands/cli/run.ts")
}
