import { Effect } from "effect"
import { AccountNotFound } from "../../domain/account.ts"
import { type ServiceCommand, ServiceNotFound } from "../../domain/service.ts"
import { streamOf } from "../../domain/events/streams.ts"
import { accounts, services } from "../../domain/events/aggregates.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { Directory } from "./directory.ts"
import { appendAccount } from "./accounts.ts"
import { appendBranch, changeBranch } from "./branches.ts"
import { operate, type Operation, shown } from "./operator-command.ts"

const find = (id: string) => Effect.flatMap(Directory, (directory) => directory.service(id))

export interface NewService {
  readonly name: string
  readonly plan: string
  /** Of the main branch; null is unlimited. */
  readonly quota: number | null
  readonly accountId: string | undefined
  readonly expiresAt: string | null
  readonly ipWhitelist?: ReadonlyArray<string> | undefined
}

const appendVerifiedAccount = Effect.fnUntraced(function* (name: string, operation: Operation) {
  const accountId = yield* appendAccount({ name, email: null }, operation)
  yield* operate(accounts, streamOf.account(accountId), { _tag: "VerifyAccount" }, operation)
  return accountId
})

/**
 * Creates a service with its main branch; without an account a verified one is made for it. The service itself comes
 * last: a crash in between leaves a branch whose key was never returned, but no service without a branch.
 */
export const createService = Effect.fn("services.createService")(function* (input: NewService, operation: Operation) {
  const identifiers = yield* Identifiers
  const serviceId = identifiers.random()
  const branchId = identifiers.random()
  if (input.accountId !== undefined && (yield* (yield* Directory).account(input.accountId)) === undefined) {
    return yield* new AccountNotFound()
  }
  const accountId = input.accountId ?? (yield* appendVerifiedAccount(input.name, operation))

  const main = { serviceId, branchId, isMain: true, name: "Main" }
  const secrets = yield* appendBranch(main, { quota: input.quota, ipWhitelist: input.ipWhitelist }, operation)
  yield* operate(services, streamOf.service(serviceId), {
    _tag: "CreateService",
    serviceId,
    accountId,
    mainBranchId: branchId,
    name: input.name,
    plan: input.plan,
    expiresAt: input.expiresAt
  }, operation)
  const service = yield* shown(find(serviceId), () => new ServiceNotFound())
  return { ...service, mainBranch: { ...service.mainBranch, ...secrets } }
})

/** Bans, deletes, activates … a service. */
export const changeService = Effect.fn("services.changeService")(function* (
  id: string,
  command: Exclude<ServiceCommand, { readonly _tag: "CreateService" }>,
  operation: Operation
) {
  yield* operate(services, streamOf.service(id), command, operation)
  return yield* shown(find(id), () => new ServiceNotFound())
})

export interface ServiceChange {
  readonly name?: string | undefined
  readonly plan?: string | undefined
  readonly expiresAt?: string | null | undefined
  /** Goes to the main branch. */
  readonly quota?: number | null | undefined
}

/** Changes what an operator may change of a service; what is absent stays. */
export const patchService = Effect.fn("services.patchService")(function* (
  id: string,
  { quota, ...change }: ServiceChange,
  operation: Operation
) {
  const service = yield* changeService(id, { _tag: "ChangeService", ...change }, operation)
  if (quota === undefined || quota === service.quota) return service
  yield* changeBranch(service.mainBranch.id, { quota }, operation)
  return yield* shown(find(id), () => new ServiceNotFound())
})
