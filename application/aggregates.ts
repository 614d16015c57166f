import { account, AccountEvent } from "../domain/account.ts"
import { bankAccount, BankAccountEvent } from "../domain/bank-account.ts"
import { branch, BranchEvent } from "../domain/branch.ts"
import { callback, CallbackEvent } from "../domain/callback.ts"
import type { Decider } from "../domain/decider.ts"
import { forgetting, ForgettingEvent } from "../domain/forgetting.ts"
import { job, JobEvent } from "../domain/job.ts"
import { request, RequestEvent } from "../domain/request.ts"
import { reveal, RevealEvent } from "../domain/reveal.ts"
import { service, ServiceEvent } from "../domain/service.ts"
import { slip, SlipEvent } from "../domain/slip/slip.ts"
import { verification, VerificationEvent } from "../domain/verification.ts"
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
export const forgettings = { decider: forgetting, codec: eventCodec(ForgettingEvent) }
export const requests = { decider: request, codec: eventCodec(RequestEvent) }
export const callbacks = { decider: callback, codec: eventCodec(CallbackEvent) }
export const reveals = { decider: reveal, codec: eventCodec(RevealEvent) }

/** The names of streams (contract: events). */
export const streamOf = {
  account: (id: string): string => `account-${id}`,
  service: (id: string): string => `service-${id}`,
  branch: (id: string): string => `branch-${id}`,
  /** Named after a digest of the bank and the number. */
  bankAccount: (serviceId: string, digest: string): string => `bankAccount-${serviceId}-${digest}`,
  slip: (serviceId: string, slipDigest: string): string => `slip-${serviceId}-${slipDigest}`,
  verification: (id: string): string => `verification-${id}`,
  job: (id: string): string => `job-${id}`,
  /** Named after the job whose result it carries. */
  callback: (jobId: string): string => `callback-${jobId}`,
  /** Of a slip, in whichever service. */
  forgetting: (slipDigest: string): string => `forgotten-${slipDigest}`,
  /** Named after a digest of the branch and its key. */
  request: (digest: string): string => `request-${digest}`,
  reveal: (id: string): string => `reveal-${id}`
}
