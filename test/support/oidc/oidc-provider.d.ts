/** The part of oidc-provider that the tests use. The package has no types of its own. */
declare module "oidc-provider" {
  import type { RequestListener } from "node:http"

  interface Account {
    readonly accountId: string
    readonly claims: () => Readonly<Record<string, unknown>>
  }

  export interface Configuration {
    readonly clients: ReadonlyArray<Readonly<Record<string, unknown>>>
    readonly claims: Readonly<Record<string, ReadonlyArray<string>>>
    readonly conformIdTokenClaims: boolean
    readonly findAccount: (context: unknown, id: string) => Account | Promise<Account>
    readonly jwks: { readonly keys: ReadonlyArray<object> }
    readonly cookies: { readonly keys: ReadonlyArray<string> }
    /** Lifetimes in seconds. */
    readonly ttl: Readonly<Record<string, number>>
  }

  export class Provider {
    constructor(issuer: string, configuration: Configuration)
    callback(): RequestListener
  }
}
