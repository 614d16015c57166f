import { serveThread } from "../threads/serve-thread.ts"
import { type NativeSection, nativeSection } from "./native-section.ts"
import { type Findings, type ReadOutcome, type ReadTask, Undecodable } from "./reading.ts"
import type { LeftNativeCode, ThreadData } from "./worker-thread.ts"

serveThread<ThreadData, undefined, ReadTask, ReadOutcome, LeftNativeCode>(({ nativeState, role }) => {
  /** Loads only the reader of this thread's role: the portable reader must run where sharp is not installed. */
  const read = async (task: ReadTask, section: NativeSection): Promise<Findings> => {
    if (role === "native") return (await import("./native-reader.ts")).readNative(task, section)
    return (await import("./portable-reader.ts")).readPortable(task)
  }

  return {
    ready: undefined,
    answer: async (task, progress) => {
      try {
        const section = nativeSection(nativeState, () => progress("left native code"))
        return { _tag: "Read", findings: await read(task, section) }
      } catch (cause) {
        if (cause instanceof Undecodable) return { _tag: "Refused", reason: cause.reason, why: cause.message }
        throw cause
      }
    }
  }
})
