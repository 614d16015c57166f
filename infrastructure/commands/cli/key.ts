import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { KeyView } from "../../../application/views/keys.ts"
import { Scope } from "../../../domain/api-key.ts"
import { branchFlag, entriesOf, expiresFlag, expiryOf, idOf, jsonFlag, limitFlag, optionalInt } from "./flags.ts"
import { printList, runChange } from "./operation.ts"
import { type Columns, type Field, fieldsBy, noteShownOnce, print, printFields } from "./output.ts"
import { signInLink, signInLinkList, withdrawLink } from "./sign-in-link.ts"

const keyId = Argument.String("id").pipe(Argument.withDescription("Id of the API key, see sliptrail key list"))

const columns: Columns<KeyView> = {
  "id": "id",
  "name": ({ name }) => name ?? "default key",
  "scopes": ({ scopes }) => scopes.join(" "),
  "state": "state",
  "expires": ({ expiresAt }) => expiresAt ?? "never",
  "networks": ({ networks }) => networks?.join(" ") ?? "as the branch",
  "last used": ({ lastUsedOn }) => lastUsedOn ?? "never"
}

const keyFields = (key: KeyView): ReadonlyArray<Field> => [...fieldsBy(columns, key), ["created", key.createdAt]]

const list = Command.make(
  "list",
  { branch: branchFlag, limit: limitFlag, json: jsonFlag },
  ({ branch, ...flags }) => printList(flags, { name: "listApiKeys", params: { id: idOf(branch) } }, columns)
).pipe(Command.withDescription("List the API keys of a branch, newest first; the keys themselves are not stored"))

const create = Command.make(
  "create",
  {
    branch: branchFlag,
    name: Flag.String("name").pipe(Flag.withDescription("Name of the key, such as the till that has it")),
    scope: Flag.Literals("scope", Scope.literals).pipe(
      Flag.withDescription("What the key may do; may be repeated"),
      Flag.atLeast(1)
    ),
    expires: expiresFlag,
    network: Flag.String("network").pipe(
      Flag.withDescription("IP address or CIDR range that it may call from; may be repeated. Default as the branch"),
      Flag.atLeast(0)
    ),
    json: jsonFlag
  },
  Effect.fnUntraced(function* (flags) {
    const body = {
      name: flags.name,
      scopes: [...new Set(flags.scope)],
      expiresAt: yield* expiryOf(flags.expires),
      networks: entriesOf(flags.network)
    }
    const key = yield* runChange({ name: "createApiKey", params: { id: idOf(flags.branch) }, body })
    yield* print(flags.json, key, () => printFields([...keyFields(key), ["API key", key.apiKey]]))
    yield* noteShownOnce
  })
).pipe(Command.withDescription("Add an API key to a branch, and show it once"))

const revoke = Command.make(
  "revoke",
  { id: keyId, branch: branchFlag, json: jsonFlag },
  Effect.fnUntraced(function* ({ branch, id, json }) {
    const key = yield* runChange({ name: "revokeApiKey", params: { id: idOf(branch), keyId: idOf(id) } })
    yield* print(json, key, () => printFields(keyFields(key)))
  })
).pipe(Command.withDescription("Revoke an API key: it stops working immediately and for good"))

const rotate = Command.make(
  "rotate",
  {
    id: keyId,
    branch: branchFlag,
    overlap: optionalInt("overlap", "Seconds for which the old key works too; default 86400 (one day)"),
    json: jsonFlag
  },
  Effect.fnUntraced(function* (flags) {
    const key = yield* runChange({
      name: "rotateApiKey",
      params: { id: idOf(flags.branch), keyId: idOf(flags.id) },
      body: { overlapSeconds: flags.overlap }
    })
    yield* print(flags.json, key, () =>
      printFields([
        ...keyFields(key),
        ["API key", key.apiKey],
        ["old key until", key.previousExpiresAt]
      ]))
    yield* noteShownOnce
  })
).pipe(Command.withDescription("Replace an API key by one with the same name and scopes, and show it once"))

export const key = Command.make("key").pipe(
  Command.withDescription("API keys of a branch: what each one may do, until when, and from where"),
  Command.withSubcommands([list, create, revoke, rotate, signInLink, signInLinkList, withdrawLink])
)
