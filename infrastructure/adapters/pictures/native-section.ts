/**
 * Shared by a worker thread and the thread that stops it: whether native code works for the worker in the
 * background. A thread must not be terminated during such a call: Deno frees the buffers that the native code uses,
 * and the whole process crashes.
 */
export type NativeState = Int32Array<SharedArrayBuffer>

const OUTSIDE = 0
const INSIDE = 1
const STOPPED = 2

export const makeNativeState = (): NativeState => new Int32Array(new SharedArrayBuffer(4))

/**
 * Forbids further native calls. Returns true when the thread may be terminated now. Returns false during a native
 * call: `onLeft` of the section is called after it.
 */
export const stopNativeCalls = (state: NativeState): boolean => Atomics.exchange(state, 0, STOPPED) !== INSIDE

/** Runs a call of native code that works in the background. */
export type NativeSection = <A>(work: () => Promise<A>) => Promise<A>

/** A section that never returns once the thread is stopped: the thread then waits for its termination. */
export const nativeSection = (state: NativeState, onLeft: () => void): NativeSection => async (work) => {
  if (Atomics.compareExchange(state, 0, OUTSIDE, INSIDE) === STOPPED) return forever()
  try {
    return await work()
  } finally {
    if (Atomics.compareExchange(state, 0, INSIDE, OUTSIDE) === STOPPED) {
      onLeft()
      await forever()
    }
  }
}

const forever = (): Promise<never> => new Promise(() => {})
