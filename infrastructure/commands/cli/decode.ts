import { Clock, Console, Effect, Stream } from "effect"
import { Argument, Command } from "effect/cli"
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs"
import { join } from "node:path"
import { decode as decodeSlip, type Decoded } from "../../../application/verification/slip-source.ts"
import { TRUEMONEY } from "../../../domain/slip/wallet-payload.ts"
import { MAX_IMAGE_BYTES } from "../../../ports/slip-reader.ts"
import { layerEgress } from "../../adapters/egress/layer.ts"
import { formatOf } from "../../adapters/pictures/header.ts"
import { layerSlipReader } from "../../adapters/pictures/slip-reader.ts"
import { settings } from "../../platform/settings/settings.ts"
import { visibleLine } from "../../platform/visible-text.ts"
import { painted, type Tone } from "./colors.ts"
import { CommandFailed } from "./exit.ts"
import { jsonFlag, optionalChoice } from "./flags.ts"
import { makeProgress, padded, printJson, widest } from "./output.ts"
import { withoutAdminOperation } from "./target.ts"

/** The default number of workers of the picture reader. */
const CONCURRENCY = 2

/** No request waits for the result, so a busy machine gets more time than the service allows. */
const DEADLINE_MILLIS = 60_000

type Outcome =
  | { readonly _tag: "Decoded"; readonly file: string; readonly tookMillis: number; readonly decoded: Decoded }
  | { readonly _tag: "NoSlip"; readonly file: string; readonly tookMillis: number; readonly why: string }
  | { readonly _tag: "CannotRun"; readonly file: string; readonly why: string }

const failures = {
  "no-qr": "the picture contains no QR code",
  "not-an-image": "the file is not a JPEG, PNG, WebP or GIF",
  "corrupt": "the picture is damaged",
  "too-large": "the file is larger than 4 MB",
  "too-many-pixels": "the picture has more than 25 megapixels",
  "busy": "the reader is busy",
  "deadline": "reading took too long: try again when the machine is less busy",
  "unavailable": "the reader failed: try the other reader, see --reader"
} as const

const describe = (reason: string): string => reason in failures ? failures[reason as keyof typeof failures] : reason

const decodeFile = Effect.fnUntraced(function* (found: Found) {
  const { file } = found
  if (found._tag === "Unusable") return { _tag: "CannotRun", file, why: found.why } satisfies Outcome
  const started = yield* Clock.currentTimeMillis
  const read = Effect.gen(function* () {
    const bytes = yield* Effect.mapError(readPicture(file), (why) => ({ _tag: "CannotRun", why }) as const)
    return yield* Effect.mapError(decodeSlip({ _tag: "Image", bytes }, "cli"), (error) =>
      ({
        _tag: error._tag === "ReaderUnavailable" ? "CannotRun" : "NoSlip",
        why: describe(error.reason)
      }) as const)
  })
  const result = yield* Effect.result(read)
  const tookMillis = (yield* Clock.currentTimeMillis) - started
  const outcome: Outcome = result._tag === "Success"
    ? { _tag: "Decoded", file, tookMillis, decoded: result.success }
    : { ...result.failure, file, tookMillis }
  return outcome
})

/** A slip with a wrong checksum cannot be verified, nor can a picture with several slips. */
const isSlip = (outcome: Outcome): boolean => outcome._tag === "Decoded" && outcome.decoded.slips.length === 1

const otherKinds = {
  slip: "QR code of a slip with a wrong checksum",
  promptpay: "PromptPay QR code for a payment, not a slip",
  truemoney: "QR code of a TrueMoney slip with a wrong checksum",
  other: "QR code, not a slip"
} as const

const lineOf = (outcome: Outcome): string => {
  if (outcome._tag !== "Decoded") return outcome.why
  const { kind, payload, sendingBank, slips, transRef } = outcome.decoded
  if (slips.length > 1) return `${slips.length} slips in one picture: ${slips.map(({ payload }) => payload).join(", ")}`
  if (!isSlip(outcome)) return `${otherKinds[kind]}: ${payload}`
  return `${sendingBank ?? TRUEMONEY}  ${transRef}  ${outcome.tookMillis} ms  ${payload}`
}

const toneOf = (outcome: Outcome): Tone | undefined => {
  if (outcome._tag === "CannotRun") return "bad"
  return isSlip(outcome) ? undefined : "caution"
}

const jsonOf = (outcome: Outcome) => {
  const { _tag, ...fields } = outcome
  if (outcome._tag !== "Decoded") return { isSlip: false, ...fields }
  const { decoded, file, tookMillis } = outcome
  return { isSlip: isSlip(outcome), file, ...decoded, tookMillis }
}

const exitCodeOf = (outcomes: ReadonlyArray<Outcome>): 0 | 1 | 2 => {
  if (outcomes.some(({ _tag }) => _tag === "CannotRun")) return 2
  return outcomes.every(isSlip) ? 0 : 1
}

