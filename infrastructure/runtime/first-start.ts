import { Effect } from "effect"
import { addOperator } from "../../application/operators/operators.ts"
import type { RequestIds } from "../../application/events/handle-command.ts"
import { createService } from "../../application/provisioning/services.ts"
import { beginning, formatPosition } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { join } from "node:path"
import { writeFileAtomic } from "../platform/atomic-file.ts"
import { type Settings, settings } from "../platform/settings/settings.ts"

/** The credentials that the first start makes, shown only once. */
export interface FirstStart {
  /** The token of the operator `admin`; undefined with `ADMIN_TOKEN`. */
  readonly operatorToken: string | undefined
  /** Undefined when the sandbox bank is not one of the gateways, or when other machines can reach the service. */
  readonly demo: Demo | undefined
}

/** The credentials of the demo service. */
export interface Demo {
  readonly apiKey: string
  readonly webhookSecret: string
  readonly branchId: string
}

const operation: RequestIds = { actor: { kind: "system", id: "first-start" }, correlationId: "first-start" }

const makeDemo = Effect.gen(function* () {
  const { mainBranch } = yield* createService(
    { name: "Demo shop", plan: "demo", quota: null, accountId: undefined, expiresAt: null },
    operation
  )
  return {
    apiKey: mainBranch.apiKey,
    webhookSecret: mainBranch.webhookSecret,
    branchId: mainBranch.id
  } satisfies Demo
})

/** What the first start makes. */
interface Wanted {
  readonly operator: boolean
  readonly demo: boolean
}

/**
 * Makes an operator and a demo service with an unlimited main branch in an empty log (docs/spec/operations.md, "Two commands
 * on a fresh machine"). Undefined when the log is not empty.
 */
export const firstStart = Effect.fnUntraced(function* (wanted: Wanted) {
  const head = yield* (yield* EventStore).head
  const isFirst = formatPosition(head) === formatPosition(beginning)
  if (!isFirst || !(wanted.operator || wanted.demo)) return undefined
  const operator = wanted.operator ? yield* addOperator({ name: "admin", role: "admin" }, operation) : undefined
  return {
    operatorToken: operator?.token,
    demo: wanted.demo ? yield* makeDemo : undefined
  } satisfies FirstStart
})

/** Quotes a text for a shell. */
const quoted = (text: string): string => /^[\w./:@%+-]+$/u.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

type CommandSettings = Pick<Settings, "dataDir" | "masterKey" | "subjectKeysFile">

/** Adds `DATA_DIR` to a command when the data is not in the default folder. */
export const withDataDir = (command: string, { dataDir }: Pick<Settings, "dataDir">): string =>
  dataDir === settings.dataDir.default ? command : `DATA_DIR=${quoted(dataDir)} ${command}`

/** Names further settings of the command, without values: they can be secrets. Empty when it needs none. */
const furtherSettings = ({ masterKey, subjectKeysFile }: CommandSettings): string => {
  const needed = Object.entries({ MASTER_KEY: masterKey, SUBJECT_KEYS_FILE: subjectKeysFile })
    .flatMap(([name, value]) => value === undefined ? [] : [name])
  if (needed.length === 0) return ""
  return `\nThe third command needs the same ${needed.join(" and ")} as the service, in the environment or in .env.\n`
}

/** Where the service listens. */
interface Addresses {
  readonly baseUrl: string
  /** Of admin API and console. */
  readonly adminUrl: string
}

/** The text that is printed at the first start: the secrets, once, and commands to copy. */
export const welcome = ({ demo, operatorToken }: FirstStart, addresses: Addresses, where: CommandSettings): string =>
  [
    operatorToken === undefined ? "" : operatorText(operatorToken, addresses),
    demo === undefined ? "" : demoText(demo, addresses, where)
  ].join("")

const operatorText = (token: string, { adminUrl }: Addresses): string => `
The operator admin was created. Sign in to the console with its token, which is shown only once:

  Console         ${adminUrl}/console
  Token           ${token}
`

const demoText = (
  { apiKey, branchId, webhookSecret }: Demo,
  { baseUrl }: Addresses,
  where: CommandSettings
): string => `
A demo service was created. Its key and secret are shown only once:

  API key         ${apiKey}
  Webhook secret  ${webhookSecret}

Verify a slip of the sandbox bank in a second terminal in this folder:

  npx sliptrail sandbox slip --amount 1500.50 --out slip.png
  curl -s ${baseUrl}/v2/verify/bank -H 'Authorization: Bearer ${apiKey}' -F image=@slip.png
  ${withDataDir(`npx sliptrail trail show --branch ${branchId}`, where)}
${furtherSettings(where)}`

/** The file that has the text of the first start when the output is not a terminal. */
export const firstStartFile = (folder: string): string => join(folder, "first-start.txt")

/**
 * The text that the first start prints. Only a terminal gets the secrets. Other output is often stored, such as the log
 * of a container: it gets the path of a file that only the owner can read.
 */
export const announcement = (text: string, folder: string, isTerminal: boolean): string => {
  if (isTerminal) return text
  const file = firstStartFile(folder)
  writeFileAtomic(file, text.trimStart(), 0o600)
  return `The first start made credentials. ${file} has them, and what to do next. Delete it after use.`
}
