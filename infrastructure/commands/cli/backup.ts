import { Clock, Console, Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { resolve } from "node:path"
import { faultsOf } from "../backup/check.ts"
import type { BackupError, Damaged } from "../backup/errors.ts"
import { mebibytes } from "../backup/files.ts"
import { bytesOf, holds, type Manifest, MASTER_KEY } from "../backup/manifest.ts"
import { restoreBackup } from "../backup/restore.ts"
import { type BackupSettings, backupSettings } from "../backup/settings.ts"
import { openBackup } from "../backup/source.ts"
import { takeBackup } from "../backup/take.ts"
import { withDataDir } from "../../runtime/first-start.ts"
import { answerIsNo, cannotRun, markIncomplete } from "./exit.ts"
import { jsonFlag, optionalText, switchFlag } from "./flags.ts"
import { makeProgress, note, print, printFields, printVerdict } from "./output.ts"
import { withoutAdminOperation } from "./target.ts"

const toCommandFailed = ({ message, reason }: BackupError) =>
  Effect.fail(reason === "refused" ? answerIsNo(message) : cannotRun(message))

const failDamaged = (path: string) => ({ message }: Damaged) =>
  Effect.fail(answerIsNo(`${path} is damaged: ${message}; use another backup`))

const noteInterrupted = Effect.andThen(markIncomplete, note("sliptrail: stopped before it was finished"))

/** The names of the keys that the log was sealed with. */
const keyNamesOf = ({ keys: { master, slips } }: Manifest): ReadonlyArray<string> =>
  [master, slips].filter((name) => name !== null)

const fieldsOf = (path: string, manifest: Manifest) => {
  const { createdAt, files, log, sliptrail } = manifest
  return [
    ["backup", path],
    ["created", `${createdAt}, by SlipTrail ${sliptrail}`],
    ["events", `${log.events}, up to ${log.head}`],
    ["keys", [...keyNamesOf(manifest), holds(manifest, MASTER_KEY) ? "included" : "not included"].join(", ")],
    ["files", `${files.map(({ name }) => name).join(", ")}; ${mebibytes(bytesOf(manifest))}`]
  ] as const
}

const noteOnKeys = (manifest: Manifest, isOwnKey: boolean | undefined) => {
  const keys = ["its keys", ...keyNamesOf(manifest)].join(" ")
  if (holds(manifest, MASTER_KEY)) {
    return note(`NOTE: this backup contains ${keys}: with it, all data can be read. Store it as safely as the keys.`)
  }
  const advice = isOwnKey === false
    ? "The keys of this installation do not open this log: find the keys that do."
    : "Store master.key and subjects.key safely in another place, or include them with --with-keys."
  return note(
    `NOTE: this backup contains no keys. Without ${keys} it cannot be used: API keys are not recognised, slips are not `
      + `found, and sealed data cannot be opened. ${advice}`
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
      const { report } = yield* makeProgress
      const source = yield* openBackup(path)
      return { faults: yield* faultsOf(source, path, report), manifest: source.manifest }
    }).pipe(
      Effect.scoped,
      Effect.catchTags({
        Damaged: ({ message }) => Effect.succeed({ faults: [message], manifest: undefined }),
        BackupError: toCommandFailed
      })
    )
    yield* print(
      json,
      { isSound: faults.length === 0, path, faults, ...manifest },
      () => manifest === undefined ? Effect.void : printFields(fieldsOf(path, manifest))
    )
    if (faults.length > 0) return yield* answerIsNo(`${path} is damaged: ${faults.join("; ")}`)
    if (!json) yield* printVerdict("good", "The backup is complete and undamaged.")
  })
).pipe(
  Command.withDescription("Read all of a backup, and check that it is complete and undamaged"),
  withoutAdminOperation("nothing", "it reads files on this machine")
)

