import { assert, describe, it } from "@effect/vitest"
import { acts, isAllowed } from "../../../domain/permissions.ts"
import { adminOperations } from "../../../infrastructure/web/api/operations/admin.ts"

const operations = Object.entries(adminOperations)

describe("the table of permissions", () => {
  it("has the operations of the admin API, three further acts, and nothing else", () => {
    const further = ["registerBankAccount", "revealPersonalData", "endAllSessions"]
    assert.sameMembers([...acts], [...operations.map(([id]) => id), ...further])
  })

  it("lets an administrator do everything", () => {
    for (const act of acts) assert.isTrue(isAllowed("admin", act), act)
  })

  it("lets auditors read everything, and support everything but the audit, exports and proofs", () => {
    const reading = acts.filter((act) => operations.some(([id, { method }]) => id === act && method === "GET"))
    assert.deepStrictEqual(reading.filter((act) => !isAllowed("auditor", act)), [])
    const withheld = reading.filter((act) => !isAllowed("support", act))
    assert.sameMembers(withheld, ["exportTrail", "proveEvents", "listAudit"])
  })

  it("lets support send callbacks again, auditors disclose, and neither of them change anything else", () => {
    const changing = acts.filter((act) => !operations.some(([id, { method }]) => id === act && method === "GET"))
    assert.deepStrictEqual(changing.filter((act) => isAllowed("support", act)), ["redeliverCallbacks"])
    assert.deepStrictEqual(changing.filter((act) => isAllowed("auditor", act)), ["revealPersonalData"])
  })
})
