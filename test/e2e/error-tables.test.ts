import { assert, describe, it, layer } from "../support/it.ts"
import { Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import { SlipVerifier } from "../../application/verification/verify-slip.ts"
import { BankGateway } from "../../ports/bank-gateway.ts"
import { layerEngines } from "../../infrastructure/runtime/engines.ts"
import { layerExternal } from "../../infrastructure/runtime/external-layers.ts"
import { layerHttp } from "../../infrastructure/runtime/listeners.ts"
import type { Settings } from "../../infrastructure/platform/settings/settings.ts"
import type { Answer } from "../support/client.ts"
import { layerRunningService } from "../support/service.ts"
import { assertFailure, assertV1Failure } from "./assert-answer.ts"
import { BROKEN_BANK, env } from "./situations.ts"
import { v1Provocations } from "./v1-provocations.ts"
import { v2Provocations } from "./v2-provocations.ts"

interface Row {
  /** The code, followed by the message where several rows have the same code. */
  readonly key: string
  readonly status: number
  readonly code: string
  readonly message: string
}

const tables = readFileSync(new URL("../fixtures/error-tables.md", import.meta.url), "utf8")

/** The table rows below a heading of the fixture. */
const rowsOf = (heading: string): ReadonlyArray<Row> => {
  const [, section = ""] = tables.split(`### ${heading}\n`)
  const [table = ""] = section.split("\n### ")
  const rows = [...table.matchAll(/^\| (\d{3}) \| (\w+) \| ([^|]+) \| [^|]+ \|$/gmu)]
  const isShared = (code: string) => rows.filter((row) => row[2] === code).length > 1
  return rows.map(([, status, code = "", message = ""]) => ({
    key: isShared(code) ? `${code}: ${message}` : code,
    status: Number(status),
    code,
    message
  }))
}

const assertV2Row = (answer: Answer, { code, message, status }: Row) => assertFailure(answer, status, code, message)

/** In v1 the answer's message is the code. The table's message column is for readers only. */
const assertV1Row = (answer: Answer, { code, status }: Row) => assertV1Failure(answer, status, code)

const versions = [
  { heading: "v2 codes", provocations: v2Provocations, assertRow: assertV2Row },
  { heading: "v1 codes", provocations: v1Provocations, assertRow: assertV1Row }
]

/** The service with a gateway that dies for the slips of one bank. */
const withDefect = (settings: Settings) =>
  layerHttp(settings).pipe(
    Layer.provideMerge(SlipVerifier.layer),
    Layer.provideMerge(Layer.effect(
      BankGateway,
      Effect.map(BankGateway, (gateway) =>
        BankGateway.of({
          ...gateway,
          verify: (inquiry) => inquiry.sendingBank === BROKEN_BANK ? Effect.die("a defect") : gateway.verify(inquiry)
        }))
    )),
    Layer.provideMerge(layerExternal(settings)),
    Layer.provideMerge(layerEngines(settings))
  )

const RETRYABLE = ["SLIP_PENDING", "API_SERVER_ERROR", "slip_pending", "api_server_error"]

for (const { assertRow, heading, provocations } of versions) {
  const rows = rowsOf(heading)

  layer.live(layerRunningService(env, withDefect))(`${heading}`, (it) => {
    for (const row of rows) {
      it.effect(`${row.key} is answered as in the table`, function* () {
        const rowProvocations = provocations[row.key] ?? []
        assert.isNotEmpty(rowProvocations, "no provocation for this code")
        for (const provoke of rowProvocations) {
          const answer = yield* provoke
          assertRow(answer, row)
          assert.strictEqual(answer.headers.has("retry-after"), RETRYABLE.includes(row.code))
          if (RETRYABLE.includes(row.code)) assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d*$/u)
        }
      })
    }
  })

  describe(`the ${heading}`, () => {
    it("are exactly the codes with a provocation", () => {
      assert.deepStrictEqual(Object.keys(provocations).toSorted(), rows.map(({ key }) => key).toSorted())
    })
  })
}
