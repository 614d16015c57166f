import { Effect, type Redacted } from "effect"
import { ApiKeyInUse, keyOfBranch } from "./api-keys.ts"
import { appendBranch, commandBranch } from "./branches.ts"
import { Directory, sealContact } from "./directory.ts"
import { handleOperatorCommand, readWhenVisible } from "./operator-command.ts"
import type { RequestIds } from "../events/handle-command.ts"
import { type AccountCommand, AccountNotFound } from "../../domain/account.ts"
import { accounts, services, streamOf } from "../../domain/events/aggregates.ts"
import { type ServiceCommand, ServiceNotFound } from "../../domain/service.ts"
import { Identifiers } from "../../ports/identifiers.ts"

const find = (id: string) => Effect.flatMap(Directory, (directory) => directory.service(id))

export interface NewService {
  readonly name: string
  readonly plan: string
  /** The quota of the main branch; null is unlimited. */
  readonly quota: number | null
  readonly accountId: string | undefined
  readonly expiresAt: string | null
  readonly ipWhitelist?: ReadonlyArray<string> | undefined
  /** An API key of another verifier for the main branch: a UUID v4 in lower case. */
  readonly apiKey?: Redacted.Redacted | undefined
}

const appendVerifiedAccount = Effect.fnUntraced(function* (name: string, ids: RequestIds) {
  const accountId = yield* appendAccount({ name, email: null }, ids)
  yield* handleOperatorCommand(accounts, streamOf.account(accountId), () => ({ _tag: "VerifyAccount" }) as const, ids)
  return accountId
})

/**
 * Creates a service with its main branch. Without an `accountId` it also creates a verified account. The service is
 * appended last: a crash in between leaves a branch without a service, and no service without a branch. Repeating the
 * creation with the same imported key then completes it. Of several creations with one key, one succeeds.
 */
export const createService = Effect.fn("services.createService")(function* (input: NewService, ids: RequestIds) {
  const directory = yield* Directory
  if (input.accountId !== undefined && (yield* directory.account(input.accountId)) === undefined) {
    return yield* new AccountNotFound()
  }
  const key = yield* keyOfBranch(input.apiKey)
  const { branchId, keyDigest, serviceId } = key
  if ((yield* directory.service(serviceId)) !== undefined) return yield* new ApiKeyInUse()

  const main = { serviceId, isMain: true, name: "Main" }
  const { branch, secrets } = yield* appendBranch(
    key,
    main,
    { quota: input.quota, ipWhitelist: input.ipWhitelist },
    ids
  )
  if (branch.serviceId !== serviceId || branch.keyDigest !== keyDigest) return yield* new ApiKeyInUse()
  const accountId = input.accountId ?? (yield* appendVerifiedAccount(input.name, ids))
  const { events } = yield* handleOperatorCommand(services, streamOf.service(serviceId), () => ({
    _tag: "CreateService",
    serviceId,
    accountId,
    mainBranchId: branchId,
    name: input.name,
    plan: input.plan,
    expiresAt: input.expiresAt
  } as const), ids)
  if (events.length === 0) return yield* new ApiKeyInUse()
  const service = yield* readWhenVisible(find(serviceId), () => new ServiceNotFound())
  return { ...service, mainBranch: { ...service.mainBranch, ...secrets } }
})

/** Applies a command to a service, for example a ban. */
export const changeService = Effect.fn("services.changeService")(function* (
  id: string,
  command: Exclude<ServiceCommand, { readonly _tag: "CreateService" }>,
  ids: RequestIds
) {
  yield* handleOperatorCommand(services, streamOf.service(id), () => command, ids)
  return yield* readWhenVisible(find(id), () => new ServiceNotFound())
})

export interface ServiceChange {
  readonly name?: string | undefined
  readonly plan?: string | undefined
  readonly expiresAt?: string | null | undefined
  /** The quota of the main branch. */
  readonly quota?: number | null | undefined
}

/** Changes the settings of a service and the quota of its main branch. Absent fields stay. */
export const patchService = Effect.fn("services.patchService")(function* (
  id: string,
  { quota, ...change }: ServiceChange,
  ids: RequestIds
) {
  yield* handleOperatorCommand(
    services,
    streamOf.service(id),
    () => ({ _tag: "ChangeService", ...change }) as const,
    ids
  )
  const service = yield* find(id)
  if (service !== undefined && quota !== undefined && quota !== service.quota) {
    const command = { _tag: "ChangeBranch", settings: { quota } } as const
    yield* commandBranch(service.mainBranch.id, command, ids)
  }
  return yield* readWhenVisible(find(id), () => new ServiceNotFound())
})

const findAccount = (id: string) => Effect.flatMap(Directory, (directory) => directory.account(id))

export interface NewAccount {
  readonly name: string | null
  readonly email: string | null
}

/** Creates the stream of an account, the owner of services. */
export const appendAccount = Effect.fnUntraced(function* (input: NewAccount, ids: RequestIds) {
  const accountId = (yield* Identifiers).newId()
  const contact = yield* sealContact(input, accountId)
  yield* handleOperatorCommand(
    accounts,
    streamOf.account(accountId),
    () => ({ _tag: "RegisterAccount", accountId, contact }) as const,
    ids
  )
  return accountId
})

/** Registers an account. Its services are refused until the account is verified. */
export const createAccount = Effect.fn("accounts.createAccount")(function* (input: NewAccount, ids: RequestIds) {
  const accountId = yield* appendAccount(input, ids)
  return yield* readWhenVisible(findAccount(accountId), () => new AccountNotFound())
})

/** Verifies, bans or unbans an account. */
export const changeAccount = Effect.fn("accounts.changeAccount")(function* (
  id: string,
  command: Exclude<AccountCommand, { readonly _tag: "RegisterAccount" }>,
  ids: RequestIds
) {
  yield* handleOperatorCommand(accounts, streamOf.account(id), () => command, ids)
  return yield* readWhenVisible(findAccount(id), () => new AccountNotFound())
})
