import { Clock, Effect, Exit, Redacted } from "effect"
import type { Configuration, IDToken, ServerMetadata } from "openid-client"
import type { OidcClient } from "../../../platform/settings/oidc-client.ts"
import { type Claims, mergeClaims, needsUserInfo } from "./claims.ts"
import { makeEgressFetch, type SendRequest } from "./egress-fetch.ts"
import { OidcFailed, oidcFailure, type OidcReason } from "./oidc-failure.ts"

/** The random values that bind an answer of the provider to the request of one browser. */
export interface Challenge {
  readonly state: string
  readonly nonce: string
  /** The PKCE code verifier. */
  readonly verifier: string
}

/** How far the clocks of the provider and of this machine may differ. */
const CLOCK_SKEW_SECONDS = 60

/** How long the provider's addresses count without being read again. A failure is not kept. */
const METADATA_TTL = "10 minutes"

type Library = typeof import("openid-client")

/** Loaded with the first use, so that a service without OpenID Connect does not pay for it. */
const load = Effect.promise((): Promise<Library> => import("openid-client"))

/** The library is not interrupted, but each of its requests has the time limit of the egress. */
const attempt = <A>(otherwise: OidcReason, run: () => Promise<A>) =>
  Effect.uninterruptible(Effect.tryPromise({ try: run, catch: (error) => oidcFailure(error, otherwise) }))

const misconfigured = (detail: string) => new OidcFailed({ reason: "misconfigured", detail })

const wrongToken = (detail: string) => new OidcFailed({ reason: "wrong-token", detail })

/** By OpenID Connect Discovery 1.0, section 3, `client_secret_basic` is what a provider without the field accepts. */
const authenticationOf = (library: Library, { clientSecret }: OidcClient, metadata: ServerMetadata) => {
  if (clientSecret === undefined) return library.None()
  const { token_endpoint_auth_methods_supported: methods = ["client_secret_basic"] } = metadata
  return methods.includes("client_secret_basic")
    ? library.ClientSecretBasic(Redacted.value(clientSecret))
    : library.ClientSecretPost(Redacted.value(clientSecret))
}

/**
 * What the library leaves open. `azp` must be this client also when there is only one audience, and a token must not have
 * been issued in the future (OpenID Connect Core 1.0, section 3.1.3.7, steps 5 and 10).
 */
const faultOf = ({ azp, iat }: IDToken, { clientId }: OidcClient, nowMillis: number): string | undefined => {
  if (azp !== undefined && azp !== clientId) return "the token was issued for another client (azp)"
  return iat > nowMillis / 1_000 + CLOCK_SKEW_SECONDS ? "the token is from the future (iat)" : undefined
}

/**
 * The operator's provider. The signature of each ID token is checked with keys that are read for this sign-in: a new key
 * counts at once, and a withdrawn one no longer. Only a code that the provider accepts leads to this request.
 */
export const makeOidcProvider = Effect.fnUntraced(function* (client: OidcClient, send: SendRequest) {
  const isPlain = client.issuer.protocol === "http:"
  const schemes = isPlain ? ["http", "https"] as const : ["https"] as const
  const fetch = makeEgressFetch(send, schemes)

  const discover = Effect.gen(function* () {
    const library = yield* load
    const found = yield* attempt(
      "misconfigured",
      () =>
        library.discovery(client.issuer, client.clientId, undefined, library.None(), {
          [library.customFetch]: fetch,
          execute: isPlain ? [library.allowInsecureRequests] : []
        })
    )
    const metadata = found.serverMetadata()
    // The library accepts other issuers of some providers.
    if (URL.parse(metadata.issuer)?.href !== client.issuer.href) {
      return yield* misconfigured(`the provider calls itself ${metadata.issuer}: OIDC_ISSUER must be the same`)
    }
    for (const field of ["authorization_endpoint", "token_endpoint", "jwks_uri"] as const) {
      const protocol = URL.parse(metadata[field] ?? "")?.protocol
      if (!schemes.some((scheme) => protocol === `${scheme}:`)) {
        return yield* misconfigured(`the discovery document has no usable ${field}`)
      }
    }
    return metadata
  })

  const metadata = yield* Effect.cachedWithTTL(discover, (exit) => Exit.isSuccess(exit) ? METADATA_TTL : 0)

  /** A new one for each sign-in, because a configuration keeps the keys that it read. */
  const configuration = Effect.gen(function* () {
    const found = yield* metadata
    const library = yield* load
    const made = new library.Configuration(
      found,
      client.clientId,
      { [library.clockTolerance]: CLOCK_SKEW_SECONDS },
      authenticationOf(library, client, found)
    )
    made[library.customFetch] = fetch
    library.enableNonRepudiationChecks(made)
    if (isPlain) library.allowInsecureRequests(made)
    return { library, made, metadata: found }
  })

  const userInfo = (library: Library, made: Configuration, accessToken: string, subject: string) =>
    Effect.map(
      attempt("wrong-token", () => library.fetchUserInfo(made, accessToken, subject)),
      (claims): Claims => claims
    )

  return {
    /** The URL at the provider that asks the person to sign in. */
    authorizationUrl: Effect.fnUntraced(function* ({ nonce, state, verifier }: Challenge) {
      const { library, made } = yield* configuration
      const challenge = yield* Effect.promise(() => library.calculatePKCECodeChallenge(verifier))
      return library.buildAuthorizationUrl(made, {
        redirect_uri: client.redirectUrl.href,
        scope: client.scopes,
        state,
        nonce,
        code_challenge: challenge,
        code_challenge_method: "S256"
      })
    }),

    /** Exchanges the code of the provider's answer for claims about the account, all of whose proofs are checked. */
    claims: Effect.fnUntraced(function* (answer: URLSearchParams, { nonce, state, verifier }: Challenge) {
      const { library, made, metadata } = yield* configuration
      const url = new URL(client.redirectUrl)
      url.search = answer.toString()
      const tokens = yield* attempt("wrong-token", () =>
        library.authorizationCodeGrant(made, url, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true
        }))
      const idToken = tokens.claims()
      if (idToken === undefined) return yield* wrongToken("the answer has no ID token")
      const fault = faultOf(idToken, client, yield* Clock.currentTimeMillis)
      if (fault !== undefined) return yield* wrongToken(fault)
      if (metadata.userinfo_endpoint === undefined || !needsUserInfo(client, idToken)) return mergeClaims(idToken, {})
      return mergeClaims(idToken, yield* userInfo(library, made, tokens.access_token, idToken.sub))
    }),

    /** Reads the discovery document and the keys, and returns what the provider supports. */
    examine: Effect.gen(function* () {
      const { metadata } = yield* configuration
      const keys = yield* attempt("misconfigured", async () => {
        const answer = await fetch(metadata.jwks_uri ?? "", {
          method: "GET",
          headers: {},
          body: null,
          redirect: "manual"
        })
        const body: unknown = answer.status === 200 ? await answer.json() : undefined
        return typeof body === "object" && body !== null && "keys" in body && Array.isArray(body.keys) ? body.keys : []
      })
      if (keys.length === 0) return yield* misconfigured(`${metadata.jwks_uri} holds no keys`)
      return metadata
    })
  }
})
