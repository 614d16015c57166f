import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { forgetAgain, forgetSlip } from "../../application/erasure/erase-slip.ts"
import type { VaultError } from "../../ports/vault.ts"
import { answerIsNo, cannotRun } from "./exit.ts"
import { jsonFlag, maybe } from "./flags.ts"
import { changing, judged } from "./operation.ts"
import { print } from "./output.ts"
import { onceCaughtUp } from "./reading.ts"
import { decodeErasure } from "../input/operator-queries.ts"

/** What keeps keys from being destroyed, in words. */
const inWords = ({ reason }: VaultError) =>
  cannotRun(
    reason === "unknown-key"
      ? "there are no keys of slips to destroy: set SUBJECT_KEYS_FILE to a file that all processes share"
      : "the keys could not be destroyed: see that subjects.key can be written, and repeat"
  )

const again = Effect.fnUntraced(function* (json: boolean) {
  const slips = yield* changing(
    undefined,
    () => Effect.catchTag(forgetAgain(), "VaultError", (error) => Effect.fail(inWords(error)))
  )
  yield* print(
    json,
    { slips },
    () =>
      Console.log(`the keys of ${slips} ${slips === 1 ? "slip" : "slips"} that the log says were forgotten are gone`)
  )
})

const one = Effect.fnUntraced(function* (slip: string, reason: string | undefined, json: boolean) {
  const asked = yield* judged(decodeErasure, { slip, reason })
  const forgotten = yield* changing(
    "POST /forget",
    (operation) =>
      onceCaughtUp(forgetSlip(asked.sendingBank, asked.transRef, asked.reason, operation)).pipe(
        Effect.catchTags({
          SlipNeverSeen: () => Effect.fail(answerIsNo("nothing is known of that slip")),
          VaultError: (error) => Effect.fail(inWords(error))
        })
      )
  )
  const jobs = forgotten.jobIds.length
  yield* print(json, forgotten, () =>
    Console.log(
      `the personal data of ${slip} is forgotten since ${forgotten.at}`
        + (jobs === 0 ? "" : `, and that of ${jobs === 1 ? "the job" : `the ${jobs} jobs`} that handed it over`)
        + "; amounts, times and verdicts stay. Backups of subjects.key from before can still read it: replace them"
    ))
})

export const forget = Command.make(
  "forget",
  {
    slip: maybe("slip", "BANK:TRANSREF, for example 004:013071152533APM07736"),
    reason: maybe("reason", "Why, for the trail; it stands there in the clear, so name nobody"),
    again: Flag.Boolean("again").pipe(
      Flag.withDefault(false),
      Flag.withDescription(
        "Destroy once more the keys of all that was forgotten, after an older subjects.key was put back"
      )
    ),
    json: jsonFlag
  },
  Effect.fnUntraced(function* (flags) {
    const slip = Option.getOrUndefined(flags.slip)
    if ((slip !== undefined) === flags.again) {
      return yield* cannotRun("give exactly one of --slip BANK:TRANSREF, --again")
    }
    if (slip === undefined) return yield* again(flags.json)
    return yield* one(slip, Option.getOrUndefined(flags.reason), flags.json)
  })
).pipe(
  Command.withDescription("Destroy the key of a slip's personal data, in the log and everywhere; it can't be undone")
)
