import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { policyConditionsJson } from "../../../application/provisioning/policies.ts"
import { decodeFlatPolicy, flatConditions, policyFields } from "../../web/input/flat-policy.ts"
import {
  decodeFlags,
  entriesOf,
  flagNameOf,
  idArgument,
  idOf,
  isoTimeOf,
  jsonFlag,
  optionalText,
  TIME
} from "./flags.ts"
import { commandsOn, runChange, runRead } from "./operation.ts"
import { type Field, print, printFields } from "./output.ts"
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

const printPolicy = (json: boolean, policy: WrittenPolicy) => print(json, policy, () => printFields(fieldsOf(policy)))

const onPolicy = commandsOn(id, printPolicy)

const set = Command.make(
  "set",
  {
    id,
    amount: optionalText("amount", "Exact amount in baht"),
    atLeast: optionalText("at-least", "Lowest amount in baht"),
    atMost: optionalText("at-most", "Highest amount in baht"),
    after: optionalText("after", `Earliest time of the transfer: ${TIME}, which means the beginning of that day`),
    before: optionalText("before", `Latest time of the transfer: ${TIME}, which means the end of that day`),
    withinMinutes: optionalText("within-minutes", "Minutes that the transfer may be older than the request"),
    receivers: optionalText("receivers", "registered: only the branch's bank accounts may receive the money"),
    sendingBanks: Flag.String("sending-bank").pipe(
      Flag.withDescription("Code of a bank that the money may come from; may be repeated"),
      Flag.atLeast(0)
    ),
    duplicate: optionalText("duplicate", "reject or allow slips that the service verified before; default reject"),
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ amount, id, json, ...flags }) {
    const conditions = yield* decodeFlags(decodeFlatPolicy, {
      ...flags,
      equals: amount,
      after: yield* isoTimeOf("after", flags.after, "first"),
      before: yield* isoTimeOf("before", flags.before, "last"),
      sendingBanks: entriesOf(flags.sendingBanks)
    })
    const body = policyConditionsJson(conditions)
    yield* printPolicy(json, yield* runChange({ name: "setPolicy", params: { id: idOf(id) }, body }))
  })
).pipe(Command.withDescription("Replace the policy of a branch: the conditions under which its slips are accepted"))

export const policy = Command.make("policy").pipe(
  Command.withDescription("The conditions under which slips of a branch are accepted"),
  Command.withSubcommands([
    onPolicy("show", (id) => runRead({ name: "getPolicy", params: { id } }), "Show the policy of a branch"),
    set,
    onPolicy("remove", (id) => runChange({ name: "removePolicy", params: { id } }), "Remove the policy of a branch")
  ])
)
