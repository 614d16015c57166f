import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import type { KeyView } from "../../../application/views/keys.ts"
import { Scope } from "../../../domain/api-key.ts"
import { branchFlag, expiresFlag, expiryOf, idArgument, jsonFlag, limitFlag, optionalInt, repeatable } from "./flags.ts"
import { printing, printList, runChange } from "./operation.ts"
import { type Columns, type Field, fieldsBy, noteShownOnce, printFields } from "./output.ts"
import type { DataOf } from "../../web/operators/operations.ts"
import { signInLink, signInLinkList, withdrawLink } from "./sign-in-link.ts"

const keyId = idArgument("Id of the API key, see sliptrail key list")

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
  ({ branch: id, ...flags }) => printList(flags, { name: "listApiKeys", params: { id } }, columns)
).pipe(Command.withDescription("List the API keys of a branch, newest first; the keys themselves are not stored"))

const create = printing(
  (key: DataOf<"createApiKey">) => printFields([...keyFields(key), ["API key", key.apiKey]]),
  noteShownOnce
)(
  "create",
  {
    id: branchFlag,
    name: Flag.String("name").pipe(Flag.withDescription("Name of the key, such as the till that has it")),
    scope: Flag.Literals("scope", Scope.literals).pipe(
      Flag.withDescription("What the key may do; may be repeated"),
      Flag.atLeast(1)
    ),
    expires: expiresFlag,
    networks: repeatable(
      "network",
      "IP address or CIDR range that it may call from; may be repeated. Default as the branch"
    )
  },
  Effect.fnUntraced(function* ({ expires, id, name, networks, scope }) {
    const body = { name, scopes: [...new Set(scope)], expiresAt: yield* expiryOf(expires), networks }
    return yield* runChange({ name: "createApiKey", params: { id }, body })
  }),
  "Add an API key to a branch, and show it once"
)

const revoke = printing((key: KeyView) => printFields(keyFields(key)))(
  "revoke",
  { keyId, id: branchFlag },
  (params) => runChange({ name: "revokeApiKey", params }),
  "Revoke an API key: it stops working immediately and for good"
)

const rotate = printing(
  (key: DataOf<"rotateApiKey">) =>
    printFields([...keyFields(key), ["API key", key.apiKey], ["old key until", key.previousExpiresAt]]),
  noteShownOnce
)(
  "rotate",
  {
    params: { keyId, id: branchFlag },
    overlapSeconds: optionalInt("overlap", "Seconds for which the old key works too; default 86400 (one day)")
  },
  ({ params, ...body }) => runChange({ name: "rotateApiKey", params, body }),
  "Replace an API key by one with the same name and scopes, and show it once"
)

export const key = Command.make("key").pipe(
  Command.withDescription("API keys of a branch: what each one may do, until when, and from where"),
  Command.withSubcommands([list, create, revoke, rotate, signInLink, signInLinkList, withdrawLink])
)
