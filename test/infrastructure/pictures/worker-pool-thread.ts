import { parentPort, threadId } from "node:worker_threads"

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

// Fails as the input says. Answers every other input with the number of the thread.
parentPort?.on("message", ({ id, input }: { readonly id: number; readonly input: string }) => {
  failures[input]?.()
  if (failures[input] !== undefined) return
  parentPort?.postMessage({ id, output: `thread ${threadId}` })
  if (input === "answer twice") parentPort?.postMessage({ id, output: "second answer" })
})
