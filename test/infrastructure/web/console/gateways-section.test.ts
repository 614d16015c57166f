import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { gatewaysSection } from "../../../../infrastructure/web/console/gateways-section.ts"
import { type Messages, messagesIn } from "../../../../infrastructure/web/console/messages.ts"
import { type GatewayStatus, GatewayStatuses } from "../../../../ports/gateway-status.ts"

const now = Date.parse("2026-11-22T10:00:00+07:00")

/** The texts of the cells, row by row, then the hint. */
const shown = Effect.fnUntraced(function* (messages: Messages, ...statuses: ReadonlyArray<GatewayStatus>) {
  yield* TestClock.setTime(now)
  const html = yield* Effect.provideService(gatewaysSection(messages), GatewayStatuses, {
    all: Effect.succeed(statuses),
    follow: Effect.never
  })
  const text = (part: string) => part.replaceAll(/<[^>]*>/gu, "").trim()
  const rows = [...html.html.matchAll(/<tr>(.*?)<\/tr>/gsu)].slice(1).map(([, row = ""]) =>
    [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gsu)].map(([, cell = ""]) => text(cell))
  )
  return { rows, hint: text(/<\/table>(.*)$/su.exec(html.html)?.[1] ?? "") }
})

describe("the gateways on the console", () => {
  it.effect("show circuit, what is left, the end and what was charged", function* () {
    const { hint, rows } = yield* shown(messagesIn("en"), {
      name: "easyslip",
      account: { remaining: 340, limit: 350, expiresAt: Date.parse("2026-12-20T23:59:59+07:00") },
      chargedToday: 12,
      price: 0.4
    }, {
      name: "slipok",
      pause: { cause: "quota", leftMillis: 60_000 },
      account: { remaining: 0, limit: null, expiresAt: now - 1 },
      chargedToday: 3
    }, {
      name: "thunder",
      pause: { cause: "failures", leftMillis: 0 },
      account: { remaining: null, limit: null, expiresAt: null },
      chargedToday: 0
    }, { name: "scb" })

    assert.deepStrictEqual(rows, [
      ["easyslip", "in use", "340 / 350", "20 Dec 2026, 23:59:59", "12 · 4.80 baht"],
      ["slipok", "no questions left", "0", "22 Nov 2026, 09:59:59 ended", "3"],
      ["thunder", "paused after failures", "without a limit", "–", "0"],
      ["scb", "in use", "–", "–", "free"]
    ])
    assert.match(hint, /by this process/u)
  })

  it.effect("have Thai words, and no hint when all gateways are free", function* () {
    const { hint, rows } = yield* shown(messagesIn("th"), { name: "scb", pause: { cause: "ip", leftMillis: 0 } })
    assert.deepStrictEqual(rows, [["scb", "ปฏิเสธที่อยู่ IP ของเครื่องนี้", "–", "–", "ไม่มีค่าบริการ"]])
    assert.strictEqual(hint, "")
  })
})
