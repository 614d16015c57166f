import { Schema } from "effect"
import { Flag, List, optional, secret, setting } from "./setting.ts"

/** Sign-in to the console at an OpenID Connect provider (docs/console.md, "Sign in with your company's accounts"). */
export const oidcSettings = {
  oidcIssuer: optional(
    "OIDC_ISSUER",
    "Issuer of the OpenID Connect provider whose accounts may sign in to the console, such as `https://sso.shop.example/realms/staff`. `https`, except on this machine. Needs `OIDC_CLIENT_ID`, `OIDC_REDIRECT_URL` and `OIDC_ROLES`. All processes with the role `http` need the same `OIDC_*`.",
    Schema.String
  ),
  oidcClientId: optional("OIDC_CLIENT_ID", "Id of the client that is registered at the provider.", Schema.String),
  oidcClientSecret: secret("OIDC_CLIENT_SECRET", "Secret of that client. Without it, the client is a public one."),
  oidcRedirectUrl: optional(
    "OIDC_REDIRECT_URL",
    "URL to which the provider sends the browser back, as it is registered there: the address of the console with the path `/console/login/oidc/callback`. `https`, except on this machine.",
    Schema.String
  ),
  oidcRoles: setting(
    "OIDC_ROLES",
    "",
    "Roles of the provider's groups: `group=role,group=role`, with the roles `admin`, `support` and `auditor`. Of several, `admin` counts first, then `auditor`. An account without a group in this list cannot sign in.",
    List
  ),
  oidcScopes: setting(
    "OIDC_SCOPES",
    "openid profile email",
    "Scopes that the service asks for, separated by spaces. `openid` is one of them.",
    Schema.String
  ),
  oidcGroupsClaim: setting(
    "OIDC_GROUPS_CLAIM",
    "groups",
    "Claim with the groups of an account: a list of texts, or one text.",
    Schema.String
  ),
  oidcNameClaim: setting(
    "OIDC_NAME_CLAIM",
    "email",
    "Claim with the name of an account, which events get behind `oidc:`. It must never belong to another person later. An address counts only with the claim `email_verified`: see `OIDC_TRUST_UNMARKED_EMAIL`.",
    Schema.String
  ),
  oidcTrustUnmarkedEmail: setting(
    "OIDC_TRUST_UNMARKED_EMAIL",
    "false",
    "Whether an address counts although the provider sends no claim `email_verified` with it. Only for a provider that never sends the claim and lets no person choose an address, such as Entra ID for accounts of your own tenant. An address that the provider calls unverified never counts.",
    Flag
  )
} as const
