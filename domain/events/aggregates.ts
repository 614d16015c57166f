import { account, AccountEvent } from "../account.ts"
import { bankAccount, BankAccountEvent } from "../bank-account/bank-account.ts"
import { branch, BranchEvent } from "../branch.ts"
import { callback, CallbackEvent } from "../callback.ts"
import type { Decider } from "../decider.ts"
import { ErasureEvent, forgetting } from "../erasure.ts"
import { job, JobEvent } from "../job.ts"
import { request, RequestEvent } from "../idempotency-key.ts"
import { DisclosureEvent, reveal } from "../disclosure.ts"
import { service, ServiceEvent } from "../service.ts"
import { slip, SlipEvent } from "../slip/slip.ts"
import { verification, VerificationEvent } from "../failed-verification.ts"
import { type EventCodec, eventCodec } from "./event-codec.ts"

/** A decider with the way its events are stored. */
export interface Aggregate<Command, State, Event, Rejection> {
  readonly decider: Decider<Command, State, Event, Rejection>
  readonly codec: EventCodec<Event>
}

export const accounts = { decider: account, codec: eventCodec(AccountEvent) }
export const services = { decider: service, codec: eventCodec(ServiceEvent) }
export const branches = { decider: branch, codec: eventCodec(BranchEvent) }
export const bankAccounts = { decider: bankAccount, codec: eventCodec(BankAccountEvent) }
export const slips = { decider: slip, codec: eventCodec(SlipEvent) }
export const verifications = { decider: verification, codec: eventCodec(VerificationEvent) }
export const jobs = { decider: job, codec: eventCodec(JobEvent) }
export const erasures = { decider: forgetting, codec: eventCodec(ErasureEvent) }
export const requests = { decider: request, codec: eventCodec(RequestEvent) }
export const callbacks = { decider: callback, codec: eventCodec(CallbackEvent) }
export const disclosures = { decider: reveal, codec: eventCodec(DisclosureEvent) }
