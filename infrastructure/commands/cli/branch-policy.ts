import { Effect } from "effect"
import { Command } from "effect/cli"
import { policyConditionsJson } from "../../../application/provisioning/policies.ts"
import { decodeFlatPolicy, flatConditions, policyFields } from "../../web/input/flat-policy.ts"
import { decodeFlags, flagNameOf, idArgument, isoTimeOf, optionalText, repeatable, TIME } from "./flags.ts"
import { changeOne, printing, readOne, runChange } from "./operation.ts"
import { type Field, printFields } from "./output.ts"
import type { DataOf } from "../../web/operators/operations.ts"

const id = idArgument("Id of the branch, see sliptrail branch list")

type WrittenPolicy = DataOf<"getPolicy">

const fieldsOf = ({ conditions: written, version }: WrittenPolicy): ReadonlyArray<Field> => {
  if (version === null) return [["policy", "none"]]
  const values = flatConditions(written)
  const conditions = policyFields.flatMap((name): ReadonlyArray<Field> => {
    const value = values[name]
    return value === undefined ? [] : [[flagNameOf(name), value]]
  })
  return [["policy", `version ${version}`], ...conditions]
}

const printsPolicy = printing((policy: WrittenPolicy) => printFields(fieldsOf(policy)))

const set = printsPolicy(
  "set",
  {
    id,
    equals: optionalText("amount", "Exact amount in baht"),
    atLeast: optionalText("at-least", "Lowest amount in baht"),
    atMost: optionalText("at-most", "Highest amount in baht"),
    after: optionalText("after", `Earliest time of the transfer: ${TIME}, which means the beginning of that day`),
    before: optionalText("before", `Latest time of the transfer: ${TIME}, which means the end of that day`),
    withinMinutes: optionalText("within-minutes", "Minutes that the transfer may be older than the request"),
    receivers: optionalText("receivers", "registered: only the branch's bank accounts may receive the money"),
    sendingBanks: repeatable("sending-bank", "Code of a bank that the money may come from; may be repeated"),
    duplicate: optionalText("duplicate", "reject or allow slips that the service verified before; default reject")
  },
  Effect.fnUntraced(function* ({ id, ...flags }) {
    const conditions = yield* decodeFlags(decodeFlatPolicy, {
      ...flags,
      after: yield* isoTimeOf("after", flags.after, "first"),
      before: yield* isoTimeOf("before", flags.before, "last")
    })
    return yield* runChange({ name: "setPolicy", params: { id }, body: policyConditionsJson(conditions) })
  }),
  "Replace the policy of a branch: the conditions under which its slips are accepted"
)

export const policy = Command.make("policy").pipe(
  Command.withDescription("The conditions under which slips of a branch are accepted"),
  Command.withSubcommands([
    printsPolicy("show", { id }, readOne("getPolicy"), "Show the policy of a branch"),
    set,
    printsPolicy("remove", { id }, changeOne("removePolicy"), "Remove the policy of a branch")
  ])
)
