import { Command, Flag } from "effect/cli"
import { Scope } from "../../../domain/api-key.ts"
import type { DataOf } from "../../web/operators/operations.ts"
import { branchFlag, idArgument, jsonFlag, limitFlag, optionalInt } from "./flags.ts"
import { printing, printList, runChange } from "./operation.ts"
import { type Columns, fieldsBy, noteShownOnce, printFields } from "./output.ts"

const columns: Columns<DataOf<"createSignInLink">> = {
  id: "id",
  link: "link",
  expires: "expiresAt",
  name: "name",
  scopes: ({ scopes }) => scopes.join(" "),
  key: "keyId"
}

export const signInLink = printing(
  (made: DataOf<"createSignInLink">) => printFields(fieldsBy(columns, made)),
  noteShownOnce
)(
  "sign-in-link",
  {
    id: branchFlag,
    name: Flag.String("name").pipe(Flag.withDescription("Name of the device, such as Till 1, and of its key")),
    scope: Flag.Literals("scope", Scope.literals).pipe(
      Flag.withDescription("What the device may do; may be repeated. Default verify"),
      Flag.atLeast(0)
    ),
    validHours: optionalInt("valid-hours", "Hours for which the link can be redeemed, 1 to 168; default 24")
  },
  ({ id, scope, ...body }) => {
    const scopes = scope.length === 0 ? ["verify" as const] : [...new Set(scope)]
    return runChange({ name: "createSignInLink", params: { id }, body: { ...body, scopes } })
  },
  "Make a link that signs one device in to the shop's page, once, and show it once"
)

export const signInLinkList = Command.make(
  "sign-in-links",
  { branch: branchFlag, limit: limitFlag, json: jsonFlag },
  ({ branch: id, ...flags }) =>
    printList(flags, { name: "listSignInLinks", params: { id } }, {
      "id": "id",
      "name": "name",
      "scopes": ({ scopes }) => scopes.join(" "),
      "expires": "expiresAt",
      "made by": ({ madeByKey, operator }) => operator ?? `key ${madeByKey}`,
      "key": ({ keyId }) => keyId ?? "not known"
    }, "There are no links that can still be redeemed")
).pipe(Command.withDescription("List the sign-in links of a branch that can still be redeemed"))

export const withdrawLink = printing(({ id }: DataOf<"withdrawSignInLink">) => printFields([["withdrawn", id]]))(
  "withdraw-sign-in-link",
  { linkId: idArgument("Id of the link, see sliptrail key sign-in-links"), id: branchFlag },
  (params) => runChange({ name: "withdrawSignInLink", params }),
  "Withdraw a sign-in link: no device can redeem it any more"
)