export const backup = Command.make(
  "backup",
  {
    out: Flag.String("out").pipe(
      Flag.withDescription("New folder, or one file: NAME.tar, NAME.tar.gz or NAME.tgz")
    ),
    withKeys: switchFlag(
      "with-keys",
      "Include master.key, subjects.key and signing.key: with this backup all data can be read"
    ),
    force: switchFlag("force", "Replace a backup of that name when the new one is complete"),
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ json, ...options }) {
    if (options.out === "-") {
      return yield* cannotRun("--out: Expected a new folder or a file, a backup cannot go to standard output")
    }
    const started = yield* Clock.currentTimeMillis
    const { isOwnKey, leftOver, manifest, target: { path } } = yield* Effect.gen(function* () {
      const { report } = yield* makeProgress
      return yield* takeBackup(yield* backupSettings, options, report)
    }).pipe(
      Effect.scoped,
      Effect.catchTags({ Damaged: failDamaged(options.out), BackupError: toCommandFailed }),
      Effect.onInterrupt(() => noteInterrupted)
    )
    const tookMillis = (yield* Clock.currentTimeMillis) - started
    yield* print(json, { path, ...manifest, tookMillis }, () => printFields(fieldsOf(path, manifest)))
    yield* noteOnKeys(manifest, isOwnKey)
    if (leftOver.length > 0) {
      yield* note(
        `NOTE: interrupted backups have left ${leftOver.join(", ")}: delete it unless another backup is running.`
      )
    }
  })
).pipe(
  Command.withDescription("Copy the log of the data folder and its files; the service may be running"),
  withoutAdminOperation("data folder", "it copies files of the data folder: run it on the machine of the service"),
  Command.withSubcommands([check])
)

const nextSteps = (
  { checkpointFile, dataDir, redisUrl, subjectKeysFile }: BackupSettings,
  { createdAt }: Manifest,
  { keysAreRestored, movedTo }: { readonly keysAreRestored: boolean; readonly movedTo: string | undefined }
): ReadonlyArray<string> => [
  ...redisUrl === undefined
    ? []
    : ["Empty the Redis of REDIS_URL (redis-cli FLUSHALL): it may contain data of events that no longer exist."],
  ...keysAreRestored && subjectKeysFile !== undefined
    ? [`Move subjects.key from the data folder to the path of SUBJECT_KEYS_FILE, ${subjectKeysFile}.`]
    : [],
  ...keysAreRestored
    ? [
      `Erase the slips again that were erased after ${createdAt}, before the start: npx sliptrail trail forget --slip …`
    ]
    : [],
  ...checkpointFile === undefined
    ? []
    : [`If the file of CHECKPOINT_FILE, ${checkpointFile}, is newer than the backup, move it away and keep it.`],
  `Start the service on this folder (DATA_DIR=${resolve(dataDir)}). It rebuilds the read models from the log.`,
  `Check it with: ${withDataDir("npx sliptrail doctor", { dataDir })}; ${
    withDataDir("npx sliptrail trail verify", { dataDir })
  }`,
  `Tell your users: events after ${createdAt} are lost. Slips verified since then count as new, their charges are not `
  + "counted, API keys and settings are as they were then, and callbacks may be sent a second time.",
  ...movedTo === undefined ? [] : [`Delete ${movedTo}, the former data, when it is no longer needed.`]
]

export const restore = Command.make(
  "restore",
  {
    from: Flag.String("from").pipe(Flag.withDescription("A folder or a file that sliptrail backup wrote")),
    dataDir: optionalText("data-dir", "Folder to restore into; default DATA_DIR"),
    force: switchFlag("force", "Move the files of the data folder to a folder before-restore-… in it; deletes nothing"),
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ dataDir, json, ...options }) {
    const { manifest, movedTo, settings, slipKeys } = yield* Effect.gen(function* () {
      const found = yield* backupSettings
      const settings = { ...found, dataDir: dataDir ?? found.dataDir }
      const { report } = yield* makeProgress
      return { settings, ...(yield* restoreBackup(settings, options, report)) }
    }).pipe(
      Effect.scoped,
      Effect.catchTags({ Damaged: failDamaged(options.from), BackupError: toCommandFailed }),
      Effect.onInterrupt(() => noteInterrupted)
    )
    const next = nextSteps(settings, manifest, { movedTo, keysAreRestored: slipKeys.areRestored })
    yield* print(json, { dataDir: settings.dataDir, movedTo: movedTo ?? null, ...manifest, next }, () =>
      Effect.andThen(
        printFields([
          ["data folder", settings.dataDir],
          ["as of", manifest.createdAt],
          ["events", `${manifest.log.events}, up to ${manifest.log.head}`],
          ["former data", movedTo ?? "none"]
        ]),
        Console.log(`\nNext steps:\n${next.map((step, index) => `  ${index + 1}. ${step}`).join("\n")}`)
      ))
  })
).pipe(
  Command.withDescription("Restore a backup into a data folder that no service has open; starts nothing"),
  withoutAdminOperation("data folder", "it writes files of a data folder that no service has open")
)
