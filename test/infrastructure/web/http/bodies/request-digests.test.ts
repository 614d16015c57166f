import { assert, describe, it } from "@effect/vitest"
import { contentDigest } from "../../../../../infrastructure/web/http/bodies/content-digest.ts"
import { decodeBody } from "../../../../../infrastructure/web/http/bodies/decode-body.ts"
import { normalizedFields, requestDigests } from "../../../../../infrastructure/web/http/bodies/request-digests.ts"
import { knownFields } from "../../../../../infrastructure/web/http/operations/declared-fields.ts"
import { bankAccounts } from "../../../../../infrastructure/web/api/operations/bank-accounts.ts"
import { later } from "../../../../../infrastructure/web/api/operations/later.ts"
import { verification } from "../../../../../infrastructure/web/api/operations/verification.ts"

const ROUTE = "POST /v2/verify/bank"

const digestsOf = (
  fields: Readonly<Record<string, unknown>>,
  { isForm = false, isSlip = true, known = knownFields(verification.verifyBank.body) } = {}
) => requestDigests(ROUTE, { isForm, fields }, normalizedFields({ isForm, fields }, isSlip), { isSlip, known })

const ofBatch = { known: knownFields(later.verifyBankBatch.body) }

describe("the digest of a request", () => {
  it("counts the fields that the operation declares in any encoding", () => {
    assert.deepStrictEqual(knownFields(verification.verifyBank.body).names.toSorted(), [
      "bankCode",
      "base64",
      "checkDuplicate",
      "conditions",
      "extraVerify",
      "file",
      "image",
      "matchAccount",
      "matchAmount",
      "payload",
      "remark",
      "url"
    ])
    const { names, ofSlips } = knownFields(later.verifyBankBatch.body)
    assert.deepStrictEqual(names, ["slips", "callbackUrl"])
    assert.include(ofSlips ?? [], "callbackUrl")
    assert.include(ofSlips ?? [], "payload")
  })

  it("is that of earlier versions for a request without further fields", () => {
    const fields = { payload: "a", matchAccount: true, matchAmount: 99.5 }
    assert.deepStrictEqual(digestsOf(fields), { digest: contentDigest(ROUTE, fields) })
    assert.deepStrictEqual(digestsOf({ ...fields, remark: null, url: "" }), digestsOf(fields))
  })

  it("comes with that of earlier versions for a request with further fields", () => {
    const known = { payload: "a", matchAmount: 100 }
    const further = { sentAt: "12:00", tags: ["a"], empty: "" }
    assert.deepStrictEqual(digestsOf({ ...known, ...further, nothing: null }), {
      digest: contentDigest(ROUTE, known),
      formerDigest: contentDigest(ROUTE, { ...known, ...further })
    })
    const form = { payload: "a", matchAmount: "100.00", sentAt: "12:00" }
    assert.deepStrictEqual(digestsOf(form, { isForm: true }), {
      digest: contentDigest(ROUTE, known),
      formerDigest: contentDigest(ROUTE, { ...known, sentAt: "12:00" })
    })
    const account = { bankCode: "004", nameEn: null, form: null }
    const options = { isSlip: false, known: knownFields(bankAccounts.createBankAccount.body) }
    assert.deepStrictEqual(digestsOf(account, options), {
      digest: contentDigest(ROUTE, { bankCode: "004", nameEn: null }),
      formerDigest: contentDigest(ROUTE, account)
    })
  })

  it("of a batch does not depend on the order of fields, and comes with that of earlier versions", () => {
    const slips = [{ remark: "7", payload: "a", conditions: { duplicate: "allow", amount: { equals: 1 } } }, 7]
    const batch = { callbackUrl: "https://shop.example", slips }
    const { digest, formerDigest } = digestsOf(batch, ofBatch)
    assert.strictEqual(formerDigest, contentDigest(ROUTE, batch))
    const again = [
      { conditions: { amount: { equals: "1.00" }, duplicate: "allow" }, payload: "a", at: 1, remark: "7" },
      7
    ]
    assert.strictEqual(digestsOf({ ...batch, slips: again }, ofBatch).digest, digest)
    assert.notStrictEqual(digestsOf({ ...batch, slips: again.toReversed() }, ofBatch).digest, digest)
    assert.isString(digestsOf({ slips: "none" }, ofBatch).digest)
  })

  it("is the same for a body that is decoded in a thread", () => {
    const fields = { payload: "a", matchAmount: "1.50", junk: "x" }
    const known = knownFields(verification.verifyBank.body)
    const decoded = decodeBody({
      bytes: new Uint8Array(Buffer.from(JSON.stringify(fields))),
      mediaType: "application/json",
      contentType: "application/json",
      limits: { depth: 32, values: 5_000, items: 2_000, keys: 256 },
      isSlip: true,
      digestRoute: ROUTE,
      known
    })
    assert.deepInclude(decoded, digestsOf(fields))
  })
})
