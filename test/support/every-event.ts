import type { Schema } from "effect"
import type * as aggregates from "../../application/aggregates.ts"
import type { JsonObject } from "../../application/ports/event-store.ts"
import { AccountEvent } from "../../domain/account.ts"
import { BankAccountEvent } from "../../domain/bank-account.ts"
import { BranchEvent } from "../../domain/branch.ts"
import { CallbackEvent } from "../../domain/callback.ts"
import { ForgettingEvent } from "../../domain/forgetting.ts"
import { JobEvent } from "../../domain/job.ts"
import { RequestEvent } from "../../domain/request.ts"
import { RevealEvent } from "../../domain/reveal.ts"
import { ServiceEvent } from "../../domain/service.ts"
import { SlipEvent } from "../../domain/slip/slip.ts"
import { VerificationEvent } from "../../domain/verification.ts"

interface Events extends Schema.Codec<JsonObject & { readonly _tag: string }, JsonObject> {
  readonly cases: object
}

/** The events of every aggregate. */
export const everyEvent: Readonly<Record<Exclude<keyof typeof aggregates, "streamOf">, Events>> = {
  accounts: AccountEvent,
  bankAccounts: BankAccountEvent,
  branches: BranchEvent,
  callbacks: CallbackEvent,
  forgettings: ForgettingEvent,
  jobs: JobEvent,
  requests: RequestEvent,
  reveals: RevealEvent,
  services: ServiceEvent,
  slips: SlipEvent,
  verifications: VerificationEvent
}

/** The types of all of them. */
export const everyType = Object.values(everyEvent).flatMap(({ cases }) => Object.keys(cases))
