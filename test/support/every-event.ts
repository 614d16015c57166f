import type { Schema } from "effect"
import type * as aggregates from "../../domain/events/aggregates.ts"
import type { Json, JsonObject } from "../../domain/events/recorded-event.ts"
import { AccountEvent } from "../../domain/account.ts"
import { BankAccountEvent } from "../../domain/bank-account/bank-account.ts"
import { BranchEvent } from "../../domain/branch.ts"
import { ConsoleSessionsEvent } from "../../domain/console-sessions.ts"
import { CallbackEvent } from "../../domain/callback.ts"
import { ErasureEvent } from "../../domain/erasure.ts"
import { JobEvent } from "../../domain/job.ts"
import { OidcNameEvent } from "../../domain/oidc-name.ts"
import { OperatorActEvent } from "../../domain/operator-act.ts"
import { OperatorsEvent } from "../../domain/operators.ts"
import { SealingEvent } from "../../domain/sealing.ts"
import { RefusedAttemptEvent } from "../../domain/refused-attempt.ts"
import { ShopSessionEvent } from "../../domain/shop-session.ts"
import { SignInLinkEvent } from "../../domain/sign-in-link.ts"
import { SignInEvent } from "../../domain/sign-in.ts"
import { RequestEvent } from "../../domain/idempotency-key.ts"
import { KeyUseEvent } from "../../domain/key-use.ts"
import { DisclosureEvent } from "../../domain/disclosure.ts"
import { ServiceEvent } from "../../domain/service.ts"
import { SlipEvent } from "../../domain/slip/slip.ts"
import { TrailExportEvent } from "../../domain/trail-export.ts"
import { VerificationEvent } from "../../domain/failed-verification.ts"
import { NoteEvent } from "../../domain/verification-note.ts"

/** A field that is undefined is not stored. */
interface Fields {
  readonly [name: string]: Json | undefined
}

type AnyEvent = Fields & { readonly _tag: string }

interface Events extends Schema.Codec<AnyEvent, Fields> {
  readonly cases: Readonly<Record<string, Schema.Codec<AnyEvent, Fields>>>
}

/** The events of every aggregate. */
export const everyEvent: Readonly<Record<Exclude<keyof typeof aggregates, "streamOf">, Events>> = {
  accounts: AccountEvent,
  bankAccounts: BankAccountEvent,
  branches: BranchEvent,
  callbacks: CallbackEvent,
  consoleSessions: ConsoleSessionsEvent,
  erasures: ErasureEvent,
  jobs: JobEvent,
  notes: NoteEvent,
  oidcNames: OidcNameEvent,
  operatorActs: OperatorActEvent,
  operators: OperatorsEvent,
  refusedAttempts: RefusedAttemptEvent,
  sealings: SealingEvent,
  keyUses: KeyUseEvent,
  requests: RequestEvent,
  disclosures: DisclosureEvent,
  services: ServiceEvent,
  shopSessions: ShopSessionEvent,
  signInLinks: SignInLinkEvent,
  signIns: SignInEvent,
  slips: SlipEvent,
  trailExports: TrailExportEvent,
  verifications: VerificationEvent
}

const isStored = (entry: [string, Json | undefined]): entry is [string, Json] => entry[1] !== undefined

/** The fields of an event that are stored. */
export const storedFields = (fields: Fields): JsonObject => Object.fromEntries(Object.entries(fields).filter(isStored))

/** The types of all events. */
export const everyType = Object.values(everyEvent).flatMap(({ cases }) => Object.keys(cases))
