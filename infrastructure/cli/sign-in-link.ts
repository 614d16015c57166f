import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { listSignInLinks, makeSignInLink, withdrawSignInLink } from "../../application/shop/sign-in-links.ts"
import { Directory } from "../../application/provisioning/directory.ts"
import { Scope } from "../../domain/api-key.ts"
import { signInLinkUrl } from "../http/public-url.ts"
import { decodeSignInLink } from "../input/sign-in-link-request.ts"
import { settings } from "../settings/settings.ts"
import { answerIsNo } from "./exit.ts"
import { branchFlag, decodeFlags, idOf, jsonFlag, limitFlag, limitOf } from "./flags.ts"
import { runChange, runList } from "./operation.ts"
import { note, noteMore, noteShownOnce, print, printFields, printTable } from "./output.ts"

/** The origin of a link that is made beside the data folder: `PUBLIC_URL`, or the service of the settings on this machine. */
const linkOrigin = Effect.gen(function* () {
  const origin = yield* settings.publicUrl
  if (origin !== undefined) return origin
  yield* note("PUBLIC_URL is not set: the link works on this machine only")
  return `http://127.0.0.1:${yield* settings.port}`
})

export const signInLink = Command.make(
  "sign-in-link",
  {
    branch: branchFlag,
    name: Flag.String("name").pipe(Flag.withDescription("Name of the device, such as Till 1, and of its key")),
    scope: Flag.Literals("scope", Scope.literals).pipe(
      Flag.withDescription("What the device may do; may be repeated. Default verify"),
      Flag.atLeast(0)
    ),
    validHours: Flag.Int("valid-hours").pipe(
      Flag.withDescription("Hours for which the link can be redeemed, 1 to 168; default 24"),
      Flag.optional
    ),
    json: jsonFlag
  },
  Effect.fnUntraced(function* (flags) {
    const branchId = idOf(flags.branch)
    const body = {
      name: flags.name,
      scopes: flags.scope.length === 0 ? ["verify" as const] : [...new Set(flags.scope)],
      validHours: Option.getOrUndefined(flags.validHours)
    }
    const input = yield* decodeFlags(decodeSignInLink, body)
    const made = yield* runChange(
      { name: "createSignInLink", params: { id: branchId }, body },
      Effect.fnUntraced(function* (operation) {
        const { token, ...link } = yield* Effect.catchTag(
          makeSignInLink(branchId, input, operation),
          "SignInLinkMadeBefore",
          Effect.die
        )
        return { ...link, link: signInLinkUrl(yield* linkOrigin, token) }
      })
    )
    yield* print(flags.json, made, ({ expiresAt, id, keyId, link, name, scopes }) =>
      printFields([
        ["id", id],
        ["link", link],
        ["expires", expiresAt],
        ["name", name],
        ["scopes", scopes.join(" ")],
        ["key", keyId]
      ]))
    yield* noteShownOnce
  })
).pipe(Command.withDescription("Make a link that signs one device in to the shop's page, once, and show it once"))

export const signInLinkList = Command.make(
  "sign-in-links",
  { branch: branchFlag, limit: limitFlag, json: jsonFlag },
  Effect.fnUntraced(function* ({ branch, json, limit: given }) {
    const limit = yield* limitOf(given)
    const branchId = idOf(branch)
    const { hasMore, items } = yield* runList(
      limit,
      (call) => (page) => call({ name: "listSignInLinks", params: { id: branchId }, query: page }),
      Effect.gen(function* () {
        const known = yield* (yield* Directory).branch(branchId)
        if (known === undefined) return yield* answerIsNo("the branch does not exist")
        return (page) => listSignInLinks(branchId, page)
      })
    )
    if (items.length === 0) yield* note("There are no links that can still be redeemed")
    yield* print(json, items, (links) =>
      printTable(
        ["id", "name", "scopes", "expires", "made by", "key"],
        links.map(({ expiresAt, id, keyId, madeByKey, name, operator, scopes }) => [
          id,
          name,
          scopes.join(" "),
          expiresAt,
          operator ?? `key ${madeByKey}`,
          keyId ?? "not known"
        ])
      ))
    yield* noteMore(hasMore)
  })
).pipe(Command.withDescription("List the sign-in links of a branch that can still be redeemed"))

export const withdrawLink = Command.make(
  "withdraw-sign-in-link",
  {
    id: Argument.String("id").pipe(Argument.withDescription("Id of the link, see sliptrail key sign-in-links")),
    branch: branchFlag,
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ branch, id, json }) {
    const branchId = idOf(branch)
    const linkId = idOf(id)
    const withdrawn = yield* runChange(
      { name: "withdrawSignInLink", params: { id: branchId, linkId } },
      (operation) => withdrawSignInLink(branchId, linkId, operation)
    )
    yield* print(json, withdrawn, ({ id }) => printFields([["withdrawn", id]]))
  })
).pipe(Command.withDescription("Withdraw a sign-in link: no device can redeem it any more"))
