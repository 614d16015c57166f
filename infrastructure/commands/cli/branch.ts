import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import type { BranchView } from "../../../application/views/provisioning.ts"
import { settingNames } from "../../../domain/branch-settings.ts"
import { settingFlags, settingsOf } from "./branch-settings.ts"
import { apiKeyFlags, apiKeyOf } from "./api-key-flags.ts"
import { policy } from "./branch-policy.ts"
import { cannotRun } from "./exit.ts"
import { flagNameOf, idArgument, idOf, isAnyGiven, jsonFlag, optionalInt, optionalText } from "./flags.ts"
import { allServices, commandsOn, runChange, runRead, runReads } from "./operation.ts"
import { noteNoService, noteShownOnce, print, printFields } from "./output.ts"
import type { DataOf } from "../../web/operators/operations.ts"
import type { ReadCall } from "./request.ts"
import { branchFields, printBranches, printBranchesOfAll, secretFields } from "./views.ts"

const id = idArgument("Id of the branch, see sliptrail branch list")
const serviceFlag = Flag.String("service").pipe(Flag.withDescription("Id of the service, see sliptrail service list"))

const printBranch = (json: boolean, branch: BranchView) => print(json, branch, () => printFields(branchFields(branch)))

const create = Command.make(
  "create",
  {
    service: serviceFlag,
    name: Flag.String("name").pipe(Flag.withDescription("Name of the branch")),
    ...settingFlags,
    ...apiKeyFlags,
    json: jsonFlag
  },
  Effect.fnUntraced(function* (flags) {
    const body = { name: flags.name, apiKey: yield* apiKeyOf(flags), ...(yield* settingsOf(flags)) }
    const branch = yield* runChange({ name: "createBranch", params: { id: idOf(flags.service) }, body })
    yield* print(flags.json, branch, () => printFields([...branchFields(branch), ...secretFields(branch)]))
    yield* noteShownOnce
  })
).pipe(Command.withDescription("Create a branch of a service, and show its API key and webhook secret once"))

/** The services, each with its branches. */
const allBranches = <E, R>(call: ReadCall<E, R>) =>
  Effect.flatMap(
    allServices(call),
    Effect.forEach(({ id }) => call({ name: "getService", params: { id } }))
  )

const list = Command.make(
  "list",
  {
    service: optionalText("service", "Id of the service, see sliptrail service list; default all services"),
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ json, service }) {
    if (service !== undefined) {
      const { branches } = yield* runRead({ name: "getService", params: { id: idOf(service) } })
      return yield* print(json, branches, printBranches)
    }
    const found = yield* runReads(allBranches)
    if (found.length === 0) yield* noteNoService
    yield* print(json, found.flatMap(({ branches }) => branches), () => printBranchesOfAll(found))
  })
).pipe(Command.withDescription("List the branches of one service or of all, oldest first"))

const set = Command.make(
  "set",
  {
    id,
    name: optionalText("name", "New name"),
    ...settingFlags,
    json: jsonFlag
  },
  Effect.fnUntraced(function* (flags) {
    const body = { name: flags.name, ...(yield* settingsOf(flags)) }
    if (!isAnyGiven(body)) {
      return yield* cannotRun(
        `give at least one of --name, ${settingNames.map((name) => `--${flagNameOf(name)}`).join(", ")}`
      )
    }
    yield* printBranch(flags.json, yield* runChange({ name: "changeBranch", params: { id: idOf(flags.id) }, body }))
  })
).pipe(Command.withDescription("Change the settings of a branch; --ip replaces all entries"))

const onBranch = commandsOn(id, printBranch)

const printNewKey = (json: boolean, branch: DataOf<"rotateKey">) =>
  Effect.andThen(
    print(json, branch, () => printFields([["id", branch.id], ["API key", branch.apiKey]])),
    noteShownOnce
  )

const rotateSecret = Command.make(
  "rotate-webhook-secret",
  {
    id,
    overlap: optionalInt(
      "overlap",
      "Seconds for which callbacks are also signed with the old secret; default 86400 (one day)"
    ),
    json: jsonFlag
  },
  Effect.fnUntraced(function* (flags) {
    const body = { overlapSeconds: flags.overlap }
    const rotated = yield* runChange({ name: "rotateSecret", params: { id: idOf(flags.id) }, body })
    yield* print(flags.json, rotated, () =>
      printFields([
        ["webhook secret", rotated.secret],
        ["valid from", rotated.effectiveAt],
        ["old secret until", rotated.previousExpiresAt]
      ]))
    yield* noteShownOnce
  })
).pipe(Command.withDescription("Issue a new webhook secret and show it once"))

export const branch = Command.make("branch").pipe(
  Command.withDescription("Branches: each has its own API key, quota, IP rules and webhook"),
  Command.withSubcommands([
    create,
    list,
    onBranch("show", (id) => runRead({ name: "getBranch", params: { id } }), "Show a branch"),
    set,
    onBranch("activate", (id) => runChange({ name: "activateBranch", params: { id } }), "Activate a branch"),
    onBranch(
      "deactivate",
      (id) => runChange({ name: "deactivateBranch", params: { id } }),
      "Deactivate a branch: its API key is refused"
    ),
    commandsOn(id, printNewKey)(
      "rotate-key",
      (id) => runChange({ name: "rotateKey", params: { id } }),
      "Issue a new API key and show it once; the old key stops working immediately"
    ),
    rotateSecret,
    policy
  ])
)
