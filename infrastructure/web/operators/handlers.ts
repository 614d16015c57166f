import type { Effect } from "effect"
import { bankAccounts } from "./bank-accounts.ts"
import type { Handler } from "./handler.ts"
import { apiKeys } from "./keys.ts"
import type { Operations } from "./operations.ts"
import { operators } from "./operators.ts"
import { accounts, branches, services } from "./provisioning.ts"
import { trails } from "./trail.ts"
import { audit, erasure, reports, work } from "./work.ts"

/**
 * The handlers of operators' operations, by operation. Not here: what answers a file, streams, or works on the read models
 * of one side (exports, proofs, projections).
 */
export const handlers = {
  ...accounts,
  ...services,
  ...branches,
  ...apiKeys,
  ...bankAccounts,
  ...operators,
  ...work,
  ...reports,
  ...audit,
  ...erasure,
  ...trails
}

type Handlers = typeof handlers

/** The id of an operation that has a handler. */
export type HandledName = keyof Handlers

/** The id of a handled operation that reads, or that changes something. */
export type ReadName = { [Name in HandledName]: Operations[Name]["method"] extends "GET" ? Name : never }[HandledName]
export type ChangeName = Exclude<HandledName, ReadName>

type FailureOf<Name extends HandledName> = Effect.Error<ReturnType<Handlers[Name]>>
type ServicesOf<Name extends HandledName> = Effect.Services<ReturnType<Handlers[Name]>>

/** What handlers fail with. */
export type HandlerFailure = FailureOf<HandledName>

/** What handlers need. */
export type HandlerServices = ServicesOf<HandledName>

/** The handlers for a caller that names the operation at run time. */
export const readHandlers: { readonly [Name in ReadName]: Handler<Name, FailureOf<ReadName>, ServicesOf<ReadName>> } =
  handlers
export const changeHandlers: {
  readonly [Name in ChangeName]: Handler<Name, FailureOf<ChangeName>, ServicesOf<ChangeName>>
} = handlers
