/**
 * How long a request waits for the log. A request is answered within `MAX_ANSWER_MILLIS`, also when the server of the log
 * hangs: one read and one append, each of which outlasts a pause of two seconds (docs/spec/operations.md, "A log on a
 * server"). Times are in milliseconds.
 */

/** The longest time for an answer when a store hangs. */
export const MAX_ANSWER_MILLIS = 5_000

/** The longest time of a read of a stream, a page or the head. */
export const READ_MILLIS = 2_300

/** One try of an append to a server ends within this time, also when the server does not answer. */
export const APPEND_TRY_MILLIS = 800

/** The last try of an append of unknown outcome begins at most so long after the first one. */
export const LAST_TRY_MILLIS = 1_800

/** The longest time of an append with all its tries. */
export const APPEND_MILLIS = LAST_TRY_MILLIS + APPEND_TRY_MILLIS

/** The pause before the next try of an append: it doubles from the first to the longest. */
export const RETRY_PAUSE_MILLIS = { first: 100, longest: 400 } as const
