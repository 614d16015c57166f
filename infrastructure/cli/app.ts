import { Command } from "effect/cli"
import { sandbox } from "./sandbox.ts"
import { serve } from "./serve.ts"
import { trail } from "./trail.ts"

/** The command line (contract: operations, "Command line"). */
export const app = Command.make("sliptrail").pipe(
  Command.withDescription("Verifies Thai bank-transfer slips and keeps the trail of every verification"),
  Command.withSubcommands([serve, sandbox, trail])
)
