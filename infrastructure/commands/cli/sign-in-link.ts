import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Scope } from "../../../domain/api-key.ts"
import { branchFlag, idOf, jsonFlag, limitFlag, optionalInt } from "./flags.ts"
import { printList, runChange } from "./operation.ts"
import { fieldsBy, noteShownOnce, print, printFields } from "./output.ts"

export const signInLink = Command.make(
  "sign-in-link",
  {
    branch: branchFlag,
    name: Flag.String("name").pipe(Flag.withDescription("Name of the device, such as Till 1, and of its key")),
    scope: Flag.Literals("scope", Scope.literals).pipe(
      Flag.withDescription("What the device may do; may be repeated. Default verify"),
      Flag.atLeast(0)
    ),
    validHours: optionalInt("valid-hours", "Hours for which the link can be redeemed, 1 to 168; default 24"),
    json: jsonFlag
  },
  Effect.fnUntraced(function* (flags) {
    const body = {
      name: flags.name,
      scopes: flags.scope.length === 0 ? ["verify" as const] : [...new Set(flags.scope)],
      validHours: flags.validHours
    }
    const made = yield* runChange({ name: "createSignInLink", params: { id: idOf(flags.branch) }, body })
    yield* print(flags.json, made, () =>
      printFields(fieldsBy({
        id: "id",
        link: "link",
        expires: "expiresAt",
        name: "name",
        scopes: ({ scopes }) => scopes.join(" "),
        key: "keyId"
      }, made)))
    yield* noteShownOnce
  })
).pipe(Command.withDescription("Make a link that signs one device in to the shop's page, once, and show it once"))

export const signInLinkList = Command.make(
  "sign-in-links",
  { branch: branchFlag, limit: limitFlag, json: jsonFlag },
  ({ branch, ...flags }) =>
    printList(flags, { name: "listSignInLinks", params: { id: idOf(branch) } }, {
      "id": "id",
      "name": "name",
      "scopes": ({ scopes }) => scopes.join(" "),
      "expires": "expiresAt",
      "made by": ({ madeByKey, operator }) => operator ?? `key ${madeByKey}`,
      "key": ({ keyId }) => keyId ?? "not known"
    }, "There are no links that can still be redeemed")
).pipe(Command.withDescription("List the sign-in links of a branch that can still be redeemed"))

export const withdrawLink = Command.make(
  "withdraw-sign-in-link",
  {
    id: Argument.String("id").pipe(Argument.withDescription("Id of the link, see sliptrail key sign-in-links")),
    branch: branchFlag,
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ branch, id, json }) {
    const withdrawn = yield* runChange({
      name: "withdrawSignInLink",
      params: { id: idOf(branch), linkId: idOf(id) }
    })
    yield* print(json, withdrawn, ({ id }) => printFields([["withdrawn", id]]))
  })
).pipe(Command.withDescription("Withdraw a sign-in link: no device can redeem it any more"))
