import { ApiKeyRequest, ApiKeyRotation } from "../requests/keys.ts"
import { apiKey, apiKeyRequest, newApiKey, rotatedApiKey } from "../examples.ts"
import { scopedCodes, type V2Code } from "../failures.ts"
import type { BranchOperation } from "../operation.ts"
import { ApiKey, ApiKeys, NewApiKey, RotatedApiKey } from "../responses/key.ts"

const params = { id: { description: "Of a key of this branch. Case does not matter.", example: apiKey.id } }

/** The API keys of a branch, for a key of the branch with the scope `configure` (docs/spec/http.md, "API keys"). */
export const keys = {
  listApiKeys: {
    method: "GET",
    path: "/v2/keys",
    scopes: ["configure"],
    tag: "API keys",
    summary: "The branch's keys",
    description: "The newest first, also the ones that have ended. The keys themselves are not stored.",
    isPaged: true,
    success: {
      status: 200,
      data: ApiKeys,
      message: "API keys",
      examples: { one: { summary: "A key for a till", value: { items: [apiKey], nextCursor: null } } }
    },
    codes: [...scopedCodes, "VALIDATION_ERROR"],
    fault: { path: "limit", message: "Expected a whole number from 1 to 500" }
  },
  createApiKey: {
    method: "POST",
    path: "/v2/keys",
    scopes: ["configure"],
    tag: "API keys",
    summary: "Create a key",
    description: "The key is shown this once. It has at most the scopes, the lifetime and the networks of the key that "
      + "asks for it. A branch has at most 100 keys that work.",
    body: {
      json: ApiKeyRequest,
      urlencoded: ApiKeyRequest,
      examples: { till: { summary: "A till that only verifies", value: apiKeyRequest } }
    },
    success: {
      status: 201,
      data: NewApiKey,
      message: "API key created; it is shown this once",
      examples: { till: { summary: "A key for a till", value: newApiKey } }
    },
    codes: [...scopedCodes, "VALIDATION_ERROR"],
    fault: { path: "scopes", message: "A key issues only scopes that it has itself" }
  },
  revokeApiKey: {
    method: "DELETE",
    path: "/v2/keys/:id",
    scopes: ["configure"],
    tag: "API keys",
    summary: "Revoke a key",
    description: "It stops at once and for good. Revoking it again changes nothing.",
    params,
    success: {
      status: 200,
      data: ApiKey,
      message: "API key revoked",
      examples: { revoked: { summary: "No longer accepted", value: { ...apiKey, state: "revoked" } } }
    },
    codes: [...scopedCodes, "API_KEY_NOT_FOUND"]
  },
  rotateApiKey: {
    method: "POST",
    path: "/v2/keys/:id/rotate",
    scopes: ["configure"],
    tag: "API keys",
    summary: "Replace a key",
    description:
      "The new key is shown this once, and has the name, scopes, lifetime and networks of the old one. The old "
      + "one works during the overlap. A key replaces only keys that are no more than itself.",
    params,
    body: {
      json: ApiKeyRotation,
      urlencoded: ApiKeyRotation,
      isOptional: true,
      examples: { hour: { summary: "Both work for an hour", value: { overlapSeconds: 3600 } } }
    },
    success: {
      status: 200,
      data: RotatedApiKey,
      message: "API key rotated; the new one is shown this once",
      examples: { rotated: { summary: "Both work for a day", value: rotatedApiKey } }
    },
    codes: [...scopedCodes, "VALIDATION_ERROR", "API_KEY_NOT_FOUND"],
    fault: { path: "overlapSeconds", message: "Expected a value between 0 and 604800" }
  }
} as const satisfies Record<string, BranchOperation<V2Code>>
