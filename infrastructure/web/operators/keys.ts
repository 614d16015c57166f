import { Effect } from "effect"
import { createKey, listKeys, revokeKey, rotateKey } from "../../../application/provisioning/keys.ts"
import { listSignInLinks, makeSignInLink, withdrawSignInLink } from "../../../application/shop/sign-in-links.ts"
import type * as declared from "../api/operations/admin-keys.ts"
import type { HandlersOf } from "./handler.ts"
import { existingBranch } from "./provisioning.ts"
import { signInLinkUrl } from "./sign-in-link-url.ts"

/** The API keys of all branches, and the links that issue one to a device. */
export const apiKeys = {
  listApiKeys: ({ id, page }) => Effect.andThen(existingBranch(id), listKeys(id, page)),
  createApiKey: ({ body, id, ids }) => createKey(id, body, ids),
  revokeApiKey: ({ id, ids, params: { keyId } }) => revokeKey(id, keyId.toLowerCase(), ids),
  rotateApiKey: ({ body: { overlapSeconds }, id, ids, params: { keyId } }) =>
    rotateKey(id, keyId.toLowerCase(), ids, overlapSeconds),
  createSignInLink: Effect.fnUntraced(function* ({ body, id, linkOrigin, ids }) {
    const { token, ...made } = yield* Effect.catchTag(
      makeSignInLink(id, body, ids),
      "SignInLinkMadeBefore",
      Effect.die
    )
    return { ...made, link: signInLinkUrl(yield* linkOrigin, token) }
  }),
  listSignInLinks: ({ id, page }) => Effect.andThen(existingBranch(id), listSignInLinks(id, page)),
  withdrawSignInLink: ({ id, ids, params: { linkId } }) => withdrawSignInLink(id, linkId.toLowerCase(), ids)
} satisfies HandlersOf<typeof declared.apiKeys>
