import { assert, describe, it } from "@effect/vitest"
import { Arbitrary } from "effect"
import type { JsonObject } from "../../../../domain/events/recorded-event.ts"
import { formatEvent } from "../../../../infrastructure/commands/cli/views.ts"
import { everyEvent, storedFields } from "../../../support/every-event.ts"
import { recordedEvent as recorded } from "../../../support/event-fixtures.ts"

/** The text of an event without its time and actor. */
const sentence = (type: string, data: JsonObject) =>
  /^\S+ {2}(.*) {2}\([^)]*\)$/su.exec(formatEvent(recorded(type, data)))?.[1]

describe("the text of an event", () => {
  for (const [name, schema] of Object.entries(everyEvent)) {
    const any = Arbitrary.schema(schema)
    it.prop(`of ${name} is a sentence for any data`, [any], ([{ _tag, ...data }]) => {
      const text = formatEvent(recorded(_tag, storedFields(data)))
      assert.match(text, /^2026-11-21T00:00:00.000Z {2}[A-Z][\w-]+ .*\)$/u)
      assert.isFalse(text.startsWith(`2026-11-21T00:00:00.000Z  ${_tag}  `), text)
      assert.notMatch(text, /undefined|\[object|\p{Cc}/u)
    })
  }

  const sealed = { k: "m-1", n: "n", c: "c" }
  const details = { bankNumber: "xxxxxx7890", nameTh: "ส***", nameEn: null }

  it("shows the masked number and name of a receiving account", () => {
    const registered = { bankCode: "004", branchId: "b-1", movedFrom: null }
    assert.strictEqual(
      sentence("BankAccountRegistered", { ...registered, details }),
      "Bank account at bank 004, xxxxxx7890 of ส*** registered and linked to branch b-1"
    )
    assert.strictEqual(
      sentence("BankAccountRegistered", { ...registered, details: sealed }),
      "Bank account at bank 004 registered and linked to branch b-1"
    )
    assert.strictEqual(
      sentence("BankAccountRegistered", { ...registered, details, movedFrom: { digest: "d" } }),
      "Move of the bank account to a number at bank 004, xxxxxx7890 of ส*** started"
    )
    assert.strictEqual(
      sentence("BankAccountMoved", { bankCode: "014", details }),
      "Bank account moved to a number at bank 014, xxxxxx7890 of ส***"
    )
    assert.strictEqual(sentence("BankAccountChanged", { details }), "Bank account changed to xxxxxx7890 of ส***")
    assert.strictEqual(sentence("BankAccountChanged", { details: sealed }), "Bank account changed")
    assert.include(sentence("BankAccountDeactivated", { reason: "deactivated" }), "deactivated")
    assert.include(sentence("BankAccountDeactivated", { reason: "move-abandoned" }), "keeps its old number")
  })

  it("shows the account comparison of a slip, and only opened data", () => {
    const verified = { charged: true, expectedAmount: null }
    assert.notInclude(sentence("SlipVerifiedAgain", { ...verified, matching: null }), "compared")
    assert.strictEqual(
      sentence("SlipVerifiedAgain", { ...verified, matching: sealed }),
      "Slip verified again, a duplicate; charged 1 unit; the receiver was compared with the branch's accounts"
    )
    const account = { id: "a-1", bankCode: "004", bankNumber: "1234567890", nameTh: "ร้าน", nameEn: null, type: null }
    const matching = { verdict: "match", isAmbiguous: false, reasons: ["Every visible digit agrees."], account }
    assert.include(
      sentence("SlipVerifiedAgain", { ...verified, matching, remark: "order 42" }),
      'the branch\'s accounts, one of them matches: ร้าน (004 1234567890); Every visible digit agrees.; remark "order 42"'
    )
  })

  it("states that the names of a slip cannot be opened", () => {
    const verified = {
      sendingBank: "004",
      amount: 100,
      transferredAt: "t",
      gateway: "scb",
      gatewayMillis: 1,
      charged: true
    }
    assert.include(
      sentence("SlipVerified", { ...verified, transfer: { unreadable: "forgotten" } }),
      ", sender and receiver can't be read (forgotten), verified for the first time"
    )
  })

  it("shows who accessed or erased personal data, and why", () => {
    assert.strictEqual(
      sentence("RequestRefused", { code: "SLIP_NOT_FOUND", message: "Slip not found" }),
      "Request with an Idempotency-Key rejected permanently with SLIP_NOT_FOUND: Slip not found"
    )
    assert.strictEqual(
      sentence("PersonalDataRevealed", {
        by: "somchai",
        command: "trail export",
        from: "2026-11-01T00:00:00.000Z",
        to: null
      }),
      "Personal data shown to somchai, by trail export, from 2026-11-01T07:00:00+07:00"
    )
  })
})
