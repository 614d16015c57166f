import { Clock, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import type { ServiceView } from "../../../application/views/provisioning.ts"
import { settingFlags, settingOf } from "./branch-settings.ts"
import { apiKeyFlags, apiKeyOf } from "./api-key-flags.ts"
import { cannotRun } from "./exit.ts"
import { expiresFlag, expiryOf, idArgument, idOf, isAnyGiven, jsonFlag, optionalText, reasonFlag } from "./flags.ts"
import { allServices, commandsOn, runChange, runCreate, runRead, runReads } from "./operation.ts"
import { noteNoService, noteShownOnce, print, printFields, printJson } from "./output.ts"
import { printBranches, printServices, secretFields, serviceFields } from "./views.ts"
import { DEFAULT_PLAN } from "../../web/api/requests/provisioning.ts"

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
      plan: flags.plan,
      quota: yield* settingOf("quota", flags.quota),
      accountId: flags.account?.trim().toLowerCase(),
      expiresAt: yield* expiryOf(flags.expires),
      apiKey: yield* apiKeyOf(flags)
    }
    const service = yield* runCreate({ name: "createService", body })
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
    const services = yield* runReads(allServices)
    const now = yield* Clock.currentTimeMillis
    if (services.length === 0) yield* noteNoService
    yield* print(json, services, () => printServices(services, now))
  })
).pipe(Command.withDescription("List all services, oldest first, deleted ones included"))

const show = Command.make(
  "show",
  { id, json: jsonFlag },
  Effect.fnUntraced(function* ({ id, json }) {
    const service = yield* runRead({ name: "getService", params: { id: idOf(id) } })
    if (json) return yield* printJson(service)
    yield* printFields([...serviceFields(service, yield* Clock.currentTimeMillis), ["", ""]])
    yield* printBranches(service.branches)
  })
).pipe(Command.withDescription("Show a service and its branches"))

const ban = Command.make(
  "ban",
  { id, reason: reasonFlag, json: jsonFlag },
  Effect.fnUntraced(function* ({ id, json, reason }) {
    yield* printService(json, yield* runChange({ name: "banService", params: { id: idOf(id) }, body: { reason } }))
  })
).pipe(Command.withDescription("Ban a service: its API keys are refused"))

const onService = commandsOn(id, printService)

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
      name: flags.name,
      plan: flags.plan,
      quota: yield* settingOf("quota", flags.quota),
      expiresAt: yield* expiryOf(flags.expires)
    }
    if (!isAnyGiven(body)) return yield* cannotRun("give at least one of --plan, --quota, --expires, --name")
    const service = yield* runChange({ name: "changeService", params: { id: idOf(flags.id) }, body })
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
    onService("unban", (id) => runChange({ name: "unbanService", params: { id } }), "Remove the ban of a service"),
    onService("activate", (id) => runChange({ name: "activateService", params: { id } }), "Activate a service"),
    onService(
      "deactivate",
      (id) => runChange({ name: "deactivateService", params: { id } }),
      "Deactivate a service: its API keys are refused"
    ),
    onService(
      "delete",
      (id) => runChange({ name: "deleteService", params: { id } }),
      "Delete a service permanently; its events stay in the log"
    )
  ])
)
