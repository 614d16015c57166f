import { threadId } from "node:worker_threads"
import { serveThread } from "../../../../infrastructure/platform/threads/serve-thread.ts"

const failures: Readonly<Record<string, () => void>> = {
  "spin": () => {
    for (;;) Atomics.load(new Int32Array(1), 0)
  },
  "throw": () => {
    throw new Error("thrown by the test")
  },
  "reject": () => void Promise.reject(new Error("rejected by the test")),
  "exit": () => process.exit(3)
}

// Fails as the input requests. Answers every other input with the number of the thread.
serveThread<unknown, undefined, string, string>(() => ({
  ready: undefined,
  answer: async (input) => {
    failures[input]?.()
    if (failures[input] !== undefined) await new Promise(() => {})
    return `thread ${threadId}`
  }
}))
