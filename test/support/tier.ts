import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { afterAll, beforeAll, expect } from "vitest"

/** Fails a file outside the tier e2e that starts a process or a server: the tier `npm run test:fast` starts neither. */
const started = new Set<string>()
const processStarted = () => void started.add("a process")
const serverStarted = () => void started.add("a server")

const isE2e = (file: string | undefined): boolean => /[/\\]test[/\\]e2e[/\\]|\.e2e\.test\.ts$/u.test(file ?? "")

beforeAll(() => {
  started.clear()
  subscribe("child_process", processStarted)
  subscribe("tracing:net.server.listen:asyncStart", serverStarted)
})

afterAll(() => {
  unsubscribe("child_process", processStarted)
  unsubscribe("tracing:net.server.listen:asyncStart", serverStarted)
  const file = expect.getState().testPath
  if (started.size === 0 || isE2e(file)) return
  throw new Error(`The test starts ${[...started].join(" and ")}. Name the file *.e2e.test.ts: ${file}`)
})
