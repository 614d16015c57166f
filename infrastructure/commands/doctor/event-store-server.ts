import { Effect, Redacted, Result } from "effect"
import {
  type ConnectionSettings,
  describeConnection,
  parseConnectionString
} from "../../adapters/stores/eventstoredb/connection-string.ts"
import { makeAppender } from "../../adapters/stores/eventstoredb/append.ts"
import { Connection } from "../../adapters/stores/eventstoredb/connection.ts"
import { readLastEvent } from "../../adapters/stores/eventstoredb/read.ts"
import { checkServer } from "../../adapters/stores/eventstoredb/server-check.ts"
import { makeToStoreError } from "../../adapters/stores/eventstoredb/store-error.ts"
import { streamPrefixes } from "../../adapters/stores/eventstoredb/store.ts"
import { type Finding, findingsAbout } from "./finding.ts"
import { checkTls } from "./settings.ts"

const SETTING = "EVENTSTORE_URL or KURRENTDB_URL"

/** The same limit as at the start of the service. */
const START_MILLIS = 5_000

const ABOUT = "event store"
const { fail, ok, warn } = findingsAbout(ABOUT)

export interface ServerReport {
  readonly findings: ReadonlyArray<Finding>
  /** Time of the last event in Unix milliseconds; undefined when there is none, or it cannot be read. */
  readonly newest: number | undefined
  readonly isReadable: boolean
}

const connect = Effect.fnUntraced(function* (settings: ConnectionSettings, text: string) {
  const toStoreError = makeToStoreError(settings, text)
  const toError = (cause: unknown) => toStoreError("open", cause)
  const connection = yield* Effect.acquireRelease(
    Effect.try({ try: () => new Connection(settings), catch: toError }),
    (opened) => Effect.sync(() => opened.close())
  )
  const address = describeConnection(settings)
  const appender = yield* Effect.acquireRelease(
    Effect.sync(() => makeAppender(connection, START_MILLIS)),
    ({ close }) => Effect.sync(close)
  )
  const check = { address, appender, prefixes: streamPrefixes, timeoutMillis: START_MILLIS, toStoreError }
  const mayAppend = yield* checkServer(connection, check)
  const { serverVersion } = yield* Effect.tryPromise({ try: () => connection.features(), catch: toError })
  const last = yield* Effect.mapError(readLastEvent(connection, streamPrefixes), ({ cause }) => toError(cause))
  const found = mayAppend ? ok(`${address}, version ${serverVersion}: the log can be read and appended to`) : warn(
    `${address}, version ${serverVersion}: the log can be read, and a tested append got no answer within a second`,
    "look at the load and the log of the server, then run doctor again"
  )
  return { findings: [found], newest: last?.recordedAt, isReadable: true } satisfies ServerReport
})

const settingFindings = ({ credentials, hosts, tls }: ConnectionSettings): ReadonlyArray<Finding> => [
  ...checkTls(ABOUT, SETTING, {
    hosts: hosts.map(({ address }) => address),
    tls,
    encrypted: "give the server a certificate and remove tls=false"
  }),
  ...(credentials !== undefined && !tls
    ? [warn(`the user of ${SETTING} is not sent, because tls=false`, "remove the user or tls=false")]
    : []),
  ...(credentials !== undefined && tls && ["admin", "ops"].includes(credentials.username)
    ? [warn(`the user ${credentials.username} may delete and change everything on the server`, LEAST_RIGHTS)]
    : [])
]

const LEAST_RIGHTS = "use a user without groups that the metadata of the stream $all lets read: "
  + 'docs/beyond-one-machine.md, "TLS and credentials", has the commands'

/** Checks the server of the setting: whether it can be reached, its version, and whether its log can be read. */
export const checkEventStore = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const text = Redacted.value(url)
  const unusable = (message: string, advice: string): ServerReport => ({
    findings: [fail(message, advice)],
    newest: undefined,
    isReadable: false
  })
  const parsed = parseConnectionString(text)
  if (Result.isFailure(parsed)) {
    return unusable(`${SETTING} cannot be read: ${parsed.failure}`, `correct ${SETTING}`)
  }
  const report = yield* Effect.match(Effect.scoped(connect(parsed.success, text)), {
    onSuccess: (found): ServerReport => found,
    onFailure: ({ cause }) =>
      unusable(
        cause instanceof Error ? cause.message : `${describeConnection(parsed.success)} cannot be used`,
        `start it, correct ${SETTING}, or give its user the rights that docs/beyond-one-machine.md names; until then no `
          + "process starts, and running processes answer API_SERVER_ERROR"
      )
  })
  return { ...report, findings: [...settingFindings(parsed.success), ...report.findings] } satisfies ServerReport
})
