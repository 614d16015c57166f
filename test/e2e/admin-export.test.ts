import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { ndjsonLine } from "../../application/trail/export-lines.ts"
import { trailExports } from "../../domain/events/aggregates.ts"
import { beginning, type RecordedEvent } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { newSlip } from "../support/client.ts"
import { run } from "../support/in-process.ts"
import { ADMIN_TOKEN, layerRunningService, RunningService } from "../support/service.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"
import { assertFailure, assertInvalid } from "./assert-answer.ts"
import { openExport } from "./open-export.ts"

const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000"

const eventsOfType = (type: string) =>
  EventStore.use(({ readAll }) => readAll({ after: beginning, limit: 100_000 })).pipe(
    Effect.map((events) => events.filter((event) => event.type === type))
  )

/** A verified slip with a remark, and the queries that name it. */
const givenSlip = Effect.gen(function* () {
  const { createService, verify } = yield* RunningService
  const { mainBranch } = yield* createService()
  const slip = newSlip()
  const { data } = yield* verify(mainBranch.apiKey, { payload: slip.payload, remark: "โต๊ะ 7" })
  return { branchId: mainBranch.id, ofSlip: `slip=${slip.sendingBank}:${slip.transRef}`, slip, ...data }
})

const exported = Effect.fnUntraced(function* (query: string) {
  return yield* (yield* RunningService).admin("GET", `/trail/export?${query}`)
})

const service = layerRunningService({ CHECKPOINT_INTERVAL: "1 hour" })

