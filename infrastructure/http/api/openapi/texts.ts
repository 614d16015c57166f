/** What holds for every operation, in CommonMark. */
export const description = `Verifies slips of Thai bank transfers, and keeps the trail of every verification.

**Requests.** JSON, or \`multipart/form-data\` where a picture can be a file; UTF-8. Unknown fields are ignored, and
where a slip is described in JSON a field that is \`null\` counts as absent. Amounts are baht, as numbers with at most
two decimals. Ids are UUIDs, in any case. A body for one slip is at most 6 MiB.

**Answers.** JSON, always with \`X-Request-Id\`. v2: \`{"success":true,"data":…,"message":"…"}\`, or
\`{"success":false,"error":{"code":"…","message":"…"}}\`, for VALIDATION_ERROR with \`issues\`. v1:
\`{"status":200,"data":…}\`, or \`{"status":…,"message":"<code>"}\`. Go by the code, never by the message. Later versions
may add fields: ignore what you don't know. Times are ISO 8601; those of slips have the offset \`+07:00\`, all others
are UTC.

**Order of checks.** Route, API key, service and account, branch, address, rate limit, request, quota: the first that is
not met is told. What fails costs no quota.

**Whatever the path**: \`404 NOT_FOUND\` (v1: \`not_found\`) for what is no endpoint, \`400 VALIDATION_ERROR\` for what is
not HTTP or has too long headers.

**Try again** after \`Retry-After\` seconds where it is there: RATE_LIMIT_EXCEEDED, API_SERVER_ERROR, SLIP_PENDING. With
an \`Idempotency-Key\` that is safe also when an answer got lost.`

export const tags: Readonly<Record<string, string>> = {
  Verification: "Is this slip genuine, is it new, is it over the right amount, did it go to me?",
  Later: "Slips that are handed over and verified later. Each becomes a job, and each job ends in one callback.",
  "Bank accounts":
    "The accounts that a branch receives money on. `matchAccount` compares the receiver of a slip with them.",
  Callbacks: "Where results are sent, under which secret, and what was delivered.",
  Information: "Who calls, and what there is.",
  v1: "The first version, for callers that have it. It shares keys, quota, duplicates and charging with v2."
}

export const adminDescription = `For operators. It exists only when the setting \`ADMIN_TOKEN\` is set.

**Requests** and **answers** are those of v2: JSON, in the same envelope, always with \`X-Request-Id\`. Every change is an
event in the trail, with the id of its request. No rate limit and no quota applies.`

export const adminTags: Readonly<Record<string, string>> = {
  Accounts: "The owners of services.",
  Services: "The applications that verify slips, each with a plan and branches.",
  Branches: "API keys with a quota, an IP whitelist and a webhook of their own.",
  "Bank accounts": "Which branches share an account of their service.",
  "Jobs and callbacks": "Jobs and callbacks of all branches.",
  Trail: "What happened to a slip, job, verification or branch, and the erasure of personal data.",
  "Read models": "How far the read models are; rebuild and compare them."
}
