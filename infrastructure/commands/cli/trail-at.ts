import { settingColumns } from "./branch-settings.ts"
import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { bangkokTime, isoTime, parseTimeInBangkok } from "../../../domain/time.ts"
import { subjectFlags, subjectOf, SUBJECTS } from "./trail-subject.ts"
import { answerIsNo, cannotRun } from "./exit.ts"
import { jsonFlag } from "./flags.ts"
import { runReads } from "./operation.ts"
import { type Field, fieldOf, fieldsBy, formatBaht, print, printFields } from "./output.ts"
import type { DataOf } from "../../web/operators/operations.ts"

/** The state of a subject, as the admin API has it. */
type StateAt = NonNullable<DataOf<"getTrail">["state"]>
type SlipAt = Extract<StateAt, { readonly kind: "slip" }>
type JobAt = Extract<StateAt, { readonly kind: "job" }>
type VerificationAt = Extract<StateAt, { readonly kind: "verification" }>
type BranchAt = Extract<StateAt, { readonly kind: "branch" }>
type Verdict = NonNullable<VerificationAt["verdict"]>
type SlipInService = SlipAt["services"][number]
type SlipVerdict = SlipInService["verifications"][number]

const time = Argument.String("time").pipe(
  Argument.withDescription(
    '2026-11-21T15:45:00+07:00, or in Bangkok time "2026-11-21 15:45" or 2026-11-21, which means the end of that day'
  )
)

const momentOf = (text: string) => {
  const moment = parseTimeInBangkok(text, "last")
  return moment === undefined
    ? Effect.fail(
      cannotRun(`"${text}" is not a time: give one such as 2026-11-21T15:45:00+07:00, "2026-11-21 15:45" or 2026-11-21`)
    )
    : Effect.succeed(moment)
}

export const at = Command.make(
  "at",
  { time, ...subjectFlags, json: jsonFlag },
  Effect.fnUntraced(
    function* ({ json, time, ...flags }) {
      const { at, isBangkok } = yield* momentOf(time)
      const query = { ...yield* subjectOf(flags, SUBJECTS), at: isoTime(at) }
      // The events are not needed: one of them is enough for a page with the state.
      const page = { cursor: undefined, limit: 1 }
      const { state } = yield* runReads((call) => call({ name: "getTrail", query }, page))
      if (state === null) return yield* answerIsNo("there are no events")
      yield* print(json, { at: isoTime(at), ...state }, () =>
        Effect.andThen(
          Console.log(
            `State at ${bangkokTime(at)}${isBangkok ? ", Bangkok time" : ""} (${isoTime(at)}):`
          ),
          printFields(fieldsOf(state))
        ))
    }
  )
).pipe(
  Command.withDescription(
    "Show the state of a slip, job, verification or branch at a time, from the events up to it"
  )
)

const units = (count: number): string => count === 1 ? "1 unit" : `${count} units`

const times = (count: number): string => count === 1 ? "once" : `${count} times`

type Transfer = Pick<Verdict, "sendingBank" | "transferredAt"> & { readonly amount: number }

const transferOf = ({ amount, sendingBank, transferredAt }: Transfer): string =>
  `${formatBaht(amount)}, transferred ${transferredAt} from bank ${sendingBank}`

const bankOf = ({ gateway, gatewayMillis }: Pick<Verdict, "gateway" | "gatewayMillis">): string =>
  `answered through ${gateway} in ${gatewayMillis} ms`

const serviceSlipFields = (slip: SlipInService): ReadonlyArray<Field> => [
  ["service", slip.serviceId],
  ["slip", transferOf(slip)],
  [
    "first verified",
    `${slip.firstVerifiedAt} by branch ${slip.firstBranchId}, verification ${slip.firstVerificationId}`
  ],
  ["bank", bankOf(slip)],
  ["verified", `${times(slip.times)}, by ${slip.branchIds.map((id) => `branch ${id}`).join(", ")}`],
  ["charged", units(slip.charged)],
  ...slip.verifications.map((verdict): Field => ["verdict", `${verdict.at}: ${describeVerdict(verdict)}`])
]

const expected = ({ expectedAmount, isAmountMatched }: Pick<Verdict, "expectedAmount" | "isAmountMatched">): string =>
  expectedAmount === null
    ? ""
    : `${formatBaht(expectedAmount)}: ${isAmountMatched === true ? "matches" : "does not match"}`

const formatAcceptance = ({ accepted, policyVersion, reasons }: NonNullable<Verdict["acceptance"]>): string =>
  (accepted ? "accepted" : `not accepted (${reasons.map(({ code }) => code).join(", ")})`)
  + (policyVersion === undefined ? "" : ` by policy version ${policyVersion}`)

