import { Effect, Layer } from "effect"
import { Directory } from "../../../application/provisioning/directory.ts"
import { createKey, listKeys, revokeKey, rotateKey } from "../../../application/provisioning/keys.ts"
import { listSignInLinks, makeSignInLink, withdrawSignInLink } from "../../../application/shop/sign-in-links.ts"
import { BranchNotFound } from "../../../domain/branch.ts"
import { adminOperations as operations } from "../../api/operations/admin.ts"
import { publicOrigin, signInLinkUrl } from "../public-url.ts"
import type { AdminRoute } from "./admin-route.ts"

/** The API keys of all branches, and the links that issue one to a device. */
export const keyRoutes = (route: AdminRoute) =>
  Layer.mergeAll(
    route(
      operations.listApiKeys,
      Effect.fnUntraced(function* ({ id, page }) {
        if ((yield* (yield* Directory).branch(id)) === undefined) return yield* new BranchNotFound()
        return yield* listKeys(id, page)
      })
    ),
    route(operations.createApiKey, ({ body, id, operation }) => createKey(id, body, operation)),
    route(
      operations.revokeApiKey,
      ({ id, operation, params: { keyId } }) => revokeKey(id, keyId.toLowerCase(), operation)
    ),
    route(
      operations.rotateApiKey,
      ({ body: { overlapSeconds }, id, operation, params: { keyId } }) =>
        rotateKey(id, keyId.toLowerCase(), operation, overlapSeconds)
    ),
    route(
      operations.createSignInLink,
      Effect.fnUntraced(function* ({ body, exchange, id, operation }) {
        const { token, ...made } = yield* Effect.catchTag(
          makeSignInLink(id, body, operation),
          "SignInLinkMadeBefore",
          Effect.die
        )
        return { ...made, link: signInLinkUrl(yield* publicOrigin(exchange), token) }
      })
    ),
    route(
      operations.listSignInLinks,
      Effect.fnUntraced(function* ({ id, page }) {
        if ((yield* (yield* Directory).branch(id)) === undefined) return yield* new BranchNotFound()
        return yield* listSignInLinks(id, page)
      })
    ),
    route(
      operations.withdrawSignInLink,
      ({ id, operation, params: { linkId } }) => withdrawSignInLink(id, linkId.toLowerCase(), operation)
    )
  )