layer.live(service)("an export over the admin API", (it) => {
  it.effect("has the bytes of the command, which the running service keeps from recording", function* () {
    const { dataDir } = yield* RunningService
    const { branchId, ofSlip, slip, verificationId } = yield* givenSlip
    const file = join(yield* temporaryFolder, "export")
    const flagsOf = (query: string): ReadonlyArray<string> =>
      query.split("&").filter((part) => part !== "").flatMap((part) => {
        const [name = "", value = ""] = part.split("=")
        return value === "true" ? [`--${name}`] : [`--${name}`, decodeURIComponent(value)]
      })
    for (
      const query of [
        "",
        "format=csv&bom=true",
        "masked=true",
        "from=2020-01-01&to=2999-12-31&after=3/3",
        ofSlip,
        `${ofSlip}&format=csv`,
        `verification=${verificationId}&masked=true`,
        `branch=${branchId.toUpperCase()}&format=csv`
      ]
    ) {
      const { headers, status, text } = yield* exported(query)
      assert.strictEqual(status, 200, text)
      const format = query.includes("csv") ? "text/csv; charset=utf-8" : "application/x-ndjson"
      assert.strictEqual(headers.get("content-type"), format)
      assert.match(headers.get("x-request-id") ?? "", /^[\da-f-]{36}$/u)
      const command = yield* run(["trail", "export", ...flagsOf(query), "--out", file], {
        DATA_DIR: dataDir
      })
      assert.strictEqual(command.code, 0, command.stderr)
      assert.strictEqual(`${query.includes("bom") ? "\u{feff}" : ""}${text}`, readFileSync(file, "utf8"), query)
      rmSync(file)
      assert.notInclude(text, slip.payload)
    }
  })

  it.effect("is recorded before its first byte, and contains its record", function* () {
    const { branchId } = yield* givenSlip
    const { headers, text } = yield* exported(`branch=${branchId}&format=csv&from=2020-01-01&after=2/2`)
    const requestId = headers.get("x-request-id") ?? ""
    const [record] = (yield* eventsOfType("TrailExported")).filter(({ metadata }) =>
      metadata.correlationId === requestId
    )
    assert.isDefined(record)
    const { at: _, exportId: __, ...event } = trailExports.codec.decode(record)
    assert.deepStrictEqual(event, {
      _tag: "TrailExported",
      format: "csv",
      personalData: "masked",
      from: "2019-12-31T17:00:00.000Z",
      to: null,
      after: "2/2",
      subject: { kind: "branch", id: branchId }
    })
    assert.deepInclude(record.metadata.actor, { kind: "admin", id: "api" })
    assert.include(text, record.id)
  })

  it.effect("opens sealed data after a disclosure, which is its only event, and shows erased data as forgotten", function* () {
    const { admin } = yield* RunningService
    const { ofSlip, slip } = yield* givenSlip
    const before = (yield* eventsOfType("TrailExported")).length
    const { headers, text } = yield* exported(`${ofSlip}&reveal=true`)
    assert.include(text, slip.transRef)
    assert.include(text, "โต๊ะ 7")
    const disclosures = (yield* eventsOfType("PersonalDataRevealed")).filter(({ metadata }) =>
      metadata.correlationId === headers.get("x-request-id")
    )
    assert.lengthOf(disclosures, 1)
    assert.deepInclude(disclosures[0]?.data, { command: "GET /admin/v1/trail/export", branchId: null })
    assert.lengthOf(yield* eventsOfType("TrailExported"), before)

    yield* admin("POST", "/forget", { slip: `${slip.sendingBank}:${slip.transRef}` })
    for (const query of [`${ofSlip}&reveal=true&format=csv`, `${ofSlip}&format=csv`]) {
      const after = yield* exported(query)
      assert.notInclude(after.text, slip.transRef)
      assert.match(after.text, /,forgotten,forgotten,forgotten,forgotten,forgotten,forgotten,/u)
    }
  })

  it.effect("is recorded when its reader is gone after the first byte", function* () {
    const client = yield* RunningService
    const { ofSlip } = yield* givenSlip
    for (const [query, type] of [["", "TrailExported"], [`${ofSlip}&reveal=true`, "PersonalDataRevealed"]] as const) {
      const { request, response } = yield* openExport(client, query)
      request.destroy()
      const requestIds = (yield* eventsOfType(type)).map(({ metadata }) => metadata.correlationId)
      assert.include(requestIds, response.headers["x-request-id"], query)
    }
    // Nothing is read for a reader that is gone, and its place is free.
    for (let index = 0; index < 4; index++) assert.strictEqual((yield* exported(ofSlip)).status, 200)
  })

  it.effect("answers errors as JSON, and records nothing then", function* () {
    const { call } = yield* RunningService
    const before = yield* eventsOfType("TrailExported")
    const wrong = [
      ["from", "from=soon"],
      ["to", "from=2026-11-22&to=2026-11-21"],
      ["after", "after=12"],
      ["format", "format=xlsx"],
      ["bom", "bom=true"],
      ["masked", "masked=true&format=csv"],
      ["masked", "masked=true&reveal=true"],
      ["reveal", "request=r-1&reveal=true"],
      ["reveal", "reveal=1"],
      ["slip", "slip=004"],
      ["", `job=${UNKNOWN_ID}&branch=${UNKNOWN_ID}`]
    ] as const
    for (const [field, query] of wrong) assertInvalid(yield* exported(query), field)
    for (const subject of ["slip=004:NOTHING", `job=${UNKNOWN_ID}`, `verification=${UNKNOWN_ID}`]) {
      for (const more of ["", "&reveal=true"]) {
        assertFailure(yield* exported(subject + more), 404, "NOT_FOUND", "There are no events about it")
      }
    }
    assertFailure(yield* exported(`branch=${UNKNOWN_ID}`), 404, "NOT_FOUND", "There is no such branch")
    const path = "/admin/v1/trail/export"
    assertFailure(yield* call("GET", path), 401, "MISSING_API_KEY", "Authorization header is required")
    assert.strictEqual((yield* call("HEAD", path, { key: ADMIN_TOKEN })).status, 404)
    assert.lengthOf(yield* eventsOfType("TrailExported"), before.length)
  })

  it.effect("lists tree heads and proofs as files, and says when a proof is not there yet", function* () {
    const { admin } = yield* RunningService
    const { verificationId } = yield* givenSlip
    const pending = yield* admin("GET", `/trail/proof?verification=${verificationId}`)
    assertFailure(pending, 404, "PROOF_PENDING", "1 of its 1 events is not signed yet. Try again later")
    assert.isAbove(Number(pending.headers.get("retry-after")), 60)
    assertFailure(
      yield* admin("GET", `/trail/proof?job=${UNKNOWN_ID}`),
      404,
      "NOT_FOUND",
      "There are no events about it"
    )
    for (const query of ["", `job=${UNKNOWN_ID}&verification=${UNKNOWN_ID}`]) {
      assertInvalid(yield* admin("GET", `/trail/proof?${query}`), "")
    }
    assertInvalid(yield* admin("GET", "/trail/proof?job=x"), "job")
    assertInvalid(yield* admin("GET", "/trail/tree-heads?after=x"), "after")
    const treeHeads = yield* admin("GET", "/trail/tree-heads?after=0")
    assert.deepStrictEqual([treeHeads.status, treeHeads.text], [200, ""])
    const key = yield* admin("GET", "/trail/signing-key")
    assert.match(key.text, /^-----BEGIN PUBLIC KEY-----\n[^-]+\n-----END PUBLIC KEY-----\n$/u)
  })
})

/** The whole log as lines. */
const linesOf = (events: ReadonlyArray<RecordedEvent>): string =>
  events.map((event) => ndjsonLine({ event, parties: undefined }, undefined)).join("")

layer.live(layerRunningService())("exports at the same time", (it) => {
  it.effect("are each the whole log up to their own record", function* () {
    yield* givenSlip
    const answers = yield* Effect.all([exported(""), exported("")], { concurrency: 2 })
    const all = yield* EventStore.use(({ readAll }) => readAll({ after: beginning, limit: 1_000 }))
    for (const { text } of answers) {
      const count = text.split("\n").length - 1
      assert.strictEqual(text, linesOf(all.slice(0, count)))
    }
  })
})
