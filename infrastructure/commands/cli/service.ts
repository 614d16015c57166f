import { Clock, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import type { ServiceView } from "../../../application/views/provisioning.ts"
import { settingFlags, settingOf } from "./branch-settings.ts"
import { apiKeyFlags, apiKeyOf } from "./api-key-flags.ts"
import { cannotRun } from "./exit.ts"
import {
  expiresFlag,
  expiryOf,
  idArgument,
  isAnyGiven,
  jsonFlag,
  optionalId,
  optionalText,
  reasonFlag
} from "./flags.ts"
import { allServices, changeOne, printing, readOne, runChange, runCreate, runReads } from "./operation.ts"
import { noteNoService, noteShownOnce, print, printFields } from "./output.ts"
import type { DataOf } from "../../web/operators/operations.ts"
import { printBranches, printServices, secretFields, serviceFields } from "./views.ts"
import { DEFAULT_PLAN } from "../../web/api/requests/provisioning.ts"

const id = idArgument("Id of the service, see sliptrail service list")

const printsService = printing((service: ServiceView) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => printFields(serviceFields(service, now)))
)

const create = printing(
  (service: DataOf<"createService">) =>
    Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => printFields([...serviceFields(service, now), ...secretFields(service.mainBranch)])
    ),
  noteShownOnce
)(
  "create",
  {
    name: Flag.String("name").pipe(Flag.withDescription("Name of the service")),
    plan: optionalText("plan", `Plan; default ${DEFAULT_PLAN}`),
    quota: settingFlags.quota,
    accountId: optionalId("account", "Account that owns the service; default a new verified account"),
    expires: expiresFlag,
    ...apiKeyFlags
  },
  Effect.fnUntraced(function* ({ accountId, name, plan, ...flags }) {
    const quota = yield* settingOf("quota", flags.quota)
    const body = {
      name,
      plan,
      quota,
      accountId,
      expiresAt: yield* expiryOf(flags.expires),
      apiKey: yield* apiKeyOf(flags)
    }
    return yield* runCreate({ name: "createService", body })
  }),
  "Create a service with its main branch, and show the branch's API key and webhook secret once"
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

const show = printing((service: DataOf<"getService">) =>
  Effect.gen(function* () {
    yield* printFields([...serviceFields(service, yield* Clock.currentTimeMillis), ["", ""]])
    yield* printBranches(service.branches)
  })
)("show", { id }, readOne("getService"), "Show a service and its branches")

const plan = printsService(
  "plan",
  {
    id,
    plan: optionalText("plan", "The new plan"),
    quota: settingFlags.quota,
    expires: expiresFlag,
    name: optionalText("name", "New name")
  },
  Effect.fnUntraced(function* ({ expires, id, name, plan, quota }) {
    const body = { name, plan, quota: yield* settingOf("quota", quota), expiresAt: yield* expiryOf(expires) }
    if (!isAnyGiven(body)) return yield* cannotRun("give at least one of --plan, --quota, --expires, --name")
    return yield* runChange({ name: "changeService", params: { id }, body })
  }),
  "Change the plan, quota, expiry or name of a service"
)

export const service = Command.make("service").pipe(
  Command.withDescription("Services: the applications that verify slips"),
  Command.withSubcommands([
    create,
    list,
    show,
    plan,
    printsService(
      "ban",
      { id, reason: reasonFlag },
      ({ id, ...body }) => runChange({ name: "banService", params: { id }, body }),
      "Ban a service: its API keys are refused"
    ),
    printsService("unban", { id }, changeOne("unbanService"), "Remove the ban of a service"),
    printsService("activate", { id }, changeOne("activateService"), "Activate a service"),
    printsService(
      "deactivate",
      { id },
      changeOne("deactivateService"),
      "Deactivate a service: its API keys are refused"
    ),
    printsService(
      "delete",
      { id },
      changeOne("deleteService"),
      "Delete a service permanently; its events stay in the log"
    )
  ])
)
