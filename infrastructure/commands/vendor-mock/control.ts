import { Effect } from "effect"
import { decodeFields, type Fields } from "../../web/input/decode.ts"
import type { Answer } from "./faults.ts"
import type { VendorMock } from "./mock.ts"
import { ControlRequest } from "./plan.ts"
import { vendors } from "./vendors.ts"

/** The path of the endpoint that shows and changes the vendors. */
export const CONTROL_PATH = "/_control"

export const jsonAnswer = (status: number, body: unknown): Answer => ({
  status,
  headers: { "content-type": "application/json; charset=utf-8" },
  text: `${JSON.stringify(body, undefined, 2)}\n`,
  delivery: "whole",
  delayMillis: 0
})

const report = (mock: VendorMock): Answer =>
  jsonAnswer(200, Object.fromEntries(vendors.map((vendor) => [vendor, mock.state(vendor)])))

const decode = decodeFields(ControlRequest)

const wrong = (why: string): Answer => jsonAnswer(400, { error: why })

const change = Effect.fnUntraced(function* (mock: VendorMock, body: Uint8Array) {
  const fields = yield* Effect.try({
    try: (): Fields => JSON.parse(new TextDecoder().decode(body)),
    catch: () => wrong("the body is not JSON")
  })
  const unknown = Object.keys(fields).find((name) => !vendors.some((vendor) => vendor === name))
  if (unknown !== undefined) return yield* Effect.fail(wrong(`${unknown} is not one of ${vendors.join(", ")}`))
  const changes = yield* Effect.mapError(
    decode(fields),
    ({ issues }) => wrong(issues.map(({ message, path }) => `${path}: ${message}`).join("; "))
  )
  for (const vendor of vendors) mock.change(vendor, changes[vendor] ?? {})
  return report(mock)
}, Effect.catch((answer) => Effect.succeed(answer)))

/** `GET` shows the state of every vendor, `PUT` changes some of it, `DELETE` starts again. */
export const answerControl = (mock: VendorMock, method: string, body: Uint8Array): Effect.Effect<Answer> => {
  switch (method) {
    case "GET":
      return Effect.sync(() => report(mock))
    case "PUT":
      return change(mock, body)
    case "DELETE":
      return Effect.map(mock.reset, () => report(mock))
    default:
      return Effect.succeed(jsonAnswer(405, { error: "use GET, PUT or DELETE" }))
  }
}
