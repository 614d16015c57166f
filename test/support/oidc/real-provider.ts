import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import http from "node:http"
import { Provider } from "oidc-provider"
import { listening } from "../loopback-server.ts"
import { CLIENT_ID, CLIENT_SECRET } from "./oidc-env.ts"
import { newSigningKey } from "./signed-token.ts"

interface RealProviderOptions {
  /** The URL that the client has registered. */
  readonly redirectUrl: string
  /** The groups of a person, by the name that the person enters. */
  readonly groups: Readonly<Record<string, ReadonlyArray<string>>>
  /** Whether the ID token has all claims. Otherwise they are in the UserInfo answer only. */
  readonly hasAllClaims: boolean
}

/** The provider warns of each that has no lifetime of its own. */
const ARTEFACTS = ["AccessToken", "AuthorizationCode", "Grant", "IdToken", "Interaction", "Session"]
const TTL_SECONDS = 600

/**
 * Starts a certified provider (oidc-provider) on loopback, with its own pages for signing in. Returns its issuer. The name
 * `localhost` makes it another site than the service on `127.0.0.1`.
 */
export const startRealProvider = Effect.fnUntraced(function* (
  { groups, hasAllClaims, redirectUrl }: RealProviderOptions
) {
  // The provider needs its own address, which is known when the server listens.
  let answer: http.RequestListener = (_, response) => response.writeHead(503).end()
  const port = yield* listening(
    http.createServer((request, response) => answer(request, response)),
    "127.0.0.1"
  )
  const issuer = `http://localhost:${port}`
  const { jwk, kid, privateKey } = newSigningKey()
  const provider = new Provider(issuer, {
    clients: [{
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code"],
      response_types: ["code"]
    }],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "groups"] },
    conformIdTokenClaims: !hasAllClaims,
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@shop.example`, email_verified: true, groups: groups[id] ?? [] })
    }),
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), kid, alg: jwk.alg, use: jwk.use }] },
    cookies: { keys: [randomUUID()] },
    ttl: Object.fromEntries(ARTEFACTS.map((artefact) => [artefact, TTL_SECONDS]))
  })
  answer = provider.callback()
  return issuer
})
