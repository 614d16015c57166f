import { Effect } from "effect"
import { hash, randomUUID } from "node:crypto"
import http from "node:http"
import { type Handler, listening, type RecordedRequest, recording } from "../loopback-server.ts"
import { CLIENT_ID } from "./oidc-env.ts"
import { type Claims, newSigningKey, signedToken, type SigningKey } from "./signed-token.ts"

/** A person who has signed in at the provider, and whose browser goes back with a code. */
interface Pending {
  readonly nonce: string
  readonly challenge: string
}

/** A provider that answers what a test says. By default it answers as it should. */
export interface HostileProvider {
  readonly issuer: string
  /** The requests so far, the oldest first. */
  readonly requests: ReadonlyArray<RecordedRequest>
  /** The key that signs. */
  key: SigningKey
  /** The keys that the provider shows. */
  published: ReadonlyArray<SigningKey>
  /** Makes the ID token from the claims of a correct one. */
  idToken: (claims: Claims, key: SigningKey) => string
  /** The answer of the UserInfo endpoint, from that of a correct one. */
  userInfo: (claims: Claims) => Claims
  /** Answers a request instead of the provider when it returns true. */
  intercept: (...request: Parameters<Handler>) => boolean
  /** Replaces fields of the discovery document. */
  discovery: Claims
  /** The answer's parameters for a person who signs in at the URL that the service has made. */
  readonly authorize: (url: string) => URLSearchParams
  /** Removes what a test has changed. */
  readonly reset: () => void
}

const json = (response: http.ServerResponse, status: number, body: Claims) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))

const defaults = (): Pick<HostileProvider, "discovery" | "idToken" | "intercept" | "userInfo"> => ({
  idToken: (claims, key) => signedToken(key, claims),
  userInfo: (claims) => claims,
  intercept: () => false,
  discovery: {}
})

/** Starts the provider on loopback; it stops with the scope. */
export const startHostileProvider = Effect.gen(function* () {
  const requests: Array<RecordedRequest> = []
  const pending = new Map<string, Pending>()

  const answer: Handler = (request, response) => {
    const { issuer, key, published } = provider
    if (provider.intercept(request, response)) return
    if (request.url === "/.well-known/openid-configuration") {
      return json(response, 200, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
        jwks_uri: `${issuer}/keys`,
        response_types_supported: ["code"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256"],
        authorization_response_iss_parameter_supported: true,
        ...provider.discovery
      })
    }
    if (request.url === "/keys") return json(response, 200, { keys: published.map(({ jwk }) => jwk) })
    if (request.url === "/userinfo") return json(response, 200, provider.userInfo({ sub: "person-1" }))
    const form = new URLSearchParams(request.body)
    const code = form.get("code") ?? ""
    const begun = pending.get(code)
    pending.delete(code)
    const verifier = hash("sha256", form.get("code_verifier") ?? "", "base64url")
    if (begun === undefined || verifier !== begun.challenge) return json(response, 400, { error: "invalid_grant" })
    const now = Math.floor(Date.now() / 1_000)
    const idToken = provider.idToken({
      iss: issuer,
      sub: "person-1",
      aud: CLIENT_ID,
      iat: now,
      exp: now + 300,
      nonce: begun.nonce,
      email: "ann@shop.example",
      email_verified: true,
      groups: ["slip-support"]
    }, key)
    json(response, 200, { access_token: randomUUID(), token_type: "Bearer", expires_in: 300, id_token: idToken })
  }

  const server = http.createServer(recording(requests, answer))
  const port = yield* listening(server, "127.0.0.1")
  const key = newSigningKey()
  const provider: HostileProvider = {
    issuer: `http://localhost:${port}`,
    requests,
    key,
    published: [key],
    ...defaults(),
    authorize: (url) => {
      const asked = new URL(url).searchParams
      const code = randomUUID()
      pending.set(code, { nonce: asked.get("nonce") ?? "", challenge: asked.get("code_challenge") ?? "" })
      return new URLSearchParams({ code, state: asked.get("state") ?? "", iss: provider.issuer })
    },
    reset: () => Object.assign(provider, defaults(), { key, published: [key] })
  }
  return provider
})
