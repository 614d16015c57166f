import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import {
  changeBranch,
  createBranch,
  rotateApiKey,
  rotateWebhookSecret,
  switchBranch
} from "../../application/provisioning/branches.ts"
import { type BranchView, Directory } from "../../application/provisioning/directory.ts"
import { everyService } from "./every-service.ts"
import { answerIsNo, cannotRun } from "./exit.ts"
import { entriesOf, idArgument, ipFlag, jsonFlag, maybe, orWord, quotaFlag, quotaOf, webhookFlag } from "./flags.ts"
import { changing, idOf, judged } from "./operation.ts"
import { note, noteOnce, print, printFields } from "./output.ts"
import { looking } from "./reading.ts"
import { branchFields, printBranches, printBranchesOfAll, secretFields } from "./views.ts"
import { decodeBranch, decodeBranchChange, decodeRotation } from "../input/operator-requests.ts"

const id = idArgument("Id of the branch, see sliptrail branch list")
const serviceFlag = Flag.String("service").pipe(Flag.withDescription("Id of the service, see sliptrail service list"))

/** What does in the admin API what a command does. */
const post = (id: string, path: string): string => `POST /branches/${idOf(id)}/${path}`

const settingFlags = { quota: quotaFlag, ip: ipFlag, webhook: webhookFlag }

const settingsOf = Effect.fnUntraced(function* (flags: {
  readonly quota: Option.Option<string>
  readonly ip: ReadonlyArray<string>
  readonly webhook: Option.Option<string>
}) {
  return {
    quota: yield* quotaOf(flags.quota),
    ipWhitelist: entriesOf(flags.ip),
    webhookUrl: orWord(flags.webhook, "none")
  }
})

const tell = (json: boolean, branch: BranchView) => print(json, branch, () => printFields(branchFields(branch)))

const create = Command.make(
  "create",
  {
    service: serviceFlag,
    name: Flag.String("name").pipe(Flag.withDescription("What people call it")),
    ...settingFlags,
    json: jsonFlag
  },
  Effect.fnUntraced(function* (flags) {
    const given = { name: flags.name, ...(yield* settingsOf(flags)) }
    const { name, ...settings } = yield* judged(decodeBranch, given)
    const serviceId = idOf(flags.service)
    const branch = yield* changing(
      `POST /services/${serviceId}/branches`,
      (operation) => createBranch({ serviceId, name, settings }, operation)
    )
    yield* print(flags.json, branch, () => printFields([...branchFields(branch), ...secretFields(branch)]))
    yield* noteOnce
  })
).pipe(Command.withDescription("Add a branch to a service, and show its key and secret once"))

const branchesOf = Effect.fnUntraced(function* (serviceId: string) {
  const directory = yield* Directory
  const service = yield* directory.service(serviceId)
  if (service === undefined) return yield* answerIsNo("there is no such service")
  return yield* directory.branchesOf(service.id)
})

const everyBranch = Effect.gen(function* () {
  const directory = yield* Directory
  return yield* Effect.forEach(
    yield* everyService,
    (service) => Effect.map(directory.branchesOf(service.id), (branches) => ({ service, branches }))
  )
})

const list = Command.make(
  "list",
  {
    service: maybe("service", "Id of the service, see sliptrail service list; all of them without it"),
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ json, service }) {
    if (Option.isSome(service)) {
      return yield* print(json, yield* looking(branchesOf(idOf(service.value))), printBranches)
    }
    const found = yield* looking(everyBranch)
    if (found.length === 0) yield* note("There is no service yet; make one with: sliptrail service create --name NAME")
    yield* print(json, found.flatMap(({ branches }) => branches), () => printBranchesOfAll(found))
  })
).pipe(Command.withDescription("List the branches of a service or of all, oldest first"))

const show = Command.make(
  "show",
  { id, json: jsonFlag },
  Effect.fnUntraced(function* ({ id, json }) {
    const branch = yield* Effect.gen(function* () {
      return yield* (yield* Directory).branch(idOf(id))
    }).pipe(looking)
    if (branch === undefined) return yield* answerIsNo("there is no such branch")
    yield* tell(json, branch)
  })
).pipe(Command.withDescription("Show a branch"))

const set = Command.make(
  "set",
  {
    id,
    name: maybe("name", "A new name"),
    ...settingFlags,
    json: jsonFlag
  },
  Effect.fnUntraced(function* (flags) {
    const given = { name: Option.getOrUndefined(flags.name), ...(yield* settingsOf(flags)) }
    const change = yield* judged(decodeBranchChange, given)
    if (Object.keys(change).length === 0) {
      return yield* cannotRun("give at least one of --name, --quota, --ip, --webhook")
    }
    const branch = yield* changing(
      `PATCH /branches/${idOf(flags.id)}`,
      (operation) => changeBranch(idOf(flags.id), change, operation)
    )
    yield* tell(flags.json, branch)
  })
).pipe(Command.withDescription("Change settings of a branch; --ip replaces all entries"))

const turn = <const Name extends string>(name: Name, to: "active" | "inactive", description: string) =>
  Command.make(
    name,
    { id, json: jsonFlag },
    Effect.fnUntraced(function* ({ id, json }) {
      const branch = yield* changing(post(id, name), (operation) => switchBranch(idOf(id), to, operation))
      yield* tell(json, branch)
    })
  ).pipe(Command.withDescription(description))

const rotateKey = Command.make(
  "rotate-key",
  { id, json: jsonFlag },
  Effect.fnUntraced(function* ({ id, json }) {
    const branch = yield* changing(post(id, "rotate-key"), (operation) => rotateApiKey(idOf(id), operation))
    yield* print(json, branch, () => printFields([["id", branch.id], ["API key", branch.apiKey]]))
    yield* noteOnce
  })
).pipe(Command.withDescription("Issue a new API key and show it once; the old one stops at once"))

const rotateSecret = Command.make(
  "rotate-webhook-secret",
  {
    id,
    overlap: Flag.Int("overlap").pipe(
      Flag.withDescription("Seconds for which the old secret signs beside the new one; a day without it"),
      Flag.optional
    ),
    json: jsonFlag
  },
  Effect.fnUntraced(function* (flags) {
    const { overlapSeconds } = yield* judged(decodeRotation, { overlapSeconds: Option.getOrUndefined(flags.overlap) })
    const rotated = yield* changing(
      post(flags.id, "rotate-webhook-secret"),
      (operation) => rotateWebhookSecret(idOf(flags.id), operation, overlapSeconds)
    )
    yield* print(flags.json, rotated, () =>
      printFields([
        ["webhook secret", rotated.secret],
        ["in force from", rotated.effectiveAt],
        ["old one until", rotated.previousExpiresAt]
      ]))
    yield* noteOnce
  })
).pipe(Command.withDescription("Issue a new webhook secret and show it once"))

export const branch = Command.make("branch").pipe(
  Command.withDescription("Branches: an API key each, with quota, rules and webhook of their own"),
  Command.withSubcommands([
    create,
    list,
    show,
    set,
    turn("activate", "active", "Switch a branch on again"),
    turn("deactivate", "inactive", "Switch a branch off: its key is refused"),
    rotateKey,
    rotateSecret
  ])
)
