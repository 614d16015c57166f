import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { Directory } from "../../application/provisioning/directory.ts"
import {
  loggedSubject,
  trail as readTrail,
  trailItem,
  type TrailRequest,
  type TrailSubject,
  withoutSecrets
} from "../../application/trail/trail.ts"
import { type ExportPage, selectTrail } from "../../application/trail/export.ts"
import { maskEvent, openEvent } from "../../application/trail/sealed-fields.ts"
import { beginning, type RecordedEvent } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { at } from "./trail-at.ts"
import { exported } from "./trail-export.ts"
import { forget } from "./trail-forget.ts"
import { checkProof, prove } from "./trail-proof.ts"
import { adminQueryOf, notFoundMessage, requireSubject, trailFlags, trailQueryOf } from "./trail-subject.ts"
import { verify } from "./trail-verify.ts"
import { answerIsNo } from "./exit.ts"
import { jsonFlag } from "./flags.ts"
import { revealFlag, runReveal } from "./operation.ts"
import { note, printItems } from "./output.ts"
import { visibleLine } from "../visible-text.ts"
import { readStores } from "./stores.ts"
import { formatEvent, nameOf } from "./views.ts"

/** The most items and events of a branch that are shown. */
const BRANCH_EVENTS = 2_000

/** One line for each request that an id of a caller stands for. None for the service's own id. */
const requestLines = (id: string, requestIds: ReadonlySet<string>): ReadonlyArray<string> =>
  requestIds.size === 1 && requestIds.has(id)
    ? []
    : [...requestIds].map((request) => visibleLine(`Request ${request}, which its caller named ${id}`))

/** One line for each branch that the events belong to, with its service. */
const branchLines = Effect.fnUntraced(function* (branchIds: Iterable<string>) {
  const directory = yield* Directory
  const lines: Array<string> = []
  for (const id of branchIds) {
    const branch = yield* directory.branch(id)
    const service = branch === undefined ? undefined : yield* directory.service(branch.serviceId)
    if (branch === undefined || service === undefined) continue
    lines.push(visibleLine(`Branch ${nameOf(branch)} of service ${nameOf(service)}`))
  }
  return lines
})

/** The latest events of a branch. */
const latestOfBranch = Effect.fnUntraced(function* (branch: TrailSubject) {
  const { events, nextCursor } = yield* readTrail(branch, { limit: BRANCH_EVENTS, upTo: undefined })
  const head = yield* (yield* EventStore).head
  const at = events.at(-1)?.position ?? head
  return {
    count: events.length,
    heading: branch._tag === "Branch" ? yield* branchLines([branch.id.toLowerCase()]) : [],
    isTruncated: nextCursor !== null,
    pages: <E, R>(take: Take<E, R>) => Effect.asVoid(take({ events, at, head }))
  }
})

type Take<E, R> = (page: ExportPage) => Effect.Effect<void, E, R>

/** All events of another subject or a request. */
const allEvents = Effect.fnUntraced(function* (query: TrailSubject | TrailRequest) {
  const { branchIds, count, pages, requestIds } = yield* selectTrail(query, { from: undefined, to: undefined })
  return {
    count,
    heading: query._tag === "Request" ? requestLines(query.id, requestIds) : yield* branchLines(branchIds),
    isTruncated: false,
    pages: <E, R>(take: Take<E, R>) => Effect.asVoid(pages(beginning, take))
  }
})

const eventsOf = Effect.fnUntraced(function* (query: TrailSubject | TrailRequest) {
  return yield* Effect.catchTag(
    query._tag === "Branch" ? latestOfBranch(query) : allEvents(query),
    "TrailEmpty",
    () => Effect.fail(answerIsNo(notFoundMessage(query)))
  )
})

/** Prints the events of a trail page by page: as text, or as items of one JSON array. */
const printTrail = Effect.fnUntraced(function* <E, R>(
  { count, heading, isTruncated, pages }: Effect.Success<ReturnType<typeof eventsOf>>,
  json: boolean,
  show: (event: RecordedEvent) => Effect.Effect<RecordedEvent, E, R>
) {
  let left = count
  if (json) yield* Console.log("[")
  else for (const line of heading) yield* Console.log(line)
  yield* pages(Effect.fnUntraced(function* ({ events }) {
    const shown = (yield* Effect.forEach(events, show)).map(withoutSecrets)
    left -= shown.length
    yield* json ? printItems(shown.map(trailItem), left === 0) : Console.log(shown.map(formatEvent).join("\n"))
  }))
  if (json) yield* Console.log("]")
  if (isTruncated) yield* note("… earlier events are left out: sliptrail trail export --branch writes all of them")
})

const showRevealed = (subject: TrailSubject, json: boolean) =>
  runReveal(
    `stop it first, or use its admin API, which records the access too: GET /admin/v1/trail?${
      adminQueryOf(subject)
    }&reveal=true`,
    Effect.fnUntraced(function* (record) {
      // Read first: a subject without events is not recorded.
      const found = yield* eventsOf(subject)
      const logged = yield* loggedSubject(subject)
      yield* record({ command: "trail show", from: null, to: null, branchId: null, subject: logged })
      yield* printTrail(found, json, openEvent)
    })
  )

/** Personal data is sealed in JSON, and masked in text for people. */
const showSealed = (query: TrailSubject | TrailRequest, json: boolean) =>
  readStores(Effect.flatMap(eventsOf(query), (found) => printTrail(found, json, json ? Effect.succeed : maskEvent)))

const show = Command.make(
  "show",
  { ...trailFlags, reveal: revealFlag, json: jsonFlag },
  Effect.fnUntraced(function* ({ json, reveal, ...flags }) {
    const query = yield* trailQueryOf(flags)
    yield* reveal
      ? Effect.flatMap(requireSubject(query), (subject) => showRevealed(subject, json))
      : showSealed(query, json)
  })
).pipe(
  Command.withDescription("Show the events of a job, slip, verification, branch or request, oldest first")
)

export const trail = Command.make("trail").pipe(
  Command.withDescription("The trail of events"),
  Command.withSubcommands([show, at, exported, forget, verify, prove, checkProof])
)
