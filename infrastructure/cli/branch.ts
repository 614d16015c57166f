import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import {
  changeBranch,
  createBranch,
  rotateApiKey,
  rotateWebhookSecret,
  switchBranch
} from "../../application/provisioning/branches.ts"
import type { BranchView } from "../../application/views/provisioning.ts"
import { settingNames } from "../../domain/branch-settings.ts"
import { Directory } from "../../application/provisioning/directory.ts"
import { settingFlags, settingsOf } from "./branch-settings.ts"
import { apiKeyFlags, apiKeyOf } from "./api-key-flags.ts"
import { policy } from "./branch-policy.ts"
import { answerIsNo, cannotRun } from "./exit.ts"
import { decodeFlags, flagNameOf, idArgument, idOf, jsonFlag, optionalText } from "./flags.ts"
import { atTarget, runChange, runRead } from "./operation.ts"
import { allRemoteServices, allServices, noteNoService, noteShownOnce, print, printFields } from "./output.ts"
import type { Call } from "./request.ts"
import { readStores } from "./stores.ts"
import { branchFields, printBranches, printBranchesOfAll, secretFields } from "./views.ts"
import { decodeBranch, decodeBranchChange, decodeRotation } from "../input/operator-requests.ts"

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
    const { apiKey, name, ...settings } = yield* decodeFlags(decodeBranch, body)
    const serviceId = idOf(flags.service)
    const branch = yield* runChange(
      { name: "createBranch", params: { id: serviceId }, body },
      (operation) => createBranch({ serviceId, name, settings, apiKey }, operation)
    )
    yield* print(flags.json, branch, () => printFields([...branchFields(branch), ...secretFields(branch)]))
    yield* noteShownOnce
  })
).pipe(Command.withDescription("Create a branch of a service, and show its API key and webhook secret once"))

const branchesOf = Effect.fnUntraced(function* (serviceId: string) {
  const directory = yield* Directory
  const service = yield* directory.service(serviceId)
  if (service === undefined) return yield* answerIsNo("the service does not exist")
  return yield* directory.branchesOf(service.id)
})

const allBranches = Effect.gen(function* () {
  const directory = yield* Directory
  return yield* Effect.forEach(
    yield* allServices,
    (service) => Effect.map(directory.branchesOf(service.id), (branches) => ({ service, branches }))
  )
})

const allRemoteBranches = Effect.fnUntraced(function* (call: Call) {
  return yield* Effect.forEach(
    yield* allRemoteServices(call),
    (service) =>
      Effect.map(
        call({ name: "getService", params: { id: service.id } }),
        ({ branches }) => ({ service, branches })
      )
  )
})

const list = Command.make(
  "list",
  {
    service: optionalText("service", "Id of the service, see sliptrail service list; default all services"),
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ json, service }) {
    if (Option.isSome(service)) {
      const id = idOf(service.value)
      const branches = yield* atTarget(
        (call) => Effect.map(call({ name: "getService", params: { id } }), ({ branches }) => branches),
        readStores(branchesOf(id))
      )
      return yield* print(json, branches, printBranches)
    }
    const found = yield* atTarget(allRemoteBranches, readStores(allBranches))
    if (found.length === 0) yield* noteNoService
    yield* print(json, found.flatMap(({ branches }) => branches), () => printBranchesOfAll(found))
  })
).pipe(Command.withDescription("List the branches of one service or of all, oldest first"))

const show = Command.make(
  "show",
  { id, json: jsonFlag },
  Effect.fnUntraced(function* ({ id, json }) {
    const branch = yield* runRead(
      { name: "getBranch", params: { id: idOf(id) } },
      Effect.gen(function* () {
        return (yield* (yield* Directory).branch(idOf(id))) ?? (yield* answerIsNo("the branch does not exist"))
      })
    )
    yield* printBranch(json, branch)
  })
).pipe(Command.withDescription("Show a branch"))

const set = Command.make(
  "set",
  {
    id,
    name: optionalText("name", "New name"),
    ...settingFlags,
    json: jsonFlag
  },
  Effect.fnUntraced(function* (flags) {
    const body = { name: Option.getOrUndefined(flags.name), ...(yield* settingsOf(flags)) }
    const change = yield* decodeFlags(decodeBranchChange, body)
    if (Object.keys(change).length === 0) {
      return yield* cannotRun(
        `give at least one of --name, ${settingNames.map((name) => `--${flagNameOf(name)}`).join(", ")}`
      )
    }
    const branch = yield* runChange(
      { name: "changeBranch", params: { id: idOf(flags.id) }, body },
      (operation) => changeBranch(idOf(flags.id), change, operation)
    )
    yield* printBranch(flags.json, branch)
  })
).pipe(Command.withDescription("Change the settings of a branch; --ip replaces all entries"))

const switchCommand = <const Name extends string>(
  name: Name,
  operation: "activateBranch" | "deactivateBranch",
  to: "active" | "inactive",
  description: string
) =>
  Command.make(
    name,
    { id, json: jsonFlag },
    Effect.fnUntraced(function* ({ id, json }) {
      const branch = yield* runChange(
        { name: operation, params: { id: idOf(id) } },
        (operation) => switchBranch(idOf(id), to, operation)
      )
      yield* printBranch(json, branch)
    })
  ).pipe(Command.withDescription(description))

const rotateKey = Command.make(
  "rotate-key",
  { id, json: jsonFlag },
  Effect.fnUntraced(function* ({ id, json }) {
    const branch = yield* runChange(
      { name: "rotateKey", params: { id: idOf(id) } },
      (operation) => rotateApiKey(idOf(id), operation)
    )
    yield* print(json, branch, () => printFields([["id", branch.id], ["API key", branch.apiKey]]))
    yield* noteShownOnce
  })
).pipe(Command.withDescription("Issue a new API key and show it once; the old key stops working immediately"))

const rotateSecret = Command.make(
  "rotate-webhook-secret",
  {
    id,
    overlap: Flag.Int("overlap").pipe(
      Flag.withDescription("Seconds for which callbacks are also signed with the old secret; default 86400 (one day)"),
      Flag.optional
    ),
    json: jsonFlag
  },
  Effect.fnUntraced(function* (flags) {
    const body = { overlapSeconds: Option.getOrUndefined(flags.overlap) }
    const { overlapSeconds } = yield* decodeFlags(decodeRotation, body)
    const rotated = yield* runChange(
      { name: "rotateSecret", params: { id: idOf(flags.id) }, body },
      (operation) => rotateWebhookSecret(idOf(flags.id), operation, overlapSeconds)
    )
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
    show,
    set,
    switchCommand("activate", "activateBranch", "active", "Activate a branch"),
    switchCommand("deactivate", "deactivateBranch", "inactive", "Deactivate a branch: its API key is refused"),
    rotateKey,
    rotateSecret,
    policy
  ])
)
