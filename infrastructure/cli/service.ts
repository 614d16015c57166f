import { Clock, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { Directory, type ServiceView } from "../../application/provisioning/directory.ts"
import { changeService, createService, patchService } from "../../application/provisioning/services.ts"
import { apiKeyFlags, apiKeyOf } from "./api-key-flags.ts"
import { answerIsNo, cannotRun } from "./exit.ts"
import {
  decodeFlags,
  expiresFlag,
  expiryOf,
  idArgument,
  idOf,
  jsonFlag,
  optionalText,
  quotaFlag,
  quotaOf,
  reasonFlag
} from "./flags.ts"
import { runChange, runCreate } from "./operation.ts"
import { allServices, noteNoService, noteShownOnce, print, printFields, printJson } from "./output.ts"
import { readStores } from "./stores.ts"
import { printBranches, printServices, secretFields, serviceFields } from "./views.ts"
import { decodeReason, decodeService, decodeServiceChange, DEFAULT_PLAN } from "../input/operator-requests.ts"

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
    quota: quotaFlag,
    account: optionalText("account", "Account that owns the service; default a new verified account"),
    expires: expiresFlag,
    ...apiKeyFlags,
    json: jsonFlag
  },
  Effect.fnUntraced(function* (flags) {
    const fields = yield* decodeFlags(decodeService, {
      name: flags.name,
      plan: Option.getOrUndefined(flags.plan),
      quota: yield* quotaOf(flags.quota),
      accountId: Option.getOrUndefined(Option.map(flags.account, idOf)),
      expiresAt: yield* expiryOf(flags.expires),
      apiKey: yield* apiKeyOf(flags)
    })
    const { accountId, apiKey, expiresAt = null, name, plan = DEFAULT_PLAN, quota = null } = fields
    const service = yield* runCreate(
      "POST /services",
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
    const services = yield* readStores(allServices)
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
    const { branches, service } = yield* Effect.gen(function* () {
      const directory = yield* Directory
      const service = yield* directory.service(idOf(id))
      if (service === undefined) return yield* answerIsNo("the service does not exist")
      return { service, branches: yield* directory.branchesOf(service.id) }
    }).pipe(readStores)
    if (json) return yield* printJson({ ...service, branches })
    yield* printFields([...serviceFields(service, yield* Clock.currentTimeMillis), ["", ""]])
    yield* printBranches(branches)
  })
).pipe(Command.withDescription("Show a service and its branches"))

const change = Effect.fnUntraced(function* (
  { id, json }: { readonly id: string; readonly json: boolean },
  path: string,
  command: Parameters<typeof changeService>[1]
) {
  const route = `POST /services/${idOf(id)}/${path}`
  const service = yield* runChange(route, (operation) => changeService(idOf(id), command, operation))
  yield* printService(json, service)
})

const ban = Command.make(
  "ban",
  { id, reason: reasonFlag, json: jsonFlag },
  Effect.fnUntraced(function* (flags) {
    const { reason = null } = yield* decodeFlags(decodeReason, { reason: Option.getOrUndefined(flags.reason) })
    yield* change(flags, "ban", { _tag: "BanService", reason })
  })
).pipe(Command.withDescription("Ban a service: its API keys are refused"))

const stateCommand = <const Name extends string>(
  name: Name,
  _tag: "UnbanService" | "DeleteService" | "ActivateService" | "DeactivateService",
  description: string
) =>
  Command.make(name, { id, json: jsonFlag }, (flags) => change(flags, name, { _tag })).pipe(
    Command.withDescription(description)
  )

const plan = Command.make(
  "plan",
  {
    id,
    plan: optionalText("plan", "The new plan"),
    quota: quotaFlag,
    expires: expiresFlag,
    name: optionalText("name", "New name"),
    json: jsonFlag
  },
  Effect.fnUntraced(function* (flags) {
    const change = yield* decodeFlags(decodeServiceChange, {
      name: Option.getOrUndefined(flags.name),
      plan: Option.getOrUndefined(flags.plan),
      quota: yield* quotaOf(flags.quota),
      expiresAt: yield* expiryOf(flags.expires)
    })
    if (Object.keys(change).length === 0) {
      return yield* cannotRun("give at least one of --plan, --quota, --expires, --name")
    }
    const service = yield* runChange(
      `PATCH /services/${idOf(flags.id)}`,
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
    stateCommand("unban", "UnbanService", "Remove the ban of a service"),
    stateCommand("activate", "ActivateService", "Activate a service"),
    stateCommand("deactivate", "DeactivateService", "Deactivate a service: its API keys are refused"),
    stateCommand("delete", "DeleteService", "Delete a service permanently; its events stay in the log")
  ])
)
