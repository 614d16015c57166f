import { Clock, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { Directory } from "../../application/provisioning/directory.ts"
import type { ServiceView } from "../../application/views/provisioning.ts"
import { changeService, createService, patchService } from "../../application/provisioning/services.ts"
import { settingFlags, settingOf } from "./branch-settings.ts"
import { apiKeyFlags, apiKeyOf } from "./api-key-flags.ts"
import { answerIsNo, cannotRun } from "./exit.ts"
import { decodeFlags, expiresFlag, expiryOf, idArgument, idOf, jsonFlag, optionalText, reasonFlag } from "./flags.ts"
import { atTarget, runChange, runCreate, runRead } from "./operation.ts"
import {
  allRemoteServices,
  allServices,
  noteNoService,
  noteShownOnce,
  print,
  printFields,
  printJson
} from "./output.ts"
import type { Request } from "./request.ts"
import { readStores } from "./stores.ts"
import { printBranches, printServices, secretFields, serviceFields } from "./views.ts"
import { decodeReason, decodeService, decodeServiceChange } from "../input/operator-requests.ts"
import { DEFAULT_PLAN } from "../api/requests/provisioning.ts"

const id = idArgument("Id of the service, see sliptrail service list")

const printService = Effect.fnUntraced(function* (json: boolean, service: ServiceView) {
  const now = yield* Clock.currentTimeMillis
  yield* print(json, service, () => printFields(serviceFields(service, now)))
})

const create = Command.make(
  "create",
  {
    name: Flag.String("name").pipe(Flag.withDescription("Name of the service")),
    plan: optionalText("plan", `Plan; default ${DEFAULT_PLAN}`),
    quota: settingFlags.quota,
    account: optionalText("account", "Account that owns the service; default a new verified account"),
    expires: expiresFlag,
    ...apiKeyFlags,
    json: jsonFlag
  },
  Effect.fnUntraced(function* (flags) {
    const body = {
      name: flags.name,
      plan: Option.getOrUndefined(flags.plan),
      quota: yield* settingOf("quota", flags.quota),
      accountId: Option.getOrUndefined(Option.map(flags.account, idOf)),
      expiresAt: yield* expiryOf(flags.expires),
      apiKey: yield* apiKeyOf(flags)
    }
    const fields = yield* decodeFlags(decodeService, body)
    const { accountId, apiKey, expiresAt = null, name, plan = DEFAULT_PLAN, quota = null } = fields
    const service = yield* runCreate(
      { name: "createService", body },
      (operation) => createService({ name, plan, quota, accountId, expiresAt, apiKey }, operation)
    )
    const now = yield* Clock.currentTimeMillis
    yield* print(
      flags.json,
      service,
      () => printFields([...serviceFields(service, now), ...secretFields(service.mainBranch)])
    )
    yield* noteShownOnce
  })
).pipe(
  Command.withDescription(
    "Create a service with its main branch, and show the branch's API key and webhook secret once"
  )
)

const list = Command.make(
  "list",
  { json: jsonFlag },
  Effect.fnUntraced(function* ({ json }) {
    const services = yield* atTarget(allRemoteServices, readStores(allServices))
    const now = yield* Clock.currentTimeMillis
    if (services.length === 0) {
      yield* noteNoService
    }
    yield* print(json, services, () => printServices(services, now))
  })
).pipe(Command.withDescription("List all services, oldest first, deleted ones included"))

const show = Command.make(
  "show",
  { id, json: jsonFlag },
  Effect.fnUntraced(function* ({ id, json }) {
    const service = yield* runRead(
      { name: "getService", params: { id: idOf(id) } },
      Effect.gen(function* () {
        const directory = yield* Directory
        const service = yield* directory.service(idOf(id))
        if (service === undefined) return yield* answerIsNo("the service does not exist")
        return { ...service, branches: yield* directory.branchesOf(service.id) }
      })
    )
    if (json) return yield* printJson(service)
    yield* printFields([...serviceFields(service, yield* Clock.currentTimeMillis), ["", ""]])
    yield* printBranches(service.branches)
  })
).pipe(Command.withDescription("Show a service and its branches"))

interface Given {
  readonly id: string
  readonly json: boolean
}

const paramsOf = ({ id }: Given) => ({ id: idOf(id) })

type StateOperation = "activateService" | "deactivateService" | "unbanService" | "deleteService"

const change = Effect.fnUntraced(function* (
  { id, json }: Given,
  request: Request<StateOperation> | Request<"banService">,
  command: Parameters<typeof changeService>[1]
) {
  const service = yield* runChange(request, (operation) => changeService(idOf(id), command, operation))
  yield* printService(json, service)
})

const ban = Command.make(
  "ban",
  { id, reason: reasonFlag, json: jsonFlag },
  Effect.fnUntraced(function* (flags) {
    const body = { reason: Option.getOrUndefined(flags.reason) }
    const { reason = null } = yield* decodeFlags(decodeReason, body)
    yield* change(flags, { name: "banService", params: paramsOf(flags), body }, { _tag: "BanService", reason })
  })
).pipe(Command.withDescription("Ban a service: its API keys are refused"))

const stateCommand = <const Name extends string>(
  name: Name,
  operation: StateOperation,
  _tag: "UnbanService" | "DeleteService" | "ActivateService" | "DeactivateService",
  description: string
) =>
  Command.make(
    name,
    { id, json: jsonFlag },
    (flags) => change(flags, { name: operation, params: paramsOf(flags) }, { _tag })
  ).pipe(Command.withDescription(description))

const plan = Command.make(
  "plan",
  {
    id,
    plan: optionalText("plan", "The new plan"),
    quota: settingFlags.quota,
    expires: expiresFlag,
    name: optionalText("name", "New name"),
    json: jsonFlag
  },
  Effect.fnUntraced(function* (flags) {
    const body = {
      name: Option.getOrUndefined(flags.name),
      plan: Option.getOrUndefined(flags.plan),
      quota: yield* settingOf("quota", flags.quota),
      expiresAt: yield* expiryOf(flags.expires)
    }
    const change = yield* decodeFlags(decodeServiceChange, body)
    if (Object.keys(change).length === 0) {
      return yield* cannotRun("give at least one of --plan, --quota, --expires, --name")
    }
    const service = yield* runChange(
      { name: "changeService", params: paramsOf(flags), body },
      (operation) => patchService(idOf(flags.id), change, operation)
    )
    yield* printService(flags.json, service)
  })
).pipe(Command.withDescription("Change the plan, quota, expiry or name of a service"))

export const service = Command.make("service").pipe(
  Command.withDescription("Services: the applications that verify slips"),
  Command.withSubcommands([
    create,
    list,
    show,
    plan,
    ban,
    stateCommand("unban", "unbanService", "UnbanService", "Remove the ban of a service"),
    stateCommand("activate", "activateService", "ActivateService", "Activate a service"),
    stateCommand(
      "deactivate",
      "deactivateService",
      "DeactivateService",
      "Deactivate a service: its API keys are refused"
    ),
    stateCommand("delete", "deleteService", "DeleteService", "Delete a service permanently; its events stay in the log")
  ])
)
