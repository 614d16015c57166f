import { Effect } from "effect"
import type { Operation } from "../../application/provisioning/operator-command.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { DataFolderError } from "../runtime/data-folder.ts"
import { answerIsNo, cannotRun, type CommandFailed } from "./exit.ts"
import { layerChanging, layerWriting } from "./reading.ts"
import type { Fields, InvalidInput } from "../input/decode.ts"

/** The operation that one run of a command is, for the trail. */
const thisOperation = Effect.gen(function* () {
  const operation: Operation = { actor: { kind: "admin", id: "cli" }, correlationId: (yield* Identifiers).random() }
  return operation
})

/** What the flags are called that fill the fields of the admin API, where the names differ. */
const flagOf: Readonly<Record<string, string>> = {
  accountId: "account",
  expiresAt: "expires",
  ipWhitelist: "ip",
  jobId: "job",
  webhookUrl: "webhook",
  overlapSeconds: "overlap"
}

/**
 * Judges what was typed by the rules of the admin API. Fields that were not given are left out; a wrong use names
 * every flag that is at fault.
 */
export const judged = <A>(decode: (fields: Fields) => Effect.Effect<A, InvalidInput>, given: Fields) =>
  decode(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))).pipe(
    Effect.mapError(({ issues }) =>
      cannotRun(
        issues.map(({ message, path }) => {
          const field = path.split(".", 1)[0] ?? ""
          return field === "" ? message : `--${flagOf[field] ?? field}: ${message}`
        }).join("; ")
      )
    )
  )

/** An id as it stands in the log, however it was typed. */
export const idOf = (typed: string): string => typed.trim().toLowerCase()

const told = <A, E extends Failure, R>(run: (operation: Operation) => Effect.Effect<A, E, R>) =>
  Effect.mapError(Effect.flatMap(thisOperation, run), orNone)

/**
 * Changes something in the data folder, which must be there and which no service may hold. `route` is what does the
 * same in the admin API of one that does, such as `PATCH /branches/…`; undefined where nothing does.
 */
export const changing = <A, E extends Failure, R>(
  route: string | undefined,
  run: (operation: Operation) => Effect.Effect<A, E, R>
) => told(run).pipe(Effect.provide(layerChanging), orByAdminApi(route))

/** Makes something, and the data folder with it if need be. */
export const creating = <A, E extends Failure, R>(
  route: string,
  run: (operation: Operation) => Effect.Effect<A, E, R>
) => told(run).pipe(Effect.provide(layerWriting), orByAdminApi(route))

/** Says what else does what can't be done beside a running service. */
export const orByAdminApi = (route: string | undefined) => <A, E, R>(run: Effect.Effect<A, E, R>) =>
  Effect.mapError(run, (error) => {
    if (route === undefined || !(error instanceof DataFolderError) || error.reason !== "in-use") return error
    const [method, path] = route.split(" ")
    return cannotRun(`${error.message}, or use its admin API: ${method} /admin/v1${path}`)
  })

interface Failure {
  readonly _tag: string
}

/** There is nothing behind an id: the answer is no. */
const orNone = <E extends Failure>(error: E): E | CommandFailed => {
  switch (error._tag) {
    case "AccountNotFound":
      return answerIsNo("there is no such account")
    case "ServiceNotFound":
      return answerIsNo("there is no such service, or it was deleted")
    case "BranchNotFound":
      return answerIsNo("there is no such branch")
    default:
      return error
  }
}
