import { Context, Effect, Layer } from "effect"
import { SlipVerifier, type VerificationRequest } from "../../application/verification/verify-slip.ts"
import { quotaNaming } from "../../projections/models/quota.ts"
import {
  BankGateway,
  type GatewayAnswer,
  type GatewayReply,
  type SlipQuestion,
  type WalletQuestion
} from "../../ports/bank-gateway.ts"
import { Egress, EgressError, type EgressRequest } from "../../ports/egress.ts"
import { beginning } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { NewStreams, type Novelty } from "../../ports/new-streams.ts"
import { SlipReader, SlipReaderError } from "../../ports/slip-reader.ts"
import { BankAccounts } from "../../application/bank-accounts/list-bank-accounts.ts"
import type { Caller } from "../../application/provisioning/callers.ts"
import { satang } from "../../domain/money.ts"
import type { Transfer } from "../../domain/slip/transfer.ts"
import { layerQuotaEmbedded } from "../../infrastructure/adapters/stores/sqlite/read-models/quota.ts"
import type { Allowances } from "../../infrastructure/runtime/uncharged-limits.ts"
import { layerUnchargedLimiterMemory } from "../support/uncharged-limiter.ts"
import { noFaults } from "../support/faulty-event-store.ts"
import { branchActor } from "../../domain/actor.ts"
import { limitsOf } from "../../domain/branch-keys.ts"
import { layerPorts } from "../support/ports.ts"

/** The names and numbers of a transfer. A test checks that the log does not contain them. */
export const personal = [
  "สมชาย ใจดี",
  "Somchai Jaidee",
  "xxx-x-x1234-x",
  "081-xxx-1234",
  "ร้านกาแฟ",
  "Coffee Shop",
  "R2345"
]

type Question = SlipQuestion | WalletQuestion

export const transferOf = (
  { sendingBank, transRef }: Pick<Question, "sendingBank" | "transRef">,
  amount = satang(100_00)
): Transfer => ({
  transRef,
  sendingBank,
  transferredAt: "2026-11-21T12:00:00+07:00",
  countryCode: "TH",
  amount,
  fee: satang(0),
  ref1: "R2345",
  ref2: "",
  ref3: "",
  sender: {
    bank: { id: sendingBank, name: "ธนาคารกสิกรไทย", short: "KBANK" },
    account: { name: { th: "สมชาย ใจดี", en: "Somchai Jaidee" }, bank: { type: "BANKAC", account: "xxx-x-x1234-x" } }
  },
  receiver: {
    bank: { id: "014", name: "ธนาคารไทยพาณิชย์", short: "SCB" },
    account: { name: { th: "ร้านกาแฟ", en: "Coffee Shop" }, proxy: { type: "MSISDN", account: "081-xxx-1234" } },
    merchantId: null
  }
})

/** A bank whose answers the test replaces. By default it finds every transfer. */
export interface StubBank {
  /** The questions that the bank received, oldest first. */
  readonly questions: Array<Question>
  answer: (question: Question) => Effect.Effect<GatewayAnswer>
  /** The whole reply. By default it wraps `answer`. */
  reply: (question: Question) => Effect.Effect<GatewayReply>
}

const layerBank = (bank: StubBank) =>
  Layer.succeed(
    BankGateway,
    BankGateway.of({
      verifiesWallets: true,
      verify: (question) =>
        Effect.suspend(() => {
          bank.questions.push(question)
          return bank.reply(question)
        })
    })
  )

