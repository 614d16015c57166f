import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { Directory } from "../../../application/provisioning/directory.ts"
import { selectTrail } from "../../../application/trail/export.ts"
import { maskEvent, openEvent } from "../../../application/trail/sealed-fields.ts"
import {
  loggedSubject,
  trail as readTrail,
  trailItem,
  type TrailRequest,
  type TrailSubject,
  withoutSecrets
} from "../../../application/trail/trail.ts"
import { beginning, type RecordedEvent } from "../../../domain/events/recorded-event.ts"
import type { EventStore, EventStoreError } from "../../../ports/event-store.ts"
import { visibleLine } from "../../platform/visible-text.ts"
import { answerIsNo, cannotRun, CommandFailed } from "./exit.ts"
import { PipeClosed, toStandardOutput, writeTo } from "./export-target.ts"
import { jsonFlag } from "./flags.ts"
import { atTarget, revealFlag, runReveal } from "./operation.ts"
import { jsonLine, note, printItems } from "./output.ts"
import type { Call } from "./request.ts"
import { readStores } from "./stores.ts"
import { remoteTrail, type Show, type TrailItem } from "./trail-pages.ts"
import { adminQueryOf, notFoundMessage, requireSubject, trailFlags, trailQueryOf } from "./trail-subject.ts"
import { formatTrailItem, nameOf } from "./views.ts"

type Query = TrailSubject | TrailRequest

/** The most items and events of a branch that are shown. */
const BRANCH_EVENTS = 2_000

/** One line for each request that an id of a caller stands for. None for the service's own id. */
const requestLines = (id: string, requestIds: ReadonlySet<string>): ReadonlyArray<string> =>
  requestIds.size === 1 && requestIds.has(id)
    ? []
    : [...requestIds].map((request) => visibleLine(`Request ${request}, which its caller named ${id}`))

interface Named {
  readonly id: string
  readonly name: string
}

const branchLine = (branch: Named, service: Named): string =>
  visibleLine(`Branch ${nameOf(branch)} of service ${nameOf(service)}`)

/** One line for each branch that the events belong to, with its service. */
const branchLines = Effect.fnUntraced(function* (branchIds: Iterable<string>) {
  const directory = yield* Directory
  const lines: Array<string> = []
  for (const id of branchIds) {
    const branch = yield* directory.branch(id)
    const service = branch === undefined ? undefined : yield* directory.service(branch.serviceId)
    if (branch !== undefined && service !== undefined) lines.push(branchLine(branch, service))
  }
  return lines
})

/** A trail with its events in the order of the log. */
interface Found<E, R> {
  /** The first lines of the text. */
  readonly heading: ReadonlyArray<string>
  readonly count: number
  /** Whether there are earlier events, which are not shown. */
  readonly isTruncated: boolean
  readonly pages: <E2, R2>(
    take: (items: ReadonlyArray<TrailItem>) => Effect.Effect<void, E2, R2>
  ) => Effect.Effect<void, E | E2, R | R2>
}

/** Opens or masks the sealed data of an event, or leaves it sealed. */
type ShowEvent<E, R> = (event: RecordedEvent) => Effect.Effect<RecordedEvent, E, R>

const itemsOf = <E, R>(events: ReadonlyArray<RecordedEvent>, show: ShowEvent<E, R>) =>
  Effect.map(
    Effect.forEach(events, show),
    (shown): ReadonlyArray<TrailItem> => shown.map((event) => trailItem(withoutSecrets(event)))
  )

/** The latest events of a branch. */
const latestOfBranch = Effect.fnUntraced(function* <E, R>(branch: TrailSubject, show: ShowEvent<E, R>) {
  const { events, nextCursor } = yield* readTrail(branch, { limit: BRANCH_EVENTS, upTo: undefined })
  const found: Found<E, R> = {
    count: events.length,
    heading: branch._tag === "Branch" ? yield* branchLines([branch.id.toLowerCase()]) : [],
    isTruncated: nextCursor !== null,
    pages: (take) => Effect.flatMap(itemsOf(events, show), take)
  }
  return found
})

/** All events of another subject or a request. */
const allEvents = Effect.fnUntraced(function* <E, R>(query: Query, show: ShowEvent<E, R>) {
  const { branchIds, count, pages, requestIds } = yield* selectTrail(query, { from: undefined, to: undefined })
  const found: Found<E | EventStoreError, R | EventStore> = {
    count,
    heading: query._tag === "Request" ? requestLines(query.id, requestIds) : yield* branchLines(branchIds),
    isTruncated: false,
    pages: (take) => Effect.asVoid(pages(beginning, ({ events }) => Effect.flatMap(itemsOf(events, show), take)))
  }
  return found
})

const eventsHere = Effect.fnUntraced(function* <E, R>(query: Query, show: ShowEvent<E, R>) {
  return yield* Effect.catchTag(
    query._tag === "Branch" ? latestOfBranch(query, show) : allEvents(query, show),
    "TrailEmpty",
    () => Effect.fail(answerIsNo(notFoundMessage(query)))
  )
})

const isAbsent = ({ exitCode }: CommandFailed): boolean => exitCode === 1

/** The same lines as `branchLines`, from the admin API. */
const remoteBranchLines = Effect.fnUntraced(function* (call: Call, branchIds: Iterable<string>) {
  const lines = yield* Effect.forEach(branchIds, (id) =>
    Effect.gen(function* () {
      const branch = yield* call({ name: "getBranch", params: { id } })
      return [branchLine(branch, yield* call({ name: "getService", params: { id: branch.serviceId } }))]
    }).pipe(Effect.catchIf(isAbsent, () => Effect.succeed([]))))
  return lines.flat()
})

