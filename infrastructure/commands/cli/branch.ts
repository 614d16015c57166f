import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import type { BranchView } from "../../../application/views/provisioning.ts"
import { settingNames } from "../../../domain/branch-settings.ts"
import { settingFlags, settingsOf } from "./branch-settings.ts"
import { apiKeyFlags, apiKeyOf } from "./api-key-flags.ts"
import { policy } from "./branch-policy.ts"
import { cannotRun } from "./exit.ts"
import { flagNameOf, idArgument, idFlag, isAnyGiven, jsonFlag, optionalId, optionalInt, optionalText } from "./flags.ts"
import { allServices, changeOne, printing, readOne, runChange, runRead, runReads } from "./operation.ts"
import { fieldsBy, noteNoService, noteShownOnce, print, printFields } from "./output.ts"
import type { DataOf } from "../../web/operators/operations.ts"
import type { ReadCall } from "./request.ts"
import { branchFields, printBranches, printBranchesOfAll, secretFields } from "./views.ts"

const id = idArgument("Id of the branch, see sliptrail branch list")

const printsBranch = printing((branch: BranchView) => printFields(branchFields(branch)))

const create = printing(
  (branch: DataOf<"createBranch">) => printFields([...branchFields(branch), ...secretFields(branch)]),
  noteShownOnce
)(
  "create",
  {
    service: idFlag("service", "Id of the service, see sliptrail service list"),
    name: Flag.String("name").pipe(Flag.withDescription("Name of the branch")),
    ...settingFlags,
    ...apiKeyFlags
  },
  Effect.fnUntraced(function* ({ name, service: id, ...flags }) {
    const body = { name, apiKey: yield* apiKeyOf(flags), ...(yield* settingsOf(flags)) }
    return yield* runChange({ name: "createBranch", params: { id }, body })
  }),
  "Create a branch of a service, and show its API key and webhook secret once"
)

/** The services, each with its branches. */
const allBranches = <E, R>(call: ReadCall<E, R>) =>
  Effect.flatMap(
    allServices(call),
    Effect.forEach(({ id }) => call({ name: "getService", params: { id } }))
  )

const list = Command.make(
  "list",
  {
    service: optionalId("service", "Id of the service, see sliptrail service list; default all services"),
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ json, service: id }) {
    if (id !== undefined) {
      const { branches } = yield* runRead({ name: "getService", params: { id } })
      return yield* print(json, branches, printBranches)
    }
    const found = yield* runReads(allBranches)
    if (found.length === 0) yield* noteNoService
    yield* print(json, found.flatMap(({ branches }) => branches), () => printBranchesOfAll(found))
  })
).pipe(Command.withDescription("List the branches of one service or of all, oldest first"))

const set = printsBranch(
  "set",
  { id, name: optionalText("name", "New name"), ...settingFlags },
  Effect.fnUntraced(function* ({ id, name, ...flags }) {
    const body = { name, ...(yield* settingsOf(flags)) }
    if (!isAnyGiven(body)) {
      return yield* cannotRun(
        `give at least one of --name, ${settingNames.map((name) => `--${flagNameOf(name)}`).join(", ")}`
      )
    }
    return yield* runChange({ name: "changeBranch", params: { id }, body })
  }),
  "Change the settings of a branch; --ip replaces all entries"
)

const rotateKey = printing(
  ({ apiKey, id }: DataOf<"rotateKey">) => printFields([["id", id], ["API key", apiKey]]),
  noteShownOnce
)(
  "rotate-key",
  { id },
  changeOne("rotateKey"),
  "Issue a new API key and show it once; the old key stops working immediately"
)

const rotateSecret = printing(
  (rotated: DataOf<"rotateSecret">) =>
    printFields(fieldsBy(
      { "webhook secret": "secret", "valid from": "effectiveAt", "old secret until": "previousExpiresAt" },
      rotated
    )),
  noteShownOnce
)(
  "rotate-webhook-secret",
  {
    id,
    overlapSeconds: optionalInt(
      "overlap",
      "Seconds for which callbacks are also signed with the old secret; default 86400 (one day)"
    )
  },
  ({ id, ...body }) => runChange({ name: "rotateSecret", params: { id }, body }),
  "Issue a new webhook secret and show it once"
)

export const branch = Command.make("branch").pipe(
  Command.withDescription("Branches: each has its own API key, quota, IP rules and webhook"),
  Command.withSubcommands([
    create,
    list,
    printsBranch("show", { id }, readOne("getBranch"), "Show a branch"),
    set,
    printsBranch("activate", { id }, changeOne("activateBranch"), "Activate a branch"),
    printsBranch("deactivate", { id }, changeOne("deactivateBranch"), "Deactivate a branch: its API key is refused"),
    rotateKey,
    rotateSecret,
    policy
  ])
)
