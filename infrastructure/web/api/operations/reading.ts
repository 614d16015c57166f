import { ids } from "../examples.ts"
import { detail, failedDetail, jobItems, note, usage, verificationItems } from "../reading-examples.ts"
import type { BranchOperation } from "../operation.ts"
import { NoteView, VerificationDetail } from "../../../../application/views/verification.ts"
import { Jobs, Usage, Verifications } from "../responses/reading.ts"
import { keyedCodes, scopedCodes, type V2Code } from "../failures.ts"
import { NoteRequest } from "../requests/slips.ts"
import { BranchJobQuery, UsageQuery, VerificationQuery } from "../requests/verification-queries.ts"

const codesWithInput = [...scopedCodes, "VALIDATION_ERROR"] as const satisfies ReadonlyArray<V2Code>

const params = {
  verificationId: {
    description: "Of a verification, or of a job that has ended. Case does not matter.",
    example: ids.verification
  }
}

/** What a branch verified, to be read again (docs/spec/http.md, "Reading"). */
export const reading = {
  listVerifications: {
    method: "GET",
    path: "/v2/verifications",
    scopes: ["read"],
    tag: "Reading",
    summary: "What was verified",
    description:
      "Every verification of this branch, the newest first unless `order` is `oldest`, also those of jobs and "
      + "those without a slip. All filters may be combined. With `minAmount`, `maxAmount`, `remark`, `reference`, "
      + "`referenceEnd` or `bankAccount` a page can have fewer than `limit` items, even none, while there is a next page.",
    query: VerificationQuery,
    isPaged: true,
    success: {
      status: 200,
      data: Verifications,
      message: "Verifications",
      examples: { page: { summary: "A duplicate and an unknown slip", value: verificationItems } }
    },
    codes: codesWithInput,
    fault: { path: "minAmount", message: "Expected an amount of baht, with at most two decimals, such as 1500.50" }
  },
  getVerification: {
    method: "GET",
    path: "/v2/verifications/:verificationId",
    scopes: ["read"],
    tag: "Reading",
    summary: "A verification as it was answered",
    description:
      "`data` is what the first answer had, or `error` its code and message. `notes` is what the branch wrote about it. "
      + "Asks no bank, costs nothing and is no repeat. A pending job has no verification yet.",
    params,
    success: {
      status: 200,
      data: VerificationDetail,
      message: "Verification",
      examples: {
        verified: { summary: "With a slip", value: detail },
        failed: { summary: "Without a slip", value: failedDetail }
      }
    },
    codes: [...scopedCodes, "VERIFICATION_NOT_FOUND"]
  },
  addNote: {
    method: "POST",
    path: "/v2/verifications/:verificationId/notes",
    isKeyed: true,
    scopes: ["verify"],
    tag: "Reading",
    summary: "Add a note to a verification",
    description:
      "For people of the branch: what they agreed with the payer, or what the transfer was for. It changes neither the "
      + "verdict nor the quota. A note cannot be changed. A verification has at most 100.",
    params,
    body: {
      json: NoteRequest,
      urlencoded: NoteRequest,
      examples: { note: { summary: "What a payer said", value: { text: note.text } } }
    },
    success: {
      status: 201,
      data: NoteView,
      message: "Note added",
      examples: { added: { summary: "The note", value: note } }
    },
    codes: [...codesWithInput, "VERIFICATION_NOT_FOUND", ...keyedCodes],
    fault: { path: "text", message: "Expected 1 to 500 characters" }
  },
  getUsage: {
    method: "GET",
    path: "/v2/usage",
    scopes: ["read"],
    tag: "Reading",
    summary: "How much was verified each day",
    description:
      "Days of Bangkok, the newest first unless `order` is `oldest`. A day without verifications is an item too.",
    query: UsageQuery,
    success: {
      status: 200,
      data: Usage,
      message: "Usage",
      examples: { day: { summary: "One day", value: usage } }
    },
    codes: codesWithInput,
    fault: { path: "from", message: "Expected a day such as 2026-11-21" }
  },
  listJobs: {
    method: "GET",
    path: "/v2/jobs",
    scopes: ["read"],
    tag: "Reading",
    summary: "The branch's jobs",
    description:
      "By the time at which a job was accepted while it is pending, and by its end afterwards; the newest first "
      + "unless `order` is `oldest`. Jobs that ended are listed for `JOB_RETENTION`, 90 days by default.",
    query: BranchJobQuery,
    isPaged: true,
    success: {
      status: 200,
      data: Jobs,
      message: "Jobs",
      examples: { page: { summary: "A job that has ended", value: jobItems } }
    },
    codes: codesWithInput,
    fault: { path: "status", message: "Expected one of pending, success, not_found" }
  }
} as const satisfies Record<string, BranchOperation<V2Code>>