const branchIdsOf = (items: ReadonlyArray<TrailItem>): ReadonlySet<string> =>
  new Set(items.flatMap(({ data: { branchId } }) => typeof branchId === "string" ? [branchId] : []))

const remoteHeading = (call: Call, query: Query, items: ReadonlyArray<TrailItem>) => {
  if (query._tag === "Request") {
    return Effect.succeed(requestLines(query.id, new Set(items.map(({ requestId }) => requestId))))
  }
  return remoteBranchLines(call, query._tag === "Branch" ? [query.id.toLowerCase()] : branchIdsOf(items))
}

const eventsThere = Effect.fnUntraced(function* (call: Call, query: Query, show: Show) {
  const limit = query._tag === "Branch" ? BRANCH_EVENTS : Infinity
  const { isTruncated, items } = yield* remoteTrail(call, query, show, limit)
  const found: Found<never, never> = {
    count: items.length,
    heading: yield* remoteHeading(call, query, items),
    isTruncated,
    pages: (take) => take(items)
  }
  return found
})

const printHeading = (heading: ReadonlyArray<string>) => Effect.forEach(heading, (line) => Console.log(line))

const noteTruncated = (isTruncated: boolean) =>
  isTruncated ? note("… earlier events are left out: sliptrail trail export --branch writes all of them") : Effect.void

/** Prints the events of a trail page by page: as text, or as items of one JSON array. */
const printTrail = Effect.fnUntraced(
  function* <E, R>({ count, heading, isTruncated, pages }: Found<E, R>, json: boolean) {
    let left = count
    if (json) yield* Console.log("[")
    else yield* printHeading(heading)
    yield* pages((items) => {
      left -= items.length
      return json ? printItems(items, left === 0) : Console.log(items.map(formatTrailItem).join("\n"))
    })
    if (json) yield* Console.log("]")
    yield* noteTruncated(isTruncated)
  }
)

/**
 * Prints the trail, and then each new event until the command is interrupted, or until the reader of standard output, such as
 * `head`, has closed the pipe. JSON is one line for each event.
 */
const followTrail = Effect.fnUntraced(
  function* <E, R>(read: Effect.Effect<Found<never, never>, E, R>, json: boolean) {
    const write = writeTo(yield* toStandardOutput)
    const writeLines = (lines: ReadonlyArray<string>) =>
      lines.length === 0 ? Effect.void : write(`${lines.join("\n")}\n`)
    const seen = new Set<string>()
    const writeNew = ({ pages }: Found<never, never>) =>
      pages((items) => {
        const fresh = items.filter(({ position }) => !seen.has(position))
        for (const { position } of fresh) seen.add(position)
        return writeLines(fresh.map(json ? jsonLine : formatTrailItem))
      })
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

/** Reads all pages, so that the stores can be closed before the next poll: another process may need them. */
const collected = Effect.fnUntraced(function* <E, R>({ pages, ...found }: Found<E, R>) {
  const all: Array<TrailItem> = []
  yield* pages((items) =>
    Effect.sync(() => {
      all.push(...items)
    })
  )
  return { ...found, pages: (take) => take(all) } satisfies Found<never, never>
})

const showRevealed = (subject: TrailSubject, json: boolean) =>
  runReveal(
    `stop it first, or use its admin API with --url, which records the access too: GET /admin/v1/trail?${
      adminQueryOf(subject)
    }&reveal=true`,
    Effect.fnUntraced(function* (record) {
      // Read first: a subject without events is not recorded.
      const found = yield* eventsHere(subject, openEvent)
      const logged = yield* loggedSubject(subject)
      yield* record({ command: "trail show", from: null, to: null, branchId: null, subject: logged })
      yield* printTrail(found, json)
    })
  )

interface Options {
  readonly json: boolean
  readonly follow: boolean
  readonly reveal: boolean
}

/** Personal data is sealed in JSON, and masked in text for people. */
const showHere = (query: Query, { follow, json }: Options) => {
  const show = json ? Effect.succeed<RecordedEvent> : maskEvent
  return follow
    ? followTrail(readStores(Effect.flatMap(eventsHere(query, show), collected)), json)
    : readStores(Effect.flatMap(eventsHere(query, show), (found) => printTrail(found, json)))
}

const showThere = (query: Query, { follow, json, reveal }: Options) => (call: Call) => {
  const read = eventsThere(call, query, reveal ? { reveal: "true" } : json ? {} : { masked: "true" })
  return follow ? followTrail(read, json) : Effect.flatMap(read, (found) => printTrail(found, json))
}

export const show = Command.make(
  "show",
  {
    ...trailFlags,
    follow: Flag.Boolean("follow").pipe(
      Flag.withDescription("Go on with new events until Ctrl-C; --json then prints one line for each event"),
      Flag.withDefault(false)
    ),
    reveal: revealFlag,
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ follow, json, reveal, ...flags }) {
    const options = { follow, json, reveal }
    const query = yield* trailQueryOf(flags)
    if (follow && reveal) return yield* cannotRun("--follow: cannot be used with --reveal")
    if (!reveal) return yield* atTarget(showThere(query, options), showHere(query, options))
    const subject = yield* requireSubject(query)
    yield* atTarget(showThere(subject, options), showRevealed(subject, json))
  })
).pipe(
  Command.withDescription("Show the events of a job, slip, verification, branch or request, oldest first")
)
