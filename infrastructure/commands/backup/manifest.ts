import { Effect, Schema } from "effect"
import { Damaged, failed } from "./errors.ts"

/** The format of a backup. A backup with a higher number is refused: an older program cannot restore all of it. */
const FORMAT = 1

export const MANIFEST = "manifest.json"
export const LOG = "events.db"
export const MASTER_KEY = "master.key"
/** A key for each slip that is not erased, sealed under the master key. */
export const SUBJECT_KEYS = "subjects.key"
export const SIGNING_KEY = "signing.key"
export const SIGNING_PUB = "signing.pub"
export const CHECKPOINTS = "checkpoints.ndjson"

/** The files that a backup may contain besides its manifest. The names are those in the data folder. */
const names = [LOG, MASTER_KEY, SUBJECT_KEYS, SIGNING_KEY, SIGNING_PUB, CHECKPOINTS] as const
export type BackupFile = (typeof names)[number]

export const isBackupFile = (name: string): name is BackupFile => names.some((known) => known === name)

/** A manifest is untrusted and is printed to a terminal, so every text has a pattern. */
const matching = (pattern: RegExp) => Schema.String.check(Schema.isPattern(pattern))
const Version = matching(/^[\w.+-]{1,64}$/u)

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** `manifest.json`, the first file of an archive. */
export const Manifest = Schema.Struct({
  format: Schema.Literal(FORMAT),
  /** ISO 8601, UTC: the approximate time of the state of the log. */
  createdAt: matching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u),
  /** The version of SlipTrail that wrote it. */
  sliptrail: Version,
  log: Schema.Struct({
    /** The format of the log's file. */
    format: Schema.Int,
    /** Position of the last event, as `commit/prepare`. */
    head: matching(/^\d+\/\d+$/u),
    events: Count
  }),
  /**
   * Names of the keys that the log was sealed with: `m-` and 8 digits for the master key, `s-` and 8 digits for the keys
   * of slips. A name reveals nothing about its key. Null when nothing was sealed with them yet.
   */
  keys: Schema.Struct({
    master: Schema.NullOr(matching(/^m-[\da-f]{8}$/u)),
    slips: Schema.NullOr(matching(/^s-[\da-f]{8}$/u))
  }),
  files: Schema.Array(Schema.Struct({
    name: Schema.Literals(names),
    bytes: Count,
    /** 64 lower-case hexadecimal digits. */
    sha256: matching(/^[\da-f]{64}$/u)
  }))
})
export type Manifest = typeof Manifest.Type
export type FileEntry = Manifest["files"][number]

/** Secret keys: with them a log can be read, and signed in the name of the service. */
export const secretKeys = [MASTER_KEY, SUBJECT_KEYS, SIGNING_KEY] as const

export const makeManifest = (parts: Omit<Manifest, "format">): Manifest => ({ format: FORMAT, ...parts })

export const manifestText = (manifest: Manifest): string => `${JSON.stringify(manifest, undefined, 2)}\n`

export const holds = ({ files }: Manifest, name: BackupFile): boolean => files.some((file) => file.name === name)

export const bytesOf = ({ files }: Manifest): number => files.reduce((sum, { bytes }) => sum + bytes, 0)

const decodeFormat = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ format: Schema.Int, sliptrail: Version }))
)
const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Manifest))

/**
 * Reads a manifest. Fails when it is damaged, and when only a newer program can read it: the format of its
 * log is above `logFormat`, or the format of the manifest is above `FORMAT`.
 */
export const readManifest = Effect.fnUntraced(function* (text: string, logFormat: number) {
  const header = decodeFormat(text)
  if (header._tag === "Some" && header.value.format > FORMAT) return yield* tooNew(header.value)
  const manifest = yield* Effect.mapError(
    decode(text),
    () => new Damaged({ message: `its ${MANIFEST} is not a manifest of a backup` })
  )
  if (manifest.log.format > logFormat) return yield* tooNew(manifest)
  const duplicate = manifest.files.find(({ name }, index) =>
    manifest.files.findIndex((file) => file.name === name) < index
  )
  if (duplicate !== undefined) return yield* new Damaged({ message: `its ${MANIFEST} lists ${duplicate.name} twice` })
  if (!holds(manifest, LOG)) return yield* new Damaged({ message: `its ${MANIFEST} does not list ${LOG}` })
  return manifest
})

const tooNew = ({ sliptrail }: Pick<Manifest, "sliptrail">) =>
  failed(
    `the backup was written by SlipTrail ${sliptrail}, which is newer than this version: use that version or a later one`
  )
