/** The channel on which a reading thread says `started`, and a test says `end`. */
export const NATIVE_CALLS = "test/native-calls"

/** Content of a file for which the thread waits in native code. */
export const STUCK = "stuck"
