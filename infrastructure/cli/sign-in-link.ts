import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { makeSignInLink } from "../../application/shop/sign-in-links.ts"
import { Scope } from "../../domain/api-key.ts"
import { signInLinkUrl } from "../http/public-url.ts"
import { decodeSignInLink } from "../input/sign-in-link-request.ts"
import { settings } from "../settings/settings.ts"
import { branchFlag, decodeFlags, idOf, jsonFlag } from "./flags.ts"
import { runChange } from "./operation.ts"
import { note, noteShownOnce, print, printFields } from "./output.ts"

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
    yield* print(flags.json, made, ({ expiresAt, keyId, link, name, scopes }) =>
      printFields([
        ["link", link],
        ["expires", expiresAt],
        ["name", name],
        ["scopes", scopes.join(" ")],
        ["key", keyId]
      ]))
    yield* noteShownOnce
  })
).pipe(Command.withDescription("Make a link that signs one device in to the shop's page, once, and show it once"))
