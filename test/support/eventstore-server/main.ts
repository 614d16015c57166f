import { readFileSync, writeSync } from "node:fs"
import { parseArgs } from "node:util"
import { openControl } from "./control.ts"
import { startServer } from "./server.ts"

/**
 * An EventStoreDB for tests and experiments, as a separate process:
 * `npm run test:eventstore-server -- --port 2113`. Prints one line of JSON with its ports and runs until it is killed.
 */
const { values } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    control: { type: "string", default: "0" },
    /** Stores the log, so that the next server on the same file has it. */
    file: { type: "string" },
    version: { type: "string" },
    /** Files in PEM. */
    key: { type: "string" },
    cert: { type: "string" },
    /** `name:password` */
    user: { type: "string" },
    /** Ends soon after the process that started it, also when that one was killed. */
    "with-parent": { type: "boolean", default: false }
  }
})

const server = await startServer({
  port: Number(values.port),
  file: values.file,
  version: values.version,
  user: values.user,
  tls: values.key === undefined || values.cert === undefined
    ? undefined
    : { key: readFileSync(values.key, "utf8"), cert: readFileSync(values.cert, "utf8") }
})
const control = await openControl(Number(values.control), server)
writeSync(1, `${JSON.stringify({ port: server.port, control: control.port })}\n`)

const stop = (): void => {
  server.stop()
  control.close()
  process.exit(0)
}
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, stop)
if (values["with-parent"]) {
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent) stop()
  }, 1_000)
}
