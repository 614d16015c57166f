import { parentPort, workerData } from "node:worker_threads"
import { nativeSection } from "./native-section.ts"
import { type Findings, type ReadOutcome, type ReadTask, Undecodable } from "./reading.ts"
import type { ThreadData } from "./worker-thread.ts"

const { nativeState, role }: ThreadData = workerData
const section = nativeSection(nativeState, () => parentPort?.postMessage({ leftNativeCode: true }))

/** Loads only the reader of this thread's role: the portable reader must run where sharp is not installed. */
const read = async (task: ReadTask): Promise<Findings> => {
  if (role === "native") return (await import("./native-reader.ts")).readNative(task, section)
  return (await import("./portable-reader.ts")).readPortable(task)
}

const answer = async (task: ReadTask): Promise<ReadOutcome> => {
  try {
    return { _tag: "Read", findings: await read(task) }
  } catch (cause) {
    if (cause instanceof Undecodable) return { _tag: "Refused", reason: cause.reason, why: cause.message }
    throw cause
  }
}

// The listener is set before anything is loaded: Deno drops messages that arrive at a thread without a listener.
parentPort?.on("message", ({ id, input }: { readonly id: number; readonly input: ReadTask }) => {
  // An error that is not `Undecodable` is not caught: it ends the thread.
  void answer(input).then((output) => parentPort?.postMessage({ id, output }))
})
