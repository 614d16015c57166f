import { parentPort, workerData } from "node:worker_threads"
import { nativeSection } from "../../../infrastructure/pictures/native-section.ts"
import type { ThreadData } from "../../../infrastructure/pictures/worker-thread.ts"

// A thread that waits for native code. It sets cell 0 to 1 inside the call and to 2 after it. Cell 1 ends the call.
const { nativeState }: ThreadData = workerData
const section = nativeSection(nativeState, () => parentPort?.postMessage({ leftNativeCode: true }))

parentPort?.on("message", ({ input: cells }: { readonly id: number; readonly input: Int32Array }) => {
  void section(async () => {
    Atomics.store(cells, 0, 1)
    while (Atomics.load(cells, 1) === 0) await new Promise(setImmediate)
    Atomics.store(cells, 0, 2)
  })
})