const describeVerdict = (verdict: SlipVerdict): string => {
  const amount = verdict.expectedAmount === null ? "" : `, expected ${expected(verdict)}`
  const conditions = verdict.acceptance === undefined ? "" : `, ${formatAcceptance(verdict.acceptance)}`
  const cost = verdict.charged ? "charged 1 unit" : "not charged"
  return `${
    verdicts[verdict.verdict]
  }, by branch ${verdict.branchId}, verification ${verdict.verificationId}, ${cost}${amount}${conditions}`
}

const slipFields = ({ inVain, jobs, services }: SlipAt): ReadonlyArray<Field> => [
  ...(services.length === 0 ? [["verified", "never"] as const] : services.flatMap(serviceSlipFields)),
  ...inVain.map((
    { at, branchId, code, verificationId, why }
  ): Field => ["not found", `${at} by branch ${branchId}, verification ${verificationId}: ${code}, ${why}`]),
  ...jobs.flatMap(jobFields)
]

const callback = ({ attempts, deliveredAt, lastStatus, nextAttemptAt, state, url }: JobAt["callback"]): string => {
  if (url === null) return "none"
  const answer = lastStatus === null ? "" : `, last answer ${lastStatus}`
  const next = nextAttemptAt === null ? "" : `, next attempt due ${nextAttemptAt}`
  const delivered = deliveredAt === null ? "" : ` at ${deliveredAt}`
  return `${state}${delivered}, sent ${times(attempts)}${answer}${next}, to ${url}`
}

const ended = ({ endedAt, isDuplicate, status }: JobAt): string => {
  if (endedAt === null) return status
  const duplicate = isDuplicate === null ? "" : isDuplicate ? ", duplicate" : ", not a duplicate"
  return `${status}${duplicate}, since ${endedAt}`
}

const jobFields = (job: JobAt): ReadonlyArray<Field> => [
  ["job", `${job.jobId}${job.batchId === null ? "" : ` of batch ${job.batchId}`}`],
  ["branch", job.branchId],
  ["accepted", job.acceptedAt],
  ["status", ended(job)],
  ["attempts", `${job.attempts}${job.nextAttemptAt === null ? "" : `, next attempt due ${job.nextAttemptAt}`}`],
  ...fieldOf("last failure", job.lastFailure, ({ at, code, why }) => `${code} at ${at}: ${why}`),
  ["quota", job.charged ? (job.endedAt === null ? "holds 1 unit" : "charged 1 unit") : "not charged"],
  ["callback", callback(job.callback)]
]

const verdicts = { first: "not a duplicate", duplicate: "duplicate", failed: "failed" }

const verdictFields = (verdict: Verdict): ReadonlyArray<Field> => [
  ["verdict", `${verdicts[verdict.verdict]}, at ${verdict.at}`],
  ...fieldOf("why", verdict.code, (code) => `${code}: ${verdict.why}`),
  ...fieldOf("slip", verdict.amount, (amount) => transferOf({ ...verdict, amount })),
  ...fieldOf("expected", verdict.expectedAmount, () => expected(verdict)),
  ...fieldOf("conditions", verdict.acceptance, formatAcceptance),
  ...fieldOf("bank", verdict.gateway, () => bankOf(verdict)),
  ["branch", verdict.branchId],
  ["charged", units(verdict.charged ? 1 : 0)]
]

const verificationFields = ({ job, verdict, verificationId }: VerificationAt): ReadonlyArray<Field> => [
  ["verification", verificationId],
  ...(verdict === null ? [["verdict", "none yet"] as const] : verdictFields(verdict)),
  ...(job === null ? [] : jobFields(job))
]

const branchFields = (branch: BranchAt): ReadonlyArray<Field> => [
  ["branch", `${branch.branchId}, ${branch.isMain ? "main branch" : "branch"} of service ${branch.serviceId}`],
  ["name", branch.name],
  ["state", branch.isActive ? "active" : "deactivated"],
  ["quota", `${branch.quota.used} used of ${branch.quota.max ?? "unlimited"} in ${branch.quota.month}`],
  ...fieldsBy(settingColumns, { ...branch, quota: branch.quota.max }).filter(([name]) => name !== "quota"),
  ...fieldOf("policy", branch.policy, ({ version }) => `version ${version}`),
  ["webhook secret", branch.webhookSecretIssuedAt === null ? "none" : `issued ${branch.webhookSecretIssuedAt}`],
  ["API key", branch.keyIssuedAt === null ? "none" : `issued ${branch.keyIssuedAt}`],
  ["created", branch.createdAt]
]

const fieldsOf = (state: StateAt): ReadonlyArray<Field> => {
  switch (state.kind) {
    case "slip":
      return slipFields(state)
    case "job":
      return jobFields(state)
    case "verification":
      return verificationFields(state)
    case "branch":
      return branchFields(state)
  }
}
