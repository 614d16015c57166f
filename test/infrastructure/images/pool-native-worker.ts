import { parentPort, workerData } from "node:worker_threads"
import type { ThreadData } from "../../../infrastructure/images/hand.ts"
import { nativeSection } from "../../../infrastructure/images/native-section.ts"

/** Stands for a thread that waits for native code: says so in cell 0, and goes on when cell 1 says that it is done. */
const { standing }: ThreadData = workerData
const section = nativeSection(standing, () => parentPort?.postMessage({ left: true }))

const until = async (cells: Int32Array, at: number): Promise<void> => {
  while (Atomics.load(cells, at) === 0) await new Promise(setImmediate)
}

parentPort?.on("message", ({ input: cells }: { readonly id: number; readonly input: Int32Array }) => {
  void section(async () => {
    Atomics.store(cells, 0, 1)
    await until(cells, 1)
    Atomics.store(cells, 0, 2)
  })
})
