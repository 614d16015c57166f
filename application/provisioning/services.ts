import { Effect } from "effect"
import { appendBranch, changeBranch } from "./branches.ts"
import { Directory, sealContact } from "./directory.ts"
import { operate, type Operation, shown } from "./operator-command.ts"
import { type AccountCommand, AccountNotFound } from "../../domain/account.ts"
import { accounts, services, streamOf } from "../../domain/events/aggregates.ts"
import { type ServiceCommand, ServiceNotFound } from "../../domain/service.ts"
import { Identifiers } from "../../ports/identifiers.ts"

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

const findAccount = (id: string) => Effect.flatMap(Directory, (directory) => directory.account(id))

export interface NewAccount {
  readonly name: string | null
  readonly email: string | null
}

/** Makes the stream of an owner of services. */
export const appendAccount = Effect.fnUntraced(function* (input: NewAccount, operation: Operation) {
  const accountId = (yield* Identifiers).random()
  const contact = yield* sealContact(input)
  yield* operate(accounts, streamOf.account(accountId), { _tag: "RegisterAccount", accountId, contact }, operation)
  return accountId
})

/** Registers an owner of services; it can do nothing until it is verified. */
export const createAccount = Effect.fn("accounts.createAccount")(function* (input: NewAccount, operation: Operation) {
  const accountId = yield* appendAccount(input, operation)
  return yield* shown(findAccount(accountId), () => new AccountNotFound())
})

/** Verifies, bans or unbans an account. */
export const changeAccount = Effect.fn("accounts.changeAccount")(function* (
  id: string,
  command: Exclude<AccountCommand, { readonly _tag: "RegisterAccount" }>,
  operation: Operation
) {
  yield* operate(accounts, streamOf.account(id), command, operation)
  return yield* shown(findAccount(id), () => new AccountNotFound())
})
