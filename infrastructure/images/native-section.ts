/**
 * Where a worker thread stands, shared with the thread that may want to end it. A thread must not be terminated
 * while native code works for it on yet another thread: Deno frees the buffers below that code and the whole
 * process dies of it.
 */
export type Standing = Int32Array<SharedArrayBuffer>

const OUTSIDE = 0
const INSIDE = 1
const STOPPED = 2

export const makeStanding = (): Standing => new Int32Array(new SharedArrayBuffer(4))

/**
 * Forbids the thread to enter native code again. True when it may be terminated now; false when it is inside and
 * will say when it has left.
 */
export const stopAt = (standing: Standing): boolean => Atomics.exchange(standing, 0, STOPPED) !== INSIDE

/** Runs a call of native code that works in the background. */
export type NativeSection = <A>(work: () => Promise<A>) => Promise<A>

/**
 * Wraps calls of native code that works in the background. Once the thread is stopped nothing goes on behind such a
 * call: it waits to be terminated, after it has called `onLeft` if it was inside at that moment.
 */
export const nativeSection = (standing: Standing, onLeft: () => void): NativeSection => async (work) => {
  if (Atomics.compareExchange(standing, 0, OUTSIDE, INSIDE) === STOPPED) return forever()
  try {
    return await work()
  } finally {
    if (Atomics.compareExchange(standing, 0, INSIDE, OUTSIDE) === STOPPED) {
      onLeft()
      await forever()
    }
  }
}

const forever = (): Promise<never> => new Promise(() => {})
