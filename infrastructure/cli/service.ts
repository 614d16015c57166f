import { Clock, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { changeService, createService, patchService } from "../../application/provisioning/services.ts"
import { Directory, type ServiceView } from "../../application/provisioning/directory.ts"
import { everyService } from "./every-service.ts"
import { answerIsNo, cannotRun } from "./exit.ts"
import { expiresFlag, expiryOf, idArgument, jsonFlag, maybe, quotaFlag, quotaOf, reasonFlag } from "./flags.ts"
import { changing, creating, idOf, judged } from "./operation.ts"
import { note, noteOnce, print, printFields, printJson } from "./output.ts"
import { looking } from "./reading.ts"
import { printBranches, printServices, secretFields, serviceFields } from "./views.ts"
import { decodeReason, decodeService, decodeServiceChange, DEFAULT_PLAN } from "../input/operator-requests.ts"

const id = idArgument("Id of the service, see sliptrail service list")

const tell = Effect.fnUntraced(function* (json: boolean, service: ServiceView) {
  const now = yield* Clock.currentTimeMillis
  yield* print(json, service, () => printFields(serviceFields(service, now)))
})

const create = Command.make(
  "create",
  {
    name: Flag.String("name").pipe(Flag.withDescription("What people call it")),
    plan: maybe("plan", `Its plan, ${DEFAULT_PLAN} without it`),
    quota: quotaFlag,
    account: maybe("account", "Account that owns it; without it a verified one is made"),
    expires: expiresFlag,
    json: jsonFlag
  },
  Effect.fnUntraced(function* (flags) {
    const fields = yield* judged(decodeService, {
      name: flags.name,
      plan: Option.getOrUndefined(flags.plan),
      quota: yield* quotaOf(flags.quota),
      accountId: Option.getOrUndefined(Option.map(flags.account, idOf)),
      expiresAt: yield* expiryOf(flags.expires)
    })
    const { accountId, expiresAt = null, name, plan = DEFAULT_PLAN, quota = null } = fields
    const service = yield* creating(
      "POST /services",
      (operation) => createService({ name, plan, quota, accountId, expiresAt }, operation)
    )
    const now = yield* Clock.currentTimeMillis
    yield* print(
      flags.json,
      service,
      () => printFields([...serviceFields(service, now), ...secretFields(service.mainBranch)])
    )
    yield* noteOnce
  })
).pipe(Command.withDescription("Create a service with its main branch, and show the branch's key and secret once"))

const list = Command.make(
  "list",
  { json: jsonFlag },
  Effect.fnUntraced(function* ({ json }) {
    const services = yield* looking(everyService)
    const now = yield* Clock.currentTimeMillis
    if (services.length === 0) {
      yield* note("There is no service yet; make one with: sliptrail service create --name NAME")
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
      if (service === undefined) return yield* answerIsNo("there is no such service")
      return { service, branches: yield* directory.branchesOf(service.id) }
    }).pipe(looking)
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
  const service = yield* changing(route, (operation) => changeService(idOf(id), command, operation))
  yield* tell(json, service)
})

const ban = Command.make(
  "ban",
  { id, reason: reasonFlag, json: jsonFlag },
  Effect.fnUntraced(function* (flags) {
    const { reason = null } = yield* judged(decodeReason, { reason: Option.getOrUndefined(flags.reason) })
    yield* change(flags, "ban", { _tag: "BanService", reason })
  })
).pipe(Command.withDescription("Ban a service: its keys are refused until it is unbanned"))

const turn = <const Name extends string>(
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
    plan: maybe("plan", "The new plan"),
    quota: quotaFlag,
    expires: expiresFlag,
    name: maybe("name", "A new name"),
    json: jsonFlag
  },
  Effect.fnUntraced(function* (flags) {
    const change = yield* judged(decodeServiceChange, {
      name: Option.getOrUndefined(flags.name),
      plan: Option.getOrUndefined(flags.plan),
      quota: yield* quotaOf(flags.quota),
      expiresAt: yield* expiryOf(flags.expires)
    })
    if (Object.keys(change).length === 0) {
      return yield* cannotRun("give at least one of --plan, --quota, --expires, --name")
    }
    const service = yield* changing(
      `PATCH /services/${idOf(flags.id)}`,
      (operation) => patchService(idOf(flags.id), change, operation)
    )
    yield* tell(flags.json, service)
  })
).pipe(Command.withDescription("Change plan, quota, expiry or name of a service"))

export const service = Command.make("service").pipe(
  Command.withDescription("Services: the applications that verify slips"),
  Command.withSubcommands([
    create,
    list,
    show,
    plan,
    ban,
    turn("unban", "UnbanService", "Take a ban back"),
    turn("activate", "ActivateService", "Switch a service on again"),
    turn("deactivate", "DeactivateService", "Switch a service off: its keys are refused"),
    turn("delete", "DeleteService", "Delete a service for good; its history stays")
  ])
)
