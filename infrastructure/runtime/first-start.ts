import { Effect } from "effect"
import { createService } from "../../application/provisioning/services.ts"
import { beginning, formatPosition } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { Leases } from "../../ports/leases.ts"
import { type Settings, settings } from "../settings/settings.ts"

/** What a newcomer needs to verify a first slip; shown this once. */
export interface Demo {
  readonly apiKey: string
  readonly webhookSecret: string
  readonly branchId: string
}

const makeDemo = Effect.gen(function* () {
  const head = yield* (yield* EventStore).head
  if (formatPosition(head) !== formatPosition(beginning)) return undefined
  const { mainBranch } = yield* createService(
    { name: "Demo shop", plan: "demo", quota: null, accountId: undefined, expiresAt: null },
    { actor: { kind: "system", id: "first-start" }, correlationId: "first-start" }
  )
  const demo: Demo = {
    apiKey: mainBranch.apiKey,
    webhookSecret: mainBranch.webhookSecret,
    branchId: mainBranch.id
  }
  return demo
})

/**
 * On an empty log, makes a demo service with an unlimited main branch (docs/spec/operations.md, "Two commands on a
 * fresh machine"). Undefined when something happened before. Of processes that start together one makes it.
 */
export const firstStart = Effect.flatMap(Leases, (leases) => leases.whileHolding("first-start", makeDemo))

/** As a shell takes it for one word. */
const quoted = (text: string): string => /^[\w./:@%+-]+$/u.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

type Where = Pick<Settings, "dataDir" | "eventStoreUrl" | "redisUrl" | "masterKey" | "subjectKeysFile">

/** A command that looks at the data finds it by the settings of the service, of which a folder may be told. */
export const looking = (command: string, { dataDir }: Pick<Settings, "dataDir">): string =>
  dataDir === settings.dataDir.default ? command : `DATA_DIR=${quoted(dataDir)} ${command}`

/** The settings that it needs besides; they may be secrets, and so are told by name. Empty when it needs none. */
const besides = ({ eventStoreUrl, masterKey, redisUrl, subjectKeysFile }: Where): string => {
  const needed = Object.entries({
    EVENTSTORE_URL: eventStoreUrl,
    REDIS_URL: redisUrl,
    MASTER_KEY: masterKey,
    SUBJECT_KEYS_FILE: subjectKeysFile
  }).flatMap(([name, value]) => value === undefined ? [] : [name])
  const last = needed.pop()
  if (last === undefined) return ""
  const names = needed.length === 0 ? last : `${needed.join(", ")} and ${last}`
  return `\nThe third command needs ${names} set as for the service, in the environment or in .env.\n`
}

/** What is printed at the first start: the secrets, once, and three commands to copy. */
export const welcome = ({ apiKey, branchId, webhookSecret }: Demo, baseUrl: string, where: Where): string => `
A demo service was made. Its key and secret are shown this once:

  API key         ${apiKey}
  Webhook secret  ${webhookSecret}

Verify a slip of the sandbox bank now, in a second terminal in this folder:

  npx sliptrail sandbox slip --amount 1500.50 --out slip.png
  curl -s ${baseUrl}/v2/verify/bank -H 'Authorization: Bearer ${apiKey}' -F image=@slip.png
  ${looking(`npx sliptrail trail show --branch ${branchId}`, where)}
${besides(where)}`
