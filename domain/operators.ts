import { Data, Result, Schema } from "effect"
import { type Decider, eventsOf } from "./decider.ts"

/**
 * The operators: people and programs that use the admin API and the console with a token of their own. All of them have
 * one stream, `operators`, so that a name belongs to one operator at a time.
 */

/** What an operator may do (domain/permissions.ts). */
export const OperatorRole = Schema.Literals(["admin", "support", "auditor"])
export type OperatorRole = typeof OperatorRole.Type

/** The name in the trail of a request or session with the setting `ADMIN_TOKEN`. */
export const ADMIN_TOKEN_NAME = "ADMIN_TOKEN"

const NAME = /^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$/u

/** Names are unique without regard to case. */
const keyOf = (name: string): string => name.toLowerCase()

/** Whether an operator can have this name: 1 to 64 characters, and not that of the bootstrap token. */
export const isOperatorName = (name: string): boolean => NAME.test(name) && keyOf(name) !== keyOf(ADMIN_TOKEN_NAME)

// These names are the storage format: add, never edit.
export const OperatorsEvent = Schema.TaggedUnion({
  OperatorAdded: {
    operatorId: Schema.String,
    name: Schema.String,
    role: OperatorRole,
    /** Keyed digest of the token. The token itself is not stored. */
    tokenDigest: Schema.String,
    /** ISO 8601, UTC. */
    at: Schema.String
  },
  OperatorRoleChanged: {
    operatorId: Schema.String,
    name: Schema.String,
    role: OperatorRole,
    /** ISO 8601, UTC. */
    at: Schema.String
  },
  /** A new token. The token before stops at once. */
  OperatorTokenIssued: {
    operatorId: Schema.String,
    name: Schema.String,
    tokenDigest: Schema.String,
    /** ISO 8601, UTC. */
    at: Schema.String
  },
  OperatorRemoved: {
    operatorId: Schema.String,
    name: Schema.String,
    /** ISO 8601, UTC. */
    at: Schema.String
  }
})
export type OperatorsEvent = typeof OperatorsEvent.Type

export interface OperatorState {
  readonly operatorId: string
  readonly name: string
  readonly role: OperatorRole
  readonly tokenDigest: string
  /** ISO 8601, UTC. */
  readonly addedAt: string
}

export interface OperatorsState {
  /** By the name in lower case, in the order in which they were added. */
  readonly byName: ReadonlyMap<string, OperatorState>
  /** The same of operators that were removed, while no other operator has their name. */
  readonly removed: ReadonlyMap<string, OperatorState>
}

export type OperatorsCommand =
  | {
    readonly _tag: "AddOperator"
    readonly operatorId: string
    readonly name: string
    readonly role: OperatorRole
    readonly tokenDigest: string
    readonly at: string
  }
  | {
    readonly _tag: "ChangeOperatorRole"
    readonly name: string
    readonly role: OperatorRole
    /** Whether an administrator can sign in without being an operator, such as with `ADMIN_TOKEN`. */
    readonly hasOtherAdmin: boolean
    readonly at: string
  }
  | {
    readonly _tag: "IssueOperatorToken"
    readonly name: string
    readonly tokenDigest: string
    readonly at: string
  }
  | {
    readonly _tag: "RemoveOperator"
    readonly name: string
    readonly hasOtherAdmin: boolean
    readonly at: string
  }

export class OperatorNotFound extends Data.TaggedError("OperatorNotFound") {}
/** Another operator has the name. */
export class OperatorNameTaken extends Data.TaggedError("OperatorNameTaken") {}
/** Without this operator no person could manage operators any more. */
export class LastAdmin extends Data.TaggedError("LastAdmin") {}
export type OperatorsRejection = OperatorNotFound | OperatorNameTaken | LastAdmin

/** The operator with a name, in any case. */
export const operatorNamed = ({ byName }: OperatorsState, name: string): OperatorState | undefined =>
  byName.get(keyOf(name))

