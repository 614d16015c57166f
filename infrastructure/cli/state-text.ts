import type { StateAt } from "../../application/trail/state-at.ts"
import type { BranchAt } from "../../application/trail/state-at-branch.ts"
import type { JobAt } from "../../application/trail/state-at-job.ts"
import type { SlipAt, SlipInService, SlipVerdict } from "../../application/trail/state-at-slip.ts"
import type { Verdict, VerificationAt } from "../../application/trail/state-at-verification.ts"
import type { Field } from "./output.ts"
import { printable } from "./messages.ts"

/** An amount of baht as people write it. */
const inBaht = (amount: number): string =>
  `${amount.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })} baht`

const units = (count: number): string => count === 1 ? "1 unit" : `${count} units`

const times = (count: number): string => count === 1 ? "once" : `${count} times`

const inService = (slip: SlipInService): ReadonlyArray<Field> => [
  ["service", slip.serviceId],
  ["slip", `${inBaht(slip.amount)}, transferred ${slip.transferredAt} from bank ${slip.sendingBank}`],
  [
    "first verified",
    `${slip.firstVerifiedAt} by branch ${slip.firstBranchId}, verification ${slip.firstVerificationId}`
  ],
  ["the bank", `told it through ${slip.gateway} in ${slip.gatewayMillis} ms`],
  ["verified", `${times(slip.times)}, by ${slip.branchIds.map((id) => `branch ${id}`).join(", ")}`],
  ["charged", units(slip.charged)],
  ...slip.verifications.map((one): Field => ["verdict", `${one.at}: ${verdictOf(one)}`])
]

const expected = ({ expectedAmount, isAmountMatched }: Pick<Verdict, "expectedAmount" | "isAmountMatched">): string =>
  expectedAmount === null ? "" : `${inBaht(expectedAmount)}: ${isAmountMatched === true ? "matches" : "does not match"}`

const verdictOf = (one: SlipVerdict): string => {
  const amount = one.expectedAmount === null ? "" : `, expected ${expected(one)}`
  const cost = one.charged ? "charged 1 unit" : "free of charge"
  return `${verdicts[one.verdict]}, by branch ${one.branchId}, verification ${one.verificationId}, ${cost}${amount}`
}

const ofSlip = ({ inVain, jobs, services }: SlipAt): ReadonlyArray<Field> => [
  ...(services.length === 0 ? [["verified", "never"] as const] : services.flatMap(inService)),
  ...inVain.map((
    { at, branchId, code, verificationId, why }
  ): Field => ["found nothing", `${at} by branch ${branchId}, verification ${verificationId}: ${code}, ${why}`]),
  ...jobs.flatMap(ofJob)
]

const callback = ({ attempts, deliveredAt, lastStatus, nextAttemptAt, state, url }: JobAt["callback"]): string => {
  if (url === null) return "nobody is called back"
  const answer = lastStatus === null ? "" : `, the last one answered with ${lastStatus}`
  const next = nextAttemptAt === null ? "" : `, the next one due ${nextAttemptAt}`
  const delivered = deliveredAt === null ? "" : ` at ${deliveredAt}`
  return `${state}${delivered}, sent ${times(attempts)}${answer}${next}, to ${url}`
}

const ended = ({ endedAt, isDuplicate, status }: JobAt): string => {
  if (endedAt === null) return status
  const what = isDuplicate === null ? "" : isDuplicate ? ", a duplicate" : ", no duplicate"
  return `${status}${what}, since ${endedAt}`
}

const ofJob = (job: JobAt): ReadonlyArray<Field> => [
  ["job", `${job.jobId}${job.batchId === null ? "" : ` of batch ${job.batchId}`}`],
  ["branch", job.branchId],
  ["accepted", job.acceptedAt],
  ["status", ended(job)],
  ["attempts", `${job.attempts}${job.nextAttemptAt === null ? "" : `, the next one due ${job.nextAttemptAt}`}`],
  ...(job.lastFailure === null
    ? []
    : [["last failure", `${job.lastFailure.code} at ${job.lastFailure.at}: ${job.lastFailure.why}`] as const]),
  ["quota", job.charged ? (job.endedAt === null ? "holds 1 unit" : "charged 1 unit") : "costs nothing"],
  ["callback", callback(job.callback)]
]

const verdicts = { first: "the slip's first, no duplicate", duplicate: "a duplicate", failed: "failed" }

const ofVerdict = (verdict: Verdict): ReadonlyArray<Field> => [
  ["verdict", `${verdicts[verdict.verdict]}, at ${verdict.at}`],
  ...(verdict.code === null ? [] : [["why", `${verdict.code}: ${verdict.why}`] as const]),
  ...(verdict.amount === null ? [] : [
    [
      "slip",
      `${inBaht(verdict.amount)}, transferred ${verdict.transferredAt} from bank ${verdict.sendingBank}`
    ] as const
  ]),
  ...(verdict.expectedAmount === null ? [] : [["expected", expected(verdict)] as const]),
  ...(verdict.gateway === null
    ? []
    : [["the bank", `was asked through ${verdict.gateway}, ${verdict.gatewayMillis} ms`] as const]),
  ["branch", verdict.branchId],
  ["charged", units(verdict.charged ? 1 : 0)]
]

const ofVerification = ({ job, verdict, verificationId }: VerificationAt): ReadonlyArray<Field> => [
  ["verification", verificationId],
  ...(verdict === null ? [["verdict", "none yet"] as const] : ofVerdict(verdict)),
  ...(job === null ? [] : ofJob(job))
]

const ofBranch = (branch: BranchAt): ReadonlyArray<Field> => [
  ["branch", `${branch.branchId}, ${branch.isMain ? "main branch" : "branch"} of service ${branch.serviceId}`],
  ["name", branch.name],
  ["state", branch.isActive ? "active" : "deactivated"],
  ["quota", `${branch.quota.used} used of ${branch.quota.max ?? "unlimited"} in ${branch.quota.month}`],
  ["callers", branch.ipWhitelist.join(" ")],
  ["webhook", branch.webhookUrl ?? "none"],
  ["webhook secret", branch.webhookSecretIssuedAt === null ? "none" : `issued ${branch.webhookSecretIssuedAt}`],
  ["API key", branch.keyIssuedAt === null ? "none" : `issued ${branch.keyIssuedAt}`],
  ["created", branch.createdAt]
]

/** A state in plain words, a line for each thing that is known. */
export const stateFields = (state: StateAt): ReadonlyArray<Field> =>
  fieldsOf(state).map(([name, text]) => [name, printable(text)])

const fieldsOf = (state: StateAt): ReadonlyArray<Field> => {
  switch (state.kind) {
    case "slip":
      return ofSlip(state)
    case "job":
      return ofJob(state)
    case "verification":
      return ofVerification(state)
    case "branch":
      return ofBranch(state)
  }
}
