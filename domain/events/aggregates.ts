import { account, AccountEvent } from "../account.ts"
import { bankAccount, BankAccountEvent } from "../bank-account/bank-account.ts"
import { branch, BranchEvent } from "../branch.ts"
import { callback, CallbackEvent } from "../callback.ts"
import { consoleSession, ConsoleSessionsEvent } from "../console-sessions.ts"
import type { Decider } from "../decider.ts"
import { disclosure, DisclosureEvent } from "../disclosure.ts"
import { erasure, ErasureEvent } from "../erasure.ts"
import { type EventCodec, eventCodec } from "./event-codec.ts"
import { verification, VerificationEvent } from "../failed-verification.ts"
import { request, RequestEvent } from "../idempotency-key.ts"
import { job, JobEvent } from "../job.ts"
import { oidcName, OidcNameEvent } from "../oidc-name.ts"
import { operatorAct, OperatorActEvent } from "../operator-act.ts"
import { operators as operatorsDecider, OperatorsEvent } from "../operators.ts"
import { refusedAttempt, RefusedAttemptEvent } from "../refused-attempt.ts"
import { keyUse, KeyUseEvent } from "../key-use.ts"
import { sealing, SealingEvent } from "../sealing.ts"
import { service, ServiceEvent } from "../service.ts"
import { shopSession, ShopSessionEvent } from "../shop-session.ts"
import { signInLink, SignInLinkEvent } from "../sign-in-link.ts"
import { signIn, SignInEvent } from "../sign-in.ts"
import { slip, SlipEvent } from "../slip/slip.ts"
import { trailExport, TrailExportEvent } from "../trail-export.ts"
import { NoteEvent, verificationNote } from "../verification-note.ts"

/** A decider and the codec of its events. */
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
export const notes = { decider: verificationNote, codec: eventCodec(NoteEvent) }
export const jobs = { decider: job, codec: eventCodec(JobEvent) }
export const erasures = { decider: erasure, codec: eventCodec(ErasureEvent) }
export const requests = { decider: request, codec: eventCodec(RequestEvent) }
export const callbacks = { decider: callback, codec: eventCodec(CallbackEvent) }
export const disclosures = { decider: disclosure, codec: eventCodec(DisclosureEvent) }
export const keyUses = { decider: keyUse, codec: eventCodec(KeyUseEvent) }
export const trailExports = { decider: trailExport, codec: eventCodec(TrailExportEvent) }
export const consoleSessions = { decider: consoleSession, codec: eventCodec(ConsoleSessionsEvent) }
export const operators = { decider: operatorsDecider, codec: eventCodec(OperatorsEvent) }
export const operatorActs = { decider: operatorAct, codec: eventCodec(OperatorActEvent) }
export const oidcNames = { decider: oidcName, codec: eventCodec(OidcNameEvent) }
export const signIns = { decider: signIn, codec: eventCodec(SignInEvent) }
export const signInLinks = { decider: signInLink, codec: eventCodec(SignInLinkEvent) }
export const shopSessions = { decider: shopSession, codec: eventCodec(ShopSessionEvent) }
export const sealings = { decider: sealing, codec: eventCodec(SealingEvent) }
export const refusedAttempts = { decider: refusedAttempt, codec: eventCodec(RefusedAttemptEvent) }

/** The names of streams (docs/spec/events.md, "Streams"). */
export const streamOf = {
  account: (id: string): string => `account-${id}`,
  service: (id: string): string => `service-${id}`,
  branch: (id: string): string => `branch-${id}`,
  /** Named after a digest of the bank and the number. */
  bankAccount: (serviceId: string, digest: string): string => `bankAccount-${serviceId}-${digest}`,
  slip: (serviceId: string, slipDigest: string): string => `slip-${serviceId}-${slipDigest}`,
  verification: (id: string): string => `verification-${id}`,
  /** The notes of a verification, by its id. */
  notes: (verificationId: string): string => `note-${verificationId}`,
  job: (id: string): string => `job-${id}`,
  /** Named after the job whose result it carries. */
  callback: (jobId: string): string => `callback-${jobId}`,
  /** Of a slip, in all services. */
  erasure: (slipDigest: string): string => `forgotten-${slipDigest}`,
  /** Named after a digest of the branch and its key. */
  request: (digest: string): string => `request-${digest}`,
  disclosure: (id: string): string => `reveal-${id}`,
  /** Of an API key. */
  keyUse: (keyDigest: string): string => `keyUse-${keyDigest}`,
  trailExport: (id: string): string => `export-${id}`,
  /** One stream for all sessions. */
  consoleSessions: (): string => "console-sessions",
  /** One stream for all operators. */
  operators: (): string => "operators",
  /** Of the start of one session of the console. */
  signIn: (sessionId: string): string => `session-${sessionId}`,
  /** Of a link to sign in to the shop's page, named after a digest of its token. */
  signInLink: (digest: string): string => `signInLink-${digest}`,
  /** Of the end of one session of the shop's page. */
  shopSession: (sessionId: string): string => `shopSession-${sessionId}`,
  refusedAttempt: (id: string): string => `refusal-${id}`,
  /** Of one act of an operator that changes no other stream. */
  operatorAct: (id: string): string => `act-${id}`,
  /** Of a name of the OpenID Connect provider, named after a digest of it. */
  oidcName: (digest: string): string => `oidcName-${digest}`,
  /** One stream for the log. */
  sealing: (): string => "sealing"
}
