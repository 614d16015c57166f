import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { resolve } from "node:path"
import { looking } from "../runtime/first-start.ts"
import { refuseDamaged } from "../backup/failure.ts"
import type { Manifest } from "../backup/manifest.ts"
import { putBack } from "../backup/put-back.ts"
import { type BackupSettings, backupSettings } from "../backup/settings.ts"
import { leaveUndone } from "./exit.ts"
import { jsonFlag, maybe } from "./flags.ts"
import { note, print, printFields } from "./output.ts"
import { makeProgress } from "./progress.ts"

/** What is left to do, one thing after the other. */
const nextSteps = (
  { checkpointFile, dataDir, redisUrl, subjectKeysFile }: BackupSettings,
  { createdAt }: Manifest,
  { areBrought, movedTo }: { readonly areBrought: boolean; readonly movedTo: string | undefined }
): ReadonlyArray<string> => [
  ...redisUrl === undefined
    ? []
    : ["Empty the Redis of REDIS_URL (redis-cli FLUSHALL): what it holds may be of events that are no more."],
  ...areBrought && subjectKeysFile !== undefined
    ? [`Move subjects.key of the data folder to where SUBJECT_KEYS_FILE says, ${subjectKeysFile}.`]
    : [],
  ...areBrought
    ? [`Forget again what was forgotten after ${createdAt}: npx sliptrail trail forget --slip …, before the start.`]
    : [],
  ...checkpointFile === undefined
    ? []
    : [`CHECKPOINT_FILE is ${checkpointFile}: if it goes further than the backup, move it away, and keep it.`],
  `Start the service on this folder (DATA_DIR=${resolve(dataDir)}). It builds the read models anew from the log.`,
  `Look at it with: ${looking("npx sliptrail doctor", { dataDir })}; ${
    looking("npx sliptrail trail verify", { dataDir })
  }`,
  `What happened after ${createdAt} is not in it: those slips count as new, their charges are not counted, keys and `
  + "settings are as they were, and callbacks may be sent a second time. Tell those who rely on it.",
  ...movedTo === undefined ? [] : [`Delete ${movedTo} when nobody needs it any more: it is what was there before.`]
]

export const restore = Command.make(
  "restore",
  {
    from: Flag.String("from").pipe(Flag.withDescription("A folder or a file that sliptrail backup wrote")),
    dataDir: maybe("data-dir", "Folder to restore into; DATA_DIR without it"),
    force: Flag.Boolean("force").pipe(
      Flag.withDescription("Move what lies in the data folder to a folder before-restore-… in it; nothing is deleted"),
      Flag.withDefault(false)
    ),
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ dataDir, json, ...options }) {
    const found = yield* backupSettings
    const settings = { ...found, dataDir: Option.getOrElse(dataDir, () => found.dataDir) }
    const { manifest, movedTo, slipKeys } = yield* Effect.gen(function* () {
      return yield* putBack(settings, options, yield* makeProgress)
    }).pipe(
      Effect.scoped,
      Effect.catchTag("Damaged", (damaged) => Effect.fail(refuseDamaged(options.from)(damaged))),
      Effect.onInterrupt(() => Effect.andThen(leaveUndone, note("sliptrail: stopped before its end")))
    )
    const next = nextSteps(settings, manifest, { movedTo, areBrought: slipKeys.areBrought })
    yield* print(json, { dataDir: settings.dataDir, movedTo: movedTo ?? null, ...manifest, next }, () =>
      Effect.andThen(
        printFields([
          ["data folder", settings.dataDir],
          ["as of", manifest.createdAt],
          ["events", `${manifest.log.events}, up to ${manifest.log.head}`],
          ["what was there", movedTo ?? "nothing"]
        ]),
        Console.log(`\nWhat to do next:\n${next.map((step, index) => `  ${index + 1}. ${step}`).join("\n")}`)
      ))
  })
).pipe(
  Command.withDescription("Put a backup back into a data folder that no service holds; it starts nothing")
)
