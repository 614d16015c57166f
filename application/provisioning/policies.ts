import { Effect } from "effect"
import { commandBranch } from "./branches.ts"
import { Directory } from "./directory.ts"
import { awaitVisibleToRequests } from "./operator-command.ts"
import type { RequestIds } from "../events/handle-command.ts"
import { BranchNotFound } from "../../domain/branch.ts"
import { type Satang, toBaht } from "../../domain/money.ts"
import type { Conditions, Policy } from "../../domain/slip/conditions.ts"

/** The policy of a branch; null without one. */
export const findPolicy = Effect.fn("policies.findPolicy")(function* (id: string) {
  const policy = yield* (yield* Directory).policy(id)
  return policy === undefined ? yield* new BranchNotFound() : policy
})

type PolicyCommand = Parameters<typeof commandBranch>[1]

const commandPolicy = Effect.fnUntraced(function* (id: string, command: PolicyCommand, ids: RequestIds) {
  yield* commandBranch(id, command, ids)
  yield* awaitVisibleToRequests
  return yield* findPolicy(id)
})

/** Replaces the policy of a branch by conditions. Recorded verdicts keep the version that judged them. */
export const setPolicy = Effect.fn("policies.setPolicy")(
  (id: string, conditions: Conditions, ids: RequestIds) => commandPolicy(id, { _tag: "SetPolicy", conditions }, ids)
)

/** Removes the policy of a branch. */
export const removePolicy = Effect.fn("policies.removePolicy")(
  (id: string, ids: RequestIds) => commandPolicy(id, { _tag: "RemovePolicy" }, ids)
)

const inBaht = (amount: Satang | undefined): number | undefined => amount === undefined ? undefined : toBaht(amount)

type Present<A> = { readonly [Name in keyof A]?: Exclude<A[Name], undefined> }

/** Drops fields that are undefined. */
const present = <A extends object>(fields: A) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<A>

/** Conditions of a policy as operators write them: money in baht. Only requests list receivers. */
export const policyConditionsJson = ({ amount, receivers, ...others }: Conditions) => ({
  ...present({
    amount: amount === undefined ? undefined : present({
      equals: inBaht(amount.equals),
      atLeast: inBaht(amount.atLeast),
      atMost: inBaht(amount.atMost)
    }),
    ...others
  }),
  ...(receivers === "registered" ? { receivers } : {})
})

/** The policy of a branch in JSON; both fields are null without one. */
export const policyJson = (policy: Policy | null) =>
  policy === null
    ? { version: null, conditions: null }
    : { version: policy.version, conditions: policyConditionsJson(policy.conditions) }
