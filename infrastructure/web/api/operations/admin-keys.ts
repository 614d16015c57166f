import { ApiKeyRequest, ApiKeyRotation, SignInLinkRequest } from "../requests/keys.ts"
import { apiKey, apiKeyRequest, newApiKey, rotatedApiKey } from "../examples.ts"
import type { V2Code } from "../failures.ts"
import type { Operation } from "../operation.ts"
import {
  ApiKey,
  ApiKeys,
  NewApiKey,
  OpenSignInLink,
  RotatedApiKey,
  SignInLink,
  SignInLinkWithdrawn
} from "../responses/key.ts"
import { openSignInLink, signInLink, signInLinkRequest } from "./admin-examples.ts"
import { body, codesWithBoth, codesWithId, created, optionalBody, page, success } from "./admin-operation.ts"
import { operationsOf } from "./declare.ts"

const { get, post } = operationsOf("API keys")
const keyId = { description: "The id of a key of the branch. Case does not matter." }

/** The API keys of all branches (docs/spec/http.md, "API keys"). */
export const apiKeys = {
  listApiKeys: get("/admin/v1/branches/:id/keys", {
    summary: "The API keys of a branch",
    description: "The newest first, also the ones that have ended. The keys themselves are not stored.",
    isPaged: true,
    success: success(ApiKeys, "API keys", { items: [apiKey], nextCursor: null }),
    codes: codesWithBoth
  }),
  createApiKey: post("/admin/v1/branches/:id/keys", {
    summary: "Add an API key to a branch",
    description: "The key is shown this once. A branch has at most 100 keys that work.",
    body: body(ApiKeyRequest, apiKeyRequest),
    success: created(NewApiKey, "API key created; it is shown this once", newApiKey),
    codes: codesWithBoth
  }),
  revokeApiKey: post("/admin/v1/branches/:id/keys/:keyId/revoke", {
    summary: "Revoke an API key",
    description: "It stops at once and for good. Changes nothing when it is so already.",
    params: { keyId },
    success: success(ApiKey, "API key revoked", { ...apiKey, state: "revoked" }),
    codes: codesWithId
  }),
  rotateApiKey: post("/admin/v1/branches/:id/keys/:keyId/rotate", {
    summary: "Replace an API key",
    description:
      "The new key is shown this once, and has the name, scopes, lifetime and networks of the old one. The old "
      + "one works during the overlap.",
    params: { keyId },
    body: optionalBody(ApiKeyRotation, { overlapSeconds: 3600 }),
    success: success(RotatedApiKey, "API key rotated; the new one is shown this once", rotatedApiKey),
    codes: codesWithBoth
  }),
  createSignInLink: post("/admin/v1/branches/:id/sign-in-links", {
    summary: "Make a sign-in link of the shop's page",
    description:
      "The link signs one device in to the page `/app`, once. It is shown this once. The device gets an API key of its "
      + "own, with the name and the scopes of the link.",
    body: body(SignInLinkRequest, signInLinkRequest),
    success: created(SignInLink, "Sign-in link made; it is shown this once", signInLink),
    codes: codesWithBoth
  }),
  listSignInLinks: get("/admin/v1/branches/:id/sign-in-links", {
    summary: "Sign-in links that can still be redeemed",
    description:
      "Those that expire last first. The links themselves are not stored. A page can have fewer than `limit` entries while "
      + "there is a next page.",
    isPaged: true,
    success: page(OpenSignInLink, "Sign-in links", openSignInLink),
    codes: codesWithBoth
  }),
  withdrawSignInLink: post("/admin/v1/branches/:id/sign-in-links/:linkId/withdraw", {
    summary: "Withdraw a sign-in link",
    description:
      "It can no longer be redeemed. Changes nothing when it has ended already. Refused when it was redeemed: revoke the "
      + "key of its device.",
    params: { linkId: { description: "The id of a sign-in link of the branch. Case does not matter." } },
    success: success(SignInLinkWithdrawn, "Sign-in link withdrawn", { id: openSignInLink.id }),
    codes: codesWithBoth
  })
} as const satisfies Record<string, Operation<V2Code>>
