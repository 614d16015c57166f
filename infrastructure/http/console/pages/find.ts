import { Effect } from "effect"
import { batchJobName, parseId } from "../../../../application/job-ids.ts"
import { Identifiers } from "../../../../application/ports/identifiers.ts"
import { Directory } from "../../../../application/queries/directory.ts"
import { anyJob } from "../../../../application/queries/job.ts"
import { streamOfVerification } from "../../../../application/queries/trail-subject.ts"
import { trailReady } from "../../../../application/queries/trail.ts"
import { readQr } from "../../../../domain/slip/qr-kind.ts"
import { html } from "../../html.ts"
import { type Page, pathTo, seeOther, type Visit } from "../visit.ts"

/** A slip as people write it, or as its QR code says it. */
const slipIn = (text: string): string | undefined => {
  const [, bank, reference] = /^(\w{1,10}):([^\s:/]{1,64})$/u.exec(text) ?? []
  if (bank !== undefined && reference !== undefined) return pathTo("trail", "slip", bank, reference)
  const { kind, sendingBank, transRef } = readQr(text)
  return kind === "slip" && sendingBank !== null && transRef !== null
    ? pathTo("trail", "slip", sendingBank, transRef)
    : undefined
}

/** The page of whatever has this id. A job's id is its verification's too: the job says more. */
const placeOf = Effect.fnUntraced(function*(id: string) {
  if ((yield* anyJob(id)) !== undefined) return pathTo("trail", "job", id)
  const directory = yield* Directory
  if ((yield* directory.branch(id)) !== undefined) return pathTo("branches", id)
  if ((yield* directory.service(id)) !== undefined) return pathTo("services", id)
  const { derived } = yield* Identifiers
  if ((yield* anyJob(derived(batchJobName(id, 0)))) !== undefined) return pathTo("batches", id)
  yield* trailReady
  return (yield* streamOfVerification(id)) === undefined ? undefined : pathTo("trail", "verification", id)
})

const helpPage = ({ words: { find } }: Visit, said: ReadonlyArray<string>): Page => ({
  _tag: "Page",
  title: find.title,
  status: said.length === 0 ? 200 : 404,
  content: html`<h1>${find.title}</h1>${said.map((line) => html`<p>${line}</p>`)}<p>${find.lead}</p><ul>${
    find.kinds.map((kind) => html`<li>${kind}</li>`)
  }</ul>`
})

/** Goes to what was looked for, or says what was looked at and how to look. */
export const find = Effect.fnUntraced(function*(visit: Visit) {
  const { query, words } = visit
  const text = (query.get("q") ?? "").trim()
  if (text === "") return helpPage(visit, [])
  const id = parseId(text)
  const place = id === undefined ? slipIn(text) : yield* placeOf(id)
  if (place !== undefined) return seeOther(place)
  return helpPage(visit, id === undefined ? [words.find.noId(text)] : [words.find.nothing(text), words.find.looked])
})