/** The operator with a name, or the last one that had it. */
export const operatorEverNamed = ({ byName, removed }: OperatorsState, name: string): OperatorState | undefined =>
  byName.get(keyOf(name)) ?? removed.get(keyOf(name))

/** The operator with an id, while it is in the list. */
export const operatorWithId = ({ byName }: OperatorsState, operatorId: string): OperatorState | undefined =>
  [...byName.values()].find((operator) => operator.operatorId === operatorId)

/** The operator with a token, by its keyed digest. */
export const operatorWithToken = ({ byName }: OperatorsState, tokenDigest: string): OperatorState | undefined => {
  for (const operator of byName.values()) if (operator.tokenDigest === tokenDigest) return operator
  return undefined
}

const without = <Value>(map: ReadonlyMap<string, Value>, key: string): ReadonlyMap<string, Value> =>
  new Map([...map].filter(([other]) => other !== key))

const evolve = ({ byName, removed }: OperatorsState, event: OperatorsEvent): OperatorsState => {
  const key = keyOf(event.name)
  if (event._tag === "OperatorAdded") {
    const { at: addedAt, name, operatorId, role, tokenDigest } = event
    const added: OperatorState = { operatorId, name, role, tokenDigest, addedAt }
    return { byName: new Map([...byName, [key, added]]), removed: without(removed, key) }
  }
  const before = byName.get(key)
  if (before === undefined) return { byName, removed }
  switch (event._tag) {
    case "OperatorRoleChanged":
      return { byName: new Map([...byName, [key, { ...before, role: event.role }]]), removed }
    case "OperatorTokenIssued":
      return { byName: new Map([...byName, [key, { ...before, tokenDigest: event.tokenDigest }]]), removed }
    case "OperatorRemoved":
      return { byName: without(byName, key), removed: new Map([...removed, [key, before]]) }
  }
}

const make = eventsOf(OperatorsEvent)

const isLastAdmin = ({ byName }: OperatorsState, { operatorId, role }: OperatorState): boolean =>
  role === "admin" && ![...byName.values()].some((other) => other.role === "admin" && other.operatorId !== operatorId)

const decide = (
  command: OperatorsCommand,
  state: OperatorsState
): Result.Result<ReadonlyArray<OperatorsEvent>, OperatorsRejection> => {
  const found = operatorNamed(state, command.name)
  const { at } = command
  if (command._tag === "AddOperator") {
    const { name, operatorId, role, tokenDigest } = command
    if (found?.operatorId === operatorId) return Result.succeed([])
    if (found !== undefined) return Result.fail(new OperatorNameTaken())
    return Result.succeed([make.OperatorAdded({ operatorId, name, role, tokenDigest, at })])
  }
  if (found === undefined) {
    const isRepeated = command._tag === "RemoveOperator" && state.removed.has(keyOf(command.name))
    return isRepeated ? Result.succeed([]) : Result.fail(new OperatorNotFound())
  }
  const { name, operatorId } = found
  switch (command._tag) {
    case "ChangeOperatorRole": {
      const { hasOtherAdmin, role } = command
      if (role === found.role) return Result.succeed([])
      if (!hasOtherAdmin && isLastAdmin(state, found)) return Result.fail(new LastAdmin())
      return Result.succeed([make.OperatorRoleChanged({ operatorId, name, role, at })])
    }
    case "IssueOperatorToken": {
      const { tokenDigest } = command
      if (tokenDigest === found.tokenDigest) return Result.succeed([])
      return Result.succeed([make.OperatorTokenIssued({ operatorId, name, tokenDigest, at })])
    }
    case "RemoveOperator":
      if (!command.hasOtherAdmin && isLastAdmin(state, found)) return Result.fail(new LastAdmin())
      return Result.succeed([make.OperatorRemoved({ operatorId, name, at })])
  }
}

export const operators: Decider<OperatorsCommand, OperatorsState, OperatorsEvent, OperatorsRejection> = {
  initialState: { byName: new Map(), removed: new Map() },
  evolve,
  decide,
  isTerminal: () => false
}
