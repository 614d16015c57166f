import { Effect } from "effect"
import { anyJob } from "../../../application/jobs/load-job.ts"
import { Directory } from "../../../application/provisioning/directory.ts"
import { isKnownSlip, isRequest, streamOfVerification } from "../../../application/trail/trail-sources.ts"
import { trailReady } from "../../../application/trail/trail.ts"
import { batchJobName, parseId } from "../../../domain/ids.ts"
import { readQr } from "../../../domain/slip/qr-kind.ts"
import { Identifiers } from "../../../ports/identifiers.ts"
import { markup } from "../../pages/html.ts"
import { isRequestId } from "../../telemetry/trace-ids.ts"
import { type Page, type PageContext, pathTo } from "../page-context.ts"
import { redirect } from "../../pages/page-result.ts"
import { requestPath } from "./request.ts"

interface Slip {
  readonly sendingBank: string
  readonly transRef: string
}

/** A slip written as `BANK:TRANSREF`, or the text of its QR code. */
const parseSlip = (text: string): Slip | undefined => {
  const [, bank, reference] = /^(\w{1,10}):([^\s:/]{1,64})$/u.exec(text) ?? []
  if (bank !== undefined && reference !== undefined) return { sendingBank: bank, transRef: reference }
  const { kind, sendingBank, transRef } = readQr(text)
  return kind === "slip" && sendingBank !== null && transRef !== null ? { sendingBank, transRef } : undefined
}

const slipPath = ({ sendingBank, transRef }: Slip): string => pathTo("trail", "slip", sendingBank, transRef)

const requestPathOf = Effect.fnUntraced(function* (text: string) {
  return isRequestId(text) && (yield* isRequest(text)) ? requestPath(text) : undefined
})

/** The page of an id. A job and its verification share the id: the job's page shows more. */
const pathOfId = Effect.fnUntraced(function* (id: string) {
  if ((yield* anyJob(id)) !== undefined) return pathTo("trail", "job", id)
  const directory = yield* Directory
  if ((yield* directory.branch(id)) !== undefined) return pathTo("branches", id)
  if ((yield* directory.service(id)) !== undefined) return pathTo("services", id)
  const { derived } = yield* Identifiers
  if ((yield* anyJob(derived(batchJobName(id, 0)))) !== undefined) return pathTo("batches", id)
  yield* trailReady
  return (yield* streamOfVerification(id)) === undefined ? undefined : pathTo("trail", "verification", id)
})

/** A caller may choose a request id that looks like a slip. A slip with events comes first. */
const pathOfText = Effect.fnUntraced(function* (text: string) {
  yield* trailReady
  const slip = parseSlip(text)
  if (slip === undefined) return yield* requestPathOf(text)
  return (yield* isKnownSlip(slip.sendingBank, slip.transRef))
    ? slipPath(slip)
    : (yield* requestPathOf(text)) ?? slipPath(slip)
})

const searchPage = ({ messages: { search } }: PageContext, lines: ReadonlyArray<string>): Page => ({
  _tag: "Page",
  title: search.title,
  status: lines.length === 0 ? 200 : 404,
  content: markup`<h1>${search.title}</h1>${lines.map((line) => markup`<p>${line}</p>`)}<p>${search.lead}</p><ul>${
    search.kinds.map((kind) => markup`<li>${kind}</li>`)
  }</ul>`
})

/** Redirects to the page of `?q=`. When nothing is found, explains what can be searched. */
export const findPage = Effect.fnUntraced(function* (context: PageContext) {
  const { messages: { search }, query } = context
  const text = (query.get("q") ?? "").trim()
  if (text === "") return searchPage(context, [])
  const id = parseId(text)
  // Request ids are case-sensitive, all other ids are not.
  const path = id === undefined ? yield* pathOfText(text) : (yield* pathOfId(id)) ?? (yield* requestPathOf(text))
  if (path !== undefined) return redirect(path)
  return searchPage(context, isRequestId(text) ? [search.nothing(text), search.scope] : [search.notAnId(text)])
})
