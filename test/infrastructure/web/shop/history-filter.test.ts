import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { filterPath, readFilter } from "../../../../infrastructure/web/shop/history-filter.ts"

const read = (query: string) => Effect.runSync(readFilter(new URLSearchParams(query)))
const searched = (text: string, by = "") => read(new URLSearchParams({ q: text, by }).toString()).search

describe("the search box of the history", () => {
  it("takes a number for an amount, also as people in Thailand write it", () => {
    for (const text of ["1250.50", "1,250.50", "฿1,250.50", " ๑๒๕๐.๕๐ บาท "]) {
      const search = searched(text)
      assert.deepInclude(search, { by: "amount", selects: { minAmount: 125_050, maxAmount: 125_050 } }, text)
    }
  })

  it("takes a long text of letters and digits for a reference, and all else for a remark", () => {
    assert.strictEqual(searched("013071152533APM07736")?.by, "reference")
    assert.strictEqual(searched("50000000000001")?.by, "reference", "the id of a TrueMoney slip")
    assert.deepInclude(searched("โต๊ะ 7"), { by: "remark", others: [], selects: { remark: "โต๊ะ 7" } })
    assert.deepInclude(searched("order42"), { by: "remark", others: ["reference"] })
    assert.deepInclude(searched("42"), { by: "amount", others: ["remark", "reference"] })
  })

  it("takes six letters and digits for the end of a reference first", () => {
    assert.deepInclude(searched("M07736"), { by: "referenceEnd", selects: { referenceEnd: "M07736" } })
    assert.deepInclude(searched("125000"), { by: "referenceEnd", others: ["amount", "remark", "reference"] })
    assert.strictEqual(searched("125000", "amount")?.by, "amount")
    assert.strictEqual(searched("ตลาด24")?.by, "remark")
    assert.strictEqual(searched("42", "referenceEnd")?.by, "amount")
  })

  it("searches as the address says, unless the text cannot be that", () => {
    assert.strictEqual(searched("42", "remark")?.by, "remark")
    assert.strictEqual(searched("โต๊ะ 7", "amount")?.by, "remark")
    assert.strictEqual(searched("42", "constructor")?.by, "amount")
    assert.isUndefined(searched("   "))
  })
})

describe("the filter of the history", () => {
  it("has whole days of Bangkok", () => {
    const { times } = read("from=2026-11-21&to=2026-11-21")
    assert.deepStrictEqual(times, {
      from: Date.parse("2026-11-20T17:00:00Z"),
      to: Date.parse("2026-11-21T17:00:00Z") - 1
    })
  })

  it("survives the way through an address", () => {
    const query = "from=2026-11-20&to=2026-11-21&outcome=duplicate&q=42&by=remark"
    assert.strictEqual(filterPath(read(query)), `/app/verifications?${query}`)
    assert.strictEqual(filterPath(read("outcome=lost&unknown=1")), "/app/verifications")
  })

  it("refuses days that the calendar does not have, and a period that ends before it begins", () => {
    for (const query of ["from=2026-02-30", "to=today", "from=2026-11-22&to=2026-11-21"]) {
      const refused = Effect.runSync(Effect.result(readFilter(new URLSearchParams(query))))
      assert.isTrue(Result.isFailure(refused), query)
    }
  })
})