/** A caller of a service, by default of its main branch. */
export const callerOf = (
  { branchId = "branch-1", quota = null, serviceId = "service-1" }: {
    readonly branchId?: string
    readonly serviceId?: string
    readonly quota?: number | null
  } = {}
): Caller => {
  const createdAt = "2026-01-01T00:00:00.000Z"
  return {
    key: { digest: "digest-1", ...limitsOf({}), endsAt: Infinity },
    actor: branchActor(branchId),
    branchId,
    serviceId,
    branch: {
      serviceId,
      name: "B",
      isMain: true,
      active: true,
      quota,
      ipWhitelist: ["*"],
      webhookUrl: null,
      policy: null,
      createdAt
    },
    service: {
      accountId: "account-1",
      mainBranchId: branchId,
      name: "S",
      plan: "standard",
      expiresAt: null,
      active: true,
      banned: false,
      deleted: false,
      createdAt
    },
    account: { contact: null, verified: true, banned: false, createdAt }
  }
}

/**
 * The verifier over a log in memory, with a stub bank, slip reader and egress. `another` is a second process on the
 * same log: it shares only the log and the quota.
 */
export const givenVerifierWith = Effect.fnUntraced(function* (allowances: Partial<Allowances> = {}) {
  const bank: StubBank = {
    questions: [],
    answer: (question) => Effect.succeed({ _tag: "Found", transfer: transferOf(question) }),
    reply: (question) =>
      Effect.map(
        bank.answer(question),
        (answer) => ({ gateway: "stub", tookMillis: 12, answer, upstream: null, before: [] })
      )
  }
  const logFaults = noFaults()
  const stubs = {
    read: (_: Uint8Array): ReturnType<SlipReader["Service"]["read"]> =>
      Effect.fail(new SlipReaderError({ reason: "not-an-image" })),
    request: (_: EgressRequest): ReturnType<Egress["Service"]["request"]> =>
      Effect.fail(new EgressError({ reason: "unreachable", detail: "" })),
    accounts: (_: string): ReturnType<BankAccounts["Service"]["activeOf"]> => Effect.succeed([]),
    novelty: "unknown" as Novelty
  }
  const ports = yield* Layer.build(
    layerQuotaEmbedded(quotaNaming).pipe(Layer.provideMerge(Layer.mergeAll(
      layerPorts(logFaults),
      layerUnchargedLimiterMemory(allowances),
      layerBank(bank),
      Layer.succeed(NewStreams, {
        of: () => Effect.sync(() => stubs.novelty),
        hasEvents: () => {}
      }),
      Layer.mock(BankAccounts, { activeOf: (branchId) => stubs.accounts(branchId) }),
      Layer.succeed(SlipReader, SlipReader.of({ read: (image) => stubs.read(image) })),
      Layer.succeed(
        Egress,
        Egress.of({
          request: (request) => stubs.request(request),
          check: () => Effect.succeed([])
        })
      )
    )))
  )
  const process = Layer.fresh(SlipVerifier.layer).pipe(
    Layer.provide(Layer.succeedContext(ports)),
    Layer.build,
    Effect.map((context) => Context.get(context, SlipVerifier))
  )
  const store = Context.get(ports, EventStore)
  const { random } = Context.get(ports, Identifiers)

  const verifyWith =
    ({ verify }: SlipVerifier["Service"]) =>
    (text: string, caller: Caller = callerOf(), more: Partial<VerificationRequest> = {}) =>
      verify({
        verificationId: random(),
        serviceId: caller.serviceId,
        branchId: caller.branchId,
        quota: caller.branch.quota,
        source: { _tag: "Payload", text },
        actor: caller.actor,
        correlationId: "request-1",
        ...more
      })

  const verifier = yield* process
  const other = yield* process
  return {
    bank,
    logFaults,
    stubs,
    ports,
    verify: verifyWith(verifier),
    attempt: verifier.attempt,
    another: verifyWith(other),
    attemptOfAnother: other.attempt,
    /** All events of the log, oldest first. */
    events: store.readAll({ after: beginning, limit: 1_000_000 })
  }
})

/** `givenVerifierWith` without limits. */
export const givenVerifier = givenVerifierWith()

export const types = (events: ReadonlyArray<RecordedEvent>): ReadonlyArray<string> => events.map(({ type }) => type)
