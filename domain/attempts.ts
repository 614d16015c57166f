import { Schema } from "effect"

/**
 * There are attempts between the last one in the log and the one that a command speaks of: attempts are counted from
 * 1 without gaps, so whoever counted looked at something else.
 */
export class AttemptSkipped extends Schema.TaggedError<AttemptSkipped>()("AttemptSkipped", { attempt: Schema.Int }) {}
