import { Command } from "effect/cli"
import { account } from "./account.ts"
import { backup, restore } from "./backup.ts"
import { branch } from "./branch.ts"
import { callbacks } from "./callbacks.ts"
import { decode } from "./decode.ts"
import { doctor } from "./doctor.ts"
import { egress } from "./egress.ts"
import { jobs } from "./jobs.ts"
import { projections } from "./projections.ts"
import { receiver } from "./receiver.ts"
import { sandbox } from "./sandbox.ts"
import { serve } from "./serve.ts"
import { service } from "./service.ts"
import { trail } from "./trail.ts"

/** The command line (docs/spec/operations.md, "Command line"). */
export const app = Command.make("sliptrail").pipe(
  Command.withDescription("Verifies Thai bank-transfer slips and keeps the trail of every verification"),
  Command.withSubcommands([
    serve,
    service,
    branch,
    account,
    trail,
    jobs,
    callbacks,
    decode,
    projections,
    backup,
    restore,
    egress,
    doctor,
    sandbox,
    receiver
  ])
)
