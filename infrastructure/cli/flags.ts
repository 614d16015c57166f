import { Flag } from "effect/cli"

/** `--json`, of every command that prints data. */
export const jsonFlag = Flag.Boolean("json").pipe(Flag.withDescription("Print JSON"), Flag.withDefault(false))
