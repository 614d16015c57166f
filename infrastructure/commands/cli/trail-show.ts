import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import type { SubjectQuery } from "../../web/api/requests/operator-queries.ts"
import { isBefore, parsePosition } from "../../../domain/events/recorded-event.ts"
import type { DataOf } from "../../web/operators/operations.ts"
import { visibleLine } from "../../platform/visible-text.ts"
import { cannotRun, CommandFailed } from "./exit.ts"
import { PipeClosed, toStandardOutput, writeTo } from "./export-target.ts"
import { jsonFlag, switchFlag } from "./flags.ts"
import { revealFlag, runRepeatedly, runReveals } from "./operation.ts"
import { firstRows, jsonLine, note, print } from "./output.ts"
import type { ReadCall } from "./request.ts"
import { subjectOf, SUBJECTS, trailFlags } from "./trail-subject.ts"
import { formatTrailItem, nameOf } from "./views.ts"

type Subject = typeof SubjectQuery.Type
type TrailItem = DataOf<"getTrail">["events"][number]

/** The most events of a branch that are shown. */
const BRANCH_EVENTS = 2_000

/** One line for each request that an id of a caller stands for. None for the service's own id. */
const requestLines = (id: string, requestIds: ReadonlySet<string>): ReadonlyArray<string> =>
  requestIds.size === 1 && requestIds.has(id)
    ? []
    : [...requestIds].map((request) => visibleLine(`Request ${request}, which its caller named ${id}`))

const isAbsent = (error: unknown): boolean => error instanceof CommandFailed && error.exitCode === 1

/** One line for each branch that exists, with its service. */
const branchLines = Effect.fnUntraced(function* <E, R>(call: ReadCall<E, R>, branchIds: Iterable<string>) {
  const lines = yield* Effect.forEach(branchIds, (id) =>
    Effect.gen(function* () {
      const branch = yield* call({ name: "getBranch", params: { id } })
      const service = yield* call({ name: "getService", params: { id: branch.serviceId } })
      return [visibleLine(`Branch ${nameOf(branch)} of service ${nameOf(service)}`)]
    }).pipe(Effect.catchIf(isAbsent, () => Effect.succeed([]))))
  return lines.flat()
})

const branchIdsOf = (items: ReadonlyArray<TrailItem>): ReadonlySet<string> =>
  new Set(items.flatMap(({ data: { branchId } }) => typeof branchId === "string" ? [branchId] : []))

const isEarlier = (one: TrailItem, other: TrailItem): boolean => {
  const [position, otherPosition] = [parsePosition(one.position), parsePosition(other.position)]
  return position !== undefined && otherPosition !== undefined && isBefore(position, otherPosition)
}

/** A trail as it is printed. */
interface Trail {
  /** The first lines of the text. */
  readonly heading: ReadonlyArray<string>
  /** In the order of the log. */
  readonly items: ReadonlyArray<TrailItem>
  /** Whether there are earlier events, which are not shown. */
  readonly isTruncated: boolean
}

/** Reads a trail. Its pages are not in the order of the log, so all of its events are in memory. */
const readTrail = (subject: Subject, show: { readonly reveal?: "true"; readonly masked?: "true" }) =>
  Effect.fnUntraced(function* <E, R>(call: ReadCall<E, R>) {
    const { branch, request } = subject
    const { hasMore, items: found } = yield* firstRows(
      branch === undefined ? Infinity : BRANCH_EVENTS,
      (page) =>
        Effect.map(
          call({ name: "getTrail", query: { ...subject, ...show } }, page),
          ({ events, nextCursor }) => ({ items: events, nextCursor })
        )
    )
    const items = [...new Map(found.map((item) => [item.position, item])).values()]
      .sort((one, other) => isEarlier(one, other) ? -1 : 1)
    const heading = request === undefined
      ? yield* branchLines(call, branch === undefined ? branchIdsOf(items) : [branch])
      : requestLines(request, new Set(items.map(({ requestId }) => requestId)))
    const trail: Trail = { heading, items, isTruncated: hasMore }
    return trail
  })

const noteTruncated = (isTruncated: boolean) =>
  isTruncated ? note("… earlier events are left out: sliptrail trail export --branch writes all of them") : Effect.void

/** Prints the events of a trail as text, or as a JSON array. */
const printTrail = Effect.fnUntraced(function* <E, R>(read: Effect.Effect<Trail, E, R>, json: boolean) {
  const { heading, isTruncated, items } = yield* read
  yield* print(json, items, () => Console.log([...heading, ...items.map(formatTrailItem)].join("\n")))
  yield* noteTruncated(isTruncated)
})

/**
 * Prints the trail, and then each new event until the command is interrupted, or until the reader of standard output, such as
 * `head`, has closed the pipe. JSON is one line for each event.
 */
const followTrail = Effect.fnUntraced(
  function* <E, R>(read: Effect.Effect<Trail, E, R>, json: boolean) {
    const write = writeTo(yield* toStandardOutput)
    const writeLines = (lines: ReadonlyArray<string>) =>
      lines.length === 0 ? Effect.void : write(`${lines.join("\n")}\n`)
    const seen = new Set<string>()
    const writeNew = ({ items }: Trail) => {
      const fresh = items.filter(({ position }) => !seen.has(position))
      for (const { position } of fresh) seen.add(position)
      return writeLines(fresh.map(json ? jsonLine : formatTrailItem))
    }
    const first = yield* read
    if (!json) yield* writeLines(first.heading)
    yield* writeNew(first)
    yield* noteTruncated(first.isTruncated)
    let isAway = false
    while (true) {
      yield* Effect.sleep(POLL)
      const found = yield* Effect.result(read)
      if (found._tag === "Success") {
        isAway = false
        yield* writeNew(found.success)
        continue
      }
      const error = found.failure
      if (!(error instanceof CommandFailed) || error.isTransient !== true) return yield* Effect.fail(error)
      if (!isAway) yield* note(`${error.message}; trying again`)
      isAway = true
    }
  },
  Effect.catchIf((error) => error instanceof PipeClosed, () => Effect.void)
)

/** Long enough for a service that many operators watch. */
const POLL = "1 second"

export const show = Command.make(
  "show",
  {
    ...trailFlags,
    follow: switchFlag("follow", "Go on with new events until Ctrl-C; --json then prints one line for each event"),
    reveal: revealFlag,
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ follow, json, reveal, ...flags }) {
    const subject = yield* subjectOf(flags, `${SUBJECTS}, --request ID`)
    if (follow && reveal) return yield* cannotRun("--follow: cannot be used with --reveal")
    if (!reveal) {
      // Personal data is sealed in JSON, and masked in text for people.
      const read = readTrail(subject, json ? {} : { masked: "true" })
      return yield* runRepeatedly(read, (read) => follow ? followTrail(read, json) : printTrail(read, json))
    }
    // The trail of its subject records the access.
    if (subject.request !== undefined) {
      return yield* cannotRun(
        "--reveal does not work with --request: use the --job, --slip or --verification that its events name"
      )
    }
    const [query = ""] = Object.entries(subject).map(([name, value]) => `${name}=${value}`)
    yield* runReveals(
      `stop it first, or use its admin API with --url, which records the access too: GET /admin/v1/trail?${query}&reveal=true`,
      (call) => printTrail(readTrail(subject, { reveal: "true" })(call), json)
    )
  })
).pipe(
  Command.withDescription("Show the events of a job, slip, verification, branch or request, oldest first")
)
