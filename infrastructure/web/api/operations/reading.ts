import { ids } from "../examples.ts"
import { detail, failedDetail, jobItems, note, usage, verificationItems } from "../reading-examples.ts"
import type { BranchOperation } from "../operation.ts"
import { NoteView, VerificationDetail } from "../../../../application/views/verification.ts"
import { Jobs, Usage, Verifications } from "../responses/reading.ts"
import { keyedCodes, scopedCodes, type V2Code } from "../failures.ts"
import { NoteRequest } from "../requests/slips.ts"
import { BranchJobQuery, UsageQuery, VerificationQuery } from "../requests/verification-queries.ts"
import { created, fields, ok, operationsOf } from "./declare.ts"

const { get, post } = operationsOf("Reading")

const codesWithInput = [...scopedCodes, "VALIDATION_ERROR"] as const satisfies ReadonlyArray<V2Code>

const params = {
  verificationId: {
    description: "Of a verification, or of a job that has ended. Case does not matter.",
    example: ids.verification
  }
}

/** What a branch verified, to be read again (docs/spec/http.md, "Reading"). */
export const reading = {
  listVerifications: get("/v2/verifications", {
    scopes: ["read"],
    summary: "What was verified",
    description:
      "Every verification of this branch, the newest first unless `order` is `oldest`, also those of jobs and "
      + "those without a slip. All filters may be combined. With `minAmount`, `maxAmount`, `remark`, `reference`, "
      + "`referenceEnd` or `bankAccount` a page can have fewer than `limit` items, even none, while there is a next page.",
    query: VerificationQuery,
    isPaged: true,
    success: ok(Verifications, "Verifications", {
      page: { summary: "A duplicate and an unknown slip", value: verificationItems }
    }),
    codes: codesWithInput,
    fault: { path: "minAmount", message: "Expected an amount of baht, with at most two decimals, such as 1500.50" }
  }),
  getVerification: get("/v2/verifications/:verificationId", {
    scopes: ["read"],
    summary: "A verification as it was answered",
    description:
      "`data` is what the first answer had, or `error` its code and message. `notes` is what the branch wrote about it. "
      + "Asks no bank, costs nothing and is no repeat. A pending job has no verification yet.",
    params,
    success: ok(VerificationDetail, "Verification", {
      verified: { summary: "With a slip", value: detail },
      failed: { summary: "Without a slip", value: failedDetail }
    }),
    codes: [...scopedCodes, "VERIFICATION_NOT_FOUND"]
  }),
  addNote: post("/v2/verifications/:verificationId/notes", {
    isKeyed: true,
    scopes: ["verify"],
    summary: "Add a note to a verification",
    description:
      "For people of the branch: what they agreed with the payer, or what the transfer was for. It changes neither the "
      + "verdict nor the quota. A note cannot be changed. A verification has at most 100.",
    params,
    body: fields(NoteRequest, { note: { summary: "What a payer said", value: { text: note.text } } }),
    success: created(NoteView, "Note added", { added: { summary: "The note", value: note } }),
    codes: [...codesWithInput, "VERIFICATION_NOT_FOUND", ...keyedCodes],
    fault: { path: "text", message: "Expected 1 to 500 characters" }
  }),
  getUsage: get("/v2/usage", {
    scopes: ["read"],
    summary: "How much was verified each day",
    description:
      "Days of Bangkok, the newest first unless `order` is `oldest`. A day without verifications is an item too.",
    query: UsageQuery,
    success: ok(Usage, "Usage", { day: { summary: "One day", value: usage } }),
    codes: codesWithInput,
    fault: { path: "from", message: "Expected a day such as 2026-11-21" }
  }),
  listJobs: get("/v2/jobs", {
    scopes: ["read"],
    summary: "The branch's jobs",
    description:
      "By the time at which a job was accepted while it is pending, and by its end afterwards; the newest first "
      + "unless `order` is `oldest`. Jobs that ended are listed for `JOB_RETENTION`, 90 days by default.",
    query: BranchJobQuery,
    isPaged: true,
    success: ok(Jobs, "Jobs", { page: { summary: "A job that has ended", value: jobItems } }),
    codes: codesWithInput,
    fault: { path: "status", message: "Expected one of pending, success, not_found" }
  })
} as const satisfies Record<string, BranchOperation<V2Code>>
