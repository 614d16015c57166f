import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { repeatErasures } from "../../../application/erasure/erase-slip.ts"
import type { VaultError } from "../../../ports/vault.ts"
import { cannotRun } from "./exit.ts"
import { jsonFlag, optionalText, switchFlag } from "./flags.ts"
import { runChange, runLocalChange } from "./operation.ts"
import { print } from "./output.ts"
import { refuseUrl } from "./target.ts"

const describeVaultError = ({ reason }: VaultError) =>
  cannotRun(
    reason === "unknown-key"
      ? "there are no slip keys to destroy: set SUBJECT_KEYS_FILE to a file that all processes share"
      : "the keys could not be destroyed: make subjects.key writable, and repeat the command"
  )

const eraseAgain = Effect.fnUntraced(function* (json: boolean) {
  yield* refuseUrl({ needs: "data folder", why: "--again works on the key file of the data folder" })
  const slips = yield* runLocalChange(
    () => Effect.catchTag(repeatErasures(), "VaultError", (error) => Effect.fail(describeVaultError(error)))
  )
  yield* print(
    json,
    { slips },
    () => Console.log(`the keys of ${slips === 1 ? "1 erased slip" : `${slips} erased slips`} are destroyed`)
  )
})

const eraseOne = Effect.fnUntraced(function* (
  { job, json, reason, slip }: {
    readonly slip: string | undefined
    readonly job: string | undefined
    readonly reason: string | undefined
    readonly json: boolean
  }
) {
  const body = { slip, job, reason }
  const erased = yield* Effect.catchTag(
    runChange({ name: "eraseSlip", body, readsFirst: true }),
    "VaultError",
    (error) => Effect.fail(describeVaultError(error))
  )
  const jobs = slip === undefined ? 0 : erased.jobIds.length
  yield* print(json, erased, () =>
    Console.log(
      `the personal data of ${slip ?? `job ${job}, and of the slip that it read,`} is erased since ${erased.at}`
        + (jobs === 0 ? "" : `, and the personal data of ${jobs === 1 ? "its job" : `its ${jobs} jobs`}`)
        + "; amounts, times and verdicts stay. Older backups of subjects.key can still open it: replace them"
    ))
})

export const forget = Command.make(
  "forget",
  {
    slip: optionalText("slip", "BANK:TRANSREF, for example 004:013071152533APM07736"),
    job: optionalText("job", "Id of a job: its data, and the slip that it read with all jobs of that slip"),
    reason: optionalText("reason", "Reason, recorded in the trail in plain text: write no personal data"),
    again: switchFlag("again", "Destroy the keys of all erased slips again, after an older subjects.key was restored"),
    json: jsonFlag
  },
  Effect.fnUntraced(function* (flags) {
    const { again, job, slip } = flags
    if ([slip !== undefined, job !== undefined, again].filter(Boolean).length !== 1) {
      return yield* cannotRun("give exactly one of --slip BANK:TRANSREF, --job ID, --again")
    }
    yield* again ? eraseAgain(flags.json) : eraseOne(flags)
  })
).pipe(
  Command.withDescription("Destroy the key of a slip's personal data, which erases it everywhere; cannot be undone")
)
