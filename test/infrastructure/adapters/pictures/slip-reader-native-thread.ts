import { BroadcastChannel } from "node:worker_threads"
import { nativeSection } from "../../../../infrastructure/adapters/pictures/native-section.ts"
import type { ReadAnswer, UncheckedTask } from "../../../../infrastructure/adapters/pictures/reading.ts"
import type { LeftNativeCode, ThreadData } from "../../../../infrastructure/adapters/pictures/worker-thread.ts"
import { serveThread } from "../../../../infrastructure/platform/threads/serve-thread.ts"
import { NATIVE_CALLS, STUCK } from "./native-calls.ts"

/** Waits in native code for a message of the test. */
const untilEnd = (): Promise<void> => {
  const channel = new BroadcastChannel(NATIVE_CALLS)
  return new Promise((resolve) => {
    channel.onmessage = ({ data }) => {
      if (data !== "end") return
      channel.close()
      resolve()
    }
    channel.postMessage("started")
  })
}

// A reading thread that waits in native code for a file that contains `STUCK`, and finds nothing in other files.
serveThread<ThreadData, undefined, UncheckedTask, ReadAnswer, LeftNativeCode>(({ nativeState }) => ({
  ready: undefined,
  answer: async ({ bytes }, progress) => {
    const section = nativeSection(nativeState, () => progress("left native code"))
    if (new TextDecoder().decode(bytes).includes(STUCK)) await section(untilEnd)
    const picture = { format: "gif", width: 1, height: 1 } as const
    const findings = { slips: [], texts: [] }
    return { outcome: { _tag: "Read", picture, findings }, cpuMillis: 0, decodedPixels: 1 }
  }
}))
