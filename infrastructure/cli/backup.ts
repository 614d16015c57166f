import { Clock, Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { resolve } from "node:path"
import { faultsOf } from "../backup/check.ts"
import { refuseDamaged } from "../backup/failure.ts"
import { mebibytes } from "../backup/files.ts"
import { bytesOf, holds, type Manifest, MASTER_KEY } from "../backup/manifest.ts"
import { putBack } from "../backup/put-back.ts"
import { type BackupSettings, backupSettings } from "../backup/settings.ts"
import { openBackup } from "../backup/source.ts"
import { takeBackup } from "../backup/take.ts"
import { looking } from "../runtime/first-start.ts"
import { answerIsNo, markIncomplete } from "./exit.ts"
import { jsonFlag, optionalText } from "./flags.ts"
import { makeProgress, note, print, printFields } from "./output.ts"

/** What the keys are called that a log was sealed with. */
const namesOf = ({ keys: { master, slips } }: Manifest): ReadonlyArray<string> =>
  [master, slips].filter((name) => name !== null)

/** What is known of a backup, for people. */
const fieldsOf = (path: string, manifest: Manifest) => {
  const { createdAt, files, log, sliptrail } = manifest
  return [
    ["backup", path],
    ["of", `${createdAt}, by SlipTrail ${sliptrail}`],
    ["events", `${log.events}, up to ${log.head}`],
    ["keys", [...namesOf(manifest), holds(manifest, MASTER_KEY) ? "included" : "not included"].join(", ")],
    ["files", `${files.map(({ name }) => name).join(", ")}; ${mebibytes(bytesOf(manifest))}`]
  ] as const
}

/** What whoever keeps a backup has to know of its keys. */
const noteOnKeys = (manifest: Manifest, isOwnKey: boolean | undefined) => {
  const keys = ["its keys", ...namesOf(manifest)].join(" ")
  if (holds(manifest, MASTER_KEY)) {
    return note(`NOTE: this backup holds ${keys}: whoever has it reads everything. Keep it as you would keep the keys.`)
  }
  const where = isOwnKey === false
    ? "The keys that are here do not open this log: find the ones that do."
    : "Keep master.key and subjects.key safe, apart from the backup, or take them along with --with-keys."
  return note(
    `NOTE: this backup holds no keys. Without ${keys} it is unreadable: no API key is recognised, no slip is known, `
      + `and what is sealed stays sealed for good. ${where}`
  )
}

const check = Command.make(
  "check",
  {
    backup: Argument.String("backup").pipe(Argument.withDescription("A folder or a file that sliptrail backup wrote")),
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ backup: path, json }) {
    const { faults, manifest } = yield* Effect.gen(function* () {
      const progress = yield* makeProgress
      yield* progress.report(`reading ${path}`)
      const source = yield* openBackup(path)
      return { faults: yield* faultsOf(source, path), manifest: source.manifest }
    }).pipe(
      Effect.scoped,
      Effect.catchTag("Damaged", ({ message }) => Effect.succeed({ faults: [message], manifest: undefined }))
    )
    yield* print(
      json,
      { isSound: faults.length === 0, path, faults, ...manifest },
      () => manifest === undefined ? Effect.void : printFields(fieldsOf(path, manifest))
    )
    if (faults.length > 0) return yield* answerIsNo(`${path} is not sound: ${faults.join("; ")}`)
    if (!json) yield* Console.log("It is sound: all of it was read, and is as it was written.")
  })
).pipe(Command.withDescription("Read a backup from the first byte to the last, and say whether it is sound"))

export const backup = Command.make(
  "backup",
  {
    out: Flag.String("out").pipe(
      Flag.withDescription("New folder for it, or one file: NAME.tar, NAME.tar.gz or NAME.tgz")
    ),
    withKeys: Flag.Boolean("with-keys").pipe(
      Flag.withDescription("Take master.key, subjects.key and signing.key along: whoever has it then reads everything"),
      Flag.withDefault(false)
    ),
    force: Flag.Boolean("force").pipe(
      Flag.withDescription("Replace a backup of that name, once the new one is complete"),
      Flag.withDefault(false)
    ),
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ json, ...options }) {
    const started = yield* Clock.currentTimeMillis
    const settings = yield* backupSettings
    const { isOwnKey, leftOver, manifest, target: { path } } = yield* Effect.gen(function* () {
      return yield* takeBackup(settings, options, yield* makeProgress)
    }).pipe(
      Effect.scoped,
      Effect.catchTag("Damaged", (damaged) => Effect.fail(refuseDamaged(options.out)(damaged))),
      Effect.onInterrupt(() => Effect.andThen(markIncomplete, note("sliptrail: stopped before its end")))
    )
    const tookMillis = (yield* Clock.currentTimeMillis) - started
    yield* print(json, { path, ...manifest, tookMillis }, () => printFields(fieldsOf(path, manifest)))
    yield* noteOnKeys(manifest, isOwnKey)
    if (leftOver.length > 0) {
      yield* note(
        `Backups that were broken off have left ${leftOver.join(", ")}: delete it unless one is being written.`
      )
    }
  })
).pipe(
  Command.withDescription("Copy the log of the data folder and what belongs to it, also while the service runs"),
  Command.withSubcommands([check])
)

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
    dataDir: optionalText("data-dir", "Folder to restore into; DATA_DIR without it"),
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
      Effect.onInterrupt(() => Effect.andThen(markIncomplete, note("sliptrail: stopped before its end")))
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
