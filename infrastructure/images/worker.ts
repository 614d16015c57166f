import { parentPort, workerData } from "node:worker_threads"
import type { Findings } from "./findings.ts"
import type { ThreadData } from "./hand.ts"
import { nativeSection } from "./native-section.ts"
import type { Outcome, Task } from "./task.ts"
import { Undecodable } from "./undecodable.ts"

const { role, standing }: ThreadData = workerData
const section = nativeSection(standing, () => parentPort?.postMessage({ left: true }))

/**
 * The work of a thread that decodes. It loads only the reader it was started for, so that the portable one never
 * touches native code. A picture that a decoder refuses is an answer; anything else that goes wrong ends the thread.
 */
const read = async (task: Task): Promise<Findings> => {
  if (role === "native") return (await import("./native/read.ts")).readNative(task, section)
  return (await import("./portable/read.ts")).readPortable(task)
}

const answer = async (task: Task): Promise<Outcome> => {
  try {
    return { _tag: "Read", findings: await read(task) }
  } catch (cause) {
    if (cause instanceof Undecodable) return { _tag: "Refused", reason: cause.reason, why: cause.message }
    throw cause
  }
}

// Listening comes before any loading: Deno drops what arrives at a thread that does not listen yet.
parentPort?.on("message", ({ id, input }: { readonly id: number; readonly input: Task }) => {
  void answer(input).then((output) => parentPort?.postMessage({ id, output }))
})
