import { Effect } from "effect"
import { operators, streamOf } from "../../domain/events/aggregates.ts"
import {
  operatorEverNamed,
  operatorNamed,
  OperatorNotFound,
  type OperatorRole,
  type OperatorsCommand,
  type OperatorsState,
  type OperatorState
} from "../../domain/operators.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { Vault } from "../../ports/vault.ts"
import { makeFollower } from "../events/follow-stream.ts"
import { handleOperatorCommand } from "../provisioning/operator-command.ts"
import type { RequestIds } from "../events/handle-command.ts"
import { endAllConsoleSessions } from "./console-sessions.ts"

/** Reads the operators, at each run the new events only. */
export const makeOperatorsFollower = makeFollower(operators, streamOf.operators())

export type OperatorsFollower = Effect.Success<typeof makeOperatorsFollower>

/** The digest of an operator's token, as the log holds it. */
export const tokenDigestOf = (vault: Pick<Vault["Service"], "digest">, token: string): string =>
  vault.digest("operator-token", token)

/** An operator as other operators see it. */
export interface OperatorView {
  readonly name: string
  readonly role: OperatorRole
  /** ISO 8601, UTC. */
  readonly addedAt: string
}

/** An operator with a new token, which is shown only now. */
export interface OperatorWithToken extends OperatorView {
  readonly token: string
}

export const operatorView = ({ addedAt, name, role }: OperatorState): OperatorView => ({ name, role, addedAt })

export const operatorViews = ({ byName }: OperatorsState): ReadonlyArray<OperatorView> =>
  [...byName.values()].map(operatorView)

const newToken = Effect.gen(function* () {
  const token = (yield* Identifiers).operatorToken()
  return { token, tokenDigest: tokenDigestOf(yield* Vault, token) }
})

type WithoutTime<Command> = Command extends unknown ? Omit<Command, "at"> : never

const handle = (command: WithoutTime<OperatorsCommand>, ids: RequestIds) =>
  handleOperatorCommand(operators, streamOf.operators(), (at) => ({ ...command, at }), ids)

const viewNamed = (state: OperatorsState, name: string) => {
  const found = operatorEverNamed(state, name)
  return found === undefined ? Effect.fail(new OperatorNotFound()) : Effect.succeed(operatorView(found))
}

/** Adds an operator, and returns it with its token. Fails with `OperatorNameTaken`. */
export const addOperator = Effect.fn("addOperator")(function* (
  { name, role }: { readonly name: string; readonly role: OperatorRole },
  ids: RequestIds
) {
  const { token, tokenDigest } = yield* newToken
  const operatorId = (yield* Identifiers).newId()
  const { after } = yield* handle({ _tag: "AddOperator", operatorId, name, role, tokenDigest }, ids)
  return { ...yield* viewNamed(after, name), token } satisfies OperatorWithToken
}, Effect.catchTag(["OperatorNotFound", "LastAdmin"], Effect.die))

/** The fields of a command that can take away the last administrator. */
interface Demotion {
  readonly name: string
  /** Whether an administrator can sign in without being an operator, such as with `ADMIN_TOKEN`. */
  readonly hasOtherAdmin: boolean
}

/** Gives an operator another role, which counts from the next request on. Fails with `LastAdmin`. */
export const setOperatorRole = Effect.fn("setOperatorRole")(function* (
  { hasOtherAdmin, name, role }: Demotion & { readonly role: OperatorRole },
  ids: RequestIds
) {
  const { after } = yield* handle({ _tag: "ChangeOperatorRole", name, role, hasOtherAdmin }, ids)
  return yield* viewNamed(after, name)
})

/** Issues a new token. The one before stops at once, and sessions that began with it end. */
export const issueOperatorToken = Effect.fn("issueOperatorToken")(function* (name: string, ids: RequestIds) {
  const { token, tokenDigest } = yield* newToken
  const { after } = yield* handle({ _tag: "IssueOperatorToken", name, tokenDigest }, ids)
  const view = yield* viewNamed(after, name)
  yield* endAllConsoleSessions({ operator: view.name }, ids)
  return { ...view, token } satisfies OperatorWithToken
}, Effect.catchTag(["OperatorNameTaken", "LastAdmin"], Effect.die))

/** Removes an operator: token and sessions stop at once. Fails with `LastAdmin`. */
export const removeOperator = Effect.fn("removeOperator")(function* (
  { hasOtherAdmin, name }: Demotion,
  ids: RequestIds
) {
  const { after } = yield* handle({ _tag: "RemoveOperator", name, hasOtherAdmin }, ids)
  const view = yield* viewNamed(after, name)
  yield* endAllConsoleSessions({ operator: view.name }, ids)
  return view
})

/** Ends the sessions of an operator, of any source, and returns its name. A name that no operator has is taken as it is. */
export const endOperatorSessions = Effect.fn("endOperatorSessions")(function* (
  state: OperatorsState,
  name: string,
  ids: RequestIds
) {
  const operator = operatorNamed(state, name)?.name ?? name
  yield* endAllConsoleSessions({ operator }, ids)
  return operator
})
