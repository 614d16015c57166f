import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { csvHeader, csvLine } from "../../../application/trail/export-lines.ts"
import type { Parties } from "../../../application/trail/sealed-fields.ts"
import type { JsonObject, RecordedEvent } from "../../../domain/events/recorded-event.ts"
import { readLine } from "../../support/csv.ts"
import { recordedEvent } from "../../support/event-fixtures.ts"

const event = (type: string, data: JsonObject, stream = "job-1") =>
  recordedEvent(type, data, { stream, revision: 3, position: { commit: 7n, prepare: 8n } })

const written = (event: RecordedEvent, parties?: Parties): string => csvLine({ event, parties }, "whole log; masked")

const row = (recorded: RecordedEvent, parties?: Parties): Readonly<Record<string, string>> => {
  const { cells, rest } = readLine(written(recorded, parties))
  assert.strictEqual(rest, "")
  const names = readLine(csvHeader).cells
  assert.lengthOf(cells, names.length)
  return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ""]))
}

describe("a line of CSV", () => {
  it("keeps its columns", () => {
    assert.strictEqual(
      csvHeader,
      "position,id,stream,revision,type,at,actorKind,actorId,branchId,verificationId,jobId,sendingBank,amountBaht,"
        + "transferredAt,senderBank,senderName,senderAccount,receiverBank,receiverName,receiverAccount,charged,isDuplicate,code,why,gateway,gatewayMillis,callbackStatus,data,export\r\n"
    )
  })

  it("has the position, time and actor of an event", () => {
    const cells = row(event("CallbackRejected", { jobId: "j-1", branchId: "b-1", status: 410 }, "callback-j-1"))
    assert.deepInclude(cells, {
      position: "7/8",
      id: "00000000-0000-0000-0000-000000000000",
      stream: "callback-j-1",
      revision: "3",
      type: "CallbackRejected",
      at: "2026-11-21T00:00:00.000Z",
      actorKind: "system",
      actorId: "test",
      branchId: "b-1",
      jobId: "j-1",
      callbackStatus: "410",
      amountBaht: "",
      isDuplicate: ""
    })
  })

  it("has the code that the caller received", () => {
    const failed = (data: JsonObject) => row(event("VerificationFailed", data, "verification-v-1"))["code"]
    assert.strictEqual(failed({ code: "SLIP_NOT_FOUND" }), "SLIP_NOT_FOUND")
    assert.strictEqual(failed({ code: "SLIP_NOT_FOUND", wrongKind: "truemoney" }), "WRONG_SLIP_KIND")
  })

  it("has the amount in baht and the duplicate flag of a verification", () => {
    const data = {
      verificationId: "v-1",
      branchId: "b-1",
      sendingBank: "004",
      amount: 150_050,
      charged: true,
      gateway: "scb",
      gatewayMillis: 80
    }
    assert.deepInclude(row(event("SlipVerified", data, "slip-1")), {
      verificationId: "v-1",
      sendingBank: "004",
      amountBaht: "1500.50",
      charged: "true",
      isDuplicate: "false",
      gateway: "scb",
      gatewayMillis: "80"
    })
    assert.strictEqual(row(event("SlipVerifiedAgain", { charged: false }, "slip-1"))["isDuplicate"], "true")
    assert.strictEqual(row(event("JobSucceeded", { isDuplicate: true }))["isDuplicate"], "true")
    assert.deepInclude(row(event("BranchCreated", { name: "Silom" }, "branch-b-7")), {
      branchId: "b-7",
      callbackStatus: ""
    })
    assert.deepInclude(row(event("CallbackAttemptFailed", { reason: "too slow", status: null }, "callback-j-1")), {
      why: "too slow",
      callbackStatus: ""
    })
  })

  it("has known parties and the mark of the export", () => {
    const parties = {
      senderBank: "KBANK",
      senderName: "น*** ส***",
      senderAccount: "xxx-x-x1234-x",
      receiverName: "=ร้***"
    }
    const cells = row(event("SlipVerified", {}, "slip-1"), parties)
    assert.deepInclude(cells, { ...parties, receiverName: "'=ร้***", receiverBank: "", export: "whole log; masked" })
    assert.deepInclude(row(event("SlipVerified", {}, "slip-1")), { senderName: "", receiverAccount: "" })
  })

  it("leaves out the query of a URL, which may be a secret", () => {
    const cells = row(event("VerificationEnqueued", { callbackUrl: "https://shop.example/hook?token=t0k3n" }))
    assert.strictEqual(cells["data"], '{"callbackUrl":"https://shop.example/hook"}')
  })

  it("is never a formula in a spreadsheet", () => {
    for (const why of ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =cmd|' /C calc'!A1", "＝1", "\u0000=1"]) {
      assert.match(row(event("VerificationFailed", { why }))["why"] ?? "", /^'/u, JSON.stringify(why))
    }
    for (const why of ["the bank = away", "2026-11-21", "'quoted'"]) {
      assert.strictEqual(row(event("VerificationFailed", { why }))["why"], why)
    }
  })

  it.prop("is one line that can be read back, for any text", [Arbitrary.schema(Schema.String)], ([why]) => {
    const line = written(event("VerificationFailed", { why, code: 'A,"B"' }))
    assert.strictEqual(line.indexOf("\n"), line.length - 1)
    const cells = row(event("VerificationFailed", { why, code: 'A,"B"' }))
    assert.strictEqual(cells["code"], 'A,"B"')
    assert.strictEqual((cells["why"] ?? "").replace(/^'/u, ""), why.replaceAll(/[\r\n]+/gu, " ").replace(/^'/u, ""))
    assert.deepStrictEqual(JSON.parse(cells["data"] ?? ""), { why, code: 'A,"B"' })
  })
})
