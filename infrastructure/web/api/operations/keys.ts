import { ApiKeyRequest, ApiKeyRotation } from "../requests/keys.ts"
import { apiKey, apiKeyRequest, newApiKey, rotatedApiKey } from "../examples.ts"
import { scopedCodes, type V2Code } from "../failures.ts"
import type { BranchOperation } from "../operation.ts"
import { ApiKey, ApiKeys, NewApiKey, RotatedApiKey } from "../responses/key.ts"
import { created, fields, ok, operationsOf, optionalFields } from "./declare.ts"

const { get, post, remove } = operationsOf("API keys")

const params = { id: { description: "Of a key of this branch. Case does not matter.", example: apiKey.id } }

/** The API keys of a branch, for a key of the branch with the scope `configure` (docs/spec/http.md, "API keys"). */
export const keys = {
  listApiKeys: get("/v2/keys", {
    scopes: ["configure"],
    summary: "The branch's keys",
    description: "The newest first, also the ones that have ended. The keys themselves are not stored.",
    isPaged: true,
    success: ok(ApiKeys, "API keys", {
      one: { summary: "A key for a till", value: { items: [apiKey], nextCursor: null } }
    }),
    codes: [...scopedCodes, "VALIDATION_ERROR"],
    fault: { path: "limit", message: "Expected a whole number from 1 to 500" }
  }),
  createApiKey: post("/v2/keys", {
    scopes: ["configure"],
    summary: "Create a key",
    description: "The key is shown this once. It has at most the scopes, the lifetime and the networks of the key that "
      + "asks for it. A branch has at most 100 keys that work.",
    body: fields(ApiKeyRequest, { till: { summary: "A till that only verifies", value: apiKeyRequest } }),
    success: created(NewApiKey, "API key created; it is shown this once", {
      till: { summary: "A key for a till", value: newApiKey }
    }),
    codes: [...scopedCodes, "VALIDATION_ERROR"],
    fault: { path: "scopes", message: "A key issues only scopes that it has itself" }
  }),
  revokeApiKey: remove("/v2/keys/:id", {
    scopes: ["configure"],
    summary: "Revoke a key",
    description: "It stops at once and for good. Revoking it again changes nothing.",
    params,
    success: ok(ApiKey, "API key revoked", {
      revoked: { summary: "No longer accepted", value: { ...apiKey, state: "revoked" } }
    }),
    codes: [...scopedCodes, "API_KEY_NOT_FOUND"]
  }),
  rotateApiKey: post("/v2/keys/:id/rotate", {
    scopes: ["configure"],
    summary: "Replace a key",
    description:
      "The new key is shown this once, and has the name, scopes, lifetime and networks of the old one. The old "
      + "one works during the overlap. A key replaces only keys that are no more than itself.",
    params,
    body: optionalFields(ApiKeyRotation, {
      hour: { summary: "Both work for an hour", value: { overlapSeconds: 3600 } }
    }),
    success: ok(RotatedApiKey, "API key rotated; the new one is shown this once", {
      rotated: { summary: "Both work for a day", value: rotatedApiKey }
    }),
    codes: [...scopedCodes, "VALIDATION_ERROR", "API_KEY_NOT_FOUND"],
    fault: { path: "overlapSeconds", message: "Expected a value between 0 and 604800" }
  })
} as const satisfies Record<string, BranchOperation<V2Code>>
