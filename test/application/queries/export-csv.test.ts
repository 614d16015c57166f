import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { csvHeader, csvLine } from "../../../application/queries/export-csv.ts"
import type { JsonObject, RecordedEvent } from "../../../application/ports/event-store.ts"
import { someEvent } from "../../support/some-events.ts"

const event = (type: string, data: JsonObject, stream = "job-1"): RecordedEvent => ({
  ...someEvent("00000000-0000-0000-0000-000000000000", type, data),
  stream,
  revision: 3,
  position: { commit: 7n, prepare: 8n },
  recordedAt: 0
})

/** RFC 4180, read by the letter: cells of the first line, and what is left behind it. */
const readLine = (text: string): { readonly cells: ReadonlyArray<string>; readonly rest: string } => {
  const cells: Array<string> = []
  let at = 0
  while (true) {
    let cell = ""
    if (text[at] === "\"") {
      for (at++; text[at] !== "\"" || text[at + 1] === "\""; at++) {
        if (text[at] === "\"") at++
        cell += text[at]
      }
      at++
    } else {
      for (; text[at] !== "," && text[at] !== "\r"; at++) cell += text[at]
    }
    cells.push(cell)
    if (text[at] === ",") {
      at++
      continue
    }
    assert.strictEqual(text.slice(at, at + 2), "\r\n")
    return { cells, rest: text.slice(at + 2) }
  }
}

const row = (recorded: RecordedEvent): Readonly<Record<string, string>> => {
  const { cells, rest } = readLine(csvLine(recorded))
  assert.strictEqual(rest, "")
  const names = readLine(csvHeader).cells
  assert.lengthOf(cells, names.length)
  return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ""]))
}

describe("a line of CSV", () => {
  it("has the columns that analysts go by", () => {
    assert.strictEqual(
      csvHeader,
      "position,id,stream,revision,type,at,actorKind,actorId,branchId,verificationId,jobId,sendingBank,amountBaht," +
        "transferredAt,charged,isDuplicate,code,why,gateway,gatewayMillis,callbackStatus,data\r\n"
    )
  })

  it("tells what happened where, when and by whom", () => {
    const told = row(event("CallbackRejected", { jobId: "j-1", branchId: "b-1", status: 410 }, "callback-j-1"))
    assert.deepInclude(told, {
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

  it("tells of a verification its amount in baht, and whether it is a duplicate", () => {
    const data = { verificationId: "v-1", branchId: "b-1", sendingBank: "004", amount: 150_050, charged: true, gateway: "scb", gatewayMillis: 80 }
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
    assert.deepInclude(row(event("BranchCreated", { name: "Silom" }, "branch-b-7")), { branchId: "b-7", callbackStatus: "" })
    assert.deepInclude(row(event("CallbackAttemptFailed", { reason: "too slow", status: null }, "callback-j-1")), {
      why: "too slow",
      callbackStatus: ""
    })
  })

  it("tells a URL without its query, which may be a secret", () => {
    const told = row(event("VerificationEnqueued", { callbackUrl: "https://shop.example/hook?token=t0k3n" }))
    assert.strictEqual(told["data"], "{\"callbackUrl\":\"https://shop.example/hook\"}")
  })

  it("is no formula to a spreadsheet, whatever somebody wrote", () => {
    for (const why of ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =cmd|' /C calc'!A1", "＝1", "\u0000=1"]) {
      assert.match(row(event("VerificationFailed", { why }))["why"] ?? "", /^'/u, JSON.stringify(why))
    }
    for (const why of ["the bank = away", "2026-11-21", "'quoted'"]) {
      assert.strictEqual(row(event("VerificationFailed", { why }))["why"], why)
    }
  })

  it.prop("is one line that reads back, whatever stands in it", [Arbitrary.schema(Schema.String)], ([why]) => {
    const written = csvLine(event("VerificationFailed", { why, code: "A,\"B\"" }))
    assert.strictEqual(written.indexOf("\n"), written.length - 1)
    const told = row(event("VerificationFailed", { why, code: "A,\"B\"" }))
    assert.strictEqual(told["code"], "A,\"B\"")
    assert.strictEqual((told["why"] ?? "").replace(/^'/u, ""), why.replaceAll(/[\r\n]+/gu, " ").replace(/^'/u, ""))
    assert.deepStrictEqual(JSON.parse(told["data"] ?? ""), { why, code: "A,\"B\"" })
  })
})
