import { parentPort, threadId } from "node:worker_threads"

/** Does what it is told, good or bad, and says which thread it is. */
const acts: Readonly<Record<string, () => void>> = {
  "spin": () => {
    for (;;) Atomics.load(new Int32Array(1), 0)
  },
  "throw": () => {
    throw new Error("thrown on purpose")
  },
  "reject": () => void Promise.reject(new Error("rejected on purpose")),
  "exit": () => process.exit(3)
}

parentPort?.on("message", ({ id, input }: { readonly id: number; readonly input: string }) => {
  acts[input]?.()
  if (acts[input] !== undefined) return
  parentPort?.postMessage({ id, output: `thread ${threadId}` })
  if (input === "echo twice") parentPort?.postMessage({ id, output: "said before" })
})
