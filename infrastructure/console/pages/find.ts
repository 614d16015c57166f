import { Effect } from "effect"
import { batchJobName, parseId } from "../../../domain/ids.ts"
import { Identifiers } from "../../../ports/identifiers.ts"
import { Directory } from "../../../application/provisioning/directory.ts"
import { anyJob } from "../../../application/jobs/job-view.ts"
import { isRequest } from "../../../application/trail/trail-request.ts"
import { slipJobs, slipStreams } from "../../../application/trail/trail-sources.ts"
import { streamOfVerification } from "../../../application/trail/trail-subject.ts"
import { trailReady } from "../../../application/trail/trail.ts"
import { readQr } from "../../../domain/slip/qr-kind.ts"
import { markup } from "../../http/html.ts"
import { type Page, pathTo, seeOther, type Visit } from "../page-context.ts"
import { requestPath } from "./request.ts"
import { isRequestId } from "../../telemetry/trace-ids.ts"

interface Slip {
  readonly sendingBank: string
  readonly transRef: string
}

/** A slip as people write it, or as its QR code says it. */
const slipIn = (text: string): Slip | undefined => {
  const [, bank, reference] = /^(\w{1,10}):([^\s:/]{1,64})$/u.exec(text) ?? []
  if (bank !== undefined && reference !== undefined) return { sendingBank: bank, transRef: reference }
  const { kind, sendingBank, transRef } = readQr(text)
  return kind === "slip" && sendingBank !== null && transRef !== null ? { sendingBank, transRef } : undefined
}

const slipPath = ({ sendingBank, transRef }: Slip): string => pathTo("trail", "slip", sendingBank, transRef)

const isKnown = Effect.fnUntraced(function* ({ sendingBank, transRef }: Slip) {
  return (yield* slipStreams(sendingBank, transRef)).length > 0 || (yield* slipJobs(sendingBank, transRef)).length > 0
})

const requestOf = Effect.fnUntraced(function* (text: string) {
  return isRequestId(text) && (yield* isRequest(text)) ? requestPath(text) : undefined
})

/** The page of whatever has this id. A job's id is its verification's too: the job says more. */
const placeOf = Effect.fnUntraced(function* (id: string) {
  if ((yield* anyJob(id)) !== undefined) return pathTo("trail", "job", id)
  const directory = yield* Directory
  if ((yield* directory.branch(id)) !== undefined) return pathTo("branches", id)
  if ((yield* directory.service(id)) !== undefined) return pathTo("services", id)
  const { derived } = yield* Identifiers
  if ((yield* anyJob(derived(batchJobName(id, 0)))) !== undefined) return pathTo("batches", id)
  yield* trailReady
  return (yield* streamOfVerification(id)) === undefined ? undefined : pathTo("trail", "verification", id)
})

/** Requests have whatever ids their callers choose, also such as look like a slip: slips that are known come first. */
const placeOfText = Effect.fnUntraced(function* (text: string) {
  yield* trailReady
  const slip = slipIn(text)
  if (slip === undefined) return yield* requestOf(text)
  return (yield* isKnown(slip)) ? slipPath(slip) : (yield* requestOf(text)) ?? slipPath(slip)
})

const helpPage = ({ words: { find } }: Visit, said: ReadonlyArray<string>): Page => ({
  _tag: "Page",
  title: find.title,
  status: said.length === 0 ? 200 : 404,
  content: markup`<h1>${find.title}</h1>${said.map((line) => markup`<p>${line}</p>`)}<p>${find.lead}</p><ul>${
    find.kinds.map((kind) => markup`<li>${kind}</li>`)
  }</ul>`
})

/** Goes to what was looked for, or says what was looked at and how to look. */
export const find = Effect.fnUntraced(function* (visit: Visit) {
  const { query, words } = visit
  const text = (query.get("q") ?? "").trim()
  if (text === "") return helpPage(visit, [])
  const id = parseId(text)
  // Ids of requests are told apart by their case, all others are not.
  const place = id === undefined ? yield* placeOfText(text) : (yield* placeOf(id)) ?? (yield* requestOf(text))
  if (place !== undefined) return seeOther(place)
  return helpPage(
    visit,
    isRequestId(text) ? [words.find.nothing(text), words.find.looked] : [words.find.noId(text)]
  )
})