const decodeAll = Effect.fnUntraced(function* (files: ReadonlyArray<Found>, json: boolean) {
  const progress = yield* makeProgress
  const nameWidth = widest(files.map(({ file }) => visibleLine(file)))
  const outcomes: Array<Outcome> = []
  yield* Stream.fromIterable(files).pipe(
    Stream.mapEffect(decodeFile, { concurrency: CONCURRENCY }),
    Stream.runForEach(Effect.fnUntraced(function* (outcome) {
      outcomes.push(outcome)
      yield* progress.report(
        `${outcomes.length} of ${files.length} read`,
        outcomes.length,
        files.length
      )
      if (json) return
      yield* progress.clear
      yield* Console.log(
        `${padded(visibleLine(outcome.file), nameWidth)}  ${painted(toneOf(outcome), visibleLine(lineOf(outcome)))}`
      )
    }))
  )
  return outcomes
})

export const decode = Command.make(
  "decode",
  {
    files: Argument.String("file").pipe(
      Argument.withDescription("A picture, or a folder with pictures"),
      Argument.atLeast(1)
    ),
    reader: optionalChoice("reader", ["native", "portable"], "The picture reader; default SLIP_READER"),
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ files, json, reader }) {
    const slipReader = reader ?? (yield* settings.slipReader)
    const outcomes = yield* decodeAll(yield* findPictures(files), json).pipe(
      Effect.scoped,
      Effect.provide([layerSlipReader({ reader: slipReader, deadlineMillis: DEADLINE_MILLIS }), unusedEgress])
    )
    if (json) yield* printJson(outcomes.map(jsonOf))
    const exitCode = exitCodeOf(outcomes)
    if (exitCode === 0) return
    const withoutSlip = outcomes.filter((outcome) => !isSlip(outcome)).length
    return yield* new CommandFailed({
      exitCode,
      message: `${withoutSlip} of ${outcomes.length} pictures contain no slip`
    })
  })
).pipe(
  Command.withDescription("Read the QR codes of slip pictures, without a bank and without a data folder"),
  withoutAdminOperation("nothing", "it reads pictures on this machine; sliptrail verify sends one to a service")
)

/** The reader needs an egress, but pictures come from files only. */
const unusedEgress = layerEgress({ allowCidrs: [], hosts: {}, dnsServers: [], userAgent: "SlipTrail" })

/** A file to decode, or the reason why there is none. */
type Found =
  | { readonly _tag: "File"; readonly file: string }
  | { readonly _tag: "Unusable"; readonly file: string; readonly why: string }

/**
 * The files of the paths. For a folder, all pictures in it and in its subfolders, ordered by name. In a folder, pictures
 * are recognised by their first bytes. The path of a file is accepted without this check.
 */
const findPictures = (paths: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Found>> =>
  Effect.sync(() => paths.flatMap(filesOf))

/** The bytes of a picture. Reads only the start of a file that is too large: the decoder refuses it. */
const readPicture = (file: string): Effect.Effect<Uint8Array, string> =>
  Effect.try({
    try: () => statSync(file).size > MAX_IMAGE_BYTES ? readStart(file, MAX_IMAGE_BYTES + 1) : readFileSync(file),
    catch: describeError
  })

const filesOf = (path: string): ReadonlyArray<Found> => {
  try {
    if (!statSync(path).isDirectory()) return [{ _tag: "File", file: path }]
    const found = picturesBelow(path)
    return found.length > 0 ? found : [{ _tag: "Unusable", file: path, why: "the folder contains no picture" }]
  } catch (cause) {
    return [{ _tag: "Unusable", file: path, why: describeError(cause) }]
  }
}

const picturesBelow = (folder: string): ReadonlyArray<Found> =>
  readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => a.name < b.name ? -1 : 1)
    .flatMap((entry): ReadonlyArray<Found> => {
      const path = join(folder, entry.name)
      // Links to folders are not followed: they may form a cycle.
      if (entry.isDirectory()) return picturesOrError(path)
      return isPicture(path) ? [{ _tag: "File", file: path }] : []
    })

const picturesOrError = (folder: string): ReadonlyArray<Found> => {
  try {
    return picturesBelow(folder)
  } catch (cause) {
    return [{ _tag: "Unusable", file: folder, why: describeError(cause) }]
  }
}

/** False for files that cannot be opened, such as sockets and broken links. */
const isPicture = (file: string): boolean => {
  try {
    return statSync(file).isFile() && formatOf(readStart(file, MAGIC_BYTES)) !== undefined
  } catch {
    return false
  }
}

const MAGIC_BYTES = 16

const readStart = (file: string, bytes: number): Uint8Array => {
  const start = new Uint8Array(bytes)
  const descriptor = openSync(file, "r")
  try {
    return start.subarray(0, readSync(descriptor, start))
  } finally {
    closeSync(descriptor)
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "the file does not exist",
  EACCES: "this user may not read it",
  EPERM: "this user may not read it"
}

const describeError = (cause: unknown): string => {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
  return reasons[code] ?? `it cannot be read: ${String(cause)}`
}
