import { Effect, Schedule } from "effect"
import { BankAccounts } from "../../../application/bank-accounts/list-bank-accounts.ts"
import type { RememberedFailure } from "../../../application/events/run-idempotent.ts"
import { SlipIntake } from "../../../application/jobs/enqueue-slips.ts"
import type { SlipKind, SlipSource } from "../../../application/verification/slip-source.ts"
import { findVerification, type Verification } from "../../../application/verification/verification-view.ts"
import { verifyForCaller } from "../../../application/verification/verify-for-caller.ts"
import { requireWalletGateway } from "../../../application/verification/wallet-slip.ts"
import type { Satang } from "../../../domain/money.ts"
import { Identifiers } from "../../../ports/identifiers.ts"
import type { Failure } from "../http/operations/application-failures.ts"
import { contentDigest } from "../http/bodies/content-digest.ts"
import { idempotentlyAs, rememberByCode } from "../http/operations/idempotency.ts"
import type { ShopContext } from "./page-context.ts"

/** A slip that a clerk checks. */
export interface SlipToCheck {
  readonly source: SlipSource
  readonly expectedAmount: Satang | undefined
  /** The id of the form. The same form with the same slip is one verification, however often it is sent. */
  readonly formId: string
}

/**
 * The slip was verified, or it is checked again later because the bank cannot confirm it yet. The picture of a TrueMoney
 * slip must be sent again instead: a job needs the picture, and pictures are not stored.
 */
export type Checked =
  | { readonly _tag: "Verified"; readonly verification: Verification }
  | { readonly _tag: "Later"; readonly jobId: string }
  | { readonly _tag: "SendAgain"; readonly failure: Failure }

/** A second tap waits for the answer to the first one. */
const whileRunning = Schedule.spaced("250 millis").pipe(Schedule.upTo({ times: 40 }))

/** The clerk may send a better picture with the same form, and must see why the first one failed. */
const remember = (failure: Failure): RememberedFailure => {
  if (failure._tag === "NoSlip") return "release"
  const remembered = rememberByCode(failure)
  // The API calls a TrueMoney slip not found. Here the second tap must verify it as one, too.
  return failure._tag === "WrongSlipKind" && typeof remembered === "object"
    ? { ...remembered, code: "WRONG_SLIP_KIND" }
    : remembered
}

const isWallet = (failure: Failure): boolean =>
  (failure._tag === "WrongSlipKind" && failure.found === "truemoney")
  || (failure._tag === "RefusedBefore" && failure.code === "WRONG_SLIP_KIND")

/** Whether the bank may confirm the slip later. */
const isLater = (failure: Failure): boolean => failure._tag === "SlipPending" || failure._tag === "UpstreamUnavailable"

const fieldsOf = ({ expectedAmount, source }: SlipToCheck) => ({
  slip: source._tag === "Image" ? source.bytes : source._tag === "Payload" ? source.text : source.url,
  amount: expectedAmount ?? null
})

/**
 * Verifies a slip as POST /v2/verify/bank does, and judges it always: by the branch's policy, the amount, the branch's
 * bank accounts if it has any, and by whether it was used before. A TrueMoney slip is verified as one. When the bank
 * cannot confirm the slip yet, a job asks again, except for a TrueMoney slip.
 */
export const checkSlip = Effect.fnUntraced(function* (
  { caller, exchange }: Pick<ShopContext, "caller" | "exchange">,
  slip: SlipToCheck
) {
  const { branchId } = caller
  const { clientRequestId, requestId: correlationId } = exchange
  const { expectedAmount, formId, source } = slip
  const hasAccounts = (yield* (yield* BankAccounts).activeOf(branchId)).length > 0
  const question = {
    expectedAmount,
    accounts: hasAccounts ? { bankCode: undefined, extraVerify: undefined } : undefined,
    conditions: { conditions: {}, receivers: [] }
  }
  const digest = contentDigest("POST /app", fieldsOf(slip))
  const key = `shop/${formId}/${digest}`

  const verifyAs = (kind: SlipKind) =>
    idempotentlyAs(`${key}/${kind}`, { exchange, caller, digests: { digest: `${digest}/${kind}` } }, {
      run: (verificationId) =>
        verifyForCaller({
          verificationId,
          caller,
          correlationId,
          clientRequestId,
          kind,
          slip: { ...question, source }
        }),
      recall: findVerification,
      remember
    }).pipe(Effect.retry({ schedule: whileRunning, while: ({ _tag }) => _tag === "RequestInProgress" }))

  /** The id of the job derives from the form, so sending the form again enqueues nothing more. */
  const enqueue = Effect.gen(function* () {
    const jobId = (yield* Identifiers).derived(`shop-check/${branchId}/${key}`)
    const { enqueue } = yield* SlipIntake
    yield* enqueue({
      jobId,
      caller,
      correlationId,
      clientRequestId,
      slip: { ...question, source, remark: undefined, callbackUrl: null }
    })
    return { _tag: "Later", jobId } satisfies Checked
  })

  const verified = (verification: Verification): Checked => ({ _tag: "Verified", verification })
  const asBank = Effect.map(verifyAs("bank"), verified).pipe(
    Effect.catchIf((failure: Failure) => isLater(failure), () => enqueue)
  )
  const asWallet = Effect.andThen(requireWalletGateway, verifyAs("truemoney")).pipe(
    Effect.map(verified),
    Effect.catchIf(
      (failure: Failure) => isLater(failure),
      (failure) => Effect.succeed<Checked>({ _tag: "SendAgain", failure })
    )
  )
  return yield* source._tag === "Image"
    ? Effect.catchIf(asBank, (failure: Failure) => isWallet(failure), () => asWallet)
    : asBank
})
