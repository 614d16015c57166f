import { serveThread } from "../../../../infrastructure/platform/threads/serve-thread.ts"
import { nativeSection } from "../../../../infrastructure/adapters/pictures/native-section.ts"
import type { LeftNativeCode, ThreadData } from "../../../../infrastructure/adapters/pictures/worker-thread.ts"

// A thread that waits for native code. It sets cell 0 to 1 inside the call and to 2 after it. Cell 1 ends the call.
serveThread<ThreadData, undefined, Int32Array, undefined, LeftNativeCode>(({ nativeState }) => ({
  ready: undefined,
  answer: async (cells, progress) => {
    await nativeSection(nativeState, () => progress("left native code"))(async () => {
      Atomics.store(cells, 0, 1)
      while (Atomics.load(cells, 1) === 0) await new Promise(setImmediate)
      Atomics.store(cells, 0, 2)
    })
    return undefined
  }
}))
